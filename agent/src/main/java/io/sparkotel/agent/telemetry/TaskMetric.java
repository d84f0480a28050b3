package io.sparkotel.agent.telemetry;

/**
 * The metrics of a task as Spark counts them, one long each in a {@code long[COUNT]} indexed by
 * {@link #ordinal()}. {@link #ABSENT} marks what the Spark version does not report.
 */
public enum TaskMetric {
  DESERIALIZE_TIME(
      "spark.executor.deserialize_time_ms", Unit.MILLIS, Group.ALWAYS, "executorDeserializeTime"),
  DESERIALIZE_CPU_TIME(
      "spark.executor.deserialize_cpu_time_ms",
      Unit.NANOS,
      Group.ALWAYS,
      "executorDeserializeCpuTime"),
  RUN_TIME("spark.executor.run_time_ms", Unit.MILLIS, Group.ALWAYS, "executorRunTime"),
  CPU_TIME("spark.executor.cpu_time_ms", Unit.NANOS, Group.ALWAYS, "executorCpuTime"),
  GC_TIME("spark.executor.gc_time_ms", Unit.MILLIS, Group.ALWAYS, "jvmGCTime"),
  RESULT_SERIALIZATION_TIME(
      "spark.executor.result_serialization_time_ms",
      Unit.MILLIS,
      Group.ALWAYS,
      "resultSerializationTime"),
  PEAK_EXECUTION_MEMORY(
      "spark.executor.peak_execution_memory_bytes",
      Unit.BYTES,
      Group.ALWAYS,
      "peakExecutionMemory"),
  RESULT_SIZE("spark.result.size_bytes", Unit.BYTES, Group.ALWAYS, "resultSize"),
  MEMORY_SPILLED("spark.spill.memory_bytes", Unit.BYTES, Group.SPILL, "memoryBytesSpilled"),
  DISK_SPILLED("spark.spill.disk_bytes", Unit.BYTES, Group.SPILL, "diskBytesSpilled"),
  INPUT_BYTES("spark.input.bytes", Unit.BYTES, Group.INPUT, "inputMetrics.bytesRead"),
  INPUT_RECORDS("spark.input.records", Unit.COUNT, Group.INPUT, "inputMetrics.recordsRead"),
  OUTPUT_BYTES("spark.output.bytes", Unit.BYTES, Group.OUTPUT, "outputMetrics.bytesWritten"),
  OUTPUT_RECORDS("spark.output.records", Unit.COUNT, Group.OUTPUT, "outputMetrics.recordsWritten"),
  SHUFFLE_READ_BYTES(
      "spark.shuffle.read.bytes",
      Unit.BYTES,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics, local and remote bytes"),
  SHUFFLE_LOCAL_BYTES(
      "spark.shuffle.read.local_bytes",
      Unit.BYTES,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.localBytesRead"),
  SHUFFLE_REMOTE_BYTES(
      "spark.shuffle.read.remote_bytes",
      Unit.BYTES,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.remoteBytesRead"),
  SHUFFLE_REMOTE_BYTES_TO_DISK(
      "spark.shuffle.read.remote_bytes_to_disk",
      Unit.BYTES,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.remoteBytesReadToDisk"),
  SHUFFLE_READ_RECORDS(
      "spark.shuffle.read.records",
      Unit.COUNT,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.recordsRead"),
  SHUFFLE_LOCAL_BLOCKS(
      "spark.shuffle.read.local_blocks",
      Unit.COUNT,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.localBlocksFetched"),
  SHUFFLE_REMOTE_BLOCKS(
      "spark.shuffle.read.remote_blocks",
      Unit.COUNT,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.remoteBlocksFetched"),
  SHUFFLE_FETCH_WAIT_TIME(
      "spark.shuffle.read.fetch_wait_time_ms",
      Unit.MILLIS,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.fetchWaitTime"),
  SHUFFLE_REMOTE_REQUESTS_TIME(
      "spark.shuffle.read.remote_requests_time_ms",
      Unit.MILLIS,
      Group.SHUFFLE_READ,
      "shuffleReadMetrics.remoteReqsDuration, Spark 3.4 and later"),
  SHUFFLE_CORRUPT_MERGED_CHUNKS(
      "spark.shuffle.read.merged.corrupt_chunks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "corruptMergedBlockChunks, Spark 3.4 and later"),
  SHUFFLE_MERGED_FALLBACKS(
      "spark.shuffle.read.merged.fetch_fallbacks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "mergedFetchFallbackCount, Spark 3.4 and later"),
  SHUFFLE_MERGED_REMOTE_BLOCKS(
      "spark.shuffle.read.merged.remote_blocks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "remoteMergedBlocksFetched, Spark 3.4 and later"),
  SHUFFLE_MERGED_LOCAL_BLOCKS(
      "spark.shuffle.read.merged.local_blocks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "localMergedBlocksFetched, Spark 3.4 and later"),
  SHUFFLE_MERGED_REMOTE_CHUNKS(
      "spark.shuffle.read.merged.remote_chunks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "remoteMergedChunksFetched, Spark 3.4 and later"),
  SHUFFLE_MERGED_LOCAL_CHUNKS(
      "spark.shuffle.read.merged.local_chunks",
      Unit.COUNT,
      Group.SHUFFLE_PUSH,
      "localMergedChunksFetched, Spark 3.4 and later"),
  SHUFFLE_MERGED_REMOTE_BYTES(
      "spark.shuffle.read.merged.remote_bytes",
      Unit.BYTES,
      Group.SHUFFLE_PUSH,
      "remoteMergedBytesRead, Spark 3.4 and later"),
  SHUFFLE_MERGED_LOCAL_BYTES(
      "spark.shuffle.read.merged.local_bytes",
      Unit.BYTES,
      Group.SHUFFLE_PUSH,
      "localMergedBytesRead, Spark 3.4 and later"),
  SHUFFLE_MERGED_REMOTE_REQUESTS_TIME(
      "spark.shuffle.read.merged.remote_requests_time_ms",
      Unit.MILLIS,
      Group.SHUFFLE_PUSH,
      "remoteMergedReqsDuration, Spark 3.4 and later"),
  SHUFFLE_WRITE_BYTES(
      "spark.shuffle.write.bytes",
      Unit.BYTES,
      Group.SHUFFLE_WRITE,
      "shuffleWriteMetrics.bytesWritten"),
  SHUFFLE_WRITE_RECORDS(
      "spark.shuffle.write.records",
      Unit.COUNT,
      Group.SHUFFLE_WRITE,
      "shuffleWriteMetrics.recordsWritten"),
  SHUFFLE_WRITE_TIME(
      "spark.shuffle.write.time_ms",
      Unit.NANOS,
      Group.SHUFFLE_WRITE,
      "shuffleWriteMetrics.writeTime");

  /** How Spark counts, and so how the value is exported. */
  public enum Unit {
    /** Exported as a long. */
    MILLIS("ms"),
    /** Counted in nanoseconds, exported as a double of milliseconds. */
    NANOS("ms"),
    BYTES("By"),
    COUNT("1");

    private final String symbol;

    Unit(String symbol) {
      this.symbol = symbol;
    }

    public String symbol() {
      return symbol;
    }
  }

  /** A group in which all is 0 is left out of a task span as a whole. */
  public enum Group {
    ALWAYS,
    SPILL,
    INPUT,
    OUTPUT,
    SHUFFLE_READ,
    /** Push-based shuffle, Spark 3.4 and later. */
    SHUFFLE_PUSH,
    SHUFFLE_WRITE
  }

  /** Marks a metric that this Spark version does not report. */
  public static final long ABSENT = Long.MIN_VALUE;

  /** The length of an array of metrics. */
  public static final int COUNT = values().length;

  private final String key;
  private final Unit unit;
  private final Group group;
  private final String source;

  TaskMetric(String key, Unit unit, Group group, String source) {
    this.key = key;
    this.unit = unit;
    this.group = group;
    this.source = source;
  }

  public String key() {
    return key;
  }

  public Unit unit() {
    return unit;
  }

  public Group group() {
    return group;
  }

  /** The field of Spark's TaskMetrics. */
  public String source() {
    return source;
  }

  /** Peaks are not added up: the greatest one counts. */
  public boolean isMaximum() {
    return this == PEAK_EXECUTION_MEMORY;
  }
}
