package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.TaskMetric;

/** The numbers of a write by the SQL metrics of its node: every table format names its own. */
final class OutputMetrics {

  private final PlanNode node;
  private final SqlMetrics metrics;

  OutputMetrics(PlanNode node, SqlMetrics metrics) {
    this.node = node;
    this.metrics = metrics;
  }

  /**
   * Of Spark's own commands.
   *
   * @param partitioned without partitions, Spark counts none of them
   */
  OutputNumbers ofSpark(boolean partitioned) {
    return new OutputNumbers(
        told("number of output rows"),
        told("written output"),
        told("number of written files"),
        partitioned ? told("number of dynamic part") : null);
  }

  /** Every row in a new file, also one that was only copied from the file that it replaces. */
  OutputNumbers ofDeltaMerge() {
    return new OutputNumbers(
        sum(
            "number of target rows rewritten unmodified",
            "number of inserted rows",
            "number of updated rows"),
        sum("number of target bytes added"),
        sum("number of files added to target"),
        partitions("number of target partitions to which files were added"));
  }

  OutputNumbers ofDeltaUpdate() {
    return new OutputNumbers(
        sum("number of rows updated.", "number of rows copied."),
        sum("number of bytes added"),
        sum("number of files added."),
        null);
  }

  OutputNumbers ofDeltaDelete() {
    return new OutputNumbers(
        sum("number of rows copied"),
        sum("number of bytes added"),
        sum("number of files added."),
        partitions("number of partitions added"));
  }

  /**
   * By what the commit says, or else by what the tasks do.
   *
   * @param totals of the execution
   */
  OutputNumbers ofIceberg(Totals totals) {
    OutputNumbers committed = ofIcebergCommit();
    // Tasks that write files of deletes report nothing.
    if (committed.tellRows() || node.name().startsWith("WriteDelta")) {
      return committed;
    }
    OutputNumbers reported = ofIcebergTasks(totals);
    return reported.tellRows() ? reported : ofSpark(false);
  }

  /** Its summary leaves out what is 0; the size that it tells has files of deletes in it, too. */
  private OutputNumbers ofIcebergCommit() {
    if (driver("number of added records") == null && driver("total number of records") == null) {
      return OutputNumbers.NONE;
    }
    return new OutputNumbers(
        orZero("number of added records"),
        orZero("total size of added files (bytes)"),
        Totals.sum(orZero("number of added data files"), orZero("number of added delete files")),
        null);
  }

  /** What the writers of the tasks report of the files that they made. */
  private static OutputNumbers ofIcebergTasks(Totals totals) {
    long rows = totals.sum(TaskMetric.OUTPUT_RECORDS);
    long bytes = totals.sum(TaskMetric.OUTPUT_BYTES);
    // A task that ran again may have reported twice; of a writer that never does, both are 0.
    boolean reported = rows > 0 && bytes > 0 && totals.ranOnce();
    return reported ? new OutputNumbers(rows, bytes, null, null) : OutputNumbers.NONE;
  }

  private long orZero(String name) {
    Long value = driver(name);
    return value == null ? 0 : value;
  }

  /** Delta Lake does not say whether a table is partitioned: then, too, it counts none. */
  private Long partitions(String name) {
    Long value = driver(name);
    return value == null || value == 0 ? null : value;
  }

  /** Null where one of them is not told. */
  private Long sum(String... names) {
    long sum = 0;
    for (String name : names) {
      Long value = driver(name);
      if (value == null) {
        return null;
      }
      sum = Totals.sum(sum, value);
    }
    return sum;
  }

  private Long told(String name) {
    PlanMetric metric = metric(name);
    return metric == null ? null : metrics.value(metric.accumulatorId());
  }

  /** What the driver tells at the end: it may have corrected what tasks told before. */
  private Long driver(String name) {
    PlanMetric metric = metric(name);
    return metric == null ? null : metrics.driverValue(metric.accumulatorId());
  }

  private PlanMetric metric(String name) {
    for (PlanMetric metric : node.metrics()) {
      if (metric.name().equals(name)) {
        return metric;
      }
    }
    return null;
  }
}
