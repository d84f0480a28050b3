package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * The application of the demo: a report joined and aggregated by SQL, an RDD job with a shuffle and
 * a task that fails once, and a check that fails and is handled. Data is made in memory. Needs a
 * master that retries, local[2,3].
 */
public final class DemoApplication {

  private static final int SALES = 400_000;

  private DemoApplication() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("daily sales report")
            .config("spark.sql.adaptive.enabled", "true")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    reportRevenue(spark);
    findBusiestHours(sc);
    checkPrices(sc);
    spark.stop();
  }

  private static void reportRevenue(SparkSession spark) {
    Dataset<Row> revenue =
        spark.sql(
            "SELECT region, count(*) AS sales, round(sum(amount), 2) AS revenue"
                + " FROM (SELECT id % 97 AS store_id, (id * 7919) % 1000 / 10 AS amount"
                + (" FROM range(0, " + SALES + ", 1, 4)) AS sales")
                + " JOIN (SELECT id AS store_id,"
                + " element_at(array('north', 'south', 'west'), int(id % 3) + 1) AS region"
                + " FROM range(0, 97, 1, 1)) AS stores USING (store_id)"
                + " GROUP BY region ORDER BY revenue DESC");
    System.out.println("Revenue by region");
    for (Row row : revenue.collectAsList()) {
      System.out.printf("  %-6s %8d sales %14.2f%n", row.get(0), row.getLong(1), row.getDouble(2));
    }
  }

  private static void findBusiestHours(JavaSparkContext sc) {
    JavaRDD<Integer> hours =
        sc.parallelize(Arrays.asList(0, 1, 2, 3), 4)
            .flatMap(
                part -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == 2 && task.attemptNumber() == 0) {
                    throw new IllegalStateException("store 42 did not answer");
                  }
                  Integer[] sales = new Integer[SALES / 4];
                  Arrays.setAll(sales, i -> (i + part * i / 5) % 24);
                  return Arrays.asList(sales).iterator();
                });
    JavaPairRDD<Integer, Integer> perHour =
        hours.mapToPair(hour -> new Tuple2<>(hour, 1)).reduceByKey(Integer::sum, 2);
    Tuple2<Integer, Integer> busiest = perHour.reduce((a, b) -> a._2() >= b._2() ? a : b);
    System.out.println("Busiest hour: " + busiest._1() + ":00, " + busiest._2() + " sales");
  }

  private static void checkPrices(JavaSparkContext sc) {
    try {
      sc.parallelize(Arrays.asList(12, 7, -3, 9), 1)
          .foreach(
              price -> {
                if (price < 0) {
                  throw new IllegalArgumentException("negative price: " + price);
                }
              });
      throw new AssertionError("the check found nothing");
    } catch (Exception e) {
      System.out.println("Price check failed; the report goes out without it");
    }
  }
}
