package io.sparkotel.scenarios;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import scala.Tuple2;

/**
 * The problems of docs/reading-a-trace.md, each on a small scale in an application of its own.
 * Arguments: which one, directory for the data. What is read is written without Spark, so that the
 * trace shows the problem alone.
 */
public final class Problems {

  private final SparkSession spark;
  private final Path dir;

  private Problems(SparkSession spark, Path dir) {
    this.spark = spark;
    this.dir = dir;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    String problem = args[0];
    Path dir = Files.createDirectories(Paths.get(args[1]));
    switch (problem) {
      case "skew":
        start("running totals", dir).skew();
        break;
      case "small":
        start("clicks by page", dir).smallFiles();
        break;
      case "spill":
        start("paid orders", dir).spill();
        break;
      case "record":
        start("load prices", dir).badRecord();
        break;
      case "executor":
        start("visits by page", dir).lostExecutor();
        break;
      case "driver":
        start("score customers", dir).driverAlone();
        break;
      case "plan":
        start("nightly revenue", dir).changedPlan();
        break;
      case "scan":
        start("clicks of one day", dir).fullScan();
        break;
      case "write":
        start("publish orders", dir).manyFiles();
        break;
      default:
        throw new IllegalArgumentException(problem);
    }
  }

  private static Problems start(String application, Path dir) {
    SparkSession spark =
        SparkSession.builder()
            .appName(application)
            .config("spark.sql.adaptive.enabled", "true")
            // Tables of a few MB would be put together. Large ones are not.
            .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
            .config("spark.sql.shuffle.partitions", "8")
            .getOrCreate();
    return new Problems(spark, dir);
  }

  /** Nine of ten orders have the customer 0, and a window wants all of a customer in one task. */
  private void skew() {
    spark
        .range(0, 1_600_000, 1, 4)
        .selectExpr("id", "IF(id % 10 = 0, id % 1000, 0) AS customer", "id % 97 AS amount")
        .selectExpr("*", "sum(amount) OVER (PARTITION BY customer ORDER BY id) AS total")
        .write()
        .parquet(dir + "/totals");
    spark.stop();
  }

  /** A thousand files of a few rows, and as many partitions of next to nothing behind them. */
  private void smallFiles() throws IOException {
    for (int i = 0; i < 1000; i++) {
      List<String> clicks = new ArrayList<>();
      for (int row = 0; row < 5; row++) {
        clicks.add("{\"page\": \"/" + (i * 7 + row) % 40 + "\", \"clicks\": " + row + "}");
      }
      write("clicks/part-" + i + ".json", clicks);
    }
    spark.conf().set("spark.sql.shuffle.partitions", "1000");
    spark
        .read()
        .schema("page STRING, clicks INT")
        .json(dir + "/clicks")
        .groupBy("page")
        .sum("clicks")
        .collectAsList();
    spark.stop();
  }

  /** Wants a low spark.shuffle.spill.numElementsForceSpillThreshold in place of a full memory. */
  private void spill() {
    spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
    spark.conf().set("spark.sql.shuffle.partitions", "4");
    Dataset<Row> orders = spark.range(0, 300_000, 1, 2).selectExpr("id", "id % 97 AS amount");
    Dataset<Row> payments =
        spark.range(0, 300_000, 1, 2).selectExpr("id AS order_id", "concat('card ', id) AS card");
    orders
        .join(payments, orders.col("id").equalTo(payments.col("order_id")))
        .write()
        .parquet(dir + "/paid");
    spark.stop();
  }

  /** Needs a master that retries, local[2,3]. The failure leaves main. */
  private void badRecord() throws IOException {
    write("prices/shop-1.csv", Arrays.asList("apple,1.20", "pear,1.90", "plum,0.80", "fig,4.10"));
    write("prices/shop-2.csv", Arrays.asList("apple,1.30", "pear,n/a"));
    spark
        .read()
        .schema("item STRING, price STRING")
        .csv(dir + "/prices")
        .map((MapFunction<Row, Long>) Problems::cents, Encoders.LONG())
        .collectAsList();
  }

