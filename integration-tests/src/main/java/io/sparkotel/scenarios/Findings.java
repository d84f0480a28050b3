package io.sparkotel.scenarios;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import scala.Tuple2;

/**
 * Queries and jobs each of which does one thing that one should not do, on a small scale. Each has
 * a description that says what. Argument: directory for the data.
 */
public final class Findings {

  private final SparkSession spark;
  private final JavaSparkContext sc;
  private final String dir;

  private Findings(SparkSession spark, String dir) {
    this.spark = spark;
    this.sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    this.dir = dir;
  }

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("findings")
            .config("spark.sql.adaptive.enabled", "true")
            .config("spark.sql.autoBroadcastJoinThreshold", "-1")
            .config("spark.shuffle.spill.numElementsForceSpillThreshold", "15000")
            .getOrCreate();
    Findings findings = new Findings(spark, args[0]);
    findings.files();
    findings.joins();
    findings.stages();
    spark.stop();
  }

  private void next(String description) {
    sc.setJobDescription(description);
  }

  private void files() {
    next("small files written");
    spark.range(0, 80, 1, 8).selectExpr("cast(id AS string) AS v").write().text(dir + "/small");
    next("small files read");
    System.out.println(spark.read().text(dir + "/small").collectAsList().size());
    next("partitioned");
    spark
        .range(0, 80, 1, 2)
        .selectExpr("cast(id AS string) AS v", "id % 2 AS half")
        .write()
        .partitionBy("half")
        .text(dir + "/halves");
    next("full scan");
    System.out.println(spark.read().text(dir + "/halves").collectAsList().size());
    next("one partition");
    System.out.println(
        spark.read().text(dir + "/halves").filter("half = 1").collectAsList().size());
  }

  private void joins() {
    Dataset<Row> many = spark.range(0, 10000, 1, 2).selectExpr("id % 5000 AS k");
    Dataset<Row> few = spark.range(0, 10, 1, 2).selectExpr("id * 2 AS k2");
    next("missed broadcast");
    System.out.println(many.join(few, many.col("k").equalTo(few.col("k2"))).count());
    // What is seen to be small when it was shuffled is sent after all; Spark 3.2 and later.
    next("late broadcast");
    spark.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "10k");
    System.out.println(many.join(few, many.col("k").equalTo(few.col("k2"))).count());
    spark.conf().unset("spark.sql.adaptive.autoBroadcastJoinThreshold");
    next("large broadcast");
    Dataset<Row> sent = functions.broadcast(few);
    System.out.println(many.join(sent, many.col("k").equalTo(sent.col("k2"))).count());
    next("exploding join");
    Dataset<Row> left = spark.range(0, 100, 1, 2).selectExpr("floor(id / 1000) AS k");
    Dataset<Row> right = spark.range(0, 50, 1, 2).selectExpr("floor(id / 1000) AS k2");
    System.out.println(left.join(right, left.col("k").equalTo(right.col("k2"))).count());
    next("cartesian");
    Dataset<Row> pairs =
        spark
            .range(0, 100, 1, 2)
            .selectExpr("id AS a")
            .crossJoin(spark.range(0, 50, 1, 2).selectExpr("id AS b"));
    System.out.println(pairs.filter("a + b > 10").count());
    next("long filter");
    List<String> conditions = new ArrayList<>();
    for (int i = 2; i < 22; i++) {
      conditions.add("id % " + i + " = 1");
    }
    System.out.println(spark.range(0, 100, 1, 2).filter(String.join(" OR ", conditions)).count());
  }

  private void stages() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 40000; i++) {
      numbers.add(i);
    }
    next("skew");
    sc.parallelize(numbers.subList(0, 3000), 4)
        .mapToPair(n -> new Tuple2<>(n < 2600 ? 0 : n % 4, noise(n)))
        .partitionBy(new HashPartitioner(4))
        .foreachPartition(
            rows -> {
              int count = 0;
              while (rows.hasNext()) {
                rows.next();
                count++;
              }
              if (count > 1000) {
                Thread.sleep(2000);
              }
            });
    next("spill");
    System.out.println(
        sc.parallelize(numbers, 2).mapToPair(n -> new Tuple2<>(-n, n)).sortByKey(true, 2).count());
    next("large result");
    System.out.println(
        sc.parallelize(Arrays.asList(1, 2), 2).map(n -> new byte[300_000]).collect().size());
  }

  /** What no codec makes smaller. */
  private static byte[] noise(int seed) {
    byte[] bytes = new byte[100];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
