package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;

/** A trace that actions are in: what makes its spans, and how they hang in it. */
final class TraceUnit {

  final SpanFactory spans;

  /** The parent of its actions; {@link SpanContext#getInvalid()} where each is a root. */
  final SpanContext top;

  /** How many spans of tasks there is room for. */
  final TaskBudget budget;

  TraceUnit(SpanFactory spans, SpanContext top, TaskBudget budget) {
    this.spans = spans;
    this.top = top;
    this.budget = budget;
  }
}
