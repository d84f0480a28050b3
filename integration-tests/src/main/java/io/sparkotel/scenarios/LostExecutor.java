package io.sparkotel.scenarios;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A job whose first task ends its executor at the first attempt, by SIGKILL, with the exit code
 * that is the argument, or with the argument PWR as a machine that is taken away, and then a good
 * job. Needs a cluster with two executors of one core.
 */
public final class LostExecutor {

  private LostExecutor() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("lost executor"));
    int sum =
        sc.parallelize(Arrays.asList(1, 2), 2)
            .map(
                number -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == 0 && task.attemptNumber() == 0) {
                    endThisJvm(args);
                  }
                  return number;
                })
            .reduce(Integer::sum);
    System.out.println("sum: " + sum);
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.stop();
  }

  private static void endThisJvm(String[] args) throws IOException, InterruptedException {
    String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    if (args.length > 0 && args[0].equals("PWR")) {
      new ProcessBuilder("kill", "-PWR", pid).start();
      awaitThread("wait-for-blocks-to-migrate");
    } else if (args.length > 0) {
      Runtime.getRuntime().halt(Integer.parseInt(args[0]));
    }
    new ProcessBuilder("kill", "-9", pid).start();
    new CountDownLatch(1).await();
  }

  /** Spark's executor starts that one when the driver knows that it is to go. */
  private static void awaitThread(String name) throws InterruptedException {
    while (Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals(name))) {
      Thread.sleep(50);
    }
  }
}
