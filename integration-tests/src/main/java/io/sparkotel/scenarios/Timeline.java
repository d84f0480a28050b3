package io.sparkotel.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A small job, then jobs of at most 1,000 tasks each. Arguments: how many tasks, and how many
 * milliseconds each one waits, as the driver does for tasks on executors. After each part it prints
 * a line: its name, the milliseconds since the start of the JVM and the CPU time of the process so
 * far, in milliseconds; when the tasks are done also one for each thread that takes events, or that
 * exports spans: its name and its CPU time in microseconds; and {@code heap} with the bytes that
 * are in use after a garbage collection.
 */
public final class Timeline {

  private static final int TASKS_PER_JOB = 1_000;

  private Timeline() {}

  public static void main(String[] args) {
    int tasks = Integer.parseInt(args[0]);
    int wait = Integer.parseInt(args[1]);
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("timeline"));
    print("context");
    sc.parallelize(Collections.nCopies(2, 1), 2).count();
    print("first-job");
    List<Integer> numbers = Collections.nCopies(TASKS_PER_JOB, 1);
    for (int done = 0; done < tasks; done += TASKS_PER_JOB) {
      sc.parallelize(numbers, Math.min(TASKS_PER_JOB, tasks - done))
          .foreach(
              number -> {
                if (wait > 0) {
                  Thread.sleep(wait);
                }
              });
    }
    print("tasks");
    printThreads();
    printHeap();
    print("idle");
    sc.stop();
    print("stop");
  }

  public static void printThreads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      String name = thread == null ? "" : thread.getThreadName();
      if (name.startsWith("spark-listener-group-") || name.startsWith("spark-otel")) {
        System.out.println(name + " " + threads.getThreadCpuTime(thread.getThreadId()) / 1_000);
      }
    }
  }

  public static void printHeap() {
    System.gc();
    System.out.println(
        "heap " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
  }

  public static void print(String part) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long wall = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    System.out.println(part + " " + wall + " " + system.getProcessCpuTime() / 1_000_000);
  }
}
