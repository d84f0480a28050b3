package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;

/**
 * Streaming queries with as many rows as one can count: an aggregation with a watermark, which is
 * stopped and goes on from its checkpoint; one that fails; one of another source that ends by
 * itself. The argument is a directory that does not exist.
 */
public final class Streaming {

  private final SparkSession spark;
  private final Path dir;
  private int files;

  private Streaming(SparkSession spark, Path dir) {
    this.spark = spark;
    this.dir = dir;
  }

  public static void main(String[] args)
      throws IOException, TimeoutException, StreamingQueryException {
    Path dir = Files.createDirectories(Paths.get(args[0]));
    SparkSession spark =
        SparkSession.builder()
            .appName("streaming")
            // A writer's own option is called differently on Spark 4.
            .config("spark.sql.streaming.checkpointLocation", dir.resolve("checkpoints").toString())
            .getOrCreate();
    Streaming streaming = new Streaming(spark, dir);
    streaming.orders();
    streaming.broken();
    streaming.ticks();
    spark.stop();
  }

  private void orders() throws IOException, TimeoutException {
    Files.createDirectories(dir.resolve("orders"));
    StreamingQuery first = startOrders();
    write("orders", "a 10", "b 15", "a 100");
    first.processAllAvailable();
    // Of these one is later than the watermark, which is at 70.
    write("orders", "a 20", "b 101");
    first.processAllAvailable();
    first.stop();
    StreamingQuery second = startOrders();
    write("orders", "c 102");
    second.processAllAvailable();
    second.stop();
    System.out.println("restarted: " + first.id().equals(second.id()));
  }

  /** Events by key in ten seconds each; later than 30 s is too late. */
  private StreamingQuery startOrders() throws TimeoutException {
    Dataset<Row> events =
        spark
            .readStream()
            .text(dir.resolve("orders").toString())
            .select(
                functions.split(functions.col("value"), " ").getItem(0).as("key"),
                functions
                    .split(functions.col("value"), " ")
                    .getItem(1)
                    .cast("long")
                    .cast("timestamp")
                    .as("time"));
    return events
        .withWatermark("time", "30 seconds")
        .groupBy(functions.window(functions.col("time"), "10 seconds"), functions.col("key"))
        .count()
        .writeStream()
        .queryName("orders")
        .outputMode("update")
        .foreachBatch(
            (VoidFunction2<Dataset<Row>, Long>)
                (rows, batch) -> System.out.println("batch " + batch + ": " + rows.count()))
        .start();
  }

  private void broken() throws IOException, TimeoutException {
    Files.createDirectories(dir.resolve("broken"));
    StreamingQuery query =
        spark
            .readStream()
            .textFile(dir.resolve("broken").toString())
            .map((MapFunction<String, Integer>) Integer::valueOf, Encoders.INT())
            .writeStream()
            .queryName("broken")
            .format("noop")
            .start();
    write("broken", "1", "2");
    query.processAllAvailable();
    write("broken", "three");
    try {
      query.awaitTermination();
      System.out.println("not failed");
    } catch (StreamingQueryException e) {
      System.out.println("failed: " + query.exception().isDefined());
    }
  }

  private void ticks() throws TimeoutException, StreamingQueryException {
    spark
        .readStream()
        .format("rate-micro-batch")
        .option("rowsPerBatch", 12)
        .option("numPartitions", 2)
        .load()
        .writeStream()
        .queryName("ticks")
        .format("noop")
        .trigger(Trigger.Once())
        .start()
        .awaitTermination();
  }

  /** A file that is there at once. */
  private void write(String query, String... lines) throws IOException {
    Path file = dir.resolve("file-" + files++);
    String text = String.join("\n", lines) + "\n";
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    Path target = dir.resolve(query).resolve(file.getFileName());
    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
  }
}
