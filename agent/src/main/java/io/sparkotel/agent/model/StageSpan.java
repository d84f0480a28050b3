package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One attempt of a stage: open until it is completed and none of its tasks is. */
final class StageSpan {

  /**
   * More than ever wait for one stage at a time; one that is never completed is joined for ever.
   */
  static final int MAX_OTHER_JOBS = 1_000;

  final StageInfo info;

  /** The job that the stage is counted under, or null where none is known. */
  final JobSpan owner;

  /** Whose trace its spans and those of its tasks are in. */
  final TraceUnit unit;

  final SpanFactory spans;

  final Totals totals = new Totals();
  final LongMap<TaskInfo> openTasks = new LongMap<>();
  final TaskSelection selection;
  final ExecutorPeaks peaks = new ExecutorPeaks();

  private final StageChain.LongestTask longestTask = new StageChain.LongestTask();
  private final List<JobSpan> otherJobs;
  private long otherJobsLeftOut;
  private final String retryReason;
  private final SpanContext retried;
  private final SpreadValues spread = new SpreadValues();
  private final StageFindings found = new StageFindings();
  private final Map<String, TaskEnd> lostExecutors = new LinkedHashMap<>(0);
  private final Map<Long, TaskEnd> resubmitted = new LinkedHashMap<>(0);
  private StageInfo completed;
  private Long abandonTime;
  private EndReason lastFailure;
  private long firstTaskTime = Long.MAX_VALUE;
  private long lastTaskTime;

  /** The stages that overlapped another one before it; -1 where it does itself. */
  long overlapsBefore;

  /** What was wrong with it, once it is built. */
  final Findings findings = new Findings();

  /**
   * @param unit the trace that it is in
   * @param retried the attempt before this one, or null
   */
  StageSpan(
      StageInfo info,
      TraceUnit unit,
      JobSpan owner,
      List<JobSpan> otherJobs,
      SpanContext retried,
      String retryReason,
      TaskSelection selection) {
    this.info = info;
    this.unit = unit;
    spans = unit.spans;
    this.owner = owner;
    this.retried = retried;
    this.otherJobs = new ArrayList<>(0);
    this.retryReason = retryReason;
    this.selection = selection;
    if (owner != null) {
      owner.chain.add(info.id, info.parentIds, longestTask);
    }
    otherJobs.forEach(this::joinedBy);
  }

  /** By stage id, then attempt. */
  long key() {
    return OpenStages.key(info.id, info.attempt);
  }

  /** A job that started later waits for it, too. */
  void joinedBy(JobSpan job) {
    if (otherJobs.size() < MAX_OTHER_JOBS) {
      otherJobs.add(job);
    } else {
      otherJobsLeftOut++;
    }
    job.chain.add(info.id, info.parentIds, longestTask);
  }

  /** False for one that has started before. */
  boolean taskStarted(TaskStart start) {
    if (openTasks.putIfAbsent(start.task.id, start.task) != null) {
      return false;
    }
    firstTaskTime = Math.min(firstTaskTime, start.task.launchTime);
    selection.started(start.task);
    return true;
  }

  /** False for the end of a task whose start was not seen. */
  boolean taskEnded(TaskEnd end) {
    boolean wasOpen = openTasks.remove(end.task.id) != null;
    totals.addTask(end);
    found.taskEnded(end);
    peaks.add(end.task.executorId, end.executorMetrics);
    longestTask.ended(end);
    firstTaskTime = Math.min(firstTaskTime, end.task.launchTime);
    lastTaskTime = Math.max(lastTaskTime, end.task.endTime());
    EndReason.Kind kind = end.reason.kind;
    if (kind == EndReason.Kind.Success) {
      spread.add(end);
    } else if (kind.isFailure()) {
      lastFailure = end.reason;
    }
    if (kind == EndReason.Kind.Resubmitted) {
      if (resubmitted.size() < Limits.EVENTS) {
        resubmitted.putIfAbsent(end.task.id, end);
      }
      return true;
    }
    if (kind == EndReason.Kind.ExecutorLostFailure && lostExecutors.size() < Limits.EVENTS) {
      lostExecutors.putIfAbsent(end.task.executorId, end);
    }
    selection.ended(end);
    return wasOpen;
  }

