package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The application: what it is, what ran in it, how it ended. */
final class ApplicationSpan {

  final Totals totals = new Totals();
  final ExecutorPeaks peaks = new ExecutorPeaks();
  final ExecutorPeaks driverPeaks = new ExecutorPeaks();
  final ExecutorCores executors = new ExecutorCores();
  final SpeedLimits limits = new SpeedLimits(executors);
  long tasksNotExported;
  long anomalies;
  long invalidTraceparents;
  long groupsClosedEarly;

  /** Of what was open, because there was too much of it. */
  long closedEarly;

  /** Of what ran in it, each with its place. */
  final Findings findings = new Findings();

  private final AttributeList live;
  private Environment environment;
  private ApplicationStart start;
  private Long endTime;
  private Integer exitCode;

  /**
   * @param live what only the live process knows; empty in a replay
   */
  ApplicationSpan(AttributeList live) {
    this.live = live;
  }

  void environment(Environment update) {
    environment = update;
    executors.environment(update.sparkProperties);
    totals.taskCpus(executors.taskCpus(ResourceProfile.DEFAULT_ID));
  }

  void started(ApplicationStart event) {
    start = event;
  }

  void ended(long time, Integer code) {
    endTime = time;
    exitCode = code;
  }

  /** The driver runs the tasks itself. */
  boolean isLocal() {
    String master = property("spark.master");
    return master != null && master.startsWith("local");
  }

  /** Sent at once, so that a running application is visible. */
  FinishedSpan buildMarker(SpanFactory spans) {
    SpanFactory.Draft draft = spans.draft(Entity.STARTED, 0, 0);
    draft.name("spark.application.started").parent(spans.application());
    draft.time(start.time, start.time);
    draft.attributes.putAll(live);
    spans.history.putApplication(draft.attributes);
    return draft.build();
  }

  /** How much is held of executors and of what is over. */
  long memorySize() {
    return executors.size() + (long) limits.periods() + findings.stateSize();
  }

  /** Null before the start. */
  String id() {
    return start == null ? null : start.id;
  }

  /**
   * @param report null in a replay
   * @param earlierAttempts to link
   * @param units the traces of what ran in it, to link and to sum up
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  FinishedSpan build(
      SpanFactory spans,
      Outcome outcome,
      SelfReport report,
      List<SpanContext> earlierAttempts,
      Units units,
      long closeTime) {
    SpanFactory.Draft draft = spans.draft(Entity.APPLICATION, 0, 0);
    draft.name("spark.application").parent(spans.identity.parent());
    long end = endTime == null ? closeTime : endTime;
    draft.time(start.time, end);
    draft.incomplete(endTime == null || outcome.interrupted);
    AttributeList.Builder attributes = draft.attributes;
    putEnvironment(spans, attributes);
    attributes.put(Names.EXECUTORS_MAX, executors.most());
    attributes.put(Names.EXECUTORS_REMOVED, executors.removed());
    totals.put(attributes, Entity.APPLICATION);
    executors.put(attributes, totals, start.time, end);
    limits.put(attributes, totals, start.time, end);
    peaks.put(attributes, Entity.APPLICATION);
    driverPeaks.putDriver(attributes);
    attributes.put(Names.TASKS_NOT_EXPORTED, tasksNotExported);
    attributes.put(Names.ANOMALIES, anomalies);
    if (invalidTraceparents > 0) {
      attributes.put(Names.TRACEPARENTS_INVALID, invalidTraceparents);
    }
    if (closedEarly > 0) {
      attributes.put(Names.CLOSED_EARLY, closedEarly);
    }
    findings(spans, end).put(attributes);
    if (report != null) {
      report.put(attributes);
    }
    SpanContext caller = spans.identity.caller().link();
    if (caller.isValid()) {
      draft.link(caller);
    }
    earlierAttempts.forEach(draft::link);
    units.putTotals(draft);
    if (groupsClosedEarly > 0) {
      attributes.put(Names.GROUPS_CLOSED_EARLY, groupsClosedEarly);
    }
    attributes.putAll(live);
    putOutcome(spans, draft, outcome, end);
    return draft.build();
  }

  private Findings findings(SpanFactory spans, long end) {
    Findings all = new Findings();
    all.addAll(findings, "");
    ApplicationFindings found = new ApplicationFindings(all, spans.config.findings());
    long time = end - start.time;
    found.addDriverTime(
        limits.driverOnlyTime(start.time, end), limits.waitingTime(start.time, end), time);
    boolean usedIsKnown = endTime != null && !findings.tasksMissing;
    if (usedIsKnown && executors.isKnown(end)) {
      found.addIdleCores("tasks", totals.coreTimeUsed(), executors.coreTime(start.time, end));
    }
    Integer most = executors.most();
    if (most != null) {
      found.addMemory(peaks, executors.heap(), most, time, spans.redactor);
    }
    return all;
  }

  private void putEnvironment(SpanFactory spans, AttributeList.Builder attributes) {
    String master = spans.redactor.conf("spark.master", property("spark.master"));
    Limits.putText(attributes, Names.MASTER, master, Limits.MESSAGE);
    String deployMode = property("spark.submit.deployMode");
    Limits.putText(
        attributes, Names.DEPLOY_MODE, deployMode == null ? "client" : deployMode, Limits.WORD);
    spans.history.putApplication(attributes);
    if (environment == null) {
      return;
    }
    Limits.putText(attributes, Names.SCALA_VERSION, environment.scalaVersion, Limits.WORD);
    for (Map.Entry<String, String> entry : new TreeMap<>(environment.sparkProperties).entrySet()) {
      String key = entry.getKey();
      if (spans.config.allowsConf(key)) {
        String value = spans.redactor.conf(key, entry.getValue());
        Limits.putText(attributes, Names.CONF_PREFIX + key, value, Limits.MESSAGE);
      }
    }
  }

  private void putOutcome(SpanFactory spans, SpanFactory.Draft draft, Outcome outcome, long end) {
    Integer code = outcome.exitCode;
    // Spark says 0 for programs that failed: its own 0 proves nothing.
    if (code == null && exitCode != null && exitCode != 0) {
      code = exitCode;
    }
    draft.attributes.put(Names.EXIT_CODE, code);
    if (outcome.errorType != null) {
      draft.error(outcome.errorType, outcome.errorMessage);
      FailureDetails.of(outcome.stackTrace, null).put(draft.attributes, spans.redactor);
      draft.event(
          Failures.event(
              outcome.errorType, outcome.errorMessage, outcome.stackTrace, end, spans.redactor));
    } else if (code != null && code != 0) {
      draft.error(null, "exit code " + code);
    }
  }

  private String property(String key) {
    return environment == null ? null : environment.sparkProperties.get(key);
  }
}
