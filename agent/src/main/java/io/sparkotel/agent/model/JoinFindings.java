package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FindingCode;

/** What was wrong with the joins of a plan, by what was measured for them and their sides. */
final class JoinFindings {

  private static final String DATA_SIZE = "data size";

  private final Findings findings;
  private final FindingsConfig config;
  private final NodeFacts facts;

  JoinFindings(Findings findings, FindingsConfig config, NodeFacts facts) {
    this.findings = findings;
    this.config = config;
    this.facts = facts;
  }

  /**
   * @param name of the node as Spark has it
   */
  void look(PlanNode node, String name) {
    if (node.children().size() != 2) {
      return;
    }
    if (name.startsWith("SortMergeJoin") || name.startsWith("ShuffledHashJoin")) {
      addMissedBroadcast(node);
    } else if (name.startsWith("BroadcastHashJoin")) {
      addLateBroadcast(node);
    }
    if (name.startsWith(SqlMetrics.PRODUCT) || name.startsWith("BroadcastNestedLoopJoin")) {
      addCartesian(node, name);
    } else if (name.contains("Join")) {
      addExplodingJoin(node);
    }
  }

  private static PlanNode left(PlanNode join) {
    return join.children().get(0);
  }

  private static PlanNode right(PlanNode join) {
    return join.children().get(1);
  }

  private void addMissedBroadcast(PlanNode join) {
    Long left = size(exchange(left(join)));
    Long right = size(exchange(right(join)));
    if (left == null || right == null) {
      return;
    }
    boolean leftIsSmall = left < right;
    long small = Math.min(left, right);
    long large = Math.max(left, right);
    double excess = broadcastExcess(small, large);
    if (excess > 0 && canBroadcast(join.simpleString(), leftIsSmall)) {
      String sentence =
          facts.words(join)
              + " shuffled "
              + FindingText.bytes(large)
              + " to join them with the "
              + FindingText.bytes(small)
              + " of its "
              + side(leftIsSmall)
              + " side";
      findings.add(config, FindingCode.MISSED_BROADCAST, excess, sentence);
    }
  }

  /**
   * Adaptive execution learns the size of a side by shuffling it, and the other side is shuffled by
   * then: the broadcast came too late to save it.
   */
  private void addLateBroadcast(PlanNode join) {
    PlanNode left = exchange(left(join));
    PlanNode right = exchange(right(join));
    if (!isForJoin(left) || !isForJoin(right)) {
      return;
    }
    boolean leftIsSmall = join.simpleString().contains("BuildLeft");
    Long small = size(leftIsSmall ? left : right);
    Long large = size(leftIsSmall ? right : left);
    if (small == null || large == null) {
      return;
    }
    double excess = broadcastExcess(small, large);
    if (excess > 0) {
      String sentence =
          facts.words(join)
              + " had shuffled "
              + FindingText.bytes(large)
              + " before its "
              + side(leftIsSmall)
              + " side was seen to be "
              + FindingText.bytes(small);
      findings.add(config, FindingCode.MISSED_BROADCAST, excess, sentence);
    }
  }

  private static String side(boolean left) {
    return left ? "left" : "right";
  }

  private double broadcastExcess(long small, long large) {
    double ratio =
        config.excess(FindingThreshold.MISSED_BROADCAST_RATIO, (double) large / Math.max(1, small));
    return Math.min(
        Math.min(ratio, config.excess(FindingThreshold.MISSED_BROADCAST_LARGE, large)),
        config.excess(FindingThreshold.MISSED_BROADCAST_SMALL, small));
  }

  /** An outer join has to see every row of its outer side once, so only the other can be sent. */
  private static boolean canBroadcast(String join, boolean left) {
    if (join.contains(", FullOuter")) {
      return false;
    }
    boolean inner = join.contains(", Inner");
    return inner || (left ? join.contains(", RightOuter") : !join.contains(", RightOuter"));
  }

