package io.sparkotel.agent.event;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One node of a physical plan, as Spark's {@code SparkPlanInfo} describes it. Immutable. */
public final class PlanNode {

  private final String name;
  private final String simpleString;
  private final List<PlanNode> children;
  private final List<PlanMetric> metrics;
  private final String location;

  /**
   * A null text is an empty one, null children are none.
   *
   * @param location where a scan of files reads, as Spark's metadata of the node have it, or null
   */
  public PlanNode(
      String name,
      String simpleString,
      List<PlanNode> children,
      List<PlanMetric> metrics,
      String location) {
    this.name = name == null ? "" : name;
    this.simpleString = simpleString == null ? "" : simpleString;
    this.children =
        children == null || children.isEmpty()
            ? Collections.emptyList()
            : Collections.unmodifiableList(new ArrayList<>(children));
    this.metrics =
        metrics == null || metrics.isEmpty()
            ? Collections.emptyList()
            : Collections.unmodifiableList(new ArrayList<>(metrics));
    this.location = location;
  }

  /** Spark's node name, such as {@code Scan parquet default.sales}; never null. */
  public String name() {
    return name;
  }

  /** Spark's one-line form with its expressions; never null. */
  public String simpleString() {
    return simpleString;
  }

  /** In plan order; never null, cannot be changed. */
  public List<PlanNode> children() {
    return children;
  }

  /** In no order; never null, cannot be changed. */
  public List<PlanMetric> metrics() {
    return metrics;
  }

  /** Such as {@code InMemoryFileIndex(1 paths)[file:/data/sales]}, or null. */
  public String location() {
    return location;
  }
}
