package io.sparkotel.scenarios;

import java.util.Collections;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** One job of as many tasks as the argument says. */
public final class ManyTasks {

  private ManyTasks() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("many tasks"));
    int tasks = Integer.parseInt(args[0]);
    System.out.println("count: " + sc.parallelize(Collections.nCopies(tasks, 1), tasks).count());
    sc.stop();
  }
}
