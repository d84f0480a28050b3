package io.sparkotel.scenarios;

import java.io.IOException;
import java.util.Collections;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A job of as many tasks as the argument says, a wait until standard input ends, one of ten. */
public final class ManyThenFewTasks {

  private static final int FEW = 10;

  private ManyThenFewTasks() {}

  public static void main(String[] args) throws IOException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("many then few tasks"));
    System.out.println("count: " + count(sc, Integer.parseInt(args[0])));
    while (System.in.read() >= 0) {
      // Only the end counts.
    }
    System.out.println("count: " + count(sc, FEW));
    sc.stop();
  }

  private static long count(JavaSparkContext sc, int tasks) {
    return sc.parallelize(Collections.nCopies(tasks, 1), tasks).count();
  }
}
