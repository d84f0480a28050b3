package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Spread;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Locale;

/** What was wrong with one attempt of a stage: counted as its tasks end, said once it is closed. */
final class StageFindings {

  private static final double NANOS = 1_000_000;

  private TaskEnd largest;
  private long largestBytes;
  private long taskTime;
  private long failedTime;
  private long failed;
  private long lost;

  /** O(1). */
  void taskEnded(TaskEnd end) {
    EndReason.Kind kind = end.reason.kind;
    taskTime = Totals.sum(taskTime, end.task.duration());
    if (kind.isFailure()) {
      failed++;
      failedTime = Totals.sum(failedTime, end.task.duration());
    }
    if (kind == EndReason.Kind.ExecutorLostFailure || kind == EndReason.Kind.Resubmitted) {
      lost++;
    }
    long bytes = TaskFindings.value(end, TaskFindings.partitionMetric(end));
    if (bytes > largestBytes || (bytes == largestBytes && isBefore(end, largest))) {
      largestBytes = bytes;
      largest = end;
    }
  }

  private static boolean isBefore(TaskEnd end, TaskEnd other) {
    return other != null && end.task.id < other.task.id;
  }

  /** Durations of all its task attempts, in milliseconds. */
  long taskTime() {
    return taskTime;
  }

  /**
   * Adds what was found.
   *
   * @param retry whether an attempt of the stage came before this one
   */
  void addTo(
      Findings findings, Totals totals, SpreadValues spread, boolean retry, SpanFactory spans) {
    FindingsConfig config = spans.config.findings();
    addSlowest(findings, config, totals, spread, spans.redactor);
    addSpill(findings, config, totals, spread);
    addGc(findings, config, totals);
    addTinyTasks(findings, config, spread);
    addLargest(findings, config, spans.redactor);
    addResult(findings, config, totals);
    addRetries(findings, config, totals, retry);
    addLost(findings, config);
  }

  private static void addSlowest(
      Findings findings,
      FindingsConfig config,
      Totals totals,
      SpreadValues spread,
      Redactor redactor) {
    TaskEnd end = spread.slowest();
    SlowTask slow = end == null ? null : SlowTask.of(end, spread, config);
    if (slow == null) {
      return;
    }
    String sentence =
        FindingText.task(end.task, redactor)
            + " ran "
            + FindingText.ratio(slow.ratio)
            + " times the median ("
            + FindingText.time(end.task.duration())
            + ", median "
            + FindingText.time(slow.median)
            + ")";
    if (slow.code == FindingCode.SKEW) {
      sentence +=
          " and read "
              + FindingText.bytes(TaskFindings.value(end, slow.kind))
              + " of "
              + FindingText.bytes(totals.sum(slow.kind))
              + (slow.kind == TaskMetric.INPUT_BYTES ? ": uneven input" : ": key skew");
    } else if (slow.readMore) {
      sentence +=
          " and read "
              + FindingText.bytes(TaskFindings.value(end, slow.kind))
              + " where the median is "
              + FindingText.bytes(slow.usual)
              + ": too little to be why";
    } else {
      sentence += " on no more data than others: a slow executor or host";
    }
    findings.add(config, slow.code, slow.excess, sentence);
  }

  private static void addSpill(
      Findings findings, FindingsConfig config, Totals totals, SpreadValues spread) {
    long disk = totals.sum(TaskMetric.DISK_SPILLED);
    double excess = config.excess(FindingThreshold.SPILL_SIZE, disk);
    if (excess > 0) {
      String sentence =
          "tasks spilled "
              + FindingText.bytes(totals.sum(TaskMetric.MEMORY_SPILLED))
              + " of memory, "
              + FindingText.bytes(disk)
              + " on disk";
      // Of tasks that succeeded: those that failed may have spilled it all.
      long most = spread.max(Spread.SPILL_DISK_BYTES);
      if (most > 0) {
        sentence += "; the most of one task is " + FindingText.bytes(most);
      }
      findings.add(config, FindingCode.SPILL, excess, sentence);
    }
  }

  private static void addGc(Findings findings, FindingsConfig config, Totals totals) {
    double gc = (double) totals.sum(TaskMetric.GC_TIME);
    // That of a task is what its JVM collected since it came, also while it was deserialized.
    double run = (double) totals.sum(TaskMetric.RUN_TIME) + totals.sum(TaskMetric.DESERIALIZE_TIME);
    double excess =
        Math.min(
            config.excess(FindingThreshold.GC_TIME, gc),
            config.excess(FindingThreshold.GC_SHARE, gc / Math.max(1, run)));
    if (excess > 0) {
      String sentence =
          "garbage collection took "
              + FindingText.time(gc)
              + " of "
              + FindingText.time(run)
              + " run time, "
              + FindingText.share(Math.min(gc, run), run);
      findings.add(config, FindingCode.GC, excess, sentence);
    }
  }

