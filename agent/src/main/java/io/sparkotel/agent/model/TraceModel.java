package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.TraceConfig;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.telemetry.AttributeList;
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
import java.util.function.Consumer;

/**
 * The state machine of one application: neutral events in, finished spans out. One thread at a
 * time; no clock, no I/O, no Spark. A span is made when its entity is complete, so what is held is
 * what is open. Not final, so that a test can take the events of a log.
 */
public class TraceModel {

  /** Spark's name of the driver among the executors. */
  static final String DRIVER = "driver";

  private final AgentConfig config;
  private final Consumer<FinishedSpan> sink;
  private final ApplicationSpan application;
  private final KnownExecutors executors = new KnownExecutors();

  /** In the order of their starts: a nested one comes after its root. */
  private final Map<Long, SqlSpan> sqls = new LinkedHashMap<>();

  /** In the order of their starts. */
  private final Map<Integer, JobSpan> jobs = new LinkedHashMap<>();

  private final OpenStages stages = new OpenStages();
  private final OpenLimits limits = new OpenLimits(this, sqls, jobs, stages);

  /** The jobs that have not ended, by the ids of their stages. */
  private final Map<Integer, List<JobSpan>> jobsOfStage = new HashMap<>();

  /** Where their last attempt was, of the stages above that were in another trace. */
  private final Map<Integer, SpanFactory> stagesElsewhere = new HashMap<>();

  private SpanFactory spans;
  private Units units;
  private Environment environment;
  private long lastTime;

  /** How many stages were submitted while others were open. */
  private long overlaps;

  /** From then on, a job or stage that is closed may be in another trace. */
  private boolean jobsElsewhere;

  /** The same of SQL executions without a job, of which Spark's scheduler does not tell. */
  private boolean sqlsElsewhere;

  /** Those that have a span or will have one: what names another one has no parent in it. */
  private final IdRanges startedSqls = new IdRanges();

  private final IdRanges startedJobs = new IdRanges();
  private final IdRanges startedStages = new IdRanges();

  /** SQL metrics to which a stage added: their values may hold what other executions did. */
  private final IdRanges seenMetrics = new IdRanges();

  /** Those that have a span: a second one of the same id would hide the first. */
  private final IdRanges exportedTasks = new IdRanges();

  /**
   * @param live what only the live process knows of the application; empty in a replay
   * @param sink takes every span but the application's, on the thread of the event
   */
  public TraceModel(AgentConfig config, AttributeList live, Consumer<FinishedSpan> sink) {
    this.config = config;
    this.application = new ApplicationSpan(live);
    this.sink = sink;
  }

  /** Comes before the application's start; a later one, of an added jar, changes nothing. */
  public void environment(Environment update) {
    if (environment == null) {
      environment = update;
      application.environment(update);
      executors.environment(update.sparkProperties);
    }
  }

  public void applicationStart(ApplicationStart event) {
    if (spans != null) {
      application.anomalies++;
      return;
    }
    if (environment == null) {
      environment(new Environment(null, null, Collections.emptyMap()));
    }
    Redactor redactor = Identities.redactor(config, environment.sparkProperties);
    HistoryPages history = HistoryPages.of(config.historyUrl(), event, redactor);
    spans =
        new SpanFactory(
            Identities.of(config, event, environment), redactor, config, executors, history);
    TraceConfig trace = config.trace().recordedIn(environment.sparkProperties);
    boolean shared = SharedApplication.is(environment.sparkProperties, event.name);
    units = new Units(spans, trace, shared, event.time, sink);
    application.started(event);
    time(event.time);
    sink.accept(application.buildMarker(spans));
  }

  /** Events still follow: a job that runs is ended after it. */
  public void applicationEnd(long time, Integer exitCode) {
    time(time);
    application.ended(time, exitCode);
  }

  public void executorAdded(ExecutorAdded event) {
    time(event.time);
    application.executors.added(event);
    if (event.links != null) {
      executors.added(event.executorId, event.links);
    }
  }

  /** Comes before the executors and the stages that have it. */
  public void resourceProfile(ResourceProfile profile) {
    application.executors.profile(profile);
  }

  public void executorRemoved(long time, String executorId) {
    time(time);
    application.executors.removed(time, executorId);
    executors.removed(executorId);
  }

