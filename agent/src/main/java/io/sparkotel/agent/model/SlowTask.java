package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Spread;
import io.sparkotel.agent.telemetry.TaskMetric;

/** A successful task that was slow beside the others of its stage, and whether by its data. */
final class SlowTask {

  /** Skew or straggler. */
  final FindingCode code;

  final double excess;

  /** Duration by the median. */
  final double ratio;

  /** Of the durations, in milliseconds. */
  final long median;

  /** What it read most of: shuffle or input. */
  final TaskMetric kind;

  /** Bytes of that which the median task read. */
  final long usual;

  /** Whether it read many times what the median task did, much or little. */
  final boolean readMore;

  private SlowTask(
      FindingCode code,
      double excess,
      double ratio,
      long median,
      TaskMetric kind,
      long usual,
      boolean readMore) {
    this.code = code;
    this.excess = excess;
    this.ratio = ratio;
    this.median = median;
    this.kind = kind;
    this.usual = usual;
    this.readMore = readMore;
  }

  /**
   * Null where it was not slow.
   *
   * @param spread of the successful tasks of its stage, this one among them
   */
  static SlowTask of(TaskEnd end, SpreadValues spread, FindingsConfig config) {
    long duration = end.task.duration();
    // Most tasks are short, and medians cost a sort.
    if (config.excess(FindingThreshold.SKEW_TIME, duration) == 0
        && config.excess(FindingThreshold.STRAGGLER_TIME, duration) == 0) {
      return null;
    }
    long median = spread.median(Spread.DURATION);
    double ratio = (double) duration / Math.max(1, median);
    boolean shuffled =
        TaskFindings.value(end, TaskMetric.SHUFFLE_READ_BYTES)
            >= TaskFindings.value(end, TaskMetric.INPUT_BYTES);
    TaskMetric kind = shuffled ? TaskMetric.SHUFFLE_READ_BYTES : TaskMetric.INPUT_BYTES;
    long usual = spread.median(shuffled ? Spread.SHUFFLE_READ_BYTES : Spread.INPUT_BYTES);
    long read = TaskFindings.value(end, kind);
    boolean readMore =
        config.excess(FindingThreshold.SKEW_DATA_RATIO, (double) read / Math.max(1, usual)) > 0;
    boolean skewed = readMore && config.excess(FindingThreshold.SKEW_DATA, read - usual) > 0;
    double times =
        config.excess(
            skewed ? FindingThreshold.SKEW_RATIO : FindingThreshold.STRAGGLER_RATIO, ratio);
    double time =
        config.excess(
            skewed ? FindingThreshold.SKEW_TIME : FindingThreshold.STRAGGLER_TIME,
            (double) duration - median);
    if (times == 0 || time == 0) {
      return null;
    }
    FindingCode code = skewed ? FindingCode.SKEW : FindingCode.STRAGGLER;
    return new SlowTask(code, Math.min(times, time), ratio, median, kind, usual, readMore);
  }
}
