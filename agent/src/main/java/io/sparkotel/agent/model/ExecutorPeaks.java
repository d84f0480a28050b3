package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Arrays;

/** The peaks that executors sampled of themselves, and which of them had each. */
final class ExecutorPeaks {

  private static final ExecutorMetric[] METRICS = ExecutorMetric.values();

  /** Null until something was sampled, as in most stages. */
  private long[] peaks;

  private String[] executors;

  /**
   * @param values indexed by {@link ExecutorMetric}; null is nothing
   */
  void add(String executorId, long[] values) {
    if (values == null) {
      return;
    }
    if (peaks == null) {
      peaks = new long[ExecutorMetric.COUNT];
      executors = new String[ExecutorMetric.COUNT];
      Arrays.fill(peaks, TaskMetric.ABSENT);
    }
    for (int i = 0; i < peaks.length; i++) {
      long value = values[i];
      if (value > peaks[i] || (value == peaks[i] && isBefore(executorId, executors[i]))) {
        peaks[i] = value;
        executors[i] = executorId;
      }
    }
  }

  /** Of two with the same peak always the same one, whichever told it first. */
  private static boolean isBefore(String executor, String other) {
    return executor != null && other != null && executor.compareTo(other) < 0;
  }

  /** {@link TaskMetric#ABSENT} where it was not sampled. */
  long value(ExecutorMetric metric) {
    return peaks == null ? TaskMetric.ABSENT : peaks[metric.ordinal()];
  }

  /** The executor that had it; null where it was not sampled. */
  String holder(ExecutorMetric metric) {
    return peaks == null ? null : executors[metric.ordinal()];
  }

  void put(AttributeList.Builder attributes, Entity entity) {
    if (peaks == null) {
      return;
    }
    for (int i = 0; i < peaks.length; i++) {
      if (peaks[i] >= 0 && METRICS[i].attribute().on().contains(entity)) {
        attributes.put(METRICS[i].attribute(), peaks[i]);
        Limits.putText(attributes, METRICS[i].holder(), executors[i], Limits.WORD);
      }
    }
  }

  void putDriver(AttributeList.Builder attributes) {
    if (peaks == null) {
      return;
    }
    for (int i = 0; i < peaks.length; i++) {
      if (peaks[i] >= 0) {
        attributes.put(METRICS[i].driver(), peaks[i]);
      }
    }
  }

  /** Of one task. */
  static void putTask(AttributeList.Builder attributes, long[] values) {
    if (values == null) {
      return;
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] >= 0 && !METRICS[i].isOfExecutorOnly()) {
        attributes.put(METRICS[i].attribute(), values[i]);
      }
    }
  }
}
