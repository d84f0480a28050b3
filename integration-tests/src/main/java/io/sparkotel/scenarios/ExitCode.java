package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Exits with 3 after a good job. Argument {@code stop}: the context is stopped before; {@code
 * runtime}: with 5, past {@code System.exit}.
 */
public final class ExitCode {

  private ExitCode() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("exit code"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    String how = args.length > 0 ? args[0] : "";
    if (how.equals("stop")) {
      sc.stop();
    } else if (how.equals("runtime")) {
      Runtime.getRuntime().exit(5);
    }
    System.exit(3);
  }
}
