package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Two applications, {@code first context} and {@code second context}, one after the other. */
public final class TwoContexts {

  private TwoContexts() {}

  public static void main(String[] args) {
    JavaSparkContext first = new JavaSparkContext(new SparkConf().setAppName("first context"));
    System.out.println("count: " + first.parallelize(Arrays.asList(1, 2, 3), 1).count());
    first.stop();
    JavaSparkContext second = new JavaSparkContext(new SparkConf().setAppName("second context"));
    System.out.println("rows: " + second.parallelize(Arrays.asList(1, 2), 2).collect().size());
    second.stop();
  }
}
