package io.sparkotel.scenarios;

import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A job, a line on stdout, a wait until standard input ends, another job, then exit code 3. */
public final class TwoHalves {

  private TwoHalves() {}

  public static void main(String[] args) throws IOException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("two halves"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    while (System.in.read() >= 0) {
      // Only the end counts.
    }
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2), 1).count());
    System.exit(3);
  }
}
