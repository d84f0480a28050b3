package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;

/**
 * What bounds the time of an application. Its driver-only time, in which no job ran, no executor
 * shortens.
 *
 * <p>Its critical path is the driver-only time and the longest chain of jobs that ran one after the
 * other, where a job takes as long as its longest {@link StageChain}, but never longer than it
 * took: about the time with a core for every task.
 *
 * <p>Its ideal time is the driver-only time and the time in which jobs ran, shortened to what the
 * tasks used of the core time in it: about the time if no core had been idle while jobs ran.
 */
final class SpeedLimits {

  private final ExecutorCores executors;
  private final BusyTime busy;

  /** Of the jobs that have ended, in milliseconds. */
  private long longestChain;

  SpeedLimits(ExecutorCores executors) {
    this.executors = executors;
    this.busy = new BusyTime(executors);
  }

  void jobStarted(JobSpan job) {
    job.chainBefore = longestChain;
    busy.started(job.id(), job.startTime());
  }

  /** Tasks that end later were not waited for. */
  void jobEnded(JobSpan job, long time) {
    long took = FinishedSpan.clamp(time) - FinishedSpan.clamp(job.startTime());
    long chain = Math.min(job.chain.close(), Math.max(0, took));
    longestChain = Math.max(longestChain, Totals.sum(job.chainBefore, chain));
    busy.ended(job.id(), time);
  }

  int runningJobs() {
    return busy.running();
  }

  /** How many periods are held. */
  int periods() {
    return busy.periods();
  }

  /** Milliseconds between two times in which no job ran; after the end of the last one. */
  long driverOnlyTime(long start, long end) {
    long from = FinishedSpan.clamp(start);
    long to = Math.max(from, FinishedSpan.clamp(end));
    return to - from - Math.min(busy.time(from, to), to - from);
  }

  /**
   * Milliseconds of {@link #driverOnlyTime} in which executors waited, as if always all had been
   * there that were at one time; 0 where they are not known.
   */
  long waitingTime(long start, long end) {
    long from = FinishedSpan.clamp(start);
    long to = Math.max(from, FinishedSpan.clamp(end));
    if (!executors.isKnown(to)) {
      return 0;
    }
    long idle = executors.coreTime(from, to) - busy.coreTime(from, to);
    long waiting = idle / Math.max(1, executors.mostCores());
    return Math.max(0, Math.min(waiting, driverOnlyTime(start, end)));
  }

  /**
   * After the end of the last job.
   *
   * @param start of the application's span
   * @param end of the application's span
   */
  void put(AttributeList.Builder attributes, Totals totals, long start, long end) {
    long from = FinishedSpan.clamp(start);
    long to = Math.max(from, FinishedSpan.clamp(end));
    long driverOnly = driverOnlyTime(start, end);
    long busyTime = to - from - driverOnly;
    attributes.put(CostMetric.DRIVER_ONLY_TIME.attribute(), driverOnly);
    attributes.put(
        CostMetric.CRITICAL_PATH.attribute(), driverOnly + Math.min(longestChain, busyTime));
    Long used = totals.coreTimeUsed();
    if (used == null || !executors.isKnown(to)) {
      return;
    }
    long available = busy.coreTime(from, to);
    if (used == 0) {
      attributes.put(CostMetric.IDEAL_TIME.attribute(), driverOnly);
    } else if (available > 0) {
      long ofJobs = Math.min(busyTime, Math.round((double) busyTime * used / available));
      attributes.put(CostMetric.IDEAL_TIME.attribute(), driverOnly + ofJobs);
    }
  }
}
