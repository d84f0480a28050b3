package io.sparkotel.agent.telemetry;

import java.util.EnumSet;

/** The quantities whose spread over its successful tasks a stage shows. */
public enum Spread {
  DURATION("task_duration_ms", "ms", "duration, finish less launch"),
  INPUT_BYTES("task_input_bytes", "By", "input bytes"),
  SHUFFLE_READ_BYTES("task_shuffle_read_bytes", "By", "shuffle bytes read"),
  SHUFFLE_WRITE_BYTES("task_shuffle_write_bytes", "By", "shuffle bytes written"),
  SPILL_DISK_BYTES("task_spill_disk_bytes", "By", "bytes spilled to disk"),
  GC_TIME("task_gc_time_ms", "ms", "garbage collection time");

  /** The quantiles, in the order of {@link #attribute(int)}. */
  static final double[] QUANTILES = {0, 0.25, 0.5, 0.75, 0.95, 1};

  private static final String[] LABELS = {"min", "p25", "p50", "p75", "p95", "max"};

  private final String key;
  private final String unit;
  private final String doc;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute[] attributes;

  Spread(String key, String unit, String doc) {
    this.key = key;
    this.unit = unit;
    this.doc = doc;
  }

  /** How many quantiles there are. */
  public static int count() {
    return QUANTILES.length;
  }

  public static double quantile(int index) {
    return QUANTILES[index];
  }

  public Attribute attribute(int index) {
    return attributes[index];
  }

  void declare() {
    attributes = new Attribute[LABELS.length];
    for (int i = 0; i < LABELS.length; i++) {
      attributes[i] =
          Names.integer(
              "spark.stage." + key + "." + LABELS[i],
              unit,
              Attribute.Cardinality.HIGH,
              EnumSet.of(Entity.STAGE),
              LABELS[i] + " of the tasks' " + doc);
    }
  }
}
