package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A number from which on something counts as found. All of a code have to be met. */
public enum FindingThreshold {
  SKEW_RATIO(FindingCode.SKEW, ratio(), 5, "times the median that the slowest task ran"),
  SKEW_TIME(FindingCode.SKEW, time(), 10_000, "time that it ran longer than the median"),
  SKEW_DATA_RATIO(FindingCode.SKEW, ratio(), 2, "times the median that it read"),
  SKEW_DATA(FindingCode.SKEW, size(), 1L << 20, "size that it read more than the median"),
  STRAGGLER_RATIO(FindingCode.STRAGGLER, ratio(), 5, "times the median that the slowest task ran"),
  STRAGGLER_TIME(FindingCode.STRAGGLER, time(), 30_000, "time that it ran longer than the median"),
  SPILL_SIZE(FindingCode.SPILL, size(), 1L << 30, "size of what was spilled to disk"),
  GC_SHARE(FindingCode.GC, share(), 0.2, "share of run and deserialize time"),
  GC_TIME(FindingCode.GC, time(), 30_000, "time, added up over the tasks"),
  TINY_TASKS_TASKS(FindingCode.TINY_TASKS, count(), 2_000, "tasks of the stage"),
  TINY_TASKS_TIME(FindingCode.TINY_TASKS, time(), 500, "median of their durations", true),
  LARGE_PARTITION_SIZE(
      FindingCode.LARGE_PARTITION,
      size(),
      2L << 30,
      "size of what a task read or wrote, of its input, output or shuffle"),
  IDLE_CORES_SHARE(FindingCode.IDLE_CORES, share(), 0.5, "share of the core time that was idle"),
  IDLE_CORES_TIME(FindingCode.IDLE_CORES, time(), 3_600_000, "core time that was idle"),
  LARGE_RESULT_SIZE(FindingCode.LARGE_RESULT, size(), 256L << 20, "size of the results"),
  RETRIES_TIME(FindingCode.RETRIES, time(), 60_000, "time of the tasks that were for nothing"),
  EXECUTOR_LOST_TASKS(FindingCode.EXECUTOR_LOST, count(), 1, "tasks that were lost"),
  PYTHON_TIME_SHARE(FindingCode.PYTHON_TIME, share(), 0.5, "share of the run time"),
  PYTHON_TIME_TIME(FindingCode.PYTHON_TIME, time(), 60_000, "time, added up over the tasks"),
  SMALL_FILES_READ_FILES(FindingCode.SMALL_FILES_READ, count(), 100, "files of one scan"),
  SMALL_FILES_READ_SIZE(
      FindingCode.SMALL_FILES_READ, size(), 3L << 20, "size of one on average", true),
  SMALL_FILES_WRITTEN_FILES(FindingCode.SMALL_FILES_WRITTEN, count(), 100, "files of one write"),
  SMALL_FILES_WRITTEN_SIZE(
      FindingCode.SMALL_FILES_WRITTEN, size(), 3L << 20, "size of one on average", true),
  FULL_SCAN_SIZE(FindingCode.FULL_SCAN, size(), 1L << 30, "size of what was read"),
  FULL_SCAN_PARTITIONS(FindingCode.FULL_SCAN, count(), 10, "partitions of the table"),
  LARGE_BROADCAST_SIZE(FindingCode.LARGE_BROADCAST, size(), 512L << 20, "size of the table"),
  MISSED_BROADCAST_SMALL(
      FindingCode.MISSED_BROADCAST, size(), 1L << 30, "size of the small side", true),
  MISSED_BROADCAST_LARGE(FindingCode.MISSED_BROADCAST, size(), 1L << 30, "size of the large side"),
  MISSED_BROADCAST_RATIO(
      FindingCode.MISSED_BROADCAST, ratio(), 100, "times the small side that the large one has"),
  CARTESIAN_PAIRS(FindingCode.CARTESIAN, count(), 1_000_000_000, "pairs of rows"),
  EXPLODING_JOIN_RATIO(
      FindingCode.EXPLODING_JOIN, ratio(), 10, "times the rows of both sides that it made"),
  EXPLODING_JOIN_ROWS(FindingCode.EXPLODING_JOIN, count(), 10_000_000, "rows that it made"),
  LONG_FILTER_LENGTH(FindingCode.LONG_FILTER, count(), 1_000, "characters of the condition"),
  DRIVER_TIME_SHARE(FindingCode.DRIVER_TIME, share(), 0.5, "share of the application's time"),
  DRIVER_TIME_TIME(
      FindingCode.DRIVER_TIME, time(), 300_000, "time without a job while executors waited"),
  MEMORY_UNUSED_SHARE(
      FindingCode.MEMORY_UNUSED, share(), 0.3, "share of the heap that no executor ever used"),
  MEMORY_UNUSED_SIZE(
      FindingCode.MEMORY_UNUSED, size(), 16L << 30, "size of that, of all executors together"),
  MEMORY_UNUSED_TIME(FindingCode.MEMORY_UNUSED, time(), 300_000, "time of the application"),
  MEMORY_NEAR_LIMIT_SHARE(
      FindingCode.MEMORY_NEAR_LIMIT, share(), 0.95, "share of the heap that one used"),
  MEMORY_NEAR_LIMIT_SIZE(FindingCode.MEMORY_NEAR_LIMIT, size(), 2L << 30, "size of the heap");

