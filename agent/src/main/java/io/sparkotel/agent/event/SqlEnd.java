package io.sparkotel.agent.event;

/** {@code SparkListenerSQLExecutionEnd}. */
public final class SqlEnd {
  public final long executionId;
  public final long time;

  /** Null before Spark 3.4, empty for a success. */
  public final String errorMessage;

  public SqlEnd(long executionId, long time, String errorMessage) {
    this.executionId = executionId;
    this.time = time;
    this.errorMessage = errorMessage;
  }
}