  /**
   * What an executor sampled of itself while a stage ran.
   *
   * @param stageId -1 of the driver, whatever runs
   * @param values indexed by {@link io.sparkotel.agent.telemetry.ExecutorMetric}, null where
   *     nothing was sampled
   */
  public void executorPeaks(String executorId, int stageId, int stageAttempt, long[] values) {
    if (DRIVER.equals(executorId) && !application.isLocal()) {
      application.driverPeaks.add(executorId, values);
      return;
    }
    application.peaks.add(executorId, values);
    StageSpan stage = stages.get(key(stageId, stageAttempt));
    if (stage != null) {
      stage.peaks.add(executorId, values);
    }
  }

  /** Of a server that runs in the application, and of what it is asked to run. */
  public void serverEvent(ServerEvent event) {
    if (isTooEarly()) {
      return;
    }
    time(event.time);
    if (!units.groups.event(event, lastTime)) {
      application.anomalies++;
    }
  }

  public void sqlStart(SqlStart event) {
    if (isTooEarly()) {
      return;
    }
    time(event.time);
    if (sqls.containsKey(event.executionId) || !startedSqls.add(event.executionId)) {
      application.anomalies++;
      return;
    }
    SqlSpan root = null;
    boolean rootMissing = false;
    boolean orphan = false;
    Long rootId = event.rootExecutionId;
    if (rootId != null && rootId != event.executionId) {
      root = sqls.get(rootId);
      // Nor is one a root that starts later: two could be each other's.
      rootMissing = !startedSqls.contains(rootId);
      orphan = rootMissing || (root == null && mayBeElsewhere(rootId));
    }
    if (root != null) {
      root.openChildren++;
    }
    if (rootMissing) {
      application.anomalies++;
    }
    units.started(event);
    Action action = root == null ? new Action(units, event) : root.action;
    sqls.put(event.executionId, new SqlSpan(event, root, orphan, action, seenMetrics));
    limits.sqlStarted();
  }

  public void sqlPlan(long executionId, PlanNode plan) {
    SqlSpan sql = sqls.get(executionId);
    if (sql == null) {
      application.anomalies++;
    } else {
      sql.planChanged(plan, seenMetrics);
    }
  }

  /**
   * What the driver itself adds to SQL metrics. It may do so after the end, as a broadcast that
   * nobody waits for.
   *
   * @param pairs accumulators' ids and what was added, alternating
   */
  public void sqlDriverMetrics(long executionId, long[] pairs) {
    SqlSpan sql = sqls.get(executionId);
    if (sql != null) {
      sql.metrics.driver(pairs);
    } else if (!startedSqls.contains(executionId)) {
      application.anomalies++;
    }
  }

  public void sqlEnd(SqlEnd event) {
    time(event.time);
    SqlSpan sql = sqls.get(event.executionId);
    if (sql == null || sql.isEnded()) {
      application.anomalies++;
      return;
    }
    sql.ended(event);
    closeIfDone(sql);
  }

  public void streamStart(StreamStart event) {
    if (!isTooEarly()) {
      time(event.time);
      units.streams.started(event);
    }
  }

  public void streamProgress(StreamProgress event) {
    if (!isTooEarly()) {
      time(event.time);
      units.streams.progress(event);
    }
  }

  public void streamEnd(StreamEnd event) {
    if (!isTooEarly()) {
      units.streams.ended(event);
    }
  }

  public void jobStart(JobStart event) {
    if (isTooEarly()) {
      return;
    }
    time(event.time);
    if (jobs.containsKey(event.jobId) || !startedJobs.add(event.jobId)) {
      application.anomalies++;
      return;
    }
    Long sqlId = event.properties.sqlExecutionId;
    SqlSpan sql = sqlId == null ? null : sqls.get(sqlId);
    if (sql != null) {
      sql.openChildren++;
    }
    boolean sqlMissing = sqlId != null && !startedSqls.contains(sqlId);
    if (sqlMissing) {
      application.anomalies++;
    }
    UserAttributeList attributes =
        UserAttributeList.of(event.properties, environment.sparkProperties, spans.redactor);
    boolean orphan = sqlMissing || (sql == null && sqlId != null && mayBeElsewhere(sqlId));
    units.started(event);
    Action action = sql == null ? new Action(units, null) : sql.action;
    if (!action.isSettled()) {
      action.settle(event, attributes);
      jobsElsewhere |= action.isElsewhere();
      application.invalidTraceparents += action.hasInvalidCaller() ? 1 : 0;
      exportWaiting(action);
    }
    JobSpan job = new JobSpan(event, sql, orphan, action, attributes);
    jobs.put(event.jobId, job);
    application.limits.jobStarted(job);
    for (int stageId : job.stageIds()) {
      jobsOfStage.computeIfAbsent(stageId, id -> new ArrayList<>(1)).add(job);
    }
    for (StageInfo info : event.stages) {
      StageSpan running = stages.get(key(info.id, info.attempt));
      if (running != null && !running.isCompleted()) {
        job.pendingStages.remove(info.id);
        running.joinedBy(job);
      }
    }
    limits.jobStarted();
  }