  /** The first ones by id, at most so many. */
  List<TaskInfo> openTasks(int most) {
    long[] ids = openTasks.sortedKeys();
    int count = Math.min(most, ids.length);
    List<TaskInfo> tasks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tasks.add(openTasks.get(ids[i]));
    }
    return tasks;
  }

  /** Without its open tasks. */
  long stateSize() {
    long size = 1L + otherJobs.size() + lostExecutors.size() + resubmitted.size();
    return size + selection.stateSize() + spread.stateSize();
  }

  void completed(StageInfo stage) {
    completed = stage;
    if (stage.sqlMetrics != null) {
      for (SqlSpan sql : sqls()) {
        sql.metrics.stageCompleted(stage.sqlMetrics, stage.tasks);
      }
    }
  }

  /** The SQL executions of its jobs. */
  private Set<SqlSpan> sqls() {
    Set<SqlSpan> sqls = new LinkedHashSet<>();
    if (owner != null && owner.sql() != null) {
      sqls.add(owner.sql());
    }
    for (JobSpan job : otherJobs) {
      if (job.sql() != null) {
        sqls.add(job.sql());
      }
    }
    return sqls;
  }

  /** Its jobs are over and Spark will not complete it. */
  void abandon(long time) {
    abandonTime = time;
  }

  boolean isCompleted() {
    return completed != null;
  }

  boolean isDone() {
    return (completed != null || abandonTime != null) && openTasks.isEmpty();
  }

  boolean isFailed() {
    return completed != null && completed.failureReason != null;
  }

  String failureReason() {
    return completed == null ? null : completed.failureReason;
  }

  /** Class of the error of the last task that failed, or null. */
  String errorType() {
    return lastFailure == null ? null : Failures.errorType(lastFailure);
  }

  /** Of the last task that failed, or null. */
  FailureDetails failure() {
    return lastFailure == null ? null : FailureDetails.of(lastFailure);
  }

  /** Its failure is that of one of its own tasks, not that of another stage of the job. */
  boolean isNamedByItsFailure() {
    String reason = failureReason();
    return reason != null && reason.contains("in stage " + info.id + "." + info.attempt);
  }

  boolean readsFrom(int stageId) {
    return info.parentIds != null && info.parentIds.contains(Integer.toString(stageId));
  }

  boolean isRetry() {
    return info.attempt > 0;
  }

  /**
   * @param notExported task ends of this stage that have no span
   * @param closeTime the end where Spark told none, epoch milliseconds
   * @param executors all that it could use; null where other stages ran beside it
   */
  FinishedSpan build(long notExported, long closeTime, ExecutorCores executors) {
    SpanFactory.Draft draft = spans.draft(Entity.STAGE, info.id, info.attempt);
    StageInfo last = completed == null ? info : completed;
    long end = end(last, closeTime);
    long start = last.submissionTime != null ? last.submissionTime : startWithoutSubmission(end);
    draft.name("stage " + label()).time(start, end).incomplete(completed == null);
    draft.parent(owner == null ? spans.application() : spans.job(owner.id()));
    for (JobSpan job : otherJobs) {
      draft.link(job.action.spans().job(job.id()));
    }
    if (retried != null) {
      draft.link(retried);
    }
    if (otherJobsLeftOut > 0) {
      draft.attributes.put(Names.STAGE_JOBS_LEFT_OUT, otherJobsLeftOut);
    }
    draft.attributes.put(Names.STAGE_ID, info.id);
    draft.attributes.put(Names.STAGE_ATTEMPT, info.attempt);
    if (!ConnectText.isRequest(info.name)) {
      Limits.putText(
          draft.attributes, Names.STAGE_NAME, spans.redactor.text(info.name), Limits.MESSAGE);
      Limits.putText(
          draft.attributes,
          Names.STAGE_CALL_SITE,
          spans.redactor.text(info.details),
          Limits.CALL_SITE);
    }
    draft.attributes.put(Names.STAGE_PARENT_IDS, info.parentIds);
    if (owner != null) {
      draft.attributes.put(Names.JOB_ID, owner.id());
      draft.attributes.put(Names.SQL_EXECUTION_ID, owner.sqlExecutionId());
      owner.attributes.put(draft.attributes);
    }
    Limits.putText(
        draft.attributes,
        Names.STAGE_RETRY_REASON,
        spans.redactor.text(retryReason),
        Limits.MESSAGE);
    List<String> operators = operators();
    draft.attributes.put(Names.STAGE_OPERATORS, operators);
    totals.put(draft.attributes, Entity.STAGE);
    draft.attributes.put(Names.TASKS_NOT_EXPORTED, notExported);
    spread.put(draft.attributes);
    peaks.put(draft.attributes, Entity.STAGE);
    findings.tasksMissing = !isFailed() && totals.tasks() < last.tasks;
    if (!findings.tasksMissing && executors != null && executors.isKnown(end)) {
      addIdleCores(executors.coreTime(start, end), end - start);
    }
    putFindings(draft, operators);
    putEvents(draft);
    if (isFailed()) {
      String reason = completed.failureReason;
      Limits.putText(
          draft.attributes,
          Names.STAGE_FAILURE_REASON,
          spans.redactor.text(reason),
          Limits.MESSAGE);
      if (!Failures.isCancellation(reason)) {
        draft.error(errorType(), reason);
        FailureDetails.of(reason, failure()).putErrorClass(draft.attributes);
        if (lastFailure != null) {
          draft.event(Failures.event(lastFailure, end, spans));
        }
      }
    }
    return draft.build();
  }

  /** By the plan of its first job that knows its metrics; empty where none does. */
  private List<String> operators() {
    if (completed != null && spans.config.sqlPlan() != AgentConfig.SqlPlan.NONE) {
      for (SqlSpan sql : sqls()) {
        List<String> names = sql.operators(completed.sqlMetrics);
        if (!names.isEmpty()) {
          return names;
        }
      }
    }
    return Collections.emptyList();
  }

  /** Cores that came and went count as one that was there all the time. */
  private void addIdleCores(long available, long duration) {
    long cores = Math.round((double) available / Math.max(1, duration));
    String tasks = FindingText.count(totals.tasks(), "task");
    new ApplicationFindings(findings, spans.config.findings())
        .addIdleCores(
            tasks + " on " + FindingText.count(cores, "core"), totals.coreTimeUsed(), available);
  }

  private void putFindings(SpanFactory.Draft draft, List<String> operators) {
    found.addTo(findings, totals, spread, isRetry(), spans);
    String python = PythonTime.operator(operators);
    if (python != null) {
      Long time = null;
      for (SqlSpan sql : sqls()) {
        time = time == null ? PythonTime.of(sql.plan(), completed.sqlMetrics) : time;
      }
      StageFindings.addPython(findings, spans.config.findings(), totals, time, python);
    }
    findings.put(draft.attributes);
  }

  /** Why a task of it that succeeded was slow; null where it was not or it is too early to tell. */
  FindingCode slowness(TaskEnd end) {
    boolean most = info.tasks <= TaskSelection.SMALL_STAGE && 2 * spread.count() >= info.tasks;
    SlowTask slow = isDone() || most ? SlowTask.of(end, spread, spans.config.findings()) : null;
    return slow == null ? null : slow.code;
  }

  /** What findings of it are said to be of above it. */
  String place() {
    return "stage " + info.id + (isRetry() ? " attempt " + info.attempt : "");
  }

  private void putEvents(SpanFactory.Draft draft) {
    for (TaskEnd end : lostExecutors.values()) {
      draft.event(Failures.executorRemoved(end, spans));
    }
    for (TaskEnd end : resubmitted.values()) {
      draft.event(Failures.resubmitted(end));
    }
  }

  private long end(StageInfo last, long closeTime) {
    if (last.completionTime != null) {
      return last.completionTime;
    }
    return abandonTime == null ? closeTime : Math.max(abandonTime, lastTaskTime);
  }

  private long startWithoutSubmission(long end) {
    return owner == null ? Math.min(firstTaskTime, end) : owner.startTime();
  }

  /** The label of the stage itself, else that of its job. */
  String label() {
    String own = CallSites.label(info.name, info.details);
    if (own != null) {
      return own;
    }
    if (owner != null) {
      return owner.label();
    }
    return info.name == null ? "" : info.name;
  }
}
