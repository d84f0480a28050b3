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

  /** What a streaming query runs is in its batches. */
  final Streams streams;

  private final AgentConfig config;
  private final TraceConfig trace;
  private final TraceUnit home;
  private final TraceParts jobParts;
  private final TraceParts sqlParts;
  private final long start;
  private final Consumer<FinishedSpan> sink;

  /**
   * @param application makes the spans of the application's own trace
   * @param trace of the live run
   * @param start of the application, epoch milliseconds
   * @param sink takes every span
   */
  Units(SpanFactory application, TraceConfig trace, long start, Consumer<FinishedSpan> sink) {
    config = application.config;
    this.trace = trace;
    this.start = start;
    this.sink = sink;
    home = new TraceUnit(application, application.application(), newBudget(), sink);
    long size = trace.maxJobs();
    jobParts = new TraceParts(Entity.JOB, this, size, start, sink);
    sqlParts = new TraceParts(Entity.SQL, this, size, start, sink);
    streams = new Streams(this, config.streamingEvery());
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
    return new TraceUnit(home.spans.in(caller), caller, home.budget, sink);
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

  /**
   * Of an execution whatever its first job is; null where that job decides.
   *
   * @param batch that it runs for, or null
   */
  TraceUnit known(SqlStart root, BatchSpan batch) {
    if (batch != null && areBatchesApart()) {
      return batch.own();
    }
    if (trace.unit() == TraceConfig.Unit.SQL) {
      return own(Entity.SQL, root.executionId);
    }
    return jobParts.isWhole() ? within(home, batch) : null;
  }

  /**
   * Of an action whose first job this is, outside SQL or in an execution that is not known.
   *
   * @param batch that it runs for, or null
   */
  TraceUnit of(JobStart first, BatchSpan batch) {
    if (batch != null && areBatchesApart()) {
      return batch.own();
    }
    if (trace.unit() == TraceConfig.Unit.SQL) {
      return own(Entity.JOB, first.jobId);
    }
    return of(jobParts.of(first.jobId), batch);
  }

  /** Of an action in a part of the application. */
  TraceUnit of(TraceParts.Part part, BatchSpan batch) {
    part.use();
    return within(part.unit, batch);
  }

  private static TraceUnit within(TraceUnit unit, BatchSpan batch) {
    return batch == null ? unit : batch.in(unit);
  }

  private boolean areBatchesApart() {
    return trace.unit() != TraceConfig.Unit.APPLICATION;
  }

  /** Decides of a batch for which nothing ran that was seen. */
  void place(BatchSpan batch) {
    if (areBatchesApart()) {
      batch.own();
    } else {
      batch.in(home);
    }
  }

  /** A trace whose root is the action's topmost span. */
  private TraceUnit own(Entity entity, long id) {
    SpanFactory spans = home.spans.unit(entity.label(), Long.toString(id));
    return new TraceUnit(spans, SpanContext.getInvalid(), newBudget(), sink);
  }

  /** Of the application, epoch milliseconds. */
  long start() {
    return start;
  }

  void accept(FinishedSpan span) {
    sink.accept(span);
  }

  /**
   * No event follows.
   *
   * @param closeTime the end of what is still open, epoch milliseconds
   */
  void close(long closeTime) {
    streams.close(closeTime);
    jobParts.close();
    sqlParts.close();
  }

  /** What is open of streaming queries, and traces whose roots are still to come. */
  int stateSize() {
    return jobParts.waiting() + sqlParts.waiting() + streams.stateSize();
  }

  /** What is held of traces that are over, too: bounded. */
  int memorySize() {
    return jobParts.memorySize() + sqlParts.memorySize() + links.size() + streams.memorySize();
  }
}