  public void jobEnd(JobEnd event) {
    time(event.time);
    JobSpan job = jobs.get(event.jobId);
    if (job == null || job.isEnded()) {
      application.anomalies++;
      return;
    }
    forgetStages(job);
    abandonStages(job, event.time);
    application.limits.jobEnded(job, event.time);
    job.ended(event);
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

  public void stageSubmitted(StageInfo info) {
    if (isTooEarly()) {
      return;
    }
    time(info.submissionTime);
    if (stages.get(key(info.id, info.attempt)) != null
        || startedStages.contains(rangeKey(info.id, info.attempt))) {
      application.anomalies++;
      return;
    }
    stage(info);
    limits.stageSubmitted();
  }

  public void stageCompleted(StageInfo info) {
    if (isTooEarly()) {
      return;
    }
    time(info.completionTime);
    StageSpan stage = stages.get(key(info.id, info.attempt));
    if (stage == null) {
      application.anomalies++;
      if (startedStages.contains(rangeKey(info.id, info.attempt))) {
        return;
      }
      stage = stage(info);
    }
    stage.completed(info);
    for (int i = 0; info.sqlMetrics != null && i < info.sqlMetrics.length; i += 2) {
      seenMetrics.add(info.sqlMetrics[i]);
    }
    if (stage.isFailed()) {
      for (JobSpan job : activeJobs(info.id)) {
        job.stageFailed(stage);
      }
    }
    closeIfDone(stage);
  }

  public void taskStart(TaskStart event) {
    time(event.task.launchTime);
    application.executors.taskStarted(event.task.executorId);
    StageSpan stage = stages.get(key(event.stageId, event.stageAttempt));
    // One that has a span has ended.
    if (stage == null
        || exportedTasks.contains(event.task.id)
        || !stages.taskStarted(stage, event)) {
      application.anomalies++;
    }
    limits.taskStarted();
  }

  public void taskEnd(TaskEnd event) {
    time(event.task.finishTime);
    application.peaks.add(event.task.executorId, event.executorMetrics);
    StageSpan stage = stages.get(key(event.stageId, event.stageAttempt));
    if (stage == null) {
      lateTaskEnd(event);
      return;
    }
    if (!stages.taskEnded(stage, event)) {
      application.anomalies++;
    }
    closeIfDone(stage);
  }

  /** Of a stage that is closed or was never seen: shown under it, counted at the application. */
  private void lateTaskEnd(TaskEnd event) {
    application.anomalies++;
    application.totals.addTask(event);
    if (event.reason.kind == EndReason.Kind.Resubmitted) {
      // It ended before, and its span has been made then.
      return;
    }
    boolean shown =
        event.reason.kind.isFailure()
            ? config.tasks() != AgentConfig.TaskPolicy.NONE
            : config.tasks() == AgentConfig.TaskPolicy.ALL;
    if (!shown || spans == null || !export(event, null)) {
      application.tasksNotExported++;
    }
  }

  private StageSpan stage(StageInfo info) {
    List<JobSpan> active = activeJobs(info.id);
    JobSpan owner = active.isEmpty() ? null : active.get(0);
    if (owner == null) {
      application.anomalies++;
    }
    String retryReason = null;
    for (JobSpan job : active) {
      job.pendingStages.remove(info.id);
      if (retryReason == null && info.attempt > 0) {
        retryReason = job.retryReason(info);
      }
    }
    startedStages.add(rangeKey(info.id, info.attempt));
    TraceUnit unit = owner == null ? units.home() : owner.action.unit();
    StageSpan[] self = new StageSpan[1];
    TaskSelection selection =
        new TaskSelection(config.tasks(), info.tasks, unit.budget, end -> export(end, self[0]));
    StageSpan stage =
        new StageSpan(
            info,
            unit,
            owner,
            active.isEmpty() ? active : active.subList(1, active.size()),
            info.attempt > 0
                ? stagesElsewhere.getOrDefault(info.id, spans).stage(info.id, info.attempt - 1)
                : null,
            retryReason,
            selection);
    self[0] = stage;
    stage.totals.taskCpus(application.executors.taskCpus(info.profileId));
    if (owner != null && owner.action.isElsewhere()) {
      stagesElsewhere.put(info.id, stage.spans);
    } else {
      stagesElsewhere.remove(info.id);
    }
    if (owner != null) {
      owner.openStages.add(stage);
    }
    overlaps += stages.isEmpty() ? 0 : 1;
    stage.overlapsBefore = stages.isEmpty() ? overlaps : -1;
    stages.put(stage);
    return stage;
  }

  /** In the order of their ids. */
  private List<JobSpan> activeJobs(int stageId) {
    List<JobSpan> sorted =
        new ArrayList<>(jobsOfStage.getOrDefault(stageId, Collections.emptyList()));
    sorted.sort(Comparator.comparingInt(JobSpan::id));
    return sorted;
  }

  private boolean export(TaskEnd end, StageSpan stage) {
    TraceUnit unit = stage == null ? units.home() : stage.unit;
    if (unit.budget.isSpent() || !exportedTasks.add(end.task.id)) {
      return false;
    }
    boolean orphan =
        stage == null
            && (jobsElsewhere || !startedStages.contains(rangeKey(end.stageId, end.stageAttempt)));
    export(TaskSpan.build(spans, end, stage, orphan), unit);
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
    stage.totals.addStage(stage.isFailed(), stage.isRetry());
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
      job.action.closed(job, lastTime);
      return;
    }
    if (job.failed()) {
      sql.jobFailed(job);
    }
    sql.totals.add(job.totals);
    sql.openChildren--;
    closeIfDone(sql);
  }

