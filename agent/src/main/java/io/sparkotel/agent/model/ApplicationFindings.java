package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.FindingCode;

/** What was wrong with the use of driver, cores and memory. */
final class ApplicationFindings {

  private final Findings findings;
  private final FindingsConfig config;

  ApplicationFindings(Findings findings, FindingsConfig config) {
    this.findings = findings;
    this.config = config;
  }

  /**
   * Adds the time without a job.
   *
   * @param driverOnly milliseconds of it
   * @param waiting milliseconds of that in which executors were there
   * @param whole milliseconds of the application
   */
  void addDriverTime(long driverOnly, long waiting, long whole) {
    double excess =
        Math.min(
            config.excess(FindingThreshold.DRIVER_TIME_TIME, waiting),
            config.excess(
                FindingThreshold.DRIVER_TIME_SHARE, (double) waiting / Math.max(1, whole)));
    if (excess > 0) {
      String sentence =
          "no job ran in "
              + FindingText.time(driverOnly)
              + " of "
              + FindingText.time(whole)
              + ", "
              + FindingText.share(driverOnly, whole);
      findings.add(config, FindingCode.DRIVER_TIME, excess, sentence);
    }
  }

  /**
   * Adds core time that was not used.
   *
   * @param who used it, such as {@code 3 tasks on 64 cores}
   * @param used milliseconds, null where they are not known
   * @param available milliseconds
   */
  void addIdleCores(String who, Long used, long available) {
    if (used == null || available <= 0) {
      return;
    }
    double idle = (double) available - used;
    double excess =
        Math.min(
            config.excess(FindingThreshold.IDLE_CORES_TIME, idle),
            config.excess(FindingThreshold.IDLE_CORES_SHARE, idle / available));
    if (excess > 0) {
      String sentence =
          who
              + " used "
              + FindingText.time(used)
              + " of "
              + FindingText.time(available)
              + " core time, "
              + FindingText.share(used, available);
      findings.add(config, FindingCode.IDLE_CORES, excess, sentence);
    }
  }

  /**
   * Adds a heap that was too large or nearly too small.
   *
   * @param heap of each executor in bytes, null where it is not known or not the same for all
   * @param executors most at one time
   * @param time milliseconds of the application
   */
  void addMemory(ExecutorPeaks peaks, Long heap, int executors, long time, Redactor redactor) {
    long peak = peaks.value(ExecutorMetric.JVM_HEAP);
    if (heap == null || heap <= 0 || peak <= 0) {
      return;
    }
    double unused = Math.max(0, (double) heap - peak);
    double tooMuch =
        Math.min(
            config.excess(FindingThreshold.MEMORY_UNUSED_TIME, time),
            Math.min(
                config.excess(FindingThreshold.MEMORY_UNUSED_SHARE, unused / heap),
                config.excess(FindingThreshold.MEMORY_UNUSED_SIZE, unused * executors)));
    String most = FindingText.bytes(peak) + " of its " + FindingText.bytes(heap) + " heap";
    if (tooMuch > 0) {
      String sentence =
          "no executor used more than "
              + most
              + ", "
              + FindingText.bytes(unused * executors)
              + " unused on "
              + FindingText.count(executors, "executor");
      findings.add(config, FindingCode.MEMORY_UNUSED, tooMuch, sentence);
    }
    double tooLittle =
        Math.min(
            config.excess(FindingThreshold.MEMORY_NEAR_LIMIT_SHARE, (double) peak / heap),
            config.excess(FindingThreshold.MEMORY_NEAR_LIMIT_SIZE, heap));
    if (tooLittle > 0) {
      String executor = redactor.text(peaks.holder(ExecutorMetric.JVM_HEAP));
      String sentence =
          "executor "
              + Truncation.toBytes(String.valueOf(executor), Limits.WORD).text()
              + " used "
              + most
              + ", "
              + FindingText.share(peak, heap);
      findings.add(config, FindingCode.MEMORY_NEAR_LIMIT, tooLittle, sentence);
    }
  }
}
