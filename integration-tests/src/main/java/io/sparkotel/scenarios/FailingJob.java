package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** A job that fails and is handled, then one that succeeds: the application succeeds. */
public final class FailingJob {

  private FailingJob() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("failing job"));
    JavaRDD<Integer> numbers = sc.parallelize(Arrays.asList(1, 2, 3, 4), 1);
    try {
      numbers.foreach(
          number -> {
            if (number == 3) {
              throw new IllegalArgumentException("bad record " + number);
            }
          });
      throw new AssertionError("the job did not fail");
    } catch (Exception e) {
      System.out.println("handled: " + e.getClass().getName());
    }
    System.out.println("count: " + numbers.count());
    sc.stop();
  }
}
