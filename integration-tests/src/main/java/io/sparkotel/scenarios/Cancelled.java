package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A job that another thread cancels by its group while both of its tasks run, then a good job,
 * which needs the slots of both and so starts after they ended. Needs local[2].
 */
public final class Cancelled {

  private static final CountDownLatch RUNNING = new CountDownLatch(2);

  private Cancelled() {}

  public static void main(String[] args) throws InterruptedException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("cancelled"));
    JavaRDD<Integer> numbers = sc.parallelize(Arrays.asList(1, 2), 2);
    Thread cancelling =
        new Thread(
            () -> {
              try {
                RUNNING.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              sc.cancelJobGroup("doomed");
            });
    cancelling.start();
    sc.setJobGroup("doomed", "waits to be cancelled", true);
    try {
      numbers.foreach(
          number -> {
            RUNNING.countDown();
            new CountDownLatch(1).await();
          });
      throw new AssertionError("the job was not cancelled");
    } catch (Exception e) {
      System.out.println("handled: " + e.getClass().getName());
    }
    sc.clearJobGroup();
    cancelling.join();
    System.out.println("count: " + numbers.count());
    sc.stop();
  }
}
