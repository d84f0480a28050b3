package io.sparkotel.agent.event;

import java.util.List;

/** {@code SparkListenerJobStart}. */
public final class JobStart {
  public final int jobId;
  public final long time;

  /** All stages that the job may run, in Spark's order; empty for a job without partitions. */
  public final List<StageInfo> stages;

  public final JobProperties properties;

  public JobStart(int jobId, long time, List<StageInfo> stages, JobProperties properties) {
    this.jobId = jobId;
    this.time = time;
    this.stages = stages;
    this.properties = properties;
  }
}
