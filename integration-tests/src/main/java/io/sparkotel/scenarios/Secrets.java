package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Secrets wherever an application can leave one, each with {@code s3cr3t} in it and a number of its
 * own: the application's name, settings, job properties, SQL, plans, failures of a data source, of
 * tasks, of the parser and of main. Ends with an exception.
 */
public final class Secrets {

  private Secrets() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .config(
                new SparkConf()
                    .setAppName("load --password s3cr3t-01")
                    .set("spark.ssl.keyPassword", "s3cr3t-02")
                    .set("spark.note", "jdbc:mysql://h/db?user=u&password=s3cr3t-03")
                    .set("spark.hadoop.fs.s3a.secret.key", "s3cr3t-04")
                    .set("spark.driver.note", "-Ddb.password=s3cr3t-05 -Xmx1g"))
            .getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());

    sc.setJobGroup("token=s3cr3t-06", "copy https://u:s3cr3t-07@h/x");
    sc.sc().setLocalProperty("spark.scheduler.pool", "pool?password=s3cr3t-08");
    sc.sc().setCallSite("load password=s3cr3t-09");
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2), 1).count());
    sc.sc().clearCallSite();
    sc.clearJobGroup();

    // In a file: of a column that is computed the optimizer forgets the name.
    spark.range(4).selectExpr("id", "cast(id as string) AS password").write().parquet("t.parquet");
    spark.read().parquet("t.parquet").createOrReplaceTempView("t");
    sc.setJobDescription("SELECT id FROM t WHERE password = 's3cr3t-10'");
    spark
        .sql("SELECT id, 's3cr3t-11' AS api_key FROM t WHERE password = 's3cr3t-12'")
        .collectAsList();
    sc.setJobDescription(null);
    spark
        .sql(
            "SELECT id FROM t WHERE password IN ('s3cr3t-13', 's3cr3t-14')"
                + " OR password LIKE 's3cr3t-15%'")
        .collectAsList();

    handled(() -> spark.sql("SELEC password FROM t WHERE password = 's3cr3t-16'"));
    handled(
        () ->
            spark
                .read()
                .format("jdbc")
                .option("url", "jdbc:nowhere://h/db?user=u&password=s3cr3t-17")
                .option("dbtable", "x")
                .option("password", "s3cr3t-18")
                .load()
                .count());
    handled(
        () ->
            sc.parallelize(Arrays.asList(1), 1)
                .foreach(
                    number -> {
                      throw new IllegalStateException(
                          "Authorization: Bearer s3cr3t-19",
                          new IllegalArgumentException(
                              "no connection to jdbc:oracle:thin:u/s3cr3t-20@h:1521/x"));
                    }));
    handled(
        () -> spark.range(1).selectExpr("raise_error('password=s3cr3t-21') AS x").collectAsList());
    throw new IllegalStateException("cannot log in with {\"password\": \"s3cr3t-22\"}");
  }

  private static void handled(Runnable failing) {
    try {
      failing.run();
      throw new AssertionError("did not fail");
    } catch (Exception e) {
      System.out.println("handled: " + e.getClass().getName());
    }
  }
}
