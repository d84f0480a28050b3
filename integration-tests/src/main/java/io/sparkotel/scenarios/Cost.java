package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * Jobs one after the other and at the same time, with tasks of very different lengths, a task that
 * fails once (needs a master that retries, local[2,3]), a skipped stage, and SQL.
 */
public final class Cost {

  private Cost() {}

  public static void main(String[] args) throws InterruptedException {
    SparkSession spark = SparkSession.builder().appName("cost").getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    JavaPairRDD<Integer, Integer> sums =
        sc.parallelize(Arrays.asList(1, 2, 3, 4), 4)
            .mapToPair(
                number -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == 0 && task.attemptNumber() == 0) {
                    throw new IllegalStateException("fails once");
                  }
                  work(number == 3 ? 300 : 20);
                  return new Tuple2<>(number % 2, number);
                })
            .reduceByKey(Integer::sum, 2);
    System.out.println("keys: " + sums.count());
    // The driver alone.
    work(200);
    Thread other = new Thread(() -> job(sc, 150));
    other.start();
    System.out.println("skips a stage: " + sums.collect().size());
    job(sc, 100);
    other.join();
    spark.range(0, 1_000, 1, 3).selectExpr("id % 7 AS k", "id AS v").createOrReplaceTempView("t");
    System.out.println(
        "rows: " + spark.sql("SELECT k, sum(v) FROM t GROUP BY k").collectAsList().size());
    System.out.println("tables: " + spark.sql("SHOW TABLES").collectAsList().size());
    spark.stop();
  }

  private static void job(JavaSparkContext sc, long millis) {
    sc.parallelize(Arrays.asList(1, 2, 3), 3).foreach(number -> work(number * millis / 3));
  }

  /** For so long. */
  private static void work(long millis) throws InterruptedException {
    new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }
}
