package io.sparkotel.agent.model;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Arrays;

/** Counts and sums over all that ran below a span. Adding is O(1). */
final class Totals {

  private static final TaskMetric[] METRICS = TaskMetric.values();
  private static final TaskMetric[] IN_EXECUTOR = {
    TaskMetric.DESERIALIZE_TIME, TaskMetric.RUN_TIME, TaskMetric.RESULT_SERIALIZATION_TIME
  };

  private final long[] sums = new long[TaskMetric.COUNT];
  private int taskCpus = 1;
  private long coreTimeUsed;
  private boolean coreTimeUnknown;
  private long tasksWithMetrics;
  private long tasksSucceeded;
  private long tasksFailed;
  private long tasksKilled;
  private long tasksSpeculative;
  private long tasksPlanned;
  private long stages;
  private long stagesFailed;
  private long stagesSkipped;
  private long stagesRetried;
  private long jobs;
  private long jobsSucceeded;
  private long jobsFailed;

  Totals() {
    Arrays.fill(sums, TaskMetric.ABSENT);
  }

  /** Counts as Spark does: a resubmitted task is a failed one, a denied commit a killed one. */
  void addTask(TaskEnd end) {
    EndReason.Kind kind = end.reason.kind;
    if (kind == EndReason.Kind.Success) {
      tasksSucceeded++;
    } else if (kind.isKilled()) {
      tasksKilled++;
    } else {
      tasksFailed++;
    }
    if (end.task.speculative) {
      tasksSpeculative++;
    }
    if (end.metrics != null) {
      tasksWithMetrics++;
      addSums(end.metrics);
      addCoreTime(end.metrics);
    }
  }

  /** The cores that each task takes that is added from now on; 0 where they are not known. */
  void taskCpus(int cores) {
    taskCpus = cores;
  }

  private void addCoreTime(long[] metrics) {
    coreTimeUnknown |= taskCpus == 0;
    long time = 0;
    for (TaskMetric part : IN_EXECUTOR) {
      time = sum(time, Math.max(0, metrics[part.ordinal()]));
    }
    long most = Long.MAX_VALUE / Math.max(1, taskCpus);
    coreTimeUsed = sum(coreTimeUsed, time > most ? Long.MAX_VALUE : time * taskCpus);
  }

  /** Time of the tasks in their executors times their cores, ms; null where it is not known. */
  Long coreTimeUsed() {
    boolean untold = coreTimeUnknown || (tasksWithMetrics == 0 && tasks() > 0);
    return untold ? null : Long.valueOf(coreTimeUsed);
  }

  /**
   * @param planned how many tasks it has, whatever became of them
   */
  void addStage(int planned, boolean failed, boolean retry) {
    stages++;
    tasksPlanned += planned;
    if (failed) {
      stagesFailed++;
    }
    if (retry) {
      stagesRetried++;
    }
  }

  void addSkippedStages(int count) {
    stagesSkipped += count;
  }

  /** One whose end was not seen has neither succeeded nor failed. */
  void addJob(JobSpan job) {
    jobs++;
    if (job.succeeded()) {
      jobsSucceeded++;
    } else if (job.isEnded()) {
      jobsFailed++;
    }
  }

  void add(Totals other) {
    coreTimeUnknown |= other.coreTimeUnknown;
    coreTimeUsed = sum(coreTimeUsed, other.coreTimeUsed);
    tasksWithMetrics += other.tasksWithMetrics;
    tasksSucceeded += other.tasksSucceeded;
    tasksFailed += other.tasksFailed;
    tasksKilled += other.tasksKilled;
    tasksSpeculative += other.tasksSpeculative;
    tasksPlanned += other.tasksPlanned;
    stages += other.stages;
    stagesFailed += other.stagesFailed;
    stagesSkipped += other.stagesSkipped;
    stagesRetried += other.stagesRetried;
    jobs += other.jobs;
    jobsSucceeded += other.jobsSucceeded;
    jobsFailed += other.jobsFailed;
    addSums(other.sums);
  }

  private void addSums(long[] values) {
    for (int i = 0; i < values.length; i++) {
      long value = values[i];
      if (value == TaskMetric.ABSENT) {
        continue;
      }
      // A negative one is as wrong as a negative delay.
      long counted = Math.max(0, value);
      long sum = sums[i];
      if (sum == TaskMetric.ABSENT) {
        sums[i] = counted;
      } else {
        sums[i] = METRICS[i].isMaximum() ? Math.max(sum, counted) : sum(sum, counted);
      }
    }
  }

  /** Of two that are not negative; the greatest number where no long holds it. */
  static long sum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /**
   * Whether each task that there was to run was run once, as far as known, and told its metrics.
   */
  boolean ranOnce() {
    return tasks() == tasksPlanned
        && tasksSucceeded == tasksPlanned
        && tasksWithMetrics == tasksPlanned
        && stagesRetried == 0;
  }

  long tasks() {
    return tasksSucceeded + tasksFailed + tasksKilled;
  }

  long tasksFailed() {
    return tasksFailed;
  }

  long stages() {
    return stages;
  }

  long jobs() {
    return jobs;
  }

  /** The sum of a metric as Spark counts it, 0 where no task reported it. */
  long sum(TaskMetric metric) {
    return Math.max(0, sums[metric.ordinal()]);
  }

  /** Every count of a level below {@code entity}, and every sum, 0 included. */
  void put(AttributeList.Builder attributes, Entity entity) {
    if (entity != Entity.JOB && entity != Entity.STAGE) {
      attributes.put(Names.JOBS_TOTAL, jobs());
      attributes.put(Names.JOBS_SUCCEEDED, jobsSucceeded);
      attributes.put(Names.JOBS_FAILED, jobsFailed);
    }
    if (entity != Entity.STAGE) {
      attributes.put(Names.STAGES_TOTAL, stages);
      attributes.put(Names.STAGES_FAILED, stagesFailed);
      attributes.put(Names.STAGES_SKIPPED, stagesSkipped);
      attributes.put(Names.STAGES_RETRIED, stagesRetried);
    }
    attributes.put(Names.TASKS_TOTAL, tasks());
    attributes.put(Names.TASKS_SUCCEEDED, tasksSucceeded);
    attributes.put(Names.TASKS_FAILED, tasksFailed);
    attributes.put(Names.TASKS_KILLED, tasksKilled);
    attributes.put(Names.TASKS_SPECULATIVE, tasksSpeculative);
    if (tasksWithMetrics > 0) {
      MetricAttributes.putTotals(attributes, sums);
    }
  }
}
