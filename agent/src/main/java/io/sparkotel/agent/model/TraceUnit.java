package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.function.Consumer;

/** A trace that actions are in: what makes and takes its spans, and how they hang in it. */
final class TraceUnit {

  final SpanFactory spans;

  /** The parent of its actions; {@link SpanContext#getInvalid()} where each is a root. */
  final SpanContext top;

  /** How many spans of tasks there is room for. */
  final TaskBudget budget;

  /** Takes what runs in it. */
  final Consumer<FinishedSpan> sink;

  /** Whose trace it is, or null. */
  final GroupSpan group;

  TraceUnit(SpanFactory spans, SpanContext top, TaskBudget budget, Consumer<FinishedSpan> sink) {
    this(spans, top, budget, sink, null);
  }

  TraceUnit(
      SpanFactory spans,
      SpanContext top,
      TaskBudget budget,
      Consumer<FinishedSpan> sink,
      GroupSpan group) {
    this.spans = spans;
    this.top = top;
    this.budget = budget;
    this.sink = sink;
    this.group = group;
  }
}
