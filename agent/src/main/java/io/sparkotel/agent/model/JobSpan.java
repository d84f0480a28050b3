package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A job: open until it ended and the stages that are counted under it are closed. */
final class JobSpan {

  /** Begins the description that Spark gives the job of a broadcast, from 3.5 on its tag. */
  private static final String BROADCAST = "broadcast exchange (runId";

  final Totals totals = new Totals();

  /** The ids of its stages that have not been submitted while it is active. */
  final Set<Integer> pendingStages = new HashSet<>();

  final Set<StageSpan> openStages = new HashSet<>();

  /** That it runs for. */
  final Action action;

  final UserAttributeList attributes;

  final StageChain chain = new StageChain();

  /** Of the jobs that had ended when it started, milliseconds. */
  long chainBefore;

  private final JobStart start;
  private final SqlSpan sql;
  private final boolean orphan;
  private final int[] stageIds;
  private final StageInfo resultStage;
  private final Map<Integer, StageSpan> stageFailures = new LinkedHashMap<>(0);
  private JobEnd end;
  private String errorType;
  private FailureDetails taskFailure;

  /**
   * @param sql the SQL execution that it runs for, or null where there is none or it is closed
   * @param orphan true where that execution has no span, or its trace is not known any more
   */
  JobSpan(
      JobStart start, SqlSpan sql, boolean orphan, Action action, UserAttributeList attributes) {
    this.start = start;
    this.sql = sql;
    this.orphan = orphan;
    this.action = action;
    this.attributes = attributes;
    stageIds = new int[start.stages.size()];
    StageInfo last = null;
    for (int i = 0; i < stageIds.length; i++) {
      StageInfo stage = start.stages.get(i);
      stageIds[i] = stage.id;
      pendingStages.add(stage.id);
      if (last == null || stage.id > last.id) {
        last = stage;
      }
    }
    resultStage = last;
    if (sql != null && !sql.hasCallSite()) {
      String own = ownLabel();
      if (own != null) {
        sql.takeCallSite(own);
      }
    }
  }

  int id() {
    return start.jobId;
  }

  long startTime() {
    return start.time;
  }

  /**
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  long endTime(long closeTime) {
    return end == null ? closeTime : end.time;
  }

  SqlSpan sql() {
    return sql;
  }

  /** Null outside SQL. */
  Long sqlExecutionId() {
    return start.properties.sqlExecutionId;
  }

  int[] stageIds() {
    return stageIds;
  }

  /**
   * Why a stage has to be attempted once more: its last attempt failed, or one that reads from it
   * could not; null where neither is known.
   */
  String retryReason(StageInfo attempt) {
    StageSpan before = stageFailures.get(attempt.id);
    if (before != null && before.info.attempt == attempt.attempt - 1) {
      return before.failureReason();
    }
    String reason = null;
    for (StageSpan failed : stageFailures.values()) {
      if (failed.readsFrom(attempt.id)) {
        reason = failed.failureReason();
      }
    }
    return reason;
  }

  void stageFailed(StageSpan stage) {
    // Last in the order, too.
    stageFailures.remove(stage.info.id);
    stageFailures.put(stage.info.id, stage);
    // With the stage that failed it, Spark gives up the others that run.
    if (stage.errorType() != null && (errorType == null || stage.isNamedByItsFailure())) {
      errorType = stage.errorType();
      taskFailure = stage.failure();
    }
  }

  void ended(JobEnd event) {
    end = event;
    totals.addSkippedStages(pendingStages.size());
  }

  long stateSize() {
    long size = 1L + stageIds.length + pendingStages.size() + openStages.size();
    return size + stageFailures.size() + chain.stateSize();
  }

  boolean isEnded() {
    return end != null;
  }

  boolean isDone() {
    return end != null && openStages.isEmpty();
  }

  boolean succeeded() {
    return end != null && end.succeeded;
  }

  boolean failed() {
    return end != null && !end.succeeded && !Failures.isCancellation(end.failureMessage);
  }

  String failureMessage() {
    return end == null ? null : end.failureMessage;
  }

  /** Class of the error of the task that failed it, or null. */
  String errorType() {
    return errorType;
  }

