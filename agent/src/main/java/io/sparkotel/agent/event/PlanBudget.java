package io.sparkotel.agent.event;

/**
 * How much of one plan is read, far more than a span can show: a plan can have megabytes. The
 * listener and the log reader both walk a plan root first, so they keep the same nodes.
 */
public final class PlanBudget {

  private static final int MAX_NODES = 1_000;
  private static final int MAX_TEXT = 2_000;

  /** Nodes deeper than this are left out: both walks recurse. */
  private static final int MAX_DEPTH = 200;

  private static final int MAX_METRICS = 20_000;

  private int nodes;
  private int metrics;

  /** Takes one node of that depth, the root's being 0; false where it is to be left out. */
  public boolean take(int depth) {
    if (nodes >= MAX_NODES || depth > MAX_DEPTH) {
      return false;
    }
    nodes++;
    return true;
  }

  /** Takes one metric of a node; false where it is to be left out. */
  public boolean takeMetric() {
    if (metrics >= MAX_METRICS) {
      return false;
    }
    metrics++;
    return true;
  }

  /** The text of a node as it is kept. */
  public static String text(String text) {
    return text == null || text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
