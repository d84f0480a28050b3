package io.sparkotel.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
import org.apache.spark.scheduler.StageInfo;
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
 * What a listener does for the start and the end of a task: the events of a real job of a thousand
 * tasks, again and again under new ids, on the benchmark's own thread. One operation is one task,
 * with its share of the job and the stage.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TaskEvents {

  private static final int TASKS = 1_000;

  /**
   * Begins the name of the listener's class; {@link Idle} shows what the benchmark itself costs.
   */
  @Param({"io.sparkotel.benchmarks.", "io.sparkotel.agent."})
  public String listener;

  private final List<SparkListenerEvent> events = new ArrayList<>();
  private final Numbers jobs = new Numbers();
  private final Numbers stages = new Numbers();
  private final Numbers tasks = new Numbers();
  private JavaSparkContext context;
  private SparkListenerInterface target;
  private int round;

  /** Takes every event and does nothing with it. */
  static final class Idle extends SparkFirehoseListener {
    SparkListenerEvent last;

    @Override
    public void onEvent(SparkListenerEvent event) {
      last = event;
    }
  }

  /** Keeps what is posted, up to the end of the job. */
  private static final class Recorder extends SparkFirehoseListener {
    final List<SparkListenerEvent> events = new ArrayList<>();
    final CountDownLatch complete = new CountDownLatch(1);

    @Override
    public void onEvent(SparkListenerEvent event) {
      if (complete.getCount() > 0) {
        events.add(event);
      }
      if (event instanceof SparkListenerJobEnd) {
        complete.countDown();
      }
    }
  }

  /** The fields that hold ids of one kind, in the events and in what they hold. */
  private static final class Numbers {
    private final List<Field> fields = new ArrayList<>();
    private final List<Object> owners = new ArrayList<>();

    void add(Object owner, String name) {
      try {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        fields.add(field);
        owners.add(owner);
      } catch (NoSuchFieldException e) {
        throw new IllegalStateException(e);
      }
    }

    int size() {
      return owners.size();
    }

    void setAll(int id) throws IllegalAccessException {
      for (int i = 0; i < owners.size(); i++) {
        fields.get(i).setInt(owners.get(i), id);
      }
    }

    void setRising(long first) throws IllegalAccessException {
      for (int i = 0; i < owners.size(); i++) {
        fields.get(i).setLong(owners.get(i), first + i);
      }
    }
  }

  @Setup
  public void start() throws ReflectiveOperationException, InterruptedException {
    context = new JavaSparkContext(new SparkConf().setAppName("task-events"));
    Recorder recorder = new Recorder();
    context.sc().addSparkListener(recorder);
    context.sc().addSparkListener(new Idle());
    context.parallelize(Collections.nCopies(TASKS, 1), TASKS).foreach(number -> {});
    recorder.complete.await();
    recorder.events.forEach(this::add);
    if (tasks.size() != TASKS) {
      throw new IllegalStateException(tasks.size() + " tasks");
    }
    target = listener();
  }

  private void add(SparkListenerEvent event) {
    if (event instanceof SparkListenerTaskStart start) {
      stages.add(start, "stageId");
      // The same object as at the task's end.
      tasks.add(start.taskInfo(), "taskId");
    } else if (event instanceof SparkListenerTaskEnd end) {
      stages.add(end, "stageId");
    } else if (event instanceof SparkListenerJobStart start) {
      jobs.add(start, "jobId");
      scala.collection.Iterator<StageInfo> infos = start.stageInfos().iterator();
      while (infos.hasNext()) {
        stages.add(infos.next(), "stageId");
      }
    } else if (event instanceof SparkListenerJobEnd end) {
      jobs.add(end, "jobId");
    } else if (event instanceof SparkListenerStageSubmitted submitted) {
      stages.add(submitted.stageInfo(), "stageId");
    } else if (event instanceof SparkListenerStageCompleted completed) {
      stages.add(completed.stageInfo(), "stageId");
    } else {
      return;
    }
    events.add(event);
  }

  /** The one that the bus has of that name. */
  private SparkListenerInterface listener() throws ReflectiveOperationException {
    Field queues = context.sc().listenerBus().getClass().getDeclaredField("queues");
    queues.setAccessible(true);
    for (Object queue : (Collection<?>) queues.get(context.sc().listenerBus())) {
      Collection<?> listeners =
          (Collection<?>) queue.getClass().getMethod("listeners").invoke(queue);
      for (Object found : listeners) {
        if (found.getClass().getName().startsWith(listener) && !(found instanceof Recorder)) {
          return (SparkListenerInterface) found;
        }
      }
    }
    throw new IllegalStateException("no listener of " + listener);
  }

  @Benchmark
  @OperationsPerInvocation(TASKS)
  public void task() throws IllegalAccessException {
    round++;
    jobs.setAll(round);
    stages.setAll(round);
    tasks.setRising((long) round * TASKS);
    for (SparkListenerEvent event : events) {
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
    System.out.println("live heap: " + listener + " " + (long) round * TASKS + " " + heap);
    context.stop();
  }
}
