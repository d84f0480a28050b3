package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * A query that is to be killed: its second batch says so, with all events told, and never ends. Run
 * again on the same directory, its argument, it goes on from the checkpoint and ends. With {@code
 * stopped} as another argument it is stopped while that batch runs.
 */
public final class KilledStreaming {

  private KilledStreaming() {}

  public static void main(String[] args)
      throws IOException, TimeoutException, InterruptedException {
    Path dir = Paths.get(args[0]);
    boolean isStopped = args.length > 1;
    CountDownLatch underWay = new CountDownLatch(1);
    boolean goesOn = Files.exists(dir);
    Path input = Files.createDirectories(dir.resolve("input"));
    SparkSession spark =
        SparkSession.builder()
            .appName("killed-streaming")
            // A writer's own option is called differently on Spark 4.
            .config("spark.sql.streaming.checkpointLocation", dir.resolve("checkpoint").toString())
            .getOrCreate();
    StreamingQuery query =
        spark
            .readStream()
            .text(input.toString())
            .writeStream()
            .queryName("orders")
            .foreachBatch(
                (VoidFunction2<Dataset<Row>, Long>)
                    (rows, batch) -> {
                      System.out.println("batch " + batch + ": " + rows.count());
                      if (batch == 1 && !goesOn) {
                        spark.sparkContext().listenerBus().waitUntilEmpty();
                        System.out.println("under way");
                        underWay.countDown();
                        new CountDownLatch(1).await();
                      }
                    })
            .start();
    if (!goesOn) {
      write(dir, "first");
      query.processAllAvailable();
      write(dir, "second");
    }
    if (isStopped) {
      underWay.await();
    } else {
      query.processAllAvailable();
    }
    query.stop();
    spark.stop();
  }

  /** A file that is there at once. */
  private static void write(Path dir, String line) throws IOException {
    Path file = dir.resolve(line);
    Files.write(file, Collections.singleton(line), StandardCharsets.UTF_8);
    Files.move(file, dir.resolve("input").resolve(line));
  }
}
