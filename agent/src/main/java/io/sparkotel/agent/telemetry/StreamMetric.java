package io.sparkotel.agent.telemetry;

import java.util.EnumSet;

/** Numbers of streams. The phases of a trigger are those that Spark's progress names. */
public enum StreamMetric {
  TRIGGER_EXECUTION("triggerExecution", "trigger_execution", "The whole trigger"),
  LATEST_OFFSET("latestOffset", "latest_offset", "Asking the sources how far they are"),
  GET_OFFSET("getOffset", "get_offset", "The same of older sources"),
  SET_OFFSET_RANGE("setOffsetRange", "set_offset_range", "Telling the sources what to read"),
  GET_BATCH("getBatch", "get_batch", "Making the input of the batch"),
  QUERY_PLANNING("queryPlanning", "query_planning", "Planning the batch"),
  WAL_COMMIT("walCommit", "wal_commit", "Writing its offsets to the checkpoint"),
  ADD_BATCH("addBatch", "add_batch", "Running it, with the sink"),
  COMMIT_BATCH("commitBatch", "commit_batch", "Committing it, Spark 4.0 and later"),
  COMMIT_OFFSETS("commitOffsets", "commit_offsets", "Writing to the checkpoint that it is done"),

  INPUT_ROWS(
      "input_rows", "1", Where.ALL, "Rows that the sources gave; of DStreams records, live only"),
  INPUT_RATE("input_rows_per_second", "1/s", Where.BATCH, "Rate at which rows arrived"),
  PROCESSED_RATE("processed_rows_per_second", "1/s", Where.BATCH, "Rate at which they were read"),
  OUTPUT_ROWS("output_rows", "1", Where.BATCH, "Rows that the sink counted"),
  ROWS_DROPPED(
      "rows_dropped_by_watermark",
      "1",
      Where.BOTH,
      "Rows that came too late, of all stateful operators, Spark 3.1 and later"),
  STATE_ROWS("state.rows", "1", Where.BATCH, "Rows in the state, of all stateful operators"),
  STATE_UPDATED("state.rows_updated", "1", Where.BATCH, "Rows of the state that were changed"),
  STATE_REMOVED(
      "state.rows_removed", "1", Where.BATCH, "Rows that left the state, Spark 3.2 and later"),
  STATE_MEMORY("state.memory_bytes", "By", Where.BATCH, "Memory of the state"),
  STATE_COMMIT(
      "state.commit_time_ms",
      "ms",
      Where.BATCH,
      "Time of committing the state, added up over tasks, Spark 3.2 and later"),
  KAFKA_BEHIND(
      "kafka.records_behind",
      "1",
      Where.BATCH,
      "Records that lay in the topics and were not read, Spark 3.2 and later"),

  SCHEDULING_DELAY(
      "scheduling_delay_ms",
      "ms",
      Where.BATCH,
      "DStreams: time that the batch waited for those before it; live only"),
  PROCESSING_DELAY(
      "processing_delay_ms",
      "ms",
      Where.BATCH,
      "DStreams: time from the start of its first output operation to the end of its last; live"
          + " only"),
  TOTAL_DELAY("total_delay_ms", "ms", Where.BATCH, "DStreams: both together; live only"),
  RECEIVER_ERRORS(
      "receiver.errors",
      "1",
      Where.BATCH_AND_APPLICATION,
      "DStreams: errors that receivers reported since the batch before, or all; live only"),

  BATCHES("batches.total", "1", Where.RUN, "Batches that ran"),
  BATCHES_FAILED("batches.failed", "1", Where.RUN, "Batches that failed"),
  BATCHES_NOT_EXPORTED(
      "batches.not_exported", "1", Where.RUN, "Batches without spans: otel.spark.streaming.every"),
  IDLE_TRIGGERS(
      "idle_triggers",
      "1",
      Where.RUN,
      "Triggers without a batch, as far as Spark tells of them; of DStreams batches for which"
          + " nothing ran, live only");

  private enum Where {
    BATCH(EnumSet.of(Entity.BATCH)),
    BOTH(EnumSet.of(Entity.BATCH, Entity.QUERY)),
    BATCH_AND_APPLICATION(EnumSet.of(Entity.APPLICATION, Entity.BATCH)),
    RUN(EnumSet.of(Entity.APPLICATION, Entity.QUERY)),
    ALL(EnumSet.of(Entity.APPLICATION, Entity.BATCH, Entity.QUERY));

    @SuppressWarnings("ImmutableEnumChecker") // Never changed.
    private final EnumSet<Entity> entities;

    Where(EnumSet<Entity> entities) {
      this.entities = entities;
    }
  }

  private final String source;
  private final String key;
  private final String unit;
  private final Where where;
  private final String doc;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute attribute;

  StreamMetric(String source, String key, String doc) {
    this(source, key + "_ms", "ms", Where.BATCH, "Phase of the trigger, " + source + ": " + doc);
  }

  StreamMetric(String key, String unit, Where where, String doc) {
    this(null, key, unit, where, doc);
  }

  StreamMetric(String source, String key, String unit, Where where, String doc) {
    this.source = source;
    this.key = "spark.streaming." + key;
    this.unit = unit;
    this.where = where;
    this.doc = doc;
  }

  /** Spark's name of a phase; null of what is none. */
  public String phase() {
    return source;
  }

  public Attribute attribute() {
    return attribute;
  }

  void declare() {
    attribute =
        this == INPUT_RATE || this == PROCESSED_RATE
            ? Names.decimal(key, unit, where.entities, doc)
            : Names.integer(key, unit, Attribute.Cardinality.HIGH, where.entities, doc);
  }
}
