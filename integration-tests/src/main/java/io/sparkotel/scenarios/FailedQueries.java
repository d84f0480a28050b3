package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.ForeachFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/**
 * Failures that are handled, one of each kind: in a function of the user's, in an expression, in
 * the analysis of a query and in its text. Then main throws what a job failed of, where the
 * argument is {@code throws}.
 */
public final class FailedQueries {

  private FailedQueries() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("failed queries")
            .config("spark.sql.ansi.enabled", "true")
            .getOrCreate();
    Dataset<Long> zero = spark.range(0, 1, 1, 1);
    handled("chain", () -> zero.foreach((ForeachFunction<Long>) FailedQueries::report));
    MapFunction<Long, Long> ratio = FailedQueries::ratio;
    handled("function", () -> zero.map(ratio, Encoders.LONG()).collectAsList());
    handled("expression", () -> zero.selectExpr("10 / id").collectAsList());
    handled("write", () -> zero.selectExpr("10 / id AS x").write().saveAsTable("ratios"));
    handled("column", () -> spark.sql("SELECT nope FROM range(3)").collectAsList());
    handled("table", () -> spark.read().table("nowhere").collectAsList());
    handled("text", () -> spark.sql("SELEC 1").collectAsList());
    if (args.length > 0 && args[0].equals("throws")) {
      JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
      sc.parallelize(Arrays.asList(0L), 1).foreach((VoidFunction<Long>) FailedQueries::report);
    }
    spark.stop();
  }

  private static void handled(String what, Runnable action) {
    try {
      action.run();
      throw new AssertionError(what + " did not fail");
    } catch (Exception e) {
      System.out.println(what + ": " + e.getClass().getName());
    }
  }

  private static Long ratio(Long number) {
    return 10 / number;
  }

  private static void report(Long number) {
    try {
      ratio(number);
    } catch (ArithmeticException e) {
      throw new IllegalStateException("no ratio of " + number, e);
    }
  }
}
