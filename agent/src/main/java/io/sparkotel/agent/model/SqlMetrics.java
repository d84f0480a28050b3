package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What was measured for the nodes of one execution's plans, by the accumulator's id. Bounded.
 *
 * <p>The values come with completed stages, not with tasks: there the driver tells its own total of
 * each accumulator, over all tasks whose result it took, so that nothing has to be done for each
 * task and a replay need not read what a log mostly consists of. Least, median and most of a metric
 * and averages are not to be had that way. Spark's UI adds up the tasks of each stage's last
 * attempt, so the two differ only where a stage was attempted again: here what the first attempt
 * did counts as well.
 */
final class SqlMetrics {

  static final int MAX = 10_000;

  /** For plans that were not run. */
  static final SqlMetrics NONE = new SqlMetrics();

  /** Begins the name of a node whose tasks compute its sides again and again. */
  static final String PRODUCT = "CartesianProduct";

  private static final String CACHE = "InMemoryTableScan";

  private final Map<Long, Long> ofTasks = new HashMap<>(0);
  private final Map<Long, Long> ofDriver = new HashMap<>(0);
  private final Set<Long> ofOthers = new HashSet<>(0);

  /** How many tasks added to a metric of a cartesian product; 0 before any did. */
  private final Map<Long, Integer> tasksOfProducts = new HashMap<>(0);

  private long leftOut;

  /**
   * A plan of this execution. What fills a cache is a part of every plan that reads it, with one
   * set of accumulators, which are never set back: what they held before is another execution's.
   *
   * @param seen the ids of which values were seen
   */
  void planned(PlanNode plan, IdRanges seen) {
    if (plan == null) {
      return;
    }
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    ArrayDeque<PlanNode> cached = new ArrayDeque<>(0);
    open.push(plan);
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      if (node.name().contains(PRODUCT)) {
        addProduct(node);
      }
      (node.name().startsWith(CACHE) ? cached : open).addAll(node.children());
    }
    while (!cached.isEmpty()) {
      PlanNode node = cached.pop();
      cached.addAll(node.children());
      for (PlanMetric metric : node.metrics()) {
        long id = metric.accumulatorId();
        if (seen.contains(id) && !ofTasks.containsKey(id) && ofOthers.size() < MAX) {
          ofOthers.add(id);
        }
      }
    }
  }

  private void addProduct(PlanNode node) {
    for (PlanMetric metric : node.metrics()) {
      if (tasksOfProducts.size() < MAX) {
        tasksOfProducts.putIfAbsent(metric.accumulatorId(), 0);
      }
    }
  }

  int stateSize() {
    return ofTasks.size() + ofDriver.size() + ofOthers.size() + tasksOfProducts.size();
  }

  /**
   * @param pairs ids and totals of a completed stage, alternating
   * @param tasks how many it has
   */
  void stageCompleted(long[] pairs, int tasks) {
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      if (!tasksOfProducts.isEmpty()) {
        tasksOfProducts.computeIfPresent(pairs[i], (id, before) -> tasks);
      }
      if (hasRoom(ofTasks, pairs[i])) {
        // They only grow: the greatest is the last.
        ofTasks.merge(pairs[i], Math.max(0, pairs[i + 1]), Math::max);
      }
    }
  }

  /**
   * @param pairs ids and what the driver added, alternating
   */
  void driver(long[] pairs) {
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      if (hasRoom(ofDriver, pairs[i])) {
        ofDriver.merge(pairs[i], Math.max(0, pairs[i + 1]), Totals::sum);
      }
    }
  }

  private boolean hasRoom(Map<Long, Long> values, long id) {
    if (values.size() < MAX || values.containsKey(id)) {
      return true;
    }
    leftOut++;
    return false;
  }

  /** The total, never negative, or null where none was told or it is another execution's. */
  Long value(long id) {
    if (ofOthers.contains(id)) {
      return null;
    }
    Long tasks = ofTasks.get(id);
    return tasks == null ? ofDriver.get(id) : tasks;
  }

  /** What the driver alone told, never negative, or null. */
  Long driverValue(long id) {
    return ofDriver.get(id);
  }

  /** What tasks alone told, never negative, or null. */
  Long taskValue(long id) {
    return ofTasks.get(id);
  }

  /** Of the stage of a cartesian product, by one of its metrics; 0 where that is not known. */
  int tasksOfProduct(long id) {
    return tasksOfProducts.getOrDefault(id, 0);
  }

  /** Values for which there was no room. */
  long leftOut() {
    return leftOut;
  }
}
