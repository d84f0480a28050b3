package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;

/** The name of a plan's node as a sentence has it, and what was measured for it. */
final class NodeFacts {

  private static final int NAME_WORDS = 4;

  private final SqlMetrics metrics;
  private final Redactor redactor;

  NodeFacts(SqlMetrics metrics, Redactor redactor) {
    this.metrics = metrics;
    this.redactor = redactor;
  }

  /** The node's own name, such as {@code Scan parquet default.sales}. */
  String words(PlanNode node) {
    String words = PlanText.words(PlanText.bounded(node.name()), NAME_WORDS, true);
    return redactor.text(words.isEmpty() ? "a node" : words);
  }

  /** The total of the first of these metrics that the node has, or null. */
  Long value(PlanNode node, String... names) {
    for (String name : names) {
      for (PlanMetric metric : node.metrics()) {
        if (metric.name().equals(name)) {
          return metrics.value(metric.accumulatorId());
        }
      }
    }
    return null;
  }

  /** RAPIDS and Comet's joins have names of their own for them. */
  Long rows(PlanNode node) {
    return value(node, "number of output rows", "output rows", "Number of rows produced");
  }

  /** Of the stage of a cartesian product, 0 where that is not known. */
  int tasksOfProduct(PlanNode product) {
    int tasks = 0;
    for (PlanMetric metric : product.metrics()) {
      tasks = Math.max(tasks, metrics.tasksOfProduct(metric.accumulatorId()));
    }
    return tasks;
  }
}
