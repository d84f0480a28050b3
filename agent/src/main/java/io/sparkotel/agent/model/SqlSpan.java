package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.List;

/** A SQL execution: open until it ended and what runs for it is closed. */
final class SqlSpan {

  final Totals totals = new Totals();
  final SqlMetrics metrics = new SqlMetrics();
  final Findings findings = new Findings();
  final NestedWrites writes = new NestedWrites();

  /** The execution that this one is nested in, or null. */
  final SqlSpan root;

  /** That it is, or is nested in. */
  final Action action;

  /** Jobs and nested executions that are not closed. */
  int openChildren;

  private final SqlStart start;
  private final boolean orphan;

  private boolean hasCallSite;
  private String label;

  private final PlanOperators operators = new PlanOperators();
  private PlanNode plan;
  private long updates;
  private SqlEnd end;
  private JobSpan failedJob;
  private SqlOutput nestedOutput;

  /** Of an execution nested in this one. */
  private JobSpan nestedFailure;

  /**
   * @param root null where there is none or it is closed
   * @param orphan true where the root has no span, or its trace is not known any more
   * @param seenMetrics the ids of SQL metrics of which a value was seen
   */
  SqlSpan(SqlStart start, SqlSpan root, boolean orphan, Action action, IdRanges seenMetrics) {
    this.start = start;
    this.root = root;
    this.orphan = orphan;
    this.action = action;
    this.plan = start.plan;
    String own = CallSites.label(start.description, start.details);
    String planned = own == null ? CallSites.planLabel(start.plan) : null;
    this.hasCallSite = own != null;
    this.label = hasCallSite ? own : planned == null ? "" : planned;
    metrics.planned(plan, seenMetrics);
    operators.planned(plan, true);
  }

  long id() {
    return start.executionId;
  }

  void planChanged(PlanNode newPlan, IdRanges seenMetrics) {
    plan = newPlan;
    updates++;
    metrics.planned(newPlan, seenMetrics);
    operators.planned(newPlan, false);
  }

  /** The nodes of its plans that these SQL metrics, ids and values, are of. */
  List<String> operators(long[] sqlMetrics) {
    return operators.of(sqlMetrics);
  }

  /** The last one; null where none was told. */
  PlanNode plan() {
    return plan;
  }

  /** Nothing of it follows: adds what was wrong with its plan. */
  void closed(SpanFactory application) {
    if (application.config.sqlPlan() != AgentConfig.SqlPlan.NONE) {
      PlanFindings.addTo(findings, plan, metrics, application);
    }
  }

  /**
   * What the driver adds to SQL metrics.
   *
   * @param pairs accumulators' ids and what was added, alternating
   */
  void driverMetrics(long[] pairs) {
    metrics.driver(pairs);
    writes.update(pairs);
  }

  /** Also false where Spark does not tell, before 3.4. */
  boolean succeeded() {
    return end != null && end.errorMessage != null && end.errorMessage.isEmpty();
  }

  boolean hasFailed() {
    String message = failureMessage();
    return message != null && !message.isEmpty() && !Failures.isCancellation(message);
  }

  /** Spark's own message; versions that have none leave it to the job that failed. */
  String failureMessage() {
    String message = end == null ? null : end.errorMessage;
    return message == null && end != null && failedJob != null
        ? failedJob.failureMessage()
        : message;
  }

  /** Class of the error; null where Spark tells none. */
  private String exceptionType() {
    JobSpan job = failedJob();
    String type = job == null ? null : job.errorType();
    return type == null ? Failures.errorType(failureMessage()) : type;
  }

  /** The same of one that failed; else Spark's error class, or null. */
  String errorType() {
    String type = exceptionType();
    return type == null ? failure().errorClass() : type;
  }

  /** Of one that failed. */
  FailureDetails failure() {
    JobSpan job = failedJob();
    return FailureDetails.of(failureMessage(), job == null ? null : job.failure());
  }

  void jobFailed(JobSpan job) {
    failedJob = job;
  }

  /** That one is closed; which of several is so first does not matter. */
  void nestedClosed(SqlSpan nested) {
    writes.closed(nested);
    JobSpan job = nested.failedJob();
    if (job != null && (nestedFailure == null || job.id() > nestedFailure.id())) {
      nestedFailure = job;
    }
  }

  private JobSpan failedJob() {
    return failedJob == null ? nestedFailure : failedJob;
  }

