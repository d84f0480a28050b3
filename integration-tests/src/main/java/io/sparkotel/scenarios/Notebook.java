package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * What a notebook's front end does: a job group or tags for each cell, and nothing for long between
 * them.
 */
public final class Notebook {

  private Notebook() {}

  public static void main(String[] args) throws Exception {
    SparkSession spark = SparkSession.builder().appName("Zeppelin").getOrCreate();
    SparkContext context = spark.sparkContext();
    JavaSparkContext sc = new JavaSparkContext(context);
    JavaRDD<Integer> numbers = sc.parallelize(Arrays.asList(1, 2, 3), 1);

    sc.setJobGroup("zeppelin|ann|2KW7|paragraph_1", "Started by: ann");
    spark.range(0, 10, 1, 1).filter("id > 3").count();
    numbers.count();

    sc.setJobGroup("zeppelin|bob|2KW8|paragraph_2", "Started by: bob");
    try {
      numbers.foreach(
          number -> {
            throw new IllegalStateException("no " + number);
          });
    } catch (Exception e) {
      System.out.println("failed: " + e.getClass().getName());
    }
    Thread.sleep(Long.parseLong(args[0]));

    // The same cell again, later.
    sc.setJobGroup("zeppelin|ann|2KW7|paragraph_1", "Started by: ann");
    numbers.count();
    sc.clearJobGroup();

    tag(context, "addJobTag");
    spark.range(0, 2, 1, 1).count();
    tag(context, "removeJobTag");

    numbers.count();
    spark.stop();
  }

  private static void tag(SparkContext context, String method) throws Exception {
    SparkContext.class.getMethod(method, String.class).invoke(context, "cell-3");
  }
}
