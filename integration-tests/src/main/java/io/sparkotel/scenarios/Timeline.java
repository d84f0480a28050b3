package io.sparkotel.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A small job, then jobs of 1,000 tasks each, as many tasks as the argument says. After each part
 * it prints a line: its name, the milliseconds since the start of the JVM and the CPU time of the
 * process so far, in milliseconds.
 */
public final class Timeline {

  private static final int TASKS_PER_JOB = 1_000;

  private Timeline() {}

  public static void main(String[] args) {
    int tasks = Integer.parseInt(args[0]);
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("timeline"));
    print("context");
    sc.parallelize(Collections.nCopies(2, 1), 2).count();
    print("first-job");
    List<Integer> numbers = Collections.nCopies(TASKS_PER_JOB, 1);
    for (int done = 0; done < tasks; done += TASKS_PER_JOB) {
      sc.parallelize(numbers, Math.min(TASKS_PER_JOB, tasks - done)).count();
    }
    print("tasks");
    sc.stop();
    print("stop");
  }

  private static void print(String part) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long wall = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    System.out.println(part + " " + wall + " " + system.getProcessCpuTime() / 1_000_000);
  }
}
