package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.streaming.Durations;
import org.apache.spark.streaming.api.java.JavaStreamingContext;

/**
 * DStreams of a directory where nothing arrives, whose output operation counts something else all
 * the same. Goes on from the checkpoint where there is one. Arguments: the directory, that of the
 * checkpoint. Ends after a batch.
 */
public final class RestoredDStreams {

  private static final CountDownLatch DONE = new CountDownLatch(1);

  private RestoredDStreams() {}

  public static void main(String[] args) throws InterruptedException, IOException {
    Files.createDirectories(Paths.get(args[0]));
    JavaStreamingContext streaming =
        JavaStreamingContext.getOrCreate(args[1], () -> create(args[0], args[1]));
    streaming.start();
    if (!DONE.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no batch");
    }
    streaming.stop(true, true);
  }

  private static JavaStreamingContext create(String input, String checkpoint) {
    System.out.println("created");
    SparkConf conf = new SparkConf().setAppName("restored");
    JavaStreamingContext streaming = new JavaStreamingContext(conf, Durations.seconds(2));
    streaming.checkpoint(checkpoint);
    streaming.textFileStream(input).foreachRDD(RestoredDStreams::count);
    return streaming;
  }

  private static void count(JavaRDD<String> none) {
    JavaSparkContext.fromSparkContext(none.context())
        .parallelize(Collections.singletonList(1), 1)
        .count();
    DONE.countDown();
  }
}