  private static final double MAX_RATIO = 1_000_000;

  private final FindingCode code;
  private final String key;

  @SuppressWarnings("ImmutableEnumChecker") // A type holds nothing that changes.
  private final ValueType<? extends Number> type;

  private final double standard;
  private final String doc;
  private final boolean most;

  FindingThreshold(
      FindingCode code, ValueType<? extends Number> type, double standard, String doc) {
    this(code, type, standard, doc, false);
  }

  /**
   * @param most true where less is worse
   */
  FindingThreshold(
      FindingCode code,
      ValueType<? extends Number> type,
      double standard,
      String doc,
      boolean most) {
    this.code = code;
    this.type = type;
    this.standard = standard;
    this.doc = doc;
    this.most = most;
    String what = name().substring(code.name().length() + 1).toLowerCase(Locale.ROOT);
    this.key = code.label() + '.' + what;
  }

  private static ValueType<Double> ratio() {
    return ValueTypes.number(1.0, MAX_RATIO);
  }

  private static ValueType<Double> share() {
    return ValueTypes.number(0.0, 1.0);
  }

  private static ValueType<Long> time() {
    return ValueTypes.millis(0, Long.MAX_VALUE);
  }

  private static ValueType<Long> size() {
    return ValueTypes.bytes(0, Long.MAX_VALUE);
  }

  private static ValueType<Long> count() {
    return ValueTypes.number(0, Long.MAX_VALUE);
  }

  public FindingCode code() {
    return code;
  }

  /** As the setting names it, such as {@code skew.ratio}. */
  public String key() {
    return key;
  }

  ValueType<? extends Number> type() {
    return type;
  }

  /** The default; milliseconds and bytes. */
  public double standard() {
    return standard;
  }

  /** What it is of, without a full stop. */
  public String doc() {
    return doc;
  }

  /** True where what is found has at most this much of it, false where it has at least this. */
  public boolean isMost() {
    return most;
  }

  /** Those of the code that a key begins with, or empty where there is no such code. */
  static String keysLike(String key) {
    List<String> keys = new ArrayList<>();
    for (FindingThreshold threshold : values()) {
      if (key.startsWith(threshold.code.label() + '.') || key.equals(threshold.code.label())) {
        keys.add(threshold.key);
      }
    }
    return String.join(" and ", keys);
  }

  /** Null where there is none of that key. */
  static FindingThreshold of(String key) {
    for (FindingThreshold threshold : values()) {
      if (threshold.key.equals(key)) {
        return threshold;
      }
    }
    return null;
  }
}
