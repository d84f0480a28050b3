package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.List;

/**
 * A micro-batch of a streaming query, with the actions that run for it. Open until it told its
 * progress, or no more of it can follow, and its actions are closed.
 */
final class BatchSpan {

  /** Spans that are held until it is known whether the batch is shown; more of it is not shown. */
  static final int MAX_HELD = 5_000;

  final StreamRun run;
  final long id;
  final Totals totals = new Totals();

  private final Units units;
  private List<FinishedSpan> held = new ArrayList<>(0);
  private TraceUnit unit;
  private SpanContext parent;
  private StreamProgress progress;
  private int openActions;
  private long firstStart = Long.MAX_VALUE;
  private long lastEnd;
  private boolean closed;
  private boolean shown;

  /** No more of it follows, though it has told no progress. */
  private boolean abandoned;

  private String failure;
  private boolean stopped;
  private boolean slow;

  /**
   * @param closed where it has a span already, and this is what came too late
   * @param shown whether what is in it is exported as it comes
   */
  BatchSpan(StreamRun run, long id, Units units, boolean closed, boolean shown) {
    this.run = run;
    this.id = id;
    this.units = units;
    this.closed = closed;
    this.shown = shown;
  }

  /** An action begins that runs for it. */
  void opened(long time) {
    openActions++;
    firstStart = Math.min(firstStart, time);
  }

  /** An action that ran for it is closed. */
  void actionClosed(Totals ofAction, long end) {
    openActions--;
    lastEnd = Math.max(lastEnd, end);
    totals.add(ofAction);
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
    return !closed && openActions == 0 && (progress != null || abandoned);
  }

  boolean failed() {
    return failure != null;
  }

  boolean isShown() {
    return shown;
  }

  /** In a trace of its own. */
  TraceUnit own() {
    if (unit == null) {
      SpanFactory spans = units.home().spans.unit("batch", run.runId + '/' + id);
      unit = unit(spans, units.newBudget());
      parent = SpanContext.getInvalid();
    }
    return unit;
  }

  /** In a trace with others, which its first action tells. */
  TraceUnit in(TraceUnit where) {
    if (unit == null && closed) {
      return where;
    }
    if (unit == null) {
      unit = unit(where.spans, where.budget);
      parent = where == units.home() ? run.context() : where.top;
    }
    return unit;
  }

  private TraceUnit unit(SpanFactory spans, TaskBudget budget) {
    SpanContext top = spans.context(Entity.BATCH, run.number(), id);
    return new TraceUnit(spans, top, budget, this::accept);
  }

  private void accept(FinishedSpan span) {
    if (shown) {
      units.accept(span);
    } else if (!closed && held.size() < MAX_HELD) {
      held.add(span);
    }
  }

  int heldCount() {
    return held.size();
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
    return firstStart == Long.MAX_VALUE ? run.lastTime() : firstStart;
  }

  /** As far as it is known. */
  long end() {
    return progress != null && progress.time > 0
        ? Totals.sum(progress.time, Math.max(0, duration()))
        : lastEnd;
  }

  /**
   * It has all that it will have.
   *
   * @param closeTime the end of one that is still open, epoch milliseconds
   */
  void close(long closeTime) {
    boolean open = progress == null && !abandoned;
    shown |= slow || failed();
    if (shown) {
      if (unit == null) {
        // Nothing ran for it that was seen.
        units.place(this);
      }
      held.forEach(units::accept);
      units.accept(build(open, closeTime));
    }
    held = new ArrayList<>(0);
    closed = true;
  }

  private FinishedSpan build(boolean open, long closeTime) {
    SpanFactory spans = unit.spans;
    SpanFactory.Draft draft = spans.draft(Entity.BATCH, run.number(), id);
    long start = Math.min(start(), closeTime);
    long end = open ? closeTime : end();
    draft.name("batch " + run.label()).time(start, end).parent(parent).incomplete(open);
    if (!parent.equals(run.context())) {
      if (!parent.isValid()) {
        draft.link(spans.application());
        units.links.add(draft);
      }
      draft.link(run.context());
    }
    run.putIdentity(draft.attributes);
    draft.attributes.put(StreamNames.BATCH_ID, id);
    if (progress != null) {
      StreamAttributes.put(draft.attributes, progress, spans.redactor);
    }
    draft.attributes.put(StreamNames.BATCH_RESULT, result());
    totals.put(draft.attributes, Entity.BATCH);
    if (failure != null) {
      StreamAttributes.fail(draft, failure, end, spans.redactor);
    }
    return draft.build();
  }

  private String result() {
    return progress != null ? "succeeded" : failure != null ? "failed" : stopped ? "stopped" : null;
  }
}
