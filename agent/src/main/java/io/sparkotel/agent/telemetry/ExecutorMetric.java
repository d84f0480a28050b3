package io.sparkotel.agent.telemetry;

import java.util.EnumSet;
import java.util.Locale;

/**
 * The peaks that an executor samples of itself, one long each in a {@code long[COUNT]} indexed by
 * {@link #ordinal()}. {@link TaskMetric#ABSENT} marks what was not sampled: memory of processes is
 * sampled by {@code spark.executor.processTreeMetrics.enabled} only.
 */
public enum ExecutorMetric {
  JVM_HEAP("JVMHeapMemory", "Heap used by the JVM"),
  JVM_OFF_HEAP("JVMOffHeapMemory", "Memory that the JVM uses outside its heap"),
  ON_HEAP_EXECUTION("OnHeapExecutionMemory", "Execution memory on the heap"),
  OFF_HEAP_EXECUTION("OffHeapExecutionMemory", "Execution memory off the heap"),
  ON_HEAP_STORAGE("OnHeapStorageMemory", "Storage memory on the heap"),
  OFF_HEAP_STORAGE("OffHeapStorageMemory", "Storage memory off the heap"),
  DIRECT_POOL("DirectPoolMemory", "Direct buffers of the JVM"),
  MAPPED_POOL("MappedPoolMemory", "Mapped buffers of the JVM"),
  PROCESS_JVM_RSS("ProcessTreeJVMRSSMemory", "Resident memory of the JVM's process"),
  PROCESS_PYTHON_RSS("ProcessTreePythonRSSMemory", "Resident memory of its Python processes"),
  PROCESS_OTHER_RSS("ProcessTreeOtherRSSMemory", "Resident memory of its other processes"),
  MINOR_GC_COUNT("MinorGCCount", "Young collections since the executor's start"),
  MINOR_GC_TIME("MinorGCTime", "Time of young collections since the executor's start"),
  MAJOR_GC_COUNT("MajorGCCount", "Old collections since the executor's start"),
  MAJOR_GC_TIME("MajorGCTime", "Time of old collections since the executor's start");

  /** The length of an array of them. */
  public static final int COUNT = values().length;

  private static final int FIRST_OF_PROCESSES = PROCESS_JVM_RSS.ordinal();
  private static final int LAST_OF_PROCESSES = PROCESS_OTHER_RSS.ordinal();

  private final String source;
  private final String doc;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute attribute;

  @SuppressWarnings("ImmutableEnumChecker")
  private Attribute holder;

  @SuppressWarnings("ImmutableEnumChecker")
  private Attribute driver;

  ExecutorMetric(String source, String doc) {
    this.source = source;
    this.doc = doc;
  }

  /** The name by which Spark knows it, in code and in event logs. */
  public String source() {
    return source;
  }

  /** Collections are counted from the executor's start, so of a stage or task they tell nothing. */
  public boolean isOfExecutorOnly() {
    return ordinal() >= MINOR_GC_COUNT.ordinal();
  }

  /** The peak: of a task, or the greatest one of executors. */
  public Attribute attribute() {
    return attribute;
  }

  /** The executor that had it. */
  public Attribute holder() {
    return holder;
  }

  /** The peak of the driver, where it is no executor. */
  public Attribute driver() {
    return driver;
  }

  /**
   * Marks what cannot have been sampled. A JVM uses some heap, and where processes are looked at,
   * that of the JVM has some memory.
   *
   * @return the values, or null where none was sampled
   */
  public static long[] sampled(long[] values) {
    if (values[JVM_HEAP.ordinal()] <= 0) {
      return null;
    }
    if (values[FIRST_OF_PROCESSES] <= 0) {
      for (int i = FIRST_OF_PROCESSES; i <= LAST_OF_PROCESSES; i++) {
        values[i] = TaskMetric.ABSENT;
      }
    }
    return values;
  }

  void declare() {
    String name = name().toLowerCase(Locale.ROOT);
    String unit = name.endsWith("_count") ? "1" : name.endsWith("_time") ? "ms" : "By";
    String key = name + (unit.equals("By") ? "_bytes" : unit.equals("ms") ? "_ms" : "");
    EnumSet<Entity> above =
        isOfExecutorOnly()
            ? EnumSet.of(Entity.APPLICATION)
            : EnumSet.of(Entity.APPLICATION, Entity.STAGE);
    EnumSet<Entity> on = EnumSet.copyOf(above);
    if (!isOfExecutorOnly()) {
      on.add(Entity.TASK);
    }
    attribute =
        Names.integer(
            "spark.executor.peak." + key,
            unit,
            Attribute.Cardinality.HIGH,
            on,
            doc + ", the most of any executor; where it was sampled");
    holder =
        Names.string(
            "spark.executor.peak." + name + ".executor",
            Attribute.Cardinality.HIGH,
            above,
            "The executor of spark.executor.peak." + key);
    driver =
        Names.integer(
            "spark.driver.peak." + key,
            unit,
            Attribute.Cardinality.HIGH,
            EnumSet.of(Entity.APPLICATION),
            doc + ", of a driver that is no executor; where it was sampled");
  }
}
