package io.sparkotel.benchmarks;

import io.sparkotel.scenarios.Timeline;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.LiveListenerBus;

/**
 * Tells all listeners of a real driver of as many tasks as the argument says, by the events of
 * {@link RecordedJob}: what a driver does for tasks that others run. Prints what {@link Timeline}
 * does.
 */
public final class BusEvents {

  private BusEvents() {}

  public static void main(String[] args) throws Exception {
    int tasks = Integer.parseInt(args[0]);
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("bus-events"));
    RecordedJob job = RecordedJob.of(sc);
    LiveListenerBus bus = sc.sc().listenerBus();
    Timeline.print("first-job");
    while (job.told() < tasks) {
      job.next().forEach(bus::post);
      bus.waitUntilEmpty();
    }
    Timeline.print("tasks");
    Timeline.printThreads();
    Timeline.printHeap();
    Timeline.print("idle");
    sc.stop();
    Timeline.print("stop");
  }
}
