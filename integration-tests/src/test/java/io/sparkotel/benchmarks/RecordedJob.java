package io.sparkotel.benchmarks;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;

/** The events of a real job of a thousand tasks, which can be told again and again. */
final class RecordedJob {

  static final int TASKS = 1_000;

  private final List<SparkListenerEvent> events = new ArrayList<>();
  private final Numbers jobs = new Numbers();
  private final Numbers stages = new Numbers();
  private final Numbers tasks = new Numbers();
  private int round;

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

  private RecordedJob() {}

  /** Runs the job, the first of that context. */
  static RecordedJob of(JavaSparkContext context) throws InterruptedException {
    RecordedJob job = new RecordedJob();
    Recorder recorder = new Recorder();
    context.sc().addSparkListener(recorder);
    context.parallelize(Collections.nCopies(TASKS, 1), TASKS).foreach(number -> {});
    recorder.complete.await();
    context.sc().removeSparkListener(recorder);
    recorder.events.forEach(job::add);
    if (job.tasks.size() != TASKS) {
      throw new IllegalStateException(job.tasks.size() + " tasks");
    }
    return job;
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

  /** The same events, as those of the next job: nobody may still look at them as the last one's. */
  List<SparkListenerEvent> next() throws IllegalAccessException {
    round++;
    jobs.setAll(round);
    stages.setAll(round);
    tasks.setRising((long) round * TASKS);
    return events;
  }

  /** How many tasks were told again. */
  long told() {
    return (long) round * TASKS;
  }
}
