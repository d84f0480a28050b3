package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.TraceConfig;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ReceiverError;
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
import java.util.Collections;
import java.util.List;
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

  private final OpenSpans open;
  private SpanFactory spans;
  private Units units;
  private Environment environment;

  /** Those that have a span or will have one: what names another one has no parent in it. */
  private final IdRanges startedSqls = new IdRanges();

  private final IdRanges startedJobs = new IdRanges();
  private final IdRanges startedStages = new IdRanges();

  /** SQL metrics to which a stage added: their values may hold what other executions did. */
  private final IdRanges seenMetrics = new IdRanges();

  /**
   * @param live what only the live process knows of the application; empty in a replay
   * @param sink takes every span but the application's, on the thread of the event
   */
  public TraceModel(AgentConfig config, AttributeList live, Consumer<FinishedSpan> sink) {
    this.config = config;
    this.application = new ApplicationSpan(live);
    this.open = new OpenSpans(application);
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
    open.start(spans, units);
    application.started(event);
    open.time(event.time);
    sink.accept(application.buildMarker(spans));
  }

  /** Events still follow: a job that runs is ended after it. */
  public void applicationEnd(long time, Integer exitCode) {
    open.time(time);
    application.ended(time, exitCode);
  }

  public void executorAdded(ExecutorAdded event) {
    open.time(event.time);
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
    open.time(time);
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
    StageSpan stage = open.stages.get(stageId, stageAttempt);
    if (stage != null) {
      stage.peaks.add(executorId, values);
    }
  }

  /**
   * Nothing happens.
   *
   * @param millis for how long at least, since the last event
   */
  public void idle(long millis) {
    if (units != null) {
      units.groups.advance(open.lastTime() + millis);
    }
  }

  /** Of a server that runs in the application, and of what it is asked to run. */
  public void serverEvent(ServerEvent event) {
    if (isTooEarly()) {
      return;
    }
    open.time(event.time);
    if (!units.groups.event(event, open.lastTime())) {
      application.anomalies++;
    }
  }

  public void sqlStart(SqlStart event) {
    if (isTooEarly()) {
      return;
    }
    open.time(event.time);
    if (open.sqls.containsKey(event.executionId) || !startedSqls.add(event.executionId)) {
      application.anomalies++;
      return;
    }
    SqlSpan root = null;
    boolean rootMissing = false;
    boolean orphan = false;
    Long rootId = event.rootExecutionId;
    if (rootId != null && rootId != event.executionId) {
      root = open.sqls.get(rootId);
      // Nor is one a root that starts later: two could be each other's.
      rootMissing = !startedSqls.contains(rootId);
      orphan = rootMissing || (root == null && open.mayBeElsewhere(rootId));
    }
    if (root != null) {
      root.openChildren++;
    }
    if (rootMissing) {
      application.anomalies++;
    }
    units.started(event);
    Action action = root == null ? new Action(units, event) : root.action;
    open.sqls.put(event.executionId, new SqlSpan(event, root, orphan, action, seenMetrics));
    open.limits.sqlStarted();
  }

  public void sqlPlan(long executionId, PlanNode plan) {
    SqlSpan sql = open.sqls.get(executionId);
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
    SqlSpan sql = open.sqls.get(executionId);
    if (sql != null) {
      sql.driverMetrics(pairs);
    } else if (!startedSqls.contains(executionId)) {
      application.anomalies++;
    }
  }

  public void sqlEnd(SqlEnd event) {
    open.time(event.time);
    SqlSpan sql = open.sqls.get(event.executionId);
    if (sql == null || sql.isEnded()) {
      application.anomalies++;
      return;
    }
    sql.ended(event);
    open.closeIfDone(sql);
  }

  public void streamStart(StreamStart event) {
    if (!isTooEarly()) {
      open.time(event.time);
      units.streams.started(event);
    }
  }

  public void streamProgress(StreamProgress event) {
    if (!isTooEarly()) {
      open.time(event.time);
      units.streams.progress(event);
    }
  }

  public void streamEnd(StreamEnd event) {
    if (!isTooEarly()) {
      units.streams.ended(event);
    }
  }

  public void dstreamBatch(DStreamBatch event) {
    if (!isTooEarly()) {
      units.dstreams.completed(event);
    }
  }

  public void receiverError(ReceiverError event) {
    if (!isTooEarly()) {
      units.dstreams.receiverFailed(event);
    }
  }

  public void jobStart(JobStart event) {
    if (isTooEarly()) {
      return;
    }
    open.time(event.time);
    if (open.jobs.containsKey(event.jobId) || !startedJobs.add(event.jobId)) {
      application.anomalies++;
      return;
    }
    Long sqlId = event.properties.sqlExecutionId;
    SqlSpan sql = sqlId == null ? null : open.sqls.get(sqlId);
    if (sql != null) {
      sql.openChildren++;
    }
    boolean sqlMissing = sqlId != null && !startedSqls.contains(sqlId);
    if (sqlMissing) {
      application.anomalies++;
    }
    UserAttributeList attributes =
        UserAttributeList.of(event.properties, environment.sparkProperties, spans.redactor);
    boolean orphan = sqlMissing || (sql == null && sqlId != null && open.mayBeElsewhere(sqlId));
    units.started(event);
    Action action = sql == null ? new Action(units, null) : sql.action;
    if (!action.isSettled()) {
      open.settle(action, event, attributes);
    }
    JobSpan job = new JobSpan(event, sql, orphan, action, attributes);
    open.add(job);
    for (StageInfo info : event.stages) {
      StageSpan running = open.stages.get(info.id, info.attempt);
      if (running != null && !running.isCompleted()) {
        job.pendingStages.remove(info.id);
        running.joinedBy(job);
      }
    }
    open.limits.jobStarted();
  }

  public void jobEnd(JobEnd event) {
    open.time(event.time);
    JobSpan job = open.jobs.get(event.jobId);
    if (job == null || job.isEnded()) {
      application.anomalies++;
      return;
    }
    open.ended(job, event);
  }

  public void stageSubmitted(StageInfo info) {
    if (isTooEarly()) {
      return;
    }
    time(info.submissionTime);
    if (open.stages.get(info.id, info.attempt) != null
        || startedStages.contains(rangeKey(info.id, info.attempt))) {
      application.anomalies++;
      return;
    }
    stage(info);
    open.limits.stageSubmitted();
  }

  public void stageCompleted(StageInfo info) {
    if (isTooEarly()) {
      return;
    }
    time(info.completionTime);
    StageSpan stage = open.stages.get(info.id, info.attempt);
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
      for (JobSpan job : open.activeJobs(info.id)) {
        job.stageFailed(stage);
      }
    }
    open.closeIfDone(stage);
  }

  public void taskStart(TaskStart event) {
    open.time(event.task.launchTime);
    application.executors.taskStarted(event.task.executorId);
    StageSpan stage = open.stages.get(event.stageId, event.stageAttempt);
    // One that has a span has ended.
    if (stage == null || open.hasSpan(event.task) || !open.stages.taskStarted(stage, event)) {
      application.anomalies++;
    }
    open.limits.taskStarted();
  }

  /**
   * What the start of a task told, which its end may complete instead of telling all of it again;
   * null where that was not seen.
   */
  public TaskInfo openTask(int stageId, int stageAttempt, long taskId) {
    StageSpan stage = open.stages.get(stageId, stageAttempt);
    return stage == null ? null : stage.openTasks.get(taskId);
  }

  public void taskEnd(TaskEnd event) {
    open.time(event.task.finishTime);
    application.peaks.add(event.task.executorId, event.executorMetrics);
    StageSpan stage = open.stages.get(event.stageId, event.stageAttempt);
    if (stage == null) {
      lateTaskEnd(event);
      return;
    }
    if (!open.stages.taskEnded(stage, event)) {
      application.anomalies++;
    }
    open.closeIfDone(stage);
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
    boolean orphan = !startedStages.contains(rangeKey(event.stageId, event.stageAttempt));
    if (!shown || spans == null || !open.export(event, null, orphan)) {
      application.tasksNotExported++;
    }
  }

  private StageSpan stage(StageInfo info) {
    List<JobSpan> active = open.activeJobs(info.id);
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
        new TaskSelection(
            config.tasks(), info.tasks, unit.budget, end -> open.export(end, self[0], false));
    StageSpan stage =
        new StageSpan(
            info,
            unit,
            owner,
            active.isEmpty() ? active : active.subList(1, active.size()),
            info.attempt > 0 ? open.placeOf(info.id).stage(info.id, info.attempt - 1) : null,
            retryReason,
            selection);
    self[0] = stage;
    stage.totals.taskCpus(application.executors.taskCpus(info.profileId));
    open.add(stage, info.id);
    return stage;
  }

  /** No event follows: closes what is open, children first, at the last event time. */
  public void closeOpen() {
    if (spans != null) {
      open.closeAll();
    }
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
    application.closedEarly = open.limits.closed();
    application.groupsClosedEarly = units.groups.closedEarly();
    return application.build(spans, outcome, report, earlierAttempts, units, open.lastTime());
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
    return open.stateSize();
  }

  /** The same of executors and of what is over: bounded, whatever was. */
  long memorySize() {
    long size = startedSqls.ranges() + (long) startedJobs.ranges() + startedStages.ranges();
    size += seenMetrics.ranges() + open.memorySize();
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

  private void time(Long millis) {
    if (millis != null) {
      open.time(millis);
    }
  }

  /** First attempts are next to each other. */
  private static long rangeKey(int stageId, int attempt) {
    return ((long) attempt << 32) | (stageId & 0xffffffffL);
  }
}
