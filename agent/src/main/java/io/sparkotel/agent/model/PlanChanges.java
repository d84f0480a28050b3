package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What adaptive execution made of the first plan, in words. */
final class PlanChanges {

  private static final int MAX_NODES = 20_000;
  private static final int MAX_CHANGES = 20;
  private static final String PARTITIONS = "number of partitions";

  private PlanChanges() {}

  /** Joins that are done in another way or not at all, then shuffles that are read otherwise. */
  static List<String> of(PlanNode first, PlanNode last, SqlMetrics metrics) {
    if (first == null || last == null) {
      return new ArrayList<>();
    }
    Map<String, Integer> counts = new LinkedHashMap<>();
    List<PlanNode> lastNodes = nodes(last);
    joins(joins(nodes(first)), joins(lastNodes), counts);
    for (PlanNode node : lastNodes) {
      if (node.name().startsWith("AQEShuffleRead") || node.name().equals("CustomShuffleReader")) {
        count(counts, reading(node, metrics));
      }
    }
    List<String> changes = new ArrayList<>(counts.size());
    counts.forEach(
        (change, count) -> {
          if (change != null && changes.size() < MAX_CHANGES) {
            changes.add(count == 1 ? change : change + " (" + count + " times)");
          }
        });
    return changes;
  }

  private static void joins(List<PlanNode> first, List<PlanNode> last, Map<String, Integer> out) {
    if (first.size() == last.size()) {
      for (int i = 0; i < first.size(); i++) {
        String before = strategy(first.get(i));
        String after = strategy(last.get(i));
        if (!before.equals(after)) {
          count(out, before + " became " + after);
        }
      }
    } else {
      Map<String, Integer> more = new LinkedHashMap<>();
      first.forEach(node -> more.merge(strategy(node), 1, Integer::sum));
      last.forEach(node -> more.merge(strategy(node), -1, Integer::sum));
      more.forEach(
          (strategy, count) -> {
            for (int i = 0; i < Math.abs(count); i++) {
              count(out, strategy + (count > 0 ? " was dropped" : " was added"));
            }
          });
    }
    for (PlanNode node : last) {
      if (node.name().contains("skew=true")) {
        count(out, strategy(node) + " splits skewed partitions");
      }
    }
  }

  private static void count(Map<String, Integer> counts, String change) {
    counts.merge(change, 1, Integer::sum);
  }

  private static List<PlanNode> joins(List<PlanNode> nodes) {
    List<PlanNode> joins = new ArrayList<>();
    for (PlanNode node : nodes) {
      String strategy = strategy(node);
      if (strategy.contains("Join") || strategy.contains("CartesianProduct")) {
        joins.add(node);
      }
    }
    return joins;
  }

  private static String strategy(PlanNode node) {
    return PlanText.words(PlanText.bounded(node.name()), 1, false);
  }

  /**
   * In plan order, without what is reused, cached or a subquery's, which has a plan of its own, and
   * without what was there before it was found to be empty.
   */
  private static List<PlanNode> nodes(PlanNode plan) {
    List<PlanNode> nodes = new ArrayList<>();
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    while (!open.isEmpty() && nodes.size() < MAX_NODES) {
      PlanNode node = open.pop();
      nodes.add(node);
      String name = node.name();
      if (PlanText.isReused(name)
          || PlanText.isSubquery(name)
          || name.startsWith("InMemoryTableScan")
          || name.startsWith("EmptyRelation")) {
        continue;
      }
      for (int i = node.children().size() - 1; i >= 0; i--) {
        open.push(node.children().get(i));
      }
    }
    return nodes;
  }

  private static String reading(PlanNode read, SqlMetrics metrics) {
    PlanNode exchange = read;
    while (!exchange.name().contains("Exchange") && exchange.children().size() == 1) {
      exchange = exchange.children().get(0);
    }
    Long before = partitions(exchange.simpleString());
    if (before == null) {
      before = partitions(exchange, metrics);
    }
    Long after = partitions(read, metrics);
    String how = read.simpleString();
    boolean local = how.endsWith(" local");
    String of = before == null ? "shuffle" : "shuffle of " + partitions(before);
    if (local) {
      return of + " read locally";
    }
    String skewed = how.contains("skewed") ? ", skewed ones split" : "";
    return of + (after == null ? " read otherwise" : " read as " + after) + skewed;
  }

  private static String partitions(long count) {
    return count + (count == 1 ? " partition" : " partitions");
  }

  private static Long partitions(PlanNode node, SqlMetrics metrics) {
    for (PlanMetric metric : node.metrics()) {
      if (metric.name().equals(PARTITIONS)) {
        return metrics.value(metric.accumulatorId());
      }
    }
    return null;
  }

  /** The last argument of {@code hashpartitioning(a#1, 200)} and its like, or null. */
  private static Long partitions(String exchange) {
    int depth = 0;
    for (int i = 0; i < exchange.length(); i++) {
      char c = exchange.charAt(i);
      if (c == '(') {
        depth++;
      } else if (c == ')' && --depth == 0) {
        int start = i;
        while (start > 0 && Character.isDigit(exchange.charAt(start - 1))) {
          start--;
        }
        boolean number = i > start && i - start < 10;
        return number ? Long.valueOf(exchange.substring(start, i)) : null;
      }
    }
    return null;
  }
}
