package io.sparkotel.agent.model;

import static io.sparkotel.agent.telemetry.FindingCode.EXECUTOR_LOST;
import static io.sparkotel.agent.telemetry.FindingCode.GC;
import static io.sparkotel.agent.telemetry.FindingCode.LARGE_PARTITION;
import static io.sparkotel.agent.telemetry.FindingCode.LARGE_RESULT;
import static io.sparkotel.agent.telemetry.FindingCode.RETRIES;
import static io.sparkotel.agent.telemetry.FindingCode.SPILL;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.TaskMetric;

/** What a task is flagged with: where it alone is over the threshold of its stage. */
final class TaskFindings {

  private static final TaskMetric[] PARTITION = {
    TaskMetric.INPUT_BYTES,
    TaskMetric.SHUFFLE_READ_BYTES,
    TaskMetric.SHUFFLE_WRITE_BYTES,
    TaskMetric.OUTPUT_BYTES
  };

  private TaskFindings() {}

  /**
   * @param stage null where it is not known any more
   */
  static void put(
      AttributeList.Builder attributes, TaskEnd end, StageSpan stage, FindingsConfig config) {
    EndReason.Kind kind = end.reason.kind;
    if (kind == EndReason.Kind.Success && stage != null) {
      FindingCode slow = stage.slowness(end);
      put(attributes, config, slow, slow != null);
    }
    if (end.metrics != null) {
      put(
          attributes,
          config,
          SPILL,
          exceeds(config, FindingThreshold.SPILL_SIZE, end, TaskMetric.DISK_SPILLED));
      double run =
          (double) value(end, TaskMetric.RUN_TIME) + value(end, TaskMetric.DESERIALIZE_TIME);
      double gc = (double) value(end, TaskMetric.GC_TIME);
      put(
          attributes,
          config,
          GC,
          exceeds(config, FindingThreshold.GC_TIME, end, TaskMetric.GC_TIME)
              && config.excess(FindingThreshold.GC_SHARE, gc / Math.max(1, run)) > 0);
      long partition = value(end, partitionMetric(end));
      put(
          attributes,
          config,
          LARGE_PARTITION,
          config.excess(FindingThreshold.LARGE_PARTITION_SIZE, partition) > 0);
      put(
          attributes,
          config,
          LARGE_RESULT,
          exceeds(config, FindingThreshold.LARGE_RESULT_SIZE, end, TaskMetric.RESULT_SIZE));
    }
    if (kind.isFailure()) {
      put(
          attributes,
          config,
          RETRIES,
          config.excess(FindingThreshold.RETRIES_TIME, end.task.duration()) > 0);
      put(attributes, config, EXECUTOR_LOST, kind == EndReason.Kind.ExecutorLostFailure);
    }
  }

  private static void put(
      AttributeList.Builder attributes, FindingsConfig config, FindingCode code, boolean found) {
    if (found && config.has(code)) {
      attributes.put(code.attribute(), true);
    }
  }

  private static boolean exceeds(
      FindingsConfig config, FindingThreshold threshold, TaskEnd end, TaskMetric metric) {
    return config.excess(threshold, value(end, metric)) > 0;
  }

  /** That of which it has most: what it read before what it wrote. */
  static TaskMetric partitionMetric(TaskEnd end) {
    TaskMetric most = TaskMetric.INPUT_BYTES;
    for (TaskMetric metric : PARTITION) {
      if (value(end, metric) > value(end, most)) {
        most = metric;
      }
    }
    return most;
  }

  static long value(TaskEnd end, TaskMetric metric) {
    return end.metrics == null ? 0 : Math.max(0, end.metrics[metric.ordinal()]);
  }
}
