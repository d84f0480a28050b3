package io.sparkotel.scenarios;

import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * Copies two topics of Kafka to a third one, eight records in a batch at most. The arguments are a
 * broker, whose topics have two partitions, and a directory for the checkpoint.
 */
public final class KafkaStreaming {

  private static final String FORMAT = "kafka";

  private final SparkSession spark;
  private final String broker;

  private KafkaStreaming(SparkSession spark, String broker) {
    this.spark = spark;
    this.broker = broker;
  }

  public static void main(String[] args) throws TimeoutException {
    SparkSession spark =
        SparkSession.builder()
            .appName("kafka-streaming")
            .config("spark.sql.streaming.checkpointLocation", args[1])
            .getOrCreate();
    KafkaStreaming streaming = new KafkaStreaming(spark, args[0]);
    streaming.write("orders", 8, 4);
    streaming.write("returns", 4, 0);
    streaming.copy();
    spark.stop();
  }

  /** That many records to each of the topic's partitions. */
  private void write(String topic, int first, int second) {
    spark
        .range(0, first + second, 1, 1)
        .select(
            functions.col("id").cast("string").as("value"),
            functions.when(functions.col("id").lt(first), 0).otherwise(1).as("partition"))
        .write()
        .format(FORMAT)
        .option("kafka.bootstrap.servers", broker)
        .option("topic", topic)
        .save();
  }

  private void copy() throws TimeoutException {
    DataStreamWriter<Row> writer =
        spark
            .readStream()
            .format(FORMAT)
            .option("kafka.bootstrap.servers", broker)
            .option("subscribe", "orders,returns")
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", 8)
            .load()
            .select("value")
            .writeStream()
            .queryName("copy")
            .format(FORMAT);
    set(writer, "kafka.bootstrap.servers", broker);
    set(writer, "topic", "copies");
    StreamingQuery query = writer.start();
    query.processAllAvailable();
    query.stop();
  }

  /** A writer's own option is called differently on Spark 4. */
  private static void set(DataStreamWriter<Row> writer, String key, String value) {
    try {
      DataStreamWriter.class
          .getMethod("option", String.class, String.class)
          .invoke(writer, key, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
