package io.sparkotel.scenarios;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Under dynamic allocation: two executors come for two tasks that wait for each other, all go, and
 * one comes again. Its argument is a directory that executors and driver share.
 */
public final class ComingExecutors {

  private static final long POLL_MILLIS = 50;

  private ComingExecutors() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    SparkSession spark = SparkSession.builder().appName("coming-executors").getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    count(sc, Arrays.asList(1, 2), Paths.get(args[0], "first"));
    count(sc, Arrays.asList(1), Paths.get(args[0], "second"));
    spark.stop();
  }

  /** Waits until all executors are gone. */
  private static void count(JavaSparkContext sc, List<Integer> numbers, Path dir)
      throws IOException, InterruptedException {
    String name = Files.createDirectories(dir).toString();
    int tasks = numbers.size();
    long count = sc.parallelize(numbers, tasks).map(number -> meet(number, name, tasks)).count();
    System.out.println("count: " + count);
    // The driver is the one that is left.
    while (executors(sc) > 1) {
      Thread.sleep(POLL_MILLIS);
    }
    System.out.println("executors: " + (executors(sc) - 1));
  }

  private static int executors(JavaSparkContext sc) {
    return sc.sc().statusTracker().getExecutorInfos().length;
  }

  /** Each task of one core leaves a file, and goes on when all are there. */
  private static int meet(int number, String dir, int tasks)
      throws IOException, InterruptedException {
    Files.createFile(Paths.get(dir, Integer.toString(number)));
    while (new File(dir).list().length < tasks) {
      Thread.sleep(POLL_MILLIS);
    }
    return number;
  }
}
