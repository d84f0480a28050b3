package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import scala.Tuple2;

/**
 * Prints every setting that it sees in its SparkConf, one a line, and that of Spark's environment;
 * {@link Environment} prints what Spark shows on its environment page and writes to event logs.
 */
public final class PrintConf {

  private PrintConf() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("print conf"));
    print("conf", sc.getConf());
    print("env", SparkEnv.get().conf());
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.stop();
  }

  private static void print(String where, SparkConf conf) {
    for (Tuple2<String, String> setting : conf.getAll()) {
      System.out.println(where + ": " + setting._1 + "=" + setting._2);
    }
  }

  /** To be named in {@code spark.extraListeners}, so that it is there from the start. */
  public static final class Environment extends SparkListener {
    @Override
    public void onEnvironmentUpdate(SparkListenerEnvironmentUpdate event) {
      System.out.println("environment: " + event.environmentDetails());
    }
  }
}
