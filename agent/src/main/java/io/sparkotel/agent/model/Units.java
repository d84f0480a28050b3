package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.TraceConfig;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.function.Consumer;

/**
 * Which trace an action is in, by the setting {@code otel.spark.trace.unit}. Only Spark's own ids
 * decide, so that neither a replay nor another order of events moves anything.
 */
final class Units {

  final UnitLinks links = new UnitLinks();
  private final AgentConfig config;
  private final TraceConfig trace;
  private final TraceUnit home;
  private final TraceParts jobParts;
  private final TraceParts sqlParts;

  /**
   * @param application makes the spans of the application's own trace
   * @param trace of the live run
   * @param start of the application, epoch milliseconds
   * @param sink takes the roots of traces in which the application goes on
   */
  Units(SpanFactory application, TraceConfig trace, long start, Consumer<FinishedSpan> sink) {
    config = application.config;
    this.trace = trace;
    home = new TraceUnit(application, application.application(), newBudget());
    long size = trace.maxJobs();
    jobParts = new TraceParts(Entity.JOB, this, size, start, sink);
    sqlParts = new TraceParts(Entity.SQL, this, size, start, sink);
  }

  /** The application's own trace. */
  TraceUnit home() {
    return home;
  }

  TaskBudget newBudget() {
    return config.tasks() == AgentConfig.TaskPolicy.ALL
        ? TaskBudget.unlimited()
        : new TaskBudget(config.traceMaxSpans(), config.traceMaxBytes());
  }

  /** The trace of a caller, with what room the application's own has. */
  TraceUnit joined(SpanContext caller) {
    return new TraceUnit(home.spans.in(caller), caller, home.budget);
  }

  /** Told of every one, whatever trace it is in. */
  void started(JobStart job) {
    jobParts.started(job.jobId, job.time);
  }

  /** Told of every one, whatever trace it is in. */
  void started(SqlStart sql) {
    sqlParts.started(sql.executionId, sql.time);
  }

  /** The part that an execution is in if it proves to run no job. */
  TraceParts.Part part(SqlStart root) {
    return sqlParts.of(root.executionId);
  }

  /** Of an execution whatever its first job is; null where that job decides. */
  TraceUnit known(SqlStart root) {
    if (trace.unit() == TraceConfig.Unit.SQL) {
      return own(Entity.SQL, root.executionId);
    }
    return jobParts.isWhole() ? home : null;
  }

  /** Of an action whose first job this is, outside SQL or in an execution that is not known. */
  TraceUnit of(JobStart first) {
    if (trace.unit() == TraceConfig.Unit.SQL) {
      return own(Entity.JOB, first.jobId);
    }
    TraceParts.Part part = jobParts.of(first.jobId);
    part.use();
    return part.unit;
  }

  /** A trace whose root is the action's topmost span. */
  private TraceUnit own(Entity entity, long id) {
    SpanFactory spans = home.spans.unit(entity.label(), Long.toString(id));
    return new TraceUnit(spans, SpanContext.getInvalid(), newBudget());
  }

  /** No event follows. */
  void close() {
    jobParts.close();
    sqlParts.close();
  }

  /** Traces whose roots are still to come. */
  int waiting() {
    return jobParts.waiting() + sqlParts.waiting();
  }

  /** What is held of traces that are over, too: bounded. */
  int memorySize() {
    return jobParts.memorySize() + sqlParts.memorySize() + links.size();
  }
}
