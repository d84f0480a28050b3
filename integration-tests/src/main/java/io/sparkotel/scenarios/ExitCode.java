package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Exits with 3 after a good job. Argument {@code stop}: the context is stopped before. */
public final class ExitCode {

  private ExitCode() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("exit code"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    if (args.length > 0 && args[0].equals("stop")) {
      sc.stop();
    }
    System.exit(3);
  }
}
