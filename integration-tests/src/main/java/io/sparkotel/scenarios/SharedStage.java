package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import scala.Tuple2;

/**
 * Two jobs of two threads that wait for one shuffle stage. Its tasks block until Spark has
 * announced both jobs, and the second is submitted after the first was announced: job 0 is the
 * count, job 1 the collect, in every run. Needs local mode, where tasks see the latches.
 */
public final class SharedStage {

  private static final CountDownLatch FIRST_JOB = new CountDownLatch(1);
  private static final CountDownLatch BOTH_JOBS = new CountDownLatch(2);

  private SharedStage() {}

  public static void main(String[] args) throws InterruptedException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("shared stage"));
    sc.sc().addSparkListener(new JobStarts());
    JavaPairRDD<Integer, Integer> sums =
        sc.parallelize(Arrays.asList(1, 2, 3, 4, 5, 6), 2)
            .mapToPair(
                number -> {
                  await(BOTH_JOBS);
                  return new Tuple2<>(number % 2, number);
                })
            .reduceByKey(Integer::sum, 2);
    Thread counting = new Thread(() -> System.out.println("count: " + sums.count()));
    counting.start();
    await(FIRST_JOB);
    System.out.println("sums: " + sums.collect().size());
    counting.join();
    sc.stop();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the other job did not start");
    }
  }

  private static final class JobStarts extends SparkListener {
    @Override
    public void onJobStart(SparkListenerJobStart event) {
      FIRST_JOB.countDown();
      BOTH_JOBS.countDown();
    }
  }
}
