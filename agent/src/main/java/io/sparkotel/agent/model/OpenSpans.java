package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What of an application is open, and how it closes: a span is made when all below it are, and its
 * totals are added to what it is in.
 */
final class OpenSpans {

  /** In the order of their starts: a nested one comes after its root. */
  final Map<Long, SqlSpan> sqls = new LinkedHashMap<>();

  /** In the order of their starts. */
  final Map<Integer, JobSpan> jobs = new LinkedHashMap<>();

  final OpenStages stages = new OpenStages();
  final OpenLimits limits = new OpenLimits(this, sqls, jobs, stages);

  /** The jobs that have not ended, by the ids of their stages. */
  private final Map<Integer, List<JobSpan>> jobsOfStage = new HashMap<>();

  /** Where their last attempt was, of the stages above that were in another trace. */
  private final Map<Integer, SpanFactory> stagesElsewhere = new HashMap<>();

  private final ApplicationSpan application;
  private SpanFactory spans;
  private Units units;
  private long lastTime;

  /** How many stages were submitted while others were open. */
  private long overlaps;

  /** From then on, a job or stage that is closed may be in another trace. */
  private boolean jobsElsewhere;

  /** The same of SQL executions without a job, of which Spark's scheduler does not tell. */
  private boolean sqlsElsewhere;

  /** Those that have a span: a second one of the same id would hide the first. */
  private final IdRanges exportedTasks = new IdRanges();

  OpenSpans(ApplicationSpan application) {
    this.application = application;
  }

  /** Before the first of them. */
  void start(SpanFactory factory, Units traces) {
    spans = factory;
    units = traces;
  }

  /** The latest that an event told, epoch milliseconds: the end of what has none. */
  long lastTime() {
    return lastTime;
  }

  /** One that no span can hold is not believed: all that is open would end at it. */
  void time(long millis) {
    if (millis > lastTime && millis <= FinishedSpan.MAX_MILLIS) {
      lastTime = millis;
      if (units != null) {
        units.groups.advance(millis);
      }
    }
  }

  void add(JobSpan job) {
    jobs.put(job.id(), job);
    application.limits.jobStarted(job);
    for (int stageId : job.stageIds()) {
      jobsOfStage.computeIfAbsent(stageId, id -> new ArrayList<>(1)).add(job);
    }
  }

  void add(StageSpan stage, int id) {
    JobSpan owner = stage.owner;
    if (owner != null && owner.action.isElsewhere()) {
      stagesElsewhere.put(id, stage.spans);
    } else {
      stagesElsewhere.remove(id);
    }
    if (owner != null) {
      owner.openStages.add(stage);
    }
    overlaps += stages.isEmpty() ? 0 : 1;
    stage.overlapsBefore = stages.isEmpty() ? overlaps : -1;
    stages.put(stage);
  }

  /** Those that need the stage, in the order of their ids. */
  List<JobSpan> activeJobs(int stageId) {
    List<JobSpan> sorted =
        new ArrayList<>(jobsOfStage.getOrDefault(stageId, Collections.emptyList()));
    sorted.sort(Comparator.comparingInt(JobSpan::id));
    return sorted;
  }

  /** The last attempt of a stage, where that is in the trace that the next one is not in. */
  SpanFactory placeOf(int stageId) {
    return stagesElsewhere.getOrDefault(stageId, spans);
  }

  void ended(JobSpan job, JobEnd end) {
    forgetStages(job);
    abandonStages(job, end.time);
    application.limits.jobEnded(job, end.time);
    job.ended(end);
    closeIfDone(job);
  }

  /** None that starts from now on is one of this job. */
  void forgetStages(JobSpan job) {
    for (int stageId : job.stageIds()) {
      jobsOfStage.computeIfPresent(
          stageId, (id, active) -> active.remove(job) && active.isEmpty() ? null : active);
      if (!stagesElsewhere.isEmpty() && !jobsOfStage.containsKey(stageId)) {
        stagesElsewhere.remove(stageId);
      }
    }
  }

  /** Those that Spark completed by now are not concerned, nor those that another job needs. */
  private void abandonStages(JobSpan job, long time) {
    Set<StageSpan> abandoned = new TreeSet<>(Comparator.comparingLong(StageSpan::key));
    for (int stageId : job.stageIds()) {
      if (!jobsOfStage.containsKey(stageId)) {
        abandoned.addAll(stages.attempts(stageId));
      }
    }
    for (StageSpan stage : abandoned) {
      if (!stage.isCompleted()) {
        stage.abandon(time);
        closeIfDone(stage);
      }
    }
  }

  /** The first job of an action tells what trace that is in. */
  void settle(Action action, JobStart first, UserAttributeList attributes) {
    action.settle(first, attributes);
    jobsElsewhere |= action.isElsewhere();
    application.invalidTraceparents += action.hasInvalidCaller() ? 1 : 0;
    exportWaiting(action);
  }

  boolean hasSpan(TaskInfo task) {
    return exportedTasks.contains(task.id);
  }

  /**
   * Makes the span of a task that ended.
   *
   * @param stage null where it is not open
   * @param orphan whether the stage has no span, as far as is known
   * @return false where there is no room for it, or one of that id already
   */
  boolean export(TaskEnd end, StageSpan stage, boolean orphan) {
    TraceUnit unit = stage == null ? units.home() : stage.unit;
    if (unit.budget.isSpent() || !exportedTasks.add(end.task.id)) {
      return false;
    }
    boolean alone = orphan || (stage == null && jobsElsewhere);
    export(TaskSpan.build(spans, end, stage, alone), unit);
    return true;
  }

