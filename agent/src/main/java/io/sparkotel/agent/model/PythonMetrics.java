package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.PythonMetric;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the nodes of a plan that run Python measured, added up. */
final class PythonMetrics {

  private static final PythonMetric[] METRICS = PythonMetric.values();

  private PythonMetrics() {}

  /** Puts what was told; nothing where no node runs Python. */
  static void put(AttributeList.Builder attributes, PlanNode plan, SqlMetrics values) {
    Long[] sums = new Long[METRICS.length];
    // A node that is reused stands in the plan more than once, with the same accumulators.
    Set<Long> seen = new HashSet<>(0);
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      open.addAll(node.children());
      if (runsPython(node.metrics())) {
        add(node.metrics(), values, seen, sums);
      }
    }
    for (PythonMetric metric : METRICS) {
      attributes.put(metric.attribute(), sums[metric.ordinal()]);
    }
  }

  private static boolean runsPython(List<PlanMetric> metrics) {
    for (PlanMetric metric : metrics) {
      if (is(PythonMetric.DATA_SENT, metric)) {
        return true;
      }
    }
    return false;
  }

  private static void add(
      List<PlanMetric> metrics, SqlMetrics values, Set<Long> seen, Long[] sums) {
    for (PlanMetric metric : metrics) {
      Long value = values.value(metric.accumulatorId());
      PythonMetric known = value == null ? null : find(metric);
      if (known != null && seen.add(metric.accumulatorId())) {
        boolean nanos = metric.type() == PlanMetric.Type.NS_TIMING;
        Long sum = sums[known.ordinal()];
        sums[known.ordinal()] =
            Totals.sum(sum == null ? 0 : sum, nanos ? value / 1_000_000 : value);
      }
    }
  }

  private static PythonMetric find(PlanMetric metric) {
    for (PythonMetric known : METRICS) {
      if (is(known, metric)) {
        return known;
      }
    }
    return null;
  }

  /** A connector may name its own so, and what a sum of them says nobody knows. */
  private static boolean is(PythonMetric known, PlanMetric metric) {
    return metric.type() != PlanMetric.Type.OTHER && metric.name().equals(known.source());
  }
}
