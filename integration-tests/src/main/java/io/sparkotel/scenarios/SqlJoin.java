package io.sparkotel.scenarios;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A broadcast join with an aggregation: counted, collected, written. Argument: output directory.
 */
public final class SqlJoin {

  private SqlJoin() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("sql join")
            .config("spark.sql.adaptive.enabled", "true")
            .getOrCreate();
    spark
        .range(0, 1000, 1, 4)
        .selectExpr("id", "id % 10 AS customer", "id * 2 AS amount")
        .createOrReplaceTempView("orders");
    spark
        .range(0, 10, 1, 1)
        .selectExpr("id", "concat('customer ', id) AS name")
        .createOrReplaceTempView("customers");
    Dataset<Row> totals =
        spark.sql(
            "SELECT c.name, sum(o.amount) AS total FROM orders o"
                + " JOIN customers c ON o.customer = c.id GROUP BY c.name");
    System.out.println("customers: " + totals.count());
    System.out.println("rows: " + totals.collectAsList().size());
    totals.write().mode(SaveMode.Overwrite).parquet(args[0]);
    spark.stop();
  }
}
