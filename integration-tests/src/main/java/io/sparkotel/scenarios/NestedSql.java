package io.sparkotel.scenarios;

import org.apache.spark.sql.SparkSession;

/** Commands: DDL without a job, CREATE TABLE AS SELECT, INSERT, SHOW TABLES. */
public final class NestedSql {

  private NestedSql() {}

  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("nested sql").getOrCreate();
    spark.sql("CREATE TABLE empty_sales (id BIGINT, amount BIGINT) USING parquet");
    spark.sql(
        "CREATE TABLE sales USING parquet AS SELECT id, id * 2 AS amount FROM range(0, 100, 1, 2)");
    spark.sql("INSERT INTO sales SELECT id, id * 3 AS amount FROM range(100, 200, 1, 2)");
    System.out.println("tables: " + spark.sql("SHOW TABLES").collectAsList().size());
    System.out.println("sales: " + spark.sql("SELECT * FROM sales").count());
    spark.sql("DROP TABLE empty_sales");
    spark.sql("DROP TABLE sales");
    spark.stop();
  }
}
