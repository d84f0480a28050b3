package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Main throws after a good job. Argument {@code stop}: the context is stopped in a finally. */
public final class MainThrows {

  private MainThrows() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("main throws"));
    try {
      System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
      throw new IllegalStateException("the report is empty");
    } finally {
      if (args.length > 0 && args[0].equals("stop")) {
        sc.stop();
      }
    }
  }
}