  long stateSize() {
    return 1L + metrics.stateSize() + operators.stateSize() + findings.stateSize();
  }

  void ended(SqlEnd event) {
    end = event;
  }

  boolean isEnded() {
    return end != null;
  }

  boolean isDone() {
    return end != null && openChildren == 0;
  }

  String label() {
    return label;
  }

  boolean hasCallSite() {
    return hasCallSite;
  }

  /**
   * Where the description of a job group stands in place of the call site, a program of Python has
   * it at its jobs alone.
   *
   * @param site label of the first job that has one
   */
  void takeCallSite(String site) {
    hasCallSite = true;
    label = site;
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

  /**
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  FinishedSpan build(long closeTime, ExecutorCores executors) {
    SpanFactory spans = action.spans();
    SpanFactory.Draft draft = spans.draft(Entity.SQL, start.executionId, 0);
    draft.name("sql " + label).time(start.time, endTime(closeTime));
    draft.incomplete(end == null);
    Long rootId = start.rootExecutionId;
    boolean nested = rootId != null && rootId != start.executionId;
    if (root == null) {
      action.bindTop(draft, nested && !orphan ? spans.sql(rootId) : null);
      action.attributes().put(draft.attributes);
      draft.attributes.put(StreamNames.OUTPUT_ID, action.output());
    } else {
      draft.parent(spans.sql(rootId));
    }
    draft.attributes.put(Names.SQL_EXECUTION_ID, start.executionId);
    draft.attributes.put(Names.SQL_ROOT_ID, rootId);
    if (nested) {
      draft.attributes.put(Names.SQL_NESTED, true);
    }
    Limits.putText(
        draft.attributes,
        Names.SQL_DESCRIPTION,
        spans.description(start.description),
        Limits.MESSAGE);
    findings.put(draft.attributes);
    putPlan(spans, draft);
    if (plan != null) {
      PythonMetrics.put(draft.attributes, plan, metrics);
    }
    totals.put(draft.attributes, Entity.SQL);
    executors.put(draft.attributes, totals, start.time, endTime(closeTime));
    putError(spans, draft);
    return draft.build();
  }

  private void putPlan(SpanFactory spans, SpanFactory.Draft draft) {
    AgentConfig.SqlPlan mode = spans.config.sqlPlan();
    if (plan == null || mode == AgentConfig.SqlPlan.NONE) {
      return;
    }
    boolean shape = mode == AgentConfig.SqlPlan.SHAPE;
    int maxBytes = spans.config.planMaxBytes();
    List<String> lines = PlanText.render(plan, shape, spans.redactor, metrics, maxBytes);
    boolean cut = PlanText.leavesOut(lines);
    Limits.putPlan(draft.attributes, String.join("\n", lines), maxBytes, cut);
    draft.attributes.put(Names.SQL_PLAN_HASH, PlanHash.of(plan));
    draft.attributes.put(Names.SQL_INPUTS, SqlInputs.of(plan, !shape, spans.redactor));
    putOutput(spans, draft, !shape);
    if (metrics.leftOut() > 0) {
      draft.attributes.put(Names.SQL_METRICS_LEFT_OUT, metrics.leftOut());
    }
    if (updates > 0) {
      draft.attributes.put(Names.SQL_AQE_UPDATES, updates);
      draft.attributes.put(Names.SQL_AQE_CHANGES, PlanChanges.of(start.plan, plan, metrics));
    }
  }

  private void putOutput(SpanFactory spans, SpanFactory.Draft draft, boolean paths) {
    SqlSpan top = root == null ? this : root;
    SqlOutput output = SqlOutput.of(plan, start.commandArguments);
    if (output != null) {
      output.measure(this);
      if (top.nestedOutput != null) {
        output.complete(top.nestedOutput);
      }
    } else if (root == null) {
      output = nestedOutput;
    }
    if (output == null) {
      return;
    }
    // The last one that is closed is the outermost.
    top.nestedOutput = output;
    output.put(draft.attributes, paths, spans.redactor);
  }

  private void putError(SpanFactory spans, SpanFactory.Draft draft) {
    if (!hasFailed()) {
      return;
    }
    String message = failureMessage();
    draft.error(errorType(), message);
    failure().put(draft.attributes, spans.redactor);
    draft.event(Failures.event(exceptionType(), message, end.time, spans.redactor));
  }
}
