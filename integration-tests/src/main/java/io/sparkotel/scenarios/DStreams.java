package io.sparkotel.scenarios;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.streaming.Durations;
import org.apache.spark.streaming.api.java.JavaReceiverInputDStream;
import org.apache.spark.streaming.api.java.JavaStreamingContext;
import org.apache.spark.streaming.receiver.Receiver;
import org.apache.spark.streaming.scheduler.BatchInfo;
import org.apache.spark.streaming.scheduler.StreamingListener;
import org.apache.spark.streaming.scheduler.StreamingListenerBatchCompleted;
import org.apache.spark.streaming.scheduler.StreamingListenerReceiverError;

/**
 * DStreams of a receiver, with two output operations, one of which runs SQL. A batch that is good,
 * one whose job fails, one that fails outside of its job, one after an error of the receiver; the
 * next one begins when the one before is over, and between them are empty ones. The last one runs
 * while all is stopped. Prints what Spark tells of each that had input.
 */
public final class DStreams {

  /** Of each batch with input; an empty one is an error of the receiver. */
  private static final BlockingQueue<List<Integer>> INPUT = new LinkedBlockingQueue<>();

  private static final Semaphore TOLD = new Semaphore(0);
  private static final Semaphore EMPTY = new Semaphore(0);
  private static final Semaphore RUNNING = new Semaphore(0);

  /** Gives what stands in the queue, for it runs in the same JVM. */
  private static final class Queued extends Receiver<Integer> {
    private static final long serialVersionUID = 1L;

    Queued() {
      super(StorageLevel.MEMORY_ONLY());
    }

    @Override
    public void onStart() {
      Thread thread = new Thread(this::run, "queued");
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      try {
        while (!isStopped()) {
          List<Integer> next = INPUT.take();
          if (next.isEmpty()) {
            reportError("no line", new IOException("cut"));
          } else {
            store(next.iterator());
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void onStop() {}
  }

  /** Prints, and tells that the next one may begin. */
  private static final class Telling implements StreamingListener {
    @Override
    public void onBatchCompleted(StreamingListenerBatchCompleted completed) {
      BatchInfo batch = completed.batchInfo();
      if (batch.numRecords() == 0) {
        EMPTY.release();
        return;
      }
      System.out.println(
          "batch "
              + batch.batchTime().milliseconds()
              + ' '
              + batch.numRecords()
              + ' '
              + batch.schedulingDelay().get()
              + ' '
              + batch.processingDelay().get()
              + ' '
              + batch.totalDelay().get());
      TOLD.release();
    }

    @Override
    public void onReceiverError(StreamingListenerReceiverError error) {
      TOLD.release();
    }
  }

  private DStreams() {}

  public static void main(String[] args) throws InterruptedException {
    SparkConf conf = new SparkConf().setAppName("dstreams");
    JavaStreamingContext streaming = new JavaStreamingContext(conf, Durations.milliseconds(300));
    streaming.addStreamingListener(new Telling());
    JavaReceiverInputDStream<Integer> numbers = streaming.receiverStream(new Queued());
    numbers.foreachRDD(DStreams::divide);
    numbers.foreachRDD(DStreams::query);
    streaming.start();
    await(EMPTY);
    give(1, 2, 3);
    give(0, 1);
    give(7);
    give();
    give(5, 6);
    EMPTY.drainPermits();
    await(EMPTY);
    INPUT.put(Collections.singletonList(8));
    await(RUNNING);
    streaming.stop(true, false);
  }

  private static void give(Integer... numbers) throws InterruptedException {
    INPUT.put(numbers.length == 0 ? Collections.emptyList() : Arrays.asList(numbers));
    await(TOLD);
  }

  private static void await(Semaphore semaphore) throws InterruptedException {
    if (!semaphore.tryAcquire(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nothing was told");
    }
  }

  /** Without input a job without a stage. */
  private static void divide(JavaRDD<Integer> rdd) {
    if (rdd.getNumPartitions() == 0) {
      rdd.count();
      return;
    }
    int sum = rdd.map(DStreams::share).reduce(Integer::sum);
    if (sum == 12) {
      throw new IllegalStateException("a dozen");
    }
  }

  private static int share(int number) throws InterruptedException {
    if (number == 8) {
      RUNNING.release();
      Thread.sleep(60_000);
    }
    return 84 / number;
  }

  private static void query(JavaRDD<Integer> rdd) {
    if (rdd.getNumPartitions() > 0) {
      SparkSession spark = SparkSession.builder().config(rdd.context().getConf()).getOrCreate();
      spark.createDataset(rdd.rdd(), Encoders.INT()).filter("value > 1").collectAsList();
    }
  }
}
