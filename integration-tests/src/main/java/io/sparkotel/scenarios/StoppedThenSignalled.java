package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Stops its context, says {@code waiting} and waits to be killed. */
public final class StoppedThenSignalled {

  private StoppedThenSignalled() {}

  public static void main(String[] args) throws Exception {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("stopped"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.stop();
    System.out.println("waiting");
    new CountDownLatch(1).await();
  }
}
