package io.sparkotel.scenarios;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Jobs each of which has one fault of its tasks or executors, on a small scale, with a description
 * that says what. Needs a cluster with two executors of one core.
 */
public final class ClusterFindings {

  private static final long GC_MILLIS = 400;

  private final JavaSparkContext sc;

  private ClusterFindings(JavaSparkContext sc) {
    this.sc = sc;
  }

  public static void main(String[] args) throws InterruptedException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("cluster findings"));
    ClusterFindings findings = new ClusterFindings(sc);
    findings.next("warm up", 2).foreach(number -> {});
    Thread.sleep(1000);
    findings.next("tiny tasks", 20).foreach(number -> {});
    findings.next("straggler", 6).foreach(number -> Thread.sleep(number == 5 ? 3000 : 20));
    findings.next("gc", 2).foreach(number -> collectGarbage());
    findings.largePartition();
    findings.next("idle cores", 1).foreach(number -> Thread.sleep(6000));
    findings.next("retries", 2).foreach(number -> failOnce());
    findings.next("executor lost", 2).foreach(number -> exitOnce());
    sc.stop();
  }

  /** One number a task, from 0. */
  private JavaRDD<Integer> next(String description, int tasks) {
    sc.setJobDescription(description);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      numbers.add(i);
    }
    return sc.parallelize(numbers, tasks);
  }

  private void largePartition() {
    next("large partition", 2)
        .flatMap(number -> Collections.nCopies(number == 0 ? 3000 : 1, number).iterator())
        .mapToPair(number -> new Tuple2<>(number, noise()))
        .partitionBy(new HashPartitioner(2))
        .foreach(row -> {});
  }

  /** What no codec makes smaller. */
  private static byte[] noise() {
    byte[] bytes = new byte[100];
    new Random().nextBytes(bytes);
    return bytes;
  }

  private static void collectGarbage() {
    byte[][] kept = new byte[2000][10_000];
    long start = gcMillis();
    while (gcMillis() - start < GC_MILLIS) {
      System.gc();
    }
    Arrays.fill(kept, null);
  }

  private static long gcMillis() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      sum += collector.getCollectionTime();
    }
    return sum;
  }

  private static boolean isFirst() throws InterruptedException {
    Thread.sleep(500);
    TaskContext task = TaskContext.get();
    return task.partitionId() == 0 && task.attemptNumber() == 0;
  }

  private static void failOnce() throws InterruptedException {
    if (isFirst()) {
      throw new IllegalStateException("not yet");
    }
  }

  private static void exitOnce() throws InterruptedException {
    if (isFirst()) {
      Runtime.getRuntime().halt(52);
    }
  }
}
