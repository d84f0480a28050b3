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

  private SlowTask(FindingCode code, double excess, double ratio, long median, TaskMetric kind) {
    this.code = code;
    this.excess = excess;
    this.ratio = ratio;
    this.median = median;
    this.kind = kind;
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
    double more = (double) TaskFindings.value(end, kind) / Math.max(1, usual);
    boolean skewed = config.excess(FindingThreshold.SKEW_DATA_RATIO, more) > 0;
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
    return new SlowTask(code, Math.min(times, time), ratio, median, kind);
  }
}
