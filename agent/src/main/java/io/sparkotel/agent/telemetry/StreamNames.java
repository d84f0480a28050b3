package io.sparkotel.agent.telemetry;

import static io.sparkotel.agent.telemetry.Attribute.Cardinality.HIGH;
import static io.sparkotel.agent.telemetry.Attribute.Cardinality.LOW;

import java.util.EnumSet;

/** What is told of streams in words and ids; numbers are {@link StreamMetric}. */
public final class StreamNames {

  private static final EnumSet<Entity> BATCH = EnumSet.of(Entity.BATCH);
  private static final EnumSet<Entity> QUERY = EnumSet.of(Entity.QUERY);
  private static final EnumSet<Entity> ALL = EnumSet.of(Entity.STARTED, Entity.BATCH, Entity.QUERY);

  public static final Attribute QUERY_NAME =
      Names.string(
          "spark.streaming.query.name", LOW, ALL, "Name of the query; absent where it has none");
  public static final Attribute QUERY_ID =
      Names.string(
          "spark.streaming.query.id",
          HIGH,
          ALL,
          "Spark's id of the query, the same after a restart from its checkpoint");
  public static final Attribute RUN_ID =
      Names.string("spark.streaming.run.id", HIGH, ALL, "Spark's id of this run of the query");
  public static final Attribute BATCH_ID =
      Names.integer(
          "spark.streaming.batch.id",
          "",
          HIGH,
          BATCH,
          "Spark's id of the micro-batch; of DStreams its time, epoch milliseconds");
  public static final Attribute BATCH_TIME =
      Names.string("spark.streaming.batch.time", HIGH, BATCH, "DStreams: when the batch was due");
  public static final Attribute BATCH_RESULT =
      Names.string(
          "spark.streaming.batch.result",
          LOW,
          BATCH,
          "succeeded, failed, or stopped with its query; absent where Spark did not tell");
  public static final Attribute QUERY_RESULT =
      Names.string(
          "spark.streaming.query.result",
          LOW,
          QUERY,
          "failed, or ended: it was stopped or had no more to do");
  public static final Attribute WATERMARK =
      Names.string(
          "spark.streaming.watermark", HIGH, BATCH, "Event time before which rows are too late");
  public static final Attribute EVENT_TIME_MAX =
      Names.string("spark.streaming.event_time.max", HIGH, BATCH, "Latest event time in its rows");
  public static final Attribute SOURCES =
      Names.strings(
          "spark.streaming.sources", LOW, BATCH, "Sources as Spark describes them, at most ten");
  public static final Attribute SOURCE_OFFSETS =
      Names.strings(
          "spark.streaming.source.offsets",
          HIGH,
          BATCH,
          "From where to where each of them was read");
  public static final Attribute SOURCE_ROWS =
      Names.strings("spark.streaming.source.rows", HIGH, BATCH, "Rows of each of them");
  public static final Attribute SINK =
      Names.string("spark.streaming.sink", LOW, BATCH, "Sink as Spark describes it");
  public static final Attribute STATE_OPERATORS =
      Names.strings(
          "spark.streaming.state.operators",
          HIGH,
          BATCH,
          "Stateful operators, at most ten, each with what Spark tells of it");
  public static final Attribute KAFKA_TOPICS =
      Names.strings(
          "spark.streaming.kafka.topics_behind",
          HIGH,
          BATCH,
          "Topics with records that were not read, and how many, the most first, at most ten");

  public static final Attribute OUTPUT_ID =
      Names.integer(
          "spark.streaming.output.id",
          "",
          LOW,
          EnumSet.of(Entity.SQL, Entity.JOB),
          "DStreams: the output operation that it runs for");
  public static final Attribute OUTPUTS =
      Names.strings(
          "spark.streaming.output.operations",
          HIGH,
          BATCH,
          "DStreams: output operations that ran anything, at most ten, each with its actions (SQL"
              + " executions, and jobs outside SQL)");
  public static final Attribute OUTPUT_RESULTS =
      Names.strings(
          "spark.streaming.output.results",
          HIGH,
          BATCH,
          "DStreams: output operations, at most ten, each with its call site, time and failure;"
              + " live only");

  private StreamNames() {}

  /** Nothing to do but to be loaded. */
  static void declare() {
    for (StreamMetric metric : StreamMetric.values()) {
      metric.declare();
    }
  }
}
