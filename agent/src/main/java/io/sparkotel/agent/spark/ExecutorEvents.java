package io.sparkotel.agent.spark;

import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import java.lang.invoke.MethodHandle;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import scala.Tuple2;

/** Reads the peaks that executors sample of themselves. */
final class ExecutorEvents {

  private static final ExecutorMetric[] METRICS = ExecutorMetric.values();
  private static final MethodHandle UPDATES =
      SparkCompat.handle(SparkListenerExecutorMetricsUpdate.class, "executorUpdates");

  private ExecutorEvents() {}

  /** Of a heartbeat: by the stages that ran in the executor. */
  static void peaks(TraceModel model, SparkListenerExecutorMetricsUpdate event) {
    SparkCompat.forEach(
        SparkCompat.call(UPDATES, event),
        update -> {
          Tuple2<?, ?> entry = (Tuple2<?, ?>) update;
          Tuple2<?, ?> stage = (Tuple2<?, ?>) entry._1();
          model.executorPeaks(
              event.execId(),
              (Integer) stage._1(),
              (Integer) stage._2(),
              values((ExecutorMetrics) entry._2()));
        });
  }

  /** Null where nothing was sampled, which is cheap to find out. */
  static long[] values(ExecutorMetrics from) {
    if (from == null || from.getMetricValue(ExecutorMetric.JVM_HEAP.source()) <= 0) {
      return null;
    }
    long[] values = new long[METRICS.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = from.getMetricValue(METRICS[i].source());
    }
    return ExecutorMetric.sampled(values);
  }
}
