package io.sparkotel.agent.telemetry;

import java.util.EnumSet;
import java.util.Locale;

/**
 * What can be found to be wrong with a span. Each has a boolean attribute that is true where it was
 * found and absent elsewhere; what is found on a span is true of the SQL execution and the
 * application above it as well.
 */
public enum FindingCode {
  SKEW(
      Entity.TASK,
      "A task ran far longer than the median of its stage, and read far more than the median",
      "Look at the keys of the join or aggregation: nulls and defaults are the usual ones. Filter or"
          + " salt them, or let adaptive execution split them"
          + " (`spark.sql.adaptive.skewJoin.enabled`). Uneven input: use a format that can be split"
          + " and files of even size."),
  STRAGGLER(
      Entity.TASK,
      "A task ran far longer than the median of its stage, on hardly more data than the others",
      "Look at the executor and its host: slow disks, other load, garbage collection. Where it is"
          + " always another one, `spark.speculation` runs a second copy."),
  SPILL(
      Entity.TASK,
      "Tasks had no room for their data and wrote it to disk",
      "More partitions (`spark.sql.shuffle.partitions`), more memory for each core, or fewer cores"
          + " for each executor."),
  GC(
      Entity.TASK,
      "Garbage collection took a large share of the run time",
      "More memory for each core, fewer cached rows and objects, or primitive columns instead of"
          + " objects of your own."),
  TINY_TASKS(
      Entity.STAGE,
      "A stage has many tasks that have hardly anything to do",
      "Fewer partitions: `spark.sql.shuffle.partitions`, `coalesce`, larger input files."),
  LARGE_PARTITION(
      Entity.TASK,
      "A task read or wrote so much that it alone can fill an executor",
      "More partitions, or a key with more values; for input a format that can be split."),
  IDLE_CORES(
      Entity.STAGE,
      "Cores that the application had were not used",
      "More tasks where a stage has fewer than there are cores; else fewer executors, or dynamic"
          + " allocation."),
  LARGE_RESULT(
      Entity.TASK,
      "Tasks sent much data to the driver",
      "Write the result instead of collecting it, or collect less: aggregate and limit first."),
  RETRIES(
      Entity.TASK,
      "Work was lost and had to be done again",
      "The exception events of the failed tasks and the retry reason of the stage say why."),
  EXECUTOR_LOST(
      Entity.TASK,
      "Tasks were lost with their executor",
      "The event `spark.executor.removed` says why: out of memory, preempted, a host that went away."
          + " More memory overhead helps against the first."),
  PYTHON_TIME(
      Entity.STAGE,
      "Most of the run time went into Python",
      "Built-in functions instead of Python ones; where that cannot be, pandas functions instead of"
          + " row by row."),
  SMALL_FILES_READ(
      Entity.SQL,
      "A table or directory of many small files was read",
      "Compact it, and let who writes it write fewer files."),
  SMALL_FILES_WRITTEN(
      Entity.SQL,
      "Many small files were written",
      "`repartition` by the columns of `partitionBy` before the write, or `coalesce`."),
  FULL_SCAN(
      Entity.SQL,
      "A partitioned table was read as a whole, without a filter on its partitions",
      "Filter on the partition columns, without functions or casts around them."),
  LARGE_BROADCAST(
      Entity.SQL,
      "A large table was sent to every executor, by way of the driver",
      "Take the hint away, or lower `spark.sql.autoBroadcastJoinThreshold`."),
  MISSED_BROADCAST(
      Entity.SQL,
      "Both sides of a join were shuffled, and one turned out to be small",
      "A `broadcast` hint on that side, or statistics (`ANALYZE TABLE`) so that Spark knows its"
          + " size."),
  CARTESIAN(
      Entity.SQL,
      "A join without an equality compared every row with every other",
      "Add an equality to the condition of the join, if only on a coarser column."),
  EXPLODING_JOIN(
      Entity.SQL,
      "A join made far more rows than it read",
      "The key is not unique on either side: remove duplicates first, or add a column to the key."),
  LONG_FILTER(
      Entity.SQL,
      "A filter has a very long condition",
      "Put the values into a table and join it; long conditions are slow to plan and to evaluate."),
  DRIVER_TIME(
      Entity.APPLICATION,
      "No job ran for a large share of the application's time, while executors waited",
      "Work of the driver: listing of files, commits, plain code between actions, or a session that"
          + " nobody used. Dynamic allocation gives idle executors back."),
  MEMORY_UNUSED(
      Entity.APPLICATION,
      "No executor ever used much of its heap",
      "Lower `spark.executor.memory`, or give each executor more cores."),
  MEMORY_NEAR_LIMIT(
      Entity.APPLICATION,
      "An executor used nearly all of its heap",
      "Raise `spark.executor.memory`, or give each executor fewer cores, before it runs out of"
          + " memory.");

  private final Entity lowest;
  private final String doc;
  private final String advice;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute attribute;

  FindingCode(Entity lowest, String doc, String advice) {
    this.lowest = lowest;
    this.doc = doc;
    this.advice = advice;
  }

  /** As settings name it, such as {@code tiny_tasks}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True on a span where it was found. */
  public Attribute attribute() {
    return attribute;
  }

  /** The lowest span that it is found on. */
  public Entity lowest() {
    return lowest;
  }

  /** What it means, without a full stop. */
  public String doc() {
    return doc;
  }

  /** What to do about it, in Markdown. */
  public String advice() {
    return advice;
  }

  void declare() {
    EnumSet<Entity> on = EnumSet.of(Entity.APPLICATION);
    for (Entity entity : EnumSet.of(Entity.SQL, Entity.STAGE, Entity.TASK)) {
      if (entity.compareTo(lowest) <= 0) {
        on.add(entity);
      }
    }
    attribute = Names.bool("spark.finding." + label(), on, doc);
  }
}
