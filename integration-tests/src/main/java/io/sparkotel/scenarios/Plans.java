package io.sparkotel.scenarios;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Queries that adaptive execution changes, that read a cache, have a subquery and spill. Argument:
 * directory for the data.
 */
public final class Plans {

  private Plans() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("plans")
            .config("spark.sql.adaptive.enabled", "true")
            .config("spark.sql.autoBroadcastJoinThreshold", "20000")
            .config("spark.sql.shuffle.partitions", "7")
            .config("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false")
            .config("spark.sql.adaptive.localShuffleReader.enabled", "false")
            .getOrCreate();
    spark
        .range(0, 20000, 1, 2)
        .selectExpr("id", "id % 100 AS customer", "id % 2 AS half")
        .write()
        .mode(SaveMode.Overwrite)
        .partitionBy("half")
        .parquet(args[0] + "/orders");
    spark
        .range(0, 10000, 1, 2)
        .selectExpr("id", "concat('customer ', id) AS name")
        .write()
        .mode(SaveMode.Overwrite)
        .parquet(args[0] + "/customers");
    spark.read().parquet(args[0] + "/orders").createOrReplaceTempView("orders");
    spark.read().parquet(args[0] + "/customers").createOrReplaceTempView("customers");
    // The filter is nothing that a static estimate knows of: a sort-merge join at first.
    Dataset<Row> joined =
        spark.sql(
            "SELECT c.name, count(*) AS n FROM orders o JOIN customers c ON o.customer = c.id"
                + " WHERE o.half = 1 AND length(c.name) < 11 GROUP BY c.name");
    System.out.println("joined: " + joined.collectAsList().size());
    Dataset<Row> again =
        spark.sql(
            "SELECT c.name, count(*) AS n FROM orders o JOIN customers c ON o.customer = c.id"
                + " WHERE o.half = 0 AND length(c.name) < 10 GROUP BY c.name");
    System.out.println("again: " + again.collectAsList().size());
    Dataset<Row> cached = spark.range(0, 500, 1, 2).selectExpr("id * 2 AS twice").cache();
    System.out.println("filled: " + cached.filter("twice > 100").collectAsList().size());
    System.out.println("read: " + cached.filter("twice > 200").collectAsList().size());
    System.out.println(
        "subquery: "
            + spark
                .sql(
                    "SELECT id FROM customers"
                        + " WHERE id > (SELECT max(customer) + 9890 FROM orders) ORDER BY id")
                .collectAsList()
                .size());
    spark.stop();
  }
}
