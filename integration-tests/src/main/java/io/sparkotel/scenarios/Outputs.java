package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

  /** The format of tables that keep a history; null of others. */
  private String history;

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
          outputs.history = "delta";
          outputs.tables("delta", "");
          outputs.rows("");
          outputs.deltaPath();
          outputs.deltaKinds();
          break;
        case "iceberg":
          outputs.history = "iceberg";
          outputs.tables("iceberg", "ice.db.");
          outputs.rows("ice.db.");
          outputs.icebergDeletes();
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
    String copy = prefix + "copy";
    String days = prefix + "days";
    write(copy, "CREATE TABLE " + copy + " USING " + format + " AS SELECT id, amount FROM source");
    sql(
        "CREATE TABLE "
            + days
            + " (id BIGINT, amount BIGINT, day STRING) USING "
            + format
            + " PARTITIONED BY (day)");
    write(days, "INSERT INTO " + days + " SELECT * FROM source");
    write(days, "INSERT OVERWRITE " + days + " SELECT * FROM source WHERE day < '2026-01-03'");
    if (!format.equals("delta")) {
      write(
          days,
          "INSERT OVERWRITE "
              + days
              + " PARTITION (day = '2026-02-01') SELECT id, amount FROM source");
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
    String copy = prefix + "copy";
    write(copy, merge(copy));
    write(copy, "UPDATE " + copy + " SET amount = 0 WHERE id < 5");
    write(copy, "DELETE FROM " + copy + " WHERE id = 50");
  }

  private static String merge(String table) {
    return "MERGE INTO "
        + table
        + " t USING (SELECT id + 90 AS id, amount, day FROM source) s ON t.id = s.id"
        + " WHEN MATCHED THEN UPDATE SET amount = s.amount"
        + " WHEN NOT MATCHED THEN INSERT *";
  }

  private void deltaPath() {
    String path = dir + "/delta";
    spark.table("source").write().format("delta").partitionBy("day").save(path);
    tell("delta.`" + path + "`");
    spark.read().format("delta").load(path).where("day = '2026-01-01'").collectAsList();
  }

  /** Changes of a partitioned table, deletion vectors with a change data feed, saves. */
  private void deltaKinds() {
    write("days", merge("days"));
    write("days", "DELETE FROM days WHERE id = 1");
    write("days", "DELETE FROM days WHERE day = '2026-01-03'");
    sql(
        "CREATE TABLE marked (id BIGINT, amount BIGINT) USING delta TBLPROPERTIES"
            + " (delta.enableDeletionVectors = true, delta.enableChangeDataFeed = true,"
            + " delta.checkpointInterval = 1)");
    write("marked", "INSERT INTO marked SELECT id, amount FROM source");
    write("marked", "UPDATE marked SET amount = 0 WHERE id < 5");
    write("marked", "DELETE FROM marked WHERE id = 50");
    write("marked", merge("marked"));
    write("marked", "INSERT OVERWRITE marked SELECT id, amount FROM source WHERE id < 0");
    spark.table("source").write().format("delta").saveAsTable("saved");
    tell("saved");
    // It rewrites the files of which it replaces a part: two writes.
    String path = dir + "/delta";
    spark
        .table("source")
        .where("id < 10")
        .write()
        .format("delta")
        .mode("overwrite")
        .option("partitionOverwriteMode", "static")
        .option("replaceWhere", "id < 10")
        .save(path);
    tell("delta.`" + path + "`");
    spark.conf().set("spark.databricks.delta.optimizeWrite.enabled", "true");
    write("saved", "INSERT INTO saved SELECT * FROM source");
    // So does what compacts small files behind a commit.
    spark.conf().set("spark.databricks.delta.autoCompact.enabled", "true");
    spark.conf().set("spark.databricks.delta.autoCompact.minNumFiles", "2");
    write("saved", "INSERT INTO saved SELECT * FROM source");
  }

  /** Deletes in files of their own. */
  private void icebergDeletes() {
    String table = "ice.db.copy";
    sql("ALTER TABLE " + table + " SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read')");
    write(table, "UPDATE " + table + " SET amount = 1 WHERE id < 7");
  }

  private void write(String table, String statement) {
    sql(statement);
    tell(table);
  }

  /** Prints what the table's own history says of its last change. */
  private void tell(String table) {
    if ("delta".equals(history)) {
      Row last = sql("DESCRIBE HISTORY " + table + " LIMIT 1").head();
      Map<String, String> metrics = last.getJavaMap(last.fieldIndex("operationMetrics"));
      switch (last.<String>getAs("operation")) {
        case "MERGE":
          String target = "numTargetRows";
          print(
              sum(metrics, target + "Copied", target + "Inserted", target + "Updated"),
              sum(metrics, "numTargetBytesAdded"),
              sum(metrics, "numTargetFilesAdded"));
          break;
        case "UPDATE":
        case "DELETE":
          print(
              sum(metrics, "numCopiedRows", "numUpdatedRows"),
              sum(metrics, "numAddedBytes"),
              sum(metrics, "numAddedFiles"));
          break;
        default:
          print(
              sum(metrics, "numOutputRows"),
              sum(metrics, "numOutputBytes"),
              sum(metrics, "numFiles"));
      }
    } else if ("iceberg".equals(history)) {
      Map<String, String> summary =
          sql("SELECT summary FROM " + table + ".snapshots ORDER BY committed_at DESC")
              .head()
              .getJavaMap(0);
      print(
          sum(summary, "added-records"),
          sum(summary, "added-files-size"),
          sum(summary, "added-data-files", "added-delete-files"));
    }
  }

  private static void print(long rows, long bytes, long files) {
    System.out.println("history: bytes=" + bytes + " files=" + files + " rows=" + rows);
  }

  private static long sum(Map<String, String> metrics, String... names) {
    long sum = 0;
    for (String name : names) {
      sum += Long.parseLong(metrics.getOrDefault(name, "0"));
    }
    return sum;
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
