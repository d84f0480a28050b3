package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The roots of the traces beside the application's own: those that started first, and a count. */
final class UnitLinks {

  static final int MAX = 16;

  private static final Comparator<Root> LAST_FIRST =
      Comparator.<Root>comparingLong(root -> root.start)
          .thenComparing(root -> root.context.getTraceId())
          .reversed();

  private final PriorityQueue<Root> first = new PriorityQueue<>(LAST_FIRST);
  private long count;

  private static final class Root {
    final long start;
    final SpanContext context;

    Root(long start, SpanContext context) {
      this.start = start;
      this.context = context;
    }
  }

  void add(SpanFactory.Draft root) {
    count++;
    first.add(new Root(root.start(), root.context()));
    if (first.size() > MAX) {
      first.poll();
    }
  }

  int size() {
    return first.size();
  }

  /** On the span of the application. */
  void put(SpanFactory.Draft application) {
    if (count == 0) {
      return;
    }
    List<Root> sorted = new ArrayList<>(first);
    sorted.sort(LAST_FIRST.reversed());
    sorted.forEach(root -> application.link(root.context));
    application.attributes.put(Names.TRACE_UNITS, count);
  }
}
