package io.sparkotel.scenarios;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A query in continuous mode, which is stopped after some epochs and leaves nothing running. The
 * argument is a directory.
 */
public final class ContinuousStreaming {

  private static final String LAST_EPOCH = "3";
  private static final long POLL_NANOS = 20_000_000;

  private static final CountDownLatch TASK_ENDED = new CountDownLatch(1);

  private ContinuousStreaming() {}

  public static void main(String[] args) throws InterruptedException, TimeoutException {
    Path checkpoint = Paths.get(args[0]).resolve("checkpoint");
    SparkSession spark =
        SparkSession.builder()
            .appName("continuous")
            // A writer's own option is called differently on Spark 4.
            .config("spark.sql.streaming.checkpointLocation", checkpoint.toString())
            .getOrCreate();
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd end) {
                TASK_ENDED.countDown();
              }
            });
    StreamingQuery query =
        spark
            .readStream()
            .format("rate")
            .option("rowsPerSecond", 100)
            .option("numPartitions", 1)
            .load()
            .writeStream()
            .queryName("pulse")
            .format("noop")
            .trigger(Trigger.Continuous(200))
            .start();
    Path committed = checkpoint.resolve("pulse").resolve("commits").resolve(LAST_EPOCH);
    while (query.isActive() && !Files.exists(committed)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    System.out.println("told: " + query.recentProgress().length);
    query.stop();
    // The task that never ends is killed, which is told after that.
    TASK_ENDED.await();
    spark.stop();
  }
}
