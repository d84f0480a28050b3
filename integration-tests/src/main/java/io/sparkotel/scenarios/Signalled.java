package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A good job, then one whose only task says {@code waiting} on stdout and waits to be killed with
 * its JVM. Needs local mode.
 */
public final class Signalled {

  private Signalled() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("signalled"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.parallelize(Arrays.asList(1), 1)
        .foreach(
            number -> {
              System.out.println("waiting");
              new CountDownLatch(1).await();
            });
  }
}
