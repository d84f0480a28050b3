package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which node of an execution's plans an accumulator belongs to. Bounded. */
final class PlanOperators {

  private static final int MAX_DEPTH = 200;
  private static final int MAX_NAMES = 50;
  private static final int NAME_WORDS = 4;

  private final Map<Long, Operator> byMetric = new HashMap<>(0);
  private int count;

  /**
   * A plan of this execution, the first one or a later one. Plans of subqueries and caches change
   * at any time in another thread, and a plan that comes later shows by chance whether they have:
   * of later plans these are not read, so that what is told of a stage is no matter of chance.
   */
  void planned(PlanNode plan, boolean first) {
    if (plan != null) {
      add(plan, first, 0);
    }
  }

  private void add(PlanNode node, boolean first, int depth) {
    String name = node.name();
    Operator operator = PlanText.isHidden(name) ? null : new Operator(count++, name);
    if (operator != null) {
      for (PlanMetric metric : node.metrics()) {
        long id = metric.accumulatorId();
        if (byMetric.size() < SqlMetrics.MAX || byMetric.containsKey(id)) {
          byMetric.put(id, operator);
        }
      }
    }
    boolean apart = PlanText.isSubquery(name) || name.startsWith("InMemoryTableScan");
    if (depth < MAX_DEPTH && (first || !apart)) {
      for (PlanNode child : node.children()) {
        add(child, first, depth + 1);
      }
    }
  }

  /**
   * The names of the nodes that these metrics belong to, in the order of the plan.
   *
   * @param pairs ids and values, alternating; null for none
   */
  List<String> of(long[] pairs) {
    TreeMap<Integer, String> found = new TreeMap<>();
    for (int i = 0; pairs != null && i + 1 < pairs.length; i += 2) {
      Operator operator = byMetric.get(pairs[i]);
      if (operator != null) {
        found.put(operator.order, operator.name);
      }
    }
    LinkedHashSet<String> names = new LinkedHashSet<>();
    for (String name : found.values()) {
      String words = PlanText.words(PlanText.bounded(name), NAME_WORDS, true);
      if (!words.isEmpty() && names.size() < MAX_NAMES) {
        names.add(words);
      }
    }
    return new ArrayList<>(names);
  }

  int stateSize() {
    return byMetric.size();
  }

  private static final class Operator {
    final int order;
    final String name;

    Operator(int order, String name) {
      this.order = order;
      this.name = name;
    }
  }
}
