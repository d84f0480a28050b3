package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Writes and reads in all the ways that there are. Arguments: directory for the data, then which of
 * {@code files}, {@code tables}, {@code jdbc}, {@code delta}, {@code iceberg}, {@code hive}, {@code
 * rdd}, each with its own jars and settings on the caller.
 */
public final class Outputs {

  private static final String JDBC = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;user=sa;password=hunter22";

  private final SparkSession spark;
  private final String dir;

  private Outputs(SparkSession spark, String dir) {
    this.spark = spark;
    this.dir = dir;
  }

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("outputs")
            .config("spark.sql.sources.partitionOverwriteMode", "dynamic")
            .getOrCreate();
    Outputs outputs = new Outputs(spark, args[0]);
    List<String> kinds = Arrays.asList(args).subList(1, args.length);
    spark
        .range(0, 100, 1, 1)
        .selectExpr("id", "id * 2 AS amount", "concat('2026-01-0', 1 + id % 4) AS day")
        .createOrReplaceTempView("source");
    for (String kind : kinds) {
      switch (kind) {
        case "files":
          outputs.files();
          break;
        case "tables":
          outputs.tables("parquet", "");
          break;
        case "jdbc":
          outputs.jdbc();
          break;
        case "delta":
          outputs.tables("delta", "");
          outputs.rows("");
          outputs.deltaPath();
          break;
        case "iceberg":
          outputs.tables("iceberg", "ice.db.");
          outputs.rows("ice.db.");
          break;
        case "hive":
          outputs.hive();
          break;
        case "rdd":
          outputs.rdd();
          break;
        default:
          throw new IllegalArgumentException(kind);
      }
    }
    spark.stop();
  }

  private void files() {
    Dataset<Row> source = spark.table("source");
    source.write().partitionBy("day").parquet(dir + "/parts");
    source.write().mode("append").json(dir + "/json");
    source.write().format("noop").mode("overwrite").save();
    sql("INSERT OVERWRITE DIRECTORY '" + dir + "/directory' USING csv SELECT id FROM source");
    spark.read().parquet(dir + "/parts").where("day = '2026-01-01'").collectAsList();
    spark.read().json(dir + "/json").union(spark.read().json(dir + "/json")).collectAsList();
    spark.conf().set("spark.sql.sources.useV1SourceList", "parquet");
    spark.read().json(dir + "/json").collectAsList();
  }

  /** CTAS, INSERT INTO, INSERT OVERWRITE by dynamic and static partitions, a join. */
  private void tables(String format, String prefix) {
    sql("CREATE TABLE " + prefix + "copy USING " + format + " AS SELECT id, amount FROM source");
    sql(
        "CREATE TABLE "
            + prefix
            + "days (id BIGINT, amount BIGINT, day STRING) USING "
            + format
            + " PARTITIONED BY (day)");
    sql("INSERT INTO " + prefix + "days SELECT * FROM source");
    sql("INSERT OVERWRITE " + prefix + "days SELECT * FROM source WHERE day < '2026-01-03'");
    if (!format.equals("delta")) {
      sql(
          "INSERT OVERWRITE "
              + prefix
              + "days PARTITION (day = '2026-02-01') SELECT id, amount FROM source");
    }
    sql("SELECT d.id FROM " + prefix + "days d JOIN " + prefix + "copy c ON d.id = c.id")
        .collectAsList();
  }

  /** Tables that Hive's own classes read and write. */
  private void hive() {
    spark.conf().set("hive.exec.dynamic.partition.mode", "nonstrict");
    sql("CREATE TABLE copy STORED AS TEXTFILE AS SELECT id, amount FROM source");
    sql(
        "CREATE TABLE days (id BIGINT, amount BIGINT) PARTITIONED BY (day STRING)"
            + " STORED AS TEXTFILE");
    sql("INSERT INTO days SELECT * FROM source");
    sql(
        "INSERT OVERWRITE TABLE days PARTITION (day) SELECT * FROM source WHERE day < '2026-01-03'");
    sql("INSERT OVERWRITE TABLE days PARTITION (day = '2026-02-01') SELECT id, amount FROM source");
    sql("SELECT d.id FROM days d JOIN copy c ON d.id = c.id").collectAsList();
  }

  /** What only tables with row-level changes can do. */
  private void rows(String prefix) {
    sql(
        "MERGE INTO "
            + prefix
            + "copy t USING (SELECT id + 90 AS id, amount FROM source) s ON t.id = s.id"
            + " WHEN MATCHED THEN UPDATE SET amount = s.amount"
            + " WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (s.id, s.amount)");
    sql("UPDATE " + prefix + "copy SET amount = 0 WHERE id < 5");
    sql("DELETE FROM " + prefix + "copy WHERE id = 50");
  }

  private void deltaPath() {
    spark.table("source").write().format("delta").partitionBy("day").save(dir + "/delta");
    spark.read().format("delta").load(dir + "/delta").where("day = '2026-01-01'").collectAsList();
  }

  private void jdbc() {
    spark
        .table("source")
        .write()
        .format("jdbc")
        .option("url", JDBC)
        .option("dbtable", "orders")
        .save();
    Properties properties = new Properties();
    spark.table("source").write().mode("append").jdbc(JDBC, "orders", properties);
    spark.read().jdbc(JDBC, "orders", properties).where("id > 50").collectAsList();
    spark
        .read()
        .jdbc(JDBC, "(SELECT \"id\" FROM orders WHERE \"id\" > 7) q", properties)
        .collectAsList();
  }

  private void rdd() {
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    sc.parallelize(Arrays.asList(1, 2, 3), 2).saveAsTextFile(dir + "/text");
    sc.parallelize(Arrays.asList(1, 2, 3), 2).saveAsObjectFile(dir + "/object");
  }

  private Dataset<Row> sql(String text) {
    return spark.sql(text);
  }
}
