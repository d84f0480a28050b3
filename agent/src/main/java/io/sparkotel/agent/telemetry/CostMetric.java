package io.sparkotel.agent.telemetry;

import java.util.EnumSet;

/** What an application or a SQL execution had of its executors, and what bounds its time. */
public enum CostMetric {
  CORE_TIME(
      "spark.executors.core_time_ms",
      "ms",
      true,
      "Time of the executors while the span lasted, times their cores; absent where not all of them were told of"),
  CORE_TIME_USED(
      "spark.executors.core_time_used_ms",
      "ms",
      true,
      "Time of the tasks in their executors, times the cores of each: sum of deserialize, run and result serialization time"),
  UTILIZATION(
      "spark.executors.utilization",
      "1",
      true,
      "spark.executors.core_time_used_ms over spark.executors.core_time_ms"),
  MEMORY_TIME(
      "spark.executors.memory_time_mib_s",
      "MiBy.s",
      true,
      "Memory that executors were asked for, times the seconds that they were there while the span lasted; absent where it is not known, as in local mode"),
  DRIVER_ONLY_TIME("spark.driver_only_time_ms", "ms", false, "Time in which no job ran"),
  CRITICAL_PATH(
      "spark.critical_path_ms",
      "ms",
      false,
      "Driver-only time and the longest chain of jobs, of each the longest chain of stages, of each the longest task: what no number of executors shortens"),
  IDEAL_TIME(
      "spark.ideal_time_ms",
      "ms",
      false,
      "Driver-only time and the time of the jobs if no core of the executors had been idle in it");

  private final String key;
  private final String unit;
  private final boolean ofSql;
  private final String doc;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute attribute;

  CostMetric(String key, String unit, boolean ofSql, String doc) {
    this.key = key;
    this.unit = unit;
    this.ofSql = ofSql;
    this.doc = doc;
  }

  public Attribute attribute() {
    return attribute;
  }

  void declare() {
    EnumSet<Entity> on =
        ofSql ? EnumSet.of(Entity.APPLICATION, Entity.SQL) : EnumSet.of(Entity.APPLICATION);
    attribute =
        this == UTILIZATION
            ? Names.decimal(key, unit, on, doc)
            : Names.integer(key, unit, Attribute.Cardinality.HIGH, on, doc);
  }
}
