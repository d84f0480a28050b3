package io.sparkotel.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerInterface;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a listener does for the start and the end of a task: the events of {@link RecordedJob},
 * again and again, on the benchmark's own thread. One operation is one task, with its share of the
 * job and the stage.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TaskEvents {

  /**
   * Begins the name of the listener's class; {@link Idle} shows what the benchmark itself costs.
   */
  @Param({"io.sparkotel.benchmarks.", "io.sparkotel.agent."})
  public String listener;

  private JavaSparkContext context;
  private RecordedJob job;
  private SparkListenerInterface target;

  /** Takes every event and does nothing with it. */
  static final class Idle extends SparkFirehoseListener {
    SparkListenerEvent last;

    @Override
    public void onEvent(SparkListenerEvent event) {
      last = event;
    }
  }

  @Setup
  public void start() throws ReflectiveOperationException, InterruptedException {
    context = new JavaSparkContext(new SparkConf().setAppName("task-events"));
    context.sc().addSparkListener(new Idle());
    job = RecordedJob.of(context);
    target = listener();
  }

  /** The one that the bus has of that name. */
  private SparkListenerInterface listener() throws ReflectiveOperationException {
    Field queues = context.sc().listenerBus().getClass().getDeclaredField("queues");
    queues.setAccessible(true);
    for (Object queue : (Collection<?>) queues.get(context.sc().listenerBus())) {
      Collection<?> listeners =
          (Collection<?>) queue.getClass().getMethod("listeners").invoke(queue);
      for (Object found : listeners) {
        if (found.getClass().getName().startsWith(listener)) {
          return (SparkListenerInterface) found;
        }
      }
    }
    throw new IllegalStateException("no listener of " + listener);
  }

  @Benchmark
  @OperationsPerInvocation(RecordedJob.TASKS)
  public void task() throws IllegalAccessException {
    for (SparkListenerEvent event : job.next()) {
      deliver(event);
    }
  }

  private void deliver(SparkListenerEvent event) {
    // As the bus does, whose match ends in one of these.
    if (event instanceof SparkListenerTaskStart start) {
      target.onTaskStart(start);
    } else if (event instanceof SparkListenerTaskEnd end) {
      target.onTaskEnd(end);
    } else if (event instanceof SparkListenerJobStart start) {
      target.onJobStart(start);
    } else if (event instanceof SparkListenerJobEnd end) {
      target.onJobEnd(end);
    } else if (event instanceof SparkListenerStageSubmitted submitted) {
      target.onStageSubmitted(submitted);
    } else if (event instanceof SparkListenerStageCompleted completed) {
      target.onStageCompleted(completed);
    }
  }

  /** Prints what is left on the heap while the application runs: tasks so far, and bytes. */
  @TearDown
  public void stop() {
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    System.out.println("live heap: " + listener + " " + job.told() + " " + heap);
    context.stop();
  }
}