  /** The shuffle of that side of a join, or null where it was not shuffled for it alone. */
  private static PlanNode exchange(PlanNode side) {
    PlanNode node = side;
    while (true) {
      String name = NativeNodes.sparks(node.name());
      if (name.startsWith("Exchange")) {
        return node;
      }
      boolean passes =
          NativeNodes.passesOn(name)
              || name.equals("Sort")
              || name.startsWith("AQEShuffleRead")
              || name.startsWith("CustomShuffleReader")
              || name.startsWith("ShuffleQueryStage")
              || name.startsWith("BroadcastQueryStage")
              || name.startsWith("BroadcastExchange");
      if (!passes || node.children().size() != 1) {
        return null;
      }
      node = node.children().get(0);
    }
  }

  /** Not one that the user asked for, which a broadcast would not have saved. */
  private static boolean isForJoin(PlanNode exchange) {
    String text = exchange == null ? "" : exchange.simpleString();
    return text.contains("hashpartitioning(")
        && !text.contains("REPARTITION")
        && !text.contains("REBALANCE");
  }

  private Long size(PlanNode exchange) {
    return exchange == null ? null : facts.value(exchange, DATA_SIZE);
  }

  private void addCartesian(PlanNode join, String name) {
    Long left = rows(left(join));
    Long right = rows(right(join));
    if (left == null || right == null || Math.min(left, right) <= 1) {
      return;
    }
    double pairs = (double) left * right;
    if (name.startsWith(SqlMetrics.PRODUCT)) {
      // Each task has one of the left partitions and one of the right ones, and computes both.
      int tasks = facts.tasksOfProduct(join);
      pairs = tasks == 0 ? 0 : pairs / tasks;
    }
    double excess = config.excess(FindingThreshold.CARTESIAN_PAIRS, pairs);
    if (excess > 0) {
      String sentence =
          facts.words(join) + " compared at least " + FindingText.number(pairs) + " pairs of rows";
      findings.add(config, FindingCode.CARTESIAN, excess, sentence);
    }
  }

  private void addExplodingJoin(PlanNode join) {
    Long out = facts.rows(join);
    Long left = rows(left(join));
    Long right = rows(right(join));
    if (out == null || left == null || right == null) {
      return;
    }
    long in = Totals.sum(left, right);
    if (in == 0) {
      return;
    }
    double ratio = (double) out / in;
    double excess =
        Math.min(
            config.excess(FindingThreshold.EXPLODING_JOIN_ROWS, out),
            config.excess(FindingThreshold.EXPLODING_JOIN_RATIO, ratio));
    if (excess > 0) {
      String sentence =
          facts.words(join)
              + " made "
              + FindingText.number(out)
              + " rows of "
              + FindingText.number(left)
              + " and "
              + FindingText.number(right)
              + ", "
              + FindingText.ratio(ratio)
              + " times as many";
      findings.add(config, FindingCode.EXPLODING_JOIN, excess, sentence);
    }
  }

  /** The rows that a side of a join gives, or null where they are not known. */
  private Long rows(PlanNode side) {
    PlanNode node = side;
    while (true) {
      String name = NativeNodes.sparks(node.name());
      Long rows = facts.rows(node);
      if (rows == null && name.startsWith("Exchange")) {
        rows = facts.value(node, "shuffle records written");
      }
      if (rows != null) {
        return rows;
      }
      if (!keepsRows(name) || node.children().size() != 1) {
        return null;
      }
      node = node.children().get(0);
    }
  }

  private static boolean keepsRows(String name) {
    return NativeNodes.passesOn(name)
        || name.equals("Project")
        || name.equals("Sort")
        || name.startsWith("AQEShuffleRead")
        || name.startsWith("CustomShuffleReader")
        || name.endsWith("QueryStage")
        || name.startsWith("Exchange")
        || name.startsWith("BroadcastExchange");
  }
}
