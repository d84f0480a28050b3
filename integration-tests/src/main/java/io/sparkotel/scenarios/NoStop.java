package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Main returns without stopping its context. */
public final class NoStop {

  private NoStop() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("no stop"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
  }
}
