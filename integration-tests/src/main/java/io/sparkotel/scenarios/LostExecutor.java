package io.sparkotel.scenarios;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A job whose first task ends its executor at the first attempt, by SIGKILL or with the exit code
 * that is the argument, then a good job. Needs a cluster with two executors of one core.
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
    if (args.length > 0) {
      Runtime.getRuntime().halt(Integer.parseInt(args[0]));
    }
    String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    new ProcessBuilder("kill", "-9", pid).start();
    new CountDownLatch(1).await();
  }
}