  private static long cents(Row row) {
    try {
      return Long.parseLong(row.getString(1).replace(".", ""));
    } catch (NumberFormatException e) {
      throw new IllegalStateException("no price of " + row.getString(0), e);
    }
  }

  /**
   * An executor is killed after it wrote its part of a shuffle. Needs a cluster with two executors
   * of one core.
   */
  private void lostExecutor() {
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    List<Integer> visits = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      visits.add(i);
    }
    sc.parallelize(visits, 2)
        .mapToPair(visit -> new Tuple2<>(visit % 7, 1))
        .reduceByKey(Integer::sum, 1)
        .map(
            page -> {
              TaskContext task = TaskContext.get();
              if (task.stageAttemptNumber() == 0 && task.attemptNumber() == 0) {
                killThisJvm();
              }
              return page;
            })
        .collect();
    spark.stop();
  }

  private static void killThisJvm() throws IOException, InterruptedException {
    String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    new ProcessBuilder("kill", "-9", pid).start();
    new CountDownLatch(1).await();
  }

  /** Three jobs, and a second for every 7,000 rows on the driver behind each. */
  private void driverAlone() throws InterruptedException {
    Dataset<Row> customers =
        spark.range(0, 60_000, 1, 2).selectExpr("id % 3 AS region", "id % 1000 AS amount");
    for (int region = 0; region < 3; region++) {
      List<Row> rows = customers.where("region = " + region).collectAsList();
      score(rows);
    }
    spark.stop();
  }

  /** Stands for a loop over the rows. */
  private static void score(List<Row> rows) throws InterruptedException {
    new CountDownLatch(1).await(rows.size() * 3 / 20, TimeUnit.MILLISECONDS);
  }

  /** The same query twice; in between the file of customers grows over a threshold. */
  private void changedPlan() throws IOException {
    spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "1m");
    spark.conf().set("spark.sql.shuffle.partitions", "4");
    Dataset<Row> orders =
        spark.range(0, 400_000, 1, 2).selectExpr("id % 2000 AS customer", "id % 97 AS amount");
    for (int count : new int[] {2_000, 80_000}) {
      List<String> lines = new ArrayList<>();
      for (int id = 0; id < count; id++) {
        lines.add(id + ",customer " + id + ",country " + id % 5);
      }
      write("customers/part-0.csv", lines);
      spark
          .read()
          .schema("id BIGINT, name STRING, country STRING")
          .csv(dir + "/customers")
          .where("name LIKE '% 1%9'")
          .join(orders, functions.expr("customer = id"))
          .groupBy("country")
          .sum("amount")
          .collectAsList();
    }
    spark.stop();
  }

  /** The day is asked for by another column than the one that the table is partitioned by. */
  private void fullScan() throws IOException {
    for (int day = 1; day <= 30; day++) {
      String date = String.format("2026-01-%02d", day);
      write(
          "clicks/day=" + date + "/part-0.csv",
          Arrays.asList("/home," + date + " 07:00:00", "/help," + date + " 08:00:00"));
    }
    spark.conf().set("spark.sql.shuffle.partitions", "2");
    spark
        .read()
        .schema("page STRING, time STRING, day STRING")
        .csv(dir + "/clicks")
        .where("to_date(time) = '2026-01-30'")
        .groupBy("page")
        .count()
        .collectAsList();
    spark.stop();
  }

  /** Eight tasks that each have rows of 20 days; then a day that is not there is published. */
  private void manyFiles() {
    spark
        .range(0, 2000, 1, 8)
        .selectExpr("id", "id % 97 AS amount", "concat('2026-01-', 10 + id % 20) AS day")
        .write()
        .partitionBy("day")
        .parquet(dir + "/orders");
    spark
        .read()
        .schema("id BIGINT, amount BIGINT, day STRING")
        .parquet(dir + "/orders")
        .where(functions.col("day").equalTo("2026-01-31"))
        .write()
        .mode(SaveMode.Overwrite)
        .parquet(dir + "/today");
    spark.stop();
  }

  private void write(String file, List<String> lines) throws IOException {
    Path path = dir.resolve(file);
    Files.createDirectories(path.getParent());
    Files.write(path, lines, StandardCharsets.UTF_8);
  }
}
