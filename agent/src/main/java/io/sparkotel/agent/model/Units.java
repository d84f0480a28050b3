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

  /** The same of programs with DStreams. */
  final DStreams dstreams;

  final Groups groups;

  private final AgentConfig config;
  private final TraceConfig trace;
  private final TraceUnit home;
  private final TraceParts jobParts;
  private final TraceParts sqlParts;
  private final long start;
  private final Consumer<FinishedSpan> sink;

  /** Whether everything has a trace of its own, and not the operations of a server alone. */
  private final boolean shared;

  /**
   * @param application makes the spans of the application's own trace
   * @param trace of the live run
   * @param shared whether what runs in it has, as far as is known, nothing to do with each other
   * @param start of the application, epoch milliseconds
   * @param sink takes every span
   */
  Units(
      SpanFactory application,
      TraceConfig trace,
      boolean shared,
      long start,
      Consumer<FinishedSpan> sink) {
    config = application.config;
    this.trace = trace;
    this.start = start;
    this.sink = sink;
    boolean group = trace.unit() == TraceConfig.Unit.GROUP;
    boolean operations = group || trace.unit() == TraceConfig.Unit.AUTO;
    this.shared = group || (operations && shared);
    groups = new Groups(this, operations);
    home = new TraceUnit(application, application.application(), newBudget(), sink);
    long size = trace.maxJobs();
    jobParts = new TraceParts(Entity.JOB, this, size, start, sink);
    sqlParts = new TraceParts(Entity.SQL, this, size, start, sink);
    streams = new Streams(this, config.streamingEvery());
    dstreams = new DStreams(this, config.streamingEvery());
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

  /** What of a stream an execution runs for. */
  StreamPart stream(SqlStart root) {
    StreamPart part = streams.of(root);
    return part == StreamPart.NONE ? dstreams.of(root) : part;
  }

  /** What of a stream a job runs for. */
  StreamPart stream(JobStart job) {
    StreamPart part = streams.of(job);
    return part == StreamPart.NONE ? dstreams.of(job) : part;
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
    GroupSpan group = groups.operation(root);
    if (group != null) {
      return group.unit;
    }
    return jobParts.isWhole() && !shared && !groups.anyOperation() ? within(home, batch) : null;
  }

  /**
   * Whether its first job may tell of a batch that an execution runs for: a user may describe what
   * {@code foreachBatch} runs.
   *
   * @param stream what it is known to run for
   */
  boolean mayBeOfBatch(StreamPart stream) {
    return stream == StreamPart.NONE
        && (streams.areAnyOpen() || dstreams.wereAny())
        && areBatchesApart()
        && trace.unit() != TraceConfig.Unit.SQL;
  }

  /** What it seems to run for, of which that is not {@link #known} yet; or null. */
  GroupSpan hold(SqlStart root) {
    return groups.hold(root, shared);
  }

  /** Of one that ends without a job; null where it is in its {@link #part}. */
  TraceUnit withoutJob(SqlStart root) {
    if (!shared) {
      return null;
    }
    GroupSpan group = groups.occurrenceWithoutJob(root);
    return group == null ? own(Entity.SQL, root.executionId) : group.unit;
  }

  /**
   * Of an action whose first job this is.
   *
   * @param root the execution that it is, where that is not {@link #known}; null outside SQL
   * @param batch that it runs for, or null
   */
  TraceUnit of(JobStart first, SqlStart root, BatchSpan batch) {
    if (batch != null && areBatchesApart()) {
      return batch.own();
    }
    if (trace.unit() == TraceConfig.Unit.SQL) {
      return own(Entity.JOB, first.jobId);
    }
    GroupSpan group = groups.operation(first.properties);
    if (group == null && shared) {
      group = groups.occurrence(first, root);
    }
    if (group != null) {
      return group.unit;
    }
    if (shared) {
      return root == null ? own(Entity.JOB, first.jobId) : own(Entity.SQL, root.executionId);
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

  /** Not in the trace of the application. */
  boolean areBatchesApart() {
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
    dstreams.close(closeTime);
    jobParts.close();
    sqlParts.close();
    groups.closeAll(closeTime);
  }

  /** On the span of the application. */
  void putTotals(SpanFactory.Draft application) {
    links.put(application);
    dstreams.put(application);
  }

  /** What is open of streaming queries and groups, and traces whose roots are still to come. */
  int stateSize() {
    int size = jobParts.waiting() + sqlParts.waiting() + groups.stateSize();
    return size + streams.stateSize() + dstreams.stateSize();
  }

  /** What is held of traces that are over, too: bounded. */
  int memorySize() {
    int size = jobParts.memorySize() + sqlParts.memorySize() + links.size();
    return size + streams.memorySize() + dstreams.memorySize();
  }
}
