package io.sparkotel.agent.event;

/** {@code SparkListenerJobEnd}. */
public final class JobEnd {
  public final int jobId;
  public final long time;
  public final boolean succeeded;

  /** The message of the failure, or null. */
  public final String failureMessage;

  public JobEnd(int jobId, long time, boolean succeeded, String failureMessage) {
    this.jobId = jobId;
    this.time = time;
    this.succeeded = succeeded;
    this.failureMessage = failureMessage;
  }
}
