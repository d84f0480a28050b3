package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.PythonMetric;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which nodes of a plan run Python, and what Spark 4.0 and later tell of the time there. */
final class PythonTime {

  private PythonTime() {}

  /** The first of these node names that runs Python, or null. */
  static String operator(List<String> names) {
    for (String name : names) {
      if (isPython(name)) {
        return name;
      }
    }
    return null;
  }

  private static boolean isPython(String name) {
    return name.contains("Python") || name.contains("InPandas") || name.contains("InArrow");
  }

  /**
   * Milliseconds in Python of one stage; null where Spark tells none.
   *
   * @param pairs the stage's SQL metrics, ids and values alternating; null for none
   */
  static Long of(PlanNode plan, long[] pairs) {
    if (plan == null || pairs == null) {
      return null;
    }
    Map<Long, Long> values = new HashMap<>();
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      values.put(pairs[i], Math.max(0, pairs[i + 1]));
    }
    Long total = null;
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      open.addAll(node.children());
      Long time = isPython(node.name()) ? time(node, values) : null;
      if (time != null) {
        total = Totals.sum(total == null ? 0 : total, time);
      }
    }
    return total;
  }

  /** That of the code itself, where it is told; workers also wait for their input. */
  private static Long time(PlanNode node, Map<Long, Long> values) {
    Long workers = null;
    for (PlanMetric metric : node.metrics()) {
      Long value = values.get(metric.accumulatorId());
      if (value != null && metric.type() == PlanMetric.Type.NS_TIMING) {
        value /= 1_000_000;
      }
      if (value != null && metric.name().equals(PythonMetric.CODE_TIME.source())) {
        return value;
      }
      if (metric.name().equals(PythonMetric.RUN_TIME.source())) {
        workers = value;
      }
    }
    return workers;
  }
}
