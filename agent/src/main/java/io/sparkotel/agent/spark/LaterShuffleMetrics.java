package io.sparkotel.agent.spark;

import io.sparkotel.agent.telemetry.TaskMetric;
import java.lang.invoke.MethodHandle;
import org.apache.spark.executor.ShuffleReadMetrics;

/**
 * What Spark counts of shuffle reads since 3.4. Each handle is a constant: read from an array, they
 * took a third of all that is done for a task.
 */
final class LaterShuffleMetrics {

  private static final MethodHandle REQUESTS_TIME = handle("remoteReqsDuration");
  private static final MethodHandle CORRUPT_CHUNKS = handle("corruptMergedBlockChunks");
  private static final MethodHandle FALLBACKS = handle("mergedFetchFallbackCount");
  private static final MethodHandle REMOTE_BLOCKS = handle("remoteMergedBlocksFetched");
  private static final MethodHandle LOCAL_BLOCKS = handle("localMergedBlocksFetched");
  private static final MethodHandle REMOTE_CHUNKS = handle("remoteMergedChunksFetched");
  private static final MethodHandle LOCAL_CHUNKS = handle("localMergedChunksFetched");
  private static final MethodHandle REMOTE_BYTES = handle("remoteMergedBytesRead");
  private static final MethodHandle LOCAL_BYTES = handle("localMergedBytesRead");
  private static final MethodHandle MERGED_TIME = handle("remoteMergedReqsDuration");

  private LaterShuffleMetrics() {}

  /** Absent where this version has none. */
  static void put(ShuffleReadMetrics read, long[] values) {
    put(values, TaskMetric.SHUFFLE_REMOTE_REQUESTS_TIME, REQUESTS_TIME, read);
    put(values, TaskMetric.SHUFFLE_CORRUPT_MERGED_CHUNKS, CORRUPT_CHUNKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_FALLBACKS, FALLBACKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_BLOCKS, REMOTE_BLOCKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_BLOCKS, LOCAL_BLOCKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_CHUNKS, REMOTE_CHUNKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_CHUNKS, LOCAL_CHUNKS, read);
    put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_BYTES, REMOTE_BYTES, read);
    put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_BYTES, LOCAL_BYTES, read);
    put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_REQUESTS_TIME, MERGED_TIME, read);
  }

  private static void put(
      long[] values, TaskMetric metric, MethodHandle handle, ShuffleReadMetrics read) {
    if (handle == null) {
      values[metric.ordinal()] = TaskMetric.ABSENT;
      return;
    }
    try {
      values[metric.ordinal()] = (long) handle.invokeExact(read);
    } catch (Throwable e) {
      throw SparkCompat.rethrow(e);
    }
  }

  private static MethodHandle handle(String name) {
    return SparkCompat.handle(ShuffleReadMetrics.class, name, long.class);
  }
}
