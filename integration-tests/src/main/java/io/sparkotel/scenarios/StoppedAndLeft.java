package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A context {@code stopped} that is stopped twice, then one, {@code left}, that main leaves. */
public final class StoppedAndLeft {

  private StoppedAndLeft() {}

  public static void main(String[] args) {
    JavaSparkContext stopped = new JavaSparkContext(new SparkConf().setAppName("stopped"));
    System.out.println("count: " + stopped.parallelize(Arrays.asList(1, 2, 3), 1).count());
    stopped.stop();
    stopped.stop();
    JavaSparkContext left = new JavaSparkContext(new SparkConf().setAppName("left"));
    System.out.println("rows: " + left.parallelize(Arrays.asList(1, 2), 2).collect().size());
  }
}
