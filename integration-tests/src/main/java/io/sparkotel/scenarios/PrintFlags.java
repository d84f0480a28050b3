package io.sparkotel.scenarios;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** One job; says how many agents the JVM was given, and which of the properties u and v. */
public final class PrintFlags {

  private PrintFlags() {}

  public static void main(String[] args) {
    int agents = 0;
    List<String> own = new ArrayList<>();
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (flag.startsWith("-javaagent:")) {
        agents++;
      } else if (flag.startsWith("-Du=") || flag.startsWith("-Dv=")) {
        own.add(flag);
      }
    }
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("flags"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    System.out.println("agents: " + agents);
    System.out.println("own: " + own);
    sc.stop();
  }
}
