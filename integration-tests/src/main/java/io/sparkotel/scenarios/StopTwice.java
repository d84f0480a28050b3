package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Stops its context twice. */
public final class StopTwice {

  private StopTwice() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("stop twice"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.stop();
    sc.stop();
  }
}
