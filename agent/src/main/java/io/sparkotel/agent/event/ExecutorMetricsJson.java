package io.sparkotel.agent.event;

import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The peaks of executors in an event log: of a task's end, and of a stage where Spark logs them.
 */
final class ExecutorMetricsJson {

  private static final Map<String, ExecutorMetric> METRICS = new HashMap<>();

  static {
    for (ExecutorMetric metric : ExecutorMetric.values()) {
      METRICS.put(metric.source(), metric);
    }
  }

  private ExecutorMetricsJson() {}

  /** Indexed by {@link ExecutorMetric}; null where nothing was sampled. */
  static long[] values(EventFields fields) throws IOException {
    if (!fields.enter()) {
      return null;
    }
    long[] values = null;
    boolean sampled = true;
    while (fields.next()) {
      ExecutorMetric metric = sampled ? METRICS.get(fields.name()) : null;
      if (metric == null) {
        fields.skip();
        continue;
      }
      long value = fields.numberOr(TaskMetric.ABSENT);
      // Of most tasks nothing was sampled, and Spark writes the heap first.
      sampled = metric != ExecutorMetric.JVM_HEAP || value > 0;
      if (sampled) {
        values = values == null ? allAbsent() : values;
        values[metric.ordinal()] = value;
      }
    }
    return sampled && values != null ? ExecutorMetric.sampled(values) : null;
  }

  private static long[] allAbsent() {
    long[] values = new long[ExecutorMetric.COUNT];
    Arrays.fill(values, TaskMetric.ABSENT);
    return values;
  }

  /** {@code SparkListenerStageExecutorMetrics}; gives what is missing in it, or null. */
  static String ofStage(JsonFields fields, TraceModel model) throws IOException {
    String executorId = null;
    int stageId = -1;
    int stageAttempt = 0;
    long[] values = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "Executor ID":
          executorId = fields.text();
          break;
        case "Stage ID":
          stageId = fields.id();
          break;
        case "Stage Attempt ID":
          stageAttempt = (int) fields.number();
          break;
        case "Executor Metrics":
          values = values(fields);
          break;
        default:
          fields.skip();
      }
    }
    if (executorId == null) {
      return "without its executor";
    }
    model.executorPeaks(executorId, stageId, stageAttempt, values);
    return null;
  }
}
