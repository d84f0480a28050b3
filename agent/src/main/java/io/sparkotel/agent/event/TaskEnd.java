package io.sparkotel.agent.event;

/** {@code SparkListenerTaskEnd}. */
public final class TaskEnd {
  public int stageId;
  public int stageAttempt;
  public TaskInfo task;
  public EndReason reason;

  /**
   * Indexed by {@link io.sparkotel.agent.telemetry.TaskMetric}; null where Spark reported none, as
   * of a task whose executor was lost.
   */
  public long[] metrics;

  /**
   * Peaks of its executor while it ran, indexed by {@link
   * io.sparkotel.agent.telemetry.ExecutorMetric}; null where none was sampled, as of most tasks.
   */
  public long[] executorMetrics;
}
