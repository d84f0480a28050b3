package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.ArrayList;
import java.util.List;

/** A batch of a stream, with the actions that run for it. */
abstract class BatchSpan {

  /** Spans that are held until it is known whether the batch is shown; more of it is not shown. */
  static final int MAX_HELD = 5_000;

  /** Spark's. */
  final long id;

  final Totals totals = new Totals();
  final Units units;

  private List<FinishedSpan> held = new ArrayList<>(0);
  private TraceUnit unit;
  private SpanContext parent;
  private int openActions;
  private long firstStart = Long.MAX_VALUE;
  private long lastEnd;
  private boolean closed;
  private boolean shown;

  /**
   * @param closed where it has a span already, and this is what came too late
   * @param shown whether what is in it is exported as it comes
   */
  BatchSpan(long id, Units units, boolean closed, boolean shown) {
    this.id = id;
    this.units = units;
    this.closed = closed;
    this.shown = shown;
  }

  /** Stands for its stream in ids. */
  abstract long number();

  /** Tells its trace from all others of batches. */
  abstract String traceKey();

  /** In a trace with others. */
  abstract SpanContext parentIn(TraceUnit where);

  abstract void closeIfDone();

  /** Whether it is shown in the end, though what was in it was held. */
  abstract boolean isRemarkable();

  /**
   * @param closeTime the end of one that is still open, epoch milliseconds
   */
  abstract FinishedSpan build(long closeTime);

  /** An action begins that runs for it. */
  void opened(long time) {
    openActions++;
    firstStart = Math.min(firstStart, time);
  }

  /**
   * An action that ran for it is closed.
   *
   * @param output the output operation of DStreams that it ran for, or null
   */
  void closed(ActionEnd action, Long output) {
    openActions--;
    lastEnd = Math.max(lastEnd, action.end);
    totals.add(action.totals);
    closeIfDone();
  }

  /** None of its actions runs. */
  final boolean isIdle() {
    return openActions == 0;
  }

  final boolean isClosed() {
    return closed;
  }

  final boolean isShown() {
    return shown;
  }

  /** Of its actions, epoch milliseconds; 0 where there are none. */
  final long firstStart() {
    return firstStart == Long.MAX_VALUE ? 0 : firstStart;
  }

  /** The same. */
  final long lastEnd() {
    return lastEnd;
  }

  /** In a trace of its own. */
  final TraceUnit own() {
    if (unit == null) {
      SpanFactory spans = units.home().spans.unit("batch", traceKey());
      unit = unit(spans, units.newBudget());
      parent = SpanContext.getInvalid();
    }
    return unit;
  }

  /** In a trace with others, which its first action tells. */
  final TraceUnit in(TraceUnit where) {
    if (unit == null && closed) {
      return where;
    }
    if (unit == null) {
      unit = unit(where.spans, where.budget);
      parent = parentIn(where);
    }
    return unit;
  }

  private TraceUnit unit(SpanFactory spans, TaskBudget budget) {
    SpanContext top = spans.context(Entity.BATCH, number(), id);
    return new TraceUnit(spans, top, budget, this::accept);
  }

  void accept(FinishedSpan span) {
    if (shown) {
      units.accept(span);
    } else if (!closed && held.size() < MAX_HELD) {
      held.add(span);
    }
  }

  /** From now on what is in it is exported as it comes. */
  final void show() {
    shown = true;
    held.forEach(units::accept);
    held = new ArrayList<>(0);
  }

  final int heldCount() {
    return held.size();
  }

  /**
   * It has all that it will have.
   *
   * @param closeTime the end of one that is still open, epoch milliseconds
   */
  final void close(long closeTime) {
    shown |= isRemarkable();
    if (shown) {
      if (unit == null) {
        // Nothing ran for it that was seen.
        units.place(this);
      }
      show();
      units.accept(build(closeTime));
    }
    held = new ArrayList<>(0);
    closed = true;
  }

  /** With its place and its links; of a trace of its own the first is that to the application. */
  final SpanFactory.Draft draft(String label, long start, long end) {
    SpanFactory.Draft draft = unit.spans.draft(Entity.BATCH, number(), id);
    draft.name("batch " + label).time(start, end).parent(parent);
    if (!parent.isValid()) {
      draft.link(unit.spans.application());
      units.links.add(draft);
    }
    return draft;
  }

  final Redactor redactor() {
    return units.home().spans.redactor;
  }
}
