package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The numbers of a write that is nested in a command of Delta Lake. It has Spark's usual six
 * metrics, made one after the other, but no plan that names them:
 *
 * <pre>
 *   a    files          told by the driver, in one update
 *   a+1  bytes          the same; also what its tasks told as their output
 *   a+2  rows           the same
 *   a+3  partitions     told by the driver
 *   a+4  commits' time  told by the tasks
 *   a+5  commit's time  told by the driver
 * </pre>
 *
 * <p>Where any of this is otherwise, or there was more than one write, nothing is known.
 */
final class NestedWrites {

  private static final long[] DRIVERS = {0, 1, 2, 3, 5};
  private static final long TASKS = 4;

  /** Values of {@link #DRIVERS}, null unless exactly one update looked like them. */
  private long[] values;

  private long first;
  private int updates;

  private OutputNumbers only = OutputNumbers.NONE;
  private int writes;

  /**
   * What the driver told of this execution.
   *
   * @param pairs ids and what was added, alternating
   */
  void update(long[] pairs) {
    if (pairs.length != 2 * DRIVERS.length) {
      return;
    }
    long[] ids = new long[DRIVERS.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = pairs[2 * i];
    }
    Arrays.sort(ids);
    long[] found = new long[ids.length];
    for (int i = 0; i < ids.length; i++) {
      int at = Arrays.binarySearch(ids, pairs[2 * i]);
      found[at] = pairs[2 * i + 1];
      if (ids[i] - ids[0] != DRIVERS[i]) {
        return;
      }
    }
    updates++;
    values = updates == 1 ? found : null;
    first = ids[0];
  }

  /** An execution that is nested in this one, at its end. */
  void closed(SqlSpan nested) {
    Totals totals = nested.totals;
    OutputNumbers numbers = nested.writes.own(nested);
    boolean wrote =
        totals.sum(TaskMetric.OUTPUT_BYTES) > 0 || totals.sum(TaskMetric.OUTPUT_RECORDS) > 0;
    if (numbers.tellRows() || wrote || !nested.isEnded()) {
      writes++;
      only = writes == 1 ? numbers : OutputNumbers.NONE;
    }
  }

  /** Of all executions that were nested in this one; none are told where several wrote. */
  OutputNumbers numbers() {
    return only;
  }

  private OutputNumbers own(SqlSpan span) {
    boolean known =
        values != null
            && span.succeeded()
            && span.metrics.taskValue(first + TASKS) != null
            && values[1] == span.totals.sum(TaskMetric.OUTPUT_BYTES)
            && values[2] == span.totals.sum(TaskMetric.OUTPUT_RECORDS)
            && !isNamed(span.plan());
    if (!known) {
      return OutputNumbers.NONE;
    }
    // Delta Lake does not say whether a table is partitioned.
    return new OutputNumbers(values[2], values[1], values[0], values[3] == 0 ? null : values[3]);
  }

  private boolean isNamed(PlanNode plan) {
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    if (plan != null) {
      open.push(plan);
    }
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      for (PlanMetric metric : node.metrics()) {
        long offset = metric.accumulatorId() - first;
        if (offset >= 0 && offset <= DRIVERS[DRIVERS.length - 1]) {
          return true;
        }
      }
      open.addAll(node.children());
    }
    return false;
  }
}
