package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.cluster.ExecutorInfo;
import scala.Tuple2;

/** Reads executors as they are added, and the peaks that they sample of themselves. */
final class ExecutorEvents {

  private static final ExecutorMetric[] METRICS = ExecutorMetric.values();
  private static final MethodHandle UPDATES =
      SparkCompat.handle(SparkListenerExecutorMetricsUpdate.class, "executorUpdates");

  private static final MethodHandle PROFILE_OF_EXECUTOR =
      SparkCompat.handle(ExecutorInfo.class, "resourceProfileId");
  private static final MethodHandle LOG_URLS = SparkCompat.handle(ExecutorInfo.class, "logUrlMap");
  private static final MethodHandle ATTRIBUTES =
      SparkCompat.handle(ExecutorInfo.class, "attributes");

  private ExecutorEvents() {}

  static ExecutorAdded added(SparkListenerExecutorAdded event) {
    ExecutorInfo info = event.executorInfo();
    ExecutorAdded added = new ExecutorAdded();
    added.time = event.time();
    added.executorId = event.executorId();
    added.cores = info.totalCores();
    Object profile = SparkCompat.call(PROFILE_OF_EXECUTOR, info);
    added.profileId = SparkCompat.number(profile, ResourceProfile.DEFAULT_ID).intValue();
    added.links =
        ExecutorLinks.of(
            texts(SparkCompat.call(LOG_URLS, info)), texts(SparkCompat.call(ATTRIBUTES, info)));
    return added;
  }

  private static Map<String, String> texts(Object map) {
    Map<String, String> texts = new HashMap<>();
    SparkCompat.forEach(
        map,
        entry -> {
          Tuple2<?, ?> pair = (Tuple2<?, ?>) entry;
          texts.put((String) pair._1(), (String) pair._2());
        });
    return texts;
  }

  /**
   * Of a heartbeat: by the stages that ran in the executor.
   *
   * @return whether it is of the driver itself, which has no stages; in local mode an executor has
   *     the same id
   */
  static boolean peaks(TraceModel model, SparkListenerExecutorMetricsUpdate event) {
    boolean[] ofDriver = new boolean[1];
    SparkCompat.forEach(
        SparkCompat.call(UPDATES, event),
        update -> {
          Tuple2<?, ?> entry = (Tuple2<?, ?>) update;
          Tuple2<?, ?> stage = (Tuple2<?, ?>) entry._1();
          int stageId = (Integer) stage._1();
          ofDriver[0] |= stageId < 0;
          model.executorPeaks(
              event.execId(), stageId, (Integer) stage._2(), values((ExecutorMetrics) entry._2()));
        });
    return ofDriver[0];
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