  private static void addTinyTasks(Findings findings, FindingsConfig config, SpreadValues spread) {
    double tasks = config.excess(FindingThreshold.TINY_TASKS_TASKS, spread.count());
    if (tasks == 0) {
      return;
    }
    long median = spread.median(Spread.DURATION);
    double excess = Math.min(tasks, config.excess(FindingThreshold.TINY_TASKS_TIME, median));
    if (excess > 0) {
      String sentence =
          FindingText.count(spread.count(), "task")
              + " ran with a median of "
              + FindingText.time(median)
              + ": more scheduling than work";
      findings.add(config, FindingCode.TINY_TASKS, excess, sentence);
    }
  }

  private void addLargest(Findings findings, FindingsConfig config, Redactor redactor) {
    double excess = config.excess(FindingThreshold.LARGE_PARTITION_SIZE, largestBytes);
    if (excess > 0) {
      String sentence =
          FindingText.task(largest.task, redactor)
              + did(TaskFindings.partitionMetric(largest), FindingText.bytes(largestBytes));
      findings.add(config, FindingCode.LARGE_PARTITION, excess, sentence);
    }
  }

  private static String did(TaskMetric metric, String bytes) {
    switch (metric) {
      case INPUT_BYTES:
        return " read " + bytes + " of input";
      case SHUFFLE_READ_BYTES:
        return " read " + bytes + " of shuffle data";
      case SHUFFLE_WRITE_BYTES:
        return " wrote " + bytes + " of shuffle data";
      default:
        return " wrote " + bytes + " of output";
    }
  }

  private static void addResult(Findings findings, FindingsConfig config, Totals totals) {
    long size = totals.sum(TaskMetric.RESULT_SIZE);
    double excess = config.excess(FindingThreshold.LARGE_RESULT_SIZE, size);
    if (excess > 0) {
      String sentence =
          FindingText.count(totals.tasks(), "task")
              + " sent "
              + FindingText.bytes(size)
              + " of results to the driver";
      findings.add(config, FindingCode.LARGE_RESULT, excess, sentence);
    }
  }

  private void addRetries(Findings findings, FindingsConfig config, Totals totals, boolean retry) {
    double excess = config.excess(FindingThreshold.RETRIES_TIME, retry ? taskTime : failedTime);
    if (excess == 0) {
      return;
    }
    String sentence =
        retry
            ? "a further attempt ran "
                + FindingText.count(totals.tasks(), "task")
                + " again, "
                + FindingText.time(taskTime)
                + " of task time"
            : FindingText.number(failed)
                + " of "
                + FindingText.count(totals.tasks(), "task")
                + " failed, with "
                + FindingText.time(failedTime)
                + " of task time";
    findings.add(config, FindingCode.RETRIES, excess, sentence);
  }

  private void addLost(Findings findings, FindingsConfig config) {
    double excess = config.excess(FindingThreshold.EXECUTOR_LOST_TASKS, lost);
    if (excess > 0) {
      String sentence =
          FindingText.count(lost, "task")
              + (lost == 1 ? " was lost with its executor" : " were lost with their executors");
      findings.add(config, FindingCode.EXECUTOR_LOST, excess, sentence);
    }
  }

  /**
   * Adds the time in Python.
   *
   * @param reported milliseconds as Spark tells them, null where it does not
   * @param operator that ran Python, or null where there is none
   */
  static void addPython(
      Findings findings, FindingsConfig config, Totals totals, Long reported, String operator) {
    if (operator == null) {
      return;
    }
    double run = (double) totals.sum(TaskMetric.RUN_TIME);
    // What the JVM's threads did not do themselves they waited for.
    double waited =
        run
            - totals.sum(TaskMetric.CPU_TIME) / NANOS
            - totals.sum(TaskMetric.GC_TIME)
            - totals.sum(TaskMetric.SHUFFLE_FETCH_WAIT_TIME);
    double python = reported == null ? waited : (double) reported;
    double excess =
        Math.min(
            config.excess(FindingThreshold.PYTHON_TIME_TIME, python),
            config.excess(FindingThreshold.PYTHON_TIME_SHARE, python / Math.max(1, run)));
    if (excess > 0) {
      String sentence =
          String.format(
              Locale.ROOT,
              "%s %s of %s run time, %s",
              reported == null ? "the JVM waited for " + operator : operator + " ran Python for",
              FindingText.time(python),
              FindingText.time(run),
              FindingText.share(python, run));
      findings.add(config, FindingCode.PYTHON_TIME, excess, sentence);
    }
  }
}
