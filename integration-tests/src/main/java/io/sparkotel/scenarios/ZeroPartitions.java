package io.sparkotel.scenarios;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A job without partitions: it succeeds without a stage. */
public final class ZeroPartitions {

  private ZeroPartitions() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("zero partitions"));
    System.out.println("count: " + sc.emptyRDD().count());
    sc.stop();
  }
}
