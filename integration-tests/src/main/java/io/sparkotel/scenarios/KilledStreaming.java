package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * A query that is to be killed: its second batch says so, with all events told, and never ends. Run
 * again on the same directory, its argument, it goes on from the checkpoint and ends.
 */
public final class KilledStreaming {

  private KilledStreaming() {}

  public static void main(String[] args) throws IOException, TimeoutException {
    Path dir = Paths.get(args[0]);
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
                        while (true) {
                          LockSupport.park();
                        }
                      }
                    })
            .start();
    if (!goesOn) {
      for (String line : new String[] {"first", "second"}) {
        write(dir, line);
        query.processAllAvailable();
      }
    }
    query.processAllAvailable();
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