  private void closeIfDone(SqlSpan sql) {
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
      action.closed(sql, lastTime);
    } else {
      sql.root.totals.add(sql.totals);
      sql.root.nestedClosed(sql);
      sql.root.openChildren--;
      closeIfDone(sql.root);
    }
  }

  /** Whether an execution that is closed is, or may yet be, in another trace. */
  private boolean mayBeElsewhere(long closedSql) {
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
  public void closeOpen() {
    if (spans == null) {
      return;
    }
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

  /**
   * The application's own span, after {@link #closeOpen()}.
   *
   * @param report null in a replay
   * @param earlierAttempts the application spans of earlier attempts of the application, to link
   * @return null where the application never started
   */
  public FinishedSpan application(
      Outcome outcome, SelfReport report, List<SpanContext> earlierAttempts) {
    if (spans == null) {
      return null;
    }
    application.closedEarly = limits.closed();
    application.groupsClosedEarly = units.groups.closedEarly();
    return application.build(spans, outcome, report, earlierAttempts, units.links, lastTime);
  }

  /** Null where the application never started. */
  public String applicationId() {
    return application.id();
  }

  /** Events that did not fit what came before. */
  public long anomalies() {
    return application.anomalies;
  }

  /** Counts of the whole application, for the line in the log. */
  public ApplicationTotals totals() {
    return new ApplicationTotals(application.totals);
  }

  /**
   * How much is held of what is open, every entry of every collection: 0 when the application is
   * idle. Takes as long as there is much.
   */
  public long stateSize() {
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

  /** The same of executors and of what is over: bounded, whatever was. */
  long memorySize() {
    long size = startedSqls.ranges() + (long) startedJobs.ranges() + startedStages.ranges();
    size += seenMetrics.ranges() + (long) exportedTasks.ranges();
    size += units == null ? 0 : units.memorySize();
    return size + executors.size() + application.memorySize();
  }

  /** Nothing can be shown of an application that has not started: a log's head may be missing. */
  private boolean isTooEarly() {
    if (spans == null) {
      application.anomalies++;
    }
    return spans == null;
  }

  /** One that no span can hold is not believed: all that is open would end at it. */
  private void time(Long millis) {
    if (millis != null) {
      time(millis.longValue());
    }
  }

  private void time(long millis) {
    if (millis > lastTime && millis <= FinishedSpan.MAX_MILLIS) {
      lastTime = millis;
      if (units != null) {
        units.groups.advance(millis);
      }
    }
  }

  /** First attempts are next to each other. */
  private static long rangeKey(int stageId, int attempt) {
    return ((long) attempt << 32) | (stageId & 0xffffffffL);
  }

  static long key(int stageId, int attempt) {
    return ((long) stageId << 32) | (attempt & 0xffffffffL);
  }
}