  private static void export(FinishedSpan task, TraceUnit unit) {
    unit.budget.spend(task.estimatedBytes());
    unit.sink.accept(task);
  }

  void closeIfDone(StageSpan stage) {
    if (stage.isDone()) {
      close(stage);
    }
  }

  void close(StageSpan stage) {
    stages.remove(stage);
    long notExported =
        closeTasks(stage, stage.openTasks(Integer.MAX_VALUE)) + stage.selection.close();
    application.tasksNotExported += notExported;
    boolean alone = stage.overlapsBefore == overlaps;
    stage.unit.sink.accept(
        stage.build(notExported, lastTime, alone ? application.executors : null));
    stage.totals.addStage(stage.info.tasks, stage.isFailed(), stage.isRetry());
    JobSpan owner = stage.owner;
    SqlSpan sql = owner == null ? null : owner.sql();
    (sql == null ? application.findings : sql.findings).addAll(stage.findings, stage.place());
    if (owner == null) {
      application.totals.add(stage.totals);
    } else {
      owner.openStages.remove(stage);
      owner.totals.add(stage.totals);
      closeIfDone(owner);
    }
  }

  /** Those whose end was never seen; tells how many of them have no span. */
  long closeTasks(StageSpan stage, List<TaskInfo> tasks) {
    long left = tasks.size();
    int limit = stage.selection.openLimit();
    for (TaskInfo task : tasks) {
      if (limit-- <= 0 || !stage.unit.budget.hasRoom(TaskBudget.Rank.SLOW)) {
        break;
      }
      if (exportedTasks.add(task.id)) {
        export(TaskSpan.buildOpen(task, stage, lastTime), stage.unit);
        left--;
      }
    }
    return left;
  }

  private void closeIfDone(JobSpan job) {
    if (job.isDone()) {
      close(job);
    }
  }

  void close(JobSpan job) {
    jobs.remove(job.id());
    if (!job.isEnded()) {
      application.limits.jobEnded(job, lastTime);
    }
    job.action.unit().sink.accept(job.build(lastTime));
    job.totals.addJob(job);
    SqlSpan sql = job.sql();
    if (sql == null) {
      application.totals.add(job.totals);
      job.action.closed(new ActionEnd(job, lastTime));
      return;
    }
    if (job.failed()) {
      sql.jobFailed(job);
    }
    sql.totals.add(job.totals);
    sql.openChildren--;
    closeIfDone(sql);
  }

  void closeIfDone(SqlSpan sql) {
    if (sql.isDone()) {
      close(sql);
    }
  }

  void close(SqlSpan sql) {
    sqls.remove(sql.id());
    sql.closed(spans);
    Action action = sql.action;
    if (sql.root == null && !action.isSettled()) {
      settleWithoutJob(action);
    }
    if (action.hasTrace()) {
      action.unit().sink.accept(sql.build(lastTime, application.executors));
    } else if (!action.await(sql)) {
      settleWithoutJob(action);
    }
    (sql.root == null ? application.findings : sql.root.findings)
        .addAll(sql.findings, "sql " + sql.id());
    if (sql.root == null) {
      application.totals.add(sql.totals);
      action.closed(new ActionEnd(sql, lastTime));
    } else {
      sql.root.totals.add(sql.totals);
      sql.root.nestedClosed(sql);
      sql.root.openChildren--;
      closeIfDone(sql.root);
    }
  }

  /** Whether an execution that is closed is, or may yet be, in another trace. */
  boolean mayBeElsewhere(long closedSql) {
    return jobsElsewhere
        || sqlsElsewhere
        || sqls.values().stream()
            .anyMatch(sql -> sql.root == null && sql.action.isWaiting(closedSql));
  }

  private void settleWithoutJob(Action action) {
    action.settleWithoutJob();
    sqlsElsewhere |= action.isElsewhere();
    exportWaiting(action);
  }

  private void exportWaiting(Action action) {
    for (SqlSpan nested : action.takeWaiting()) {
      action.unit().sink.accept(nested.build(lastTime, application.executors));
    }
  }

  /** No event follows: closes what is open, children first, at the last event time. */
  void closeAll() {
    for (StageSpan stage : stages.inOrder()) {
      close(stage);
    }
    List<JobSpan> openJobs = new ArrayList<>(jobs.values());
    openJobs.sort(Comparator.comparingInt(JobSpan::id));
    openJobs.forEach(this::close);
    jobsOfStage.clear();
    stagesElsewhere.clear();
    // The nested ones before their roots.
    List<SqlSpan> open = new ArrayList<>(sqls.values());
    Collections.reverse(open);
    for (SqlSpan sql : open) {
      if (sqls.containsKey(sql.id())) {
        close(sql);
      }
    }
    units.close(lastTime);
  }

  /** How much is held, every entry of every collection: 0 when the application is idle. */
  long stateSize() {
    long size = application.limits.runningJobs() + (long) stagesElsewhere.size() + stages.tasks();
    size += units == null ? 0 : units.stateSize();
    for (StageSpan stage : stages.inOrder()) {
      size += stage.stateSize();
    }
    for (JobSpan job : jobs.values()) {
      size += job.stateSize();
    }
    for (List<JobSpan> active : jobsOfStage.values()) {
      size += active.size();
    }
    for (SqlSpan sql : sqls.values()) {
      size += sql.stateSize();
      size += sql.root == null ? sql.action.waitingCount() : 0;
    }
    return size;
  }

  /** What is held of what is over: bounded. */
  long memorySize() {
    return exportedTasks.ranges();
  }
}
