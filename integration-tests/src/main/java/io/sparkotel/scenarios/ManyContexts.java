package io.sparkotel.scenarios;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.ObjectName;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * As many contexts as the argument says, one after the other. While the last one runs, prints the
 * live objects of the JVM as {@code live: COUNT CLASS} and its threads as {@code thread: NAME}.
 */
public final class ManyContexts {

  private ManyContexts() {}

  public static void main(String[] args) throws Exception {
    int contexts = Integer.parseInt(args[0]);
    for (int i = 1; i <= contexts; i++) {
      JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("context " + i));
      System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
      if (i == contexts) {
        printLive();
      }
      sc.stop();
    }
  }

  private static void printLive() throws Exception {
    // The histogram collects garbage before it counts.
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    for (String line : histogram.split("\n")) {
      String[] columns = line.trim().split("\\s+");
      if (columns.length >= 4 && columns[0].matches("\\d+:")) {
        System.out.println("live: " + columns[1] + " " + columns[3]);
      }
    }
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      System.out.println("thread: " + thread.getName());
    }
  }
}
