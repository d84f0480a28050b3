package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.StreamNames;

/**
 * A micro-batch of a streaming query. Open until it told its progress, or no more of it can follow,
 * and its actions are closed.
 */
final class QueryBatch extends BatchSpan {

  private final StreamRun run;
  private StreamProgress progress;

  /** No more of it follows, though it has told no progress. */
  private boolean abandoned;

  private String failure;
  private boolean stopped;
  private boolean slow;

  /**
   * @param closed where it has a span already, and this is what came too late
   * @param shown whether what is in it is exported as it comes
   */
  QueryBatch(StreamRun run, long id, Units units, boolean closed, boolean shown) {
    super(id, units, closed, shown);
    this.run = run;
  }

  @Override
  long number() {
    return run.number();
  }

  @Override
  String traceKey() {
    return run.runId + '/' + id;
  }

  @Override
  SpanContext parentIn(TraceUnit where) {
    return where == units.home() ? run.context() : where.top;
  }

  @Override
  void closeIfDone() {
    run.closeIfDone(this);
  }

  /**
   * @param isSlow whether the trigger took much longer than those before it
   */
  void progress(StreamProgress told, boolean isSlow) {
    progress = told;
    slow = isSlow;
  }

  boolean hasProgress() {
    return progress != null;
  }

  /** What a later batch or the end of the query says: it will tell no progress. */
  void abandon() {
    abandoned = true;
  }

  /** The query ended in it. */
  void ended(String exception) {
    abandoned = true;
    failure = exception;
    stopped = exception == null;
  }

  boolean isDone() {
    return !isClosed() && isIdle() && (progress != null || abandoned);
  }

  boolean failed() {
    return failure != null;
  }

  @Override
  boolean isRemarkable() {
    return slow || failed();
  }

  /** How long the trigger took, milliseconds; -1 where it was not told. */
  long duration() {
    Long told = progress == null ? null : progress.durations.get("triggerExecution");
    return told == null ? -1 : told;
  }

  private long start() {
    if (progress != null && progress.time > 0) {
      return progress.time;
    }
    return firstStart() == 0 ? run.lastTime() : firstStart();
  }

  /** As far as it is known. */
  long end() {
    return progress != null && progress.time > 0
        ? Totals.sum(progress.time, Math.max(0, duration()))
        : lastEnd();
  }

  @Override
  FinishedSpan build(long closeTime) {
    boolean open = progress == null && !abandoned;
    long end = open ? closeTime : end();
    SpanFactory.Draft draft = draft(run.label(), Math.min(start(), closeTime), end);
    draft.incomplete(open);
    run.link(draft);
    run.putIdentity(draft.attributes);
    draft.attributes.put(StreamNames.BATCH_ID, id);
    if (progress != null) {
      StreamAttributes.put(draft.attributes, progress, redactor());
    }
    draft.attributes.put(StreamNames.BATCH_RESULT, result());
    totals.put(draft.attributes, Entity.BATCH);
    if (failure != null) {
      StreamAttributes.fail(draft, failure, end, redactor());
    }
    return draft.build();
  }

  private String result() {
    return progress != null ? "succeeded" : failure != null ? "failed" : stopped ? "stopped" : null;
  }
}