  /** Null where it did not fail. */
  FailureDetails failure() {
    return failed() ? FailureDetails.of(end.failureMessage, taskFailure) : null;
  }

  /**
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  FinishedSpan build(long closeTime) {
    SpanFactory spans = action.spans();
    SpanFactory.Draft draft = spans.draft(Entity.JOB, start.jobId, 0);
    JobProperties properties = start.properties;
    draft.name("job " + label()).time(start.time, endTime(closeTime));
    draft.incomplete(end == null);
    Long sqlId = properties.sqlExecutionId;
    if (sql == null) {
      action.bindTop(draft, sqlId == null || orphan ? null : spans.sql(sqlId));
    } else {
      draft.parent(spans.sql(sqlId));
    }
    draft.attributes.put(Names.JOB_ID, start.jobId);
    draft.attributes.put(Names.SQL_EXECUTION_ID, sqlId);
    putText(spans, draft, Names.JOB_GROUP, properties.group);
    Limits.putText(
        draft.attributes,
        Names.JOB_DESCRIPTION,
        spans.description(properties.description),
        Limits.MESSAGE);
    String tags = String.join(",", JobTags.users(properties.tags));
    if (!tags.isEmpty()) {
      String cut = Truncation.toBytes(spans.redactor.text(tags), Limits.MESSAGE).text();
      draft.attributes.put(Names.JOB_TAGS, Arrays.asList(cut.split(",")));
    }
    putText(spans, draft, Names.JOB_CALL_SITE, callSite());
    putText(spans, draft, Names.SCHEDULER_POOL, properties.pool);
    if (sqlId == null) {
      draft.attributes.put(Names.JOB_OUTPUT_OPERATION, outputOperation());
    }
    draft.attributes.put(StreamNames.OUTPUT_ID, properties.dstreamOutput);
    attributes.put(draft.attributes);
    if (end != null) {
      draft.attributes.put(Names.JOB_RESULT, result());
    }
    totals.put(draft.attributes, Entity.JOB);
    if (failed()) {
      draft.error(errorType, end.failureMessage);
      failure().put(draft.attributes, spans.redactor);
      draft.event(Failures.event(errorType, end.failureMessage, end.time, spans.redactor));
    }
    return draft.build();
  }

  private static void putText(
      SpanFactory spans, SpanFactory.Draft draft, Attribute key, String text) {
    Limits.putText(draft.attributes, key, spans.redactor.text(text), Limits.MESSAGE);
  }

  private String result() {
    return end.succeeded ? "succeeded" : failed() ? "failed" : "cancelled";
  }

  /** Null where a client's request takes its place. */
  private String callSite() {
    String site = resultStage == null ? start.properties.callSiteShort : resultStage.name;
    return ConnectText.isRequest(site) ? null : site;
  }

  /** The outermost of Spark's methods that write an RDD; null of a job that writes none. */
  private String outputOperation() {
    String details = resultStage == null ? start.properties.callSiteLong : resultStage.details;
    String operation = null;
    if (details != null) {
      for (String line : details.split("\n")) {
        StackFrame frame = StackFrame.parse(line);
        if (frame != null && frame.isSpark() && frame.method().startsWith("saveAs")) {
          operation = frame.method();
        }
      }
    }
    return operation;
  }

  /** Until Spark 3.4 it has a job group of its own, too. */
  static boolean isBroadcast(String description) {
    return description != null && description.startsWith(BROADCAST);
  }

  private boolean isBroadcast() {
    JobProperties properties = start.properties;
    return isBroadcast(properties.description)
        || (properties.tags != null && properties.tags.contains(BROADCAST));
  }

  private String ownLabel() {
    JobProperties properties = start.properties;
    return resultStage == null
        ? CallSites.label(properties.callSiteShort, properties.callSiteLong)
        : CallSites.label(resultStage.name, resultStage.details);
  }

  /** The label of its result stage; else what it runs for. */
  String label() {
    String own = ownLabel();
    if (own != null) {
      return own;
    }
    if (isBroadcast()) {
      return "broadcast exchange";
    }
    if (sql != null) {
      return sql.label();
    }
    String site = callSite();
    return site == null ? "" : site;
  }
}
