package io.sparkotel.agent.event;

/** {@code SparkListenerSQLExecutionStart}. */
public final class SqlStart {
  public long executionId;

  /** Null before Spark 3.4. */
  public Long rootExecutionId;

  /** The short call site, or what the user set as job description. */
  public String description;

  /** The long call site. */
  public String details;

  public PlanNode plan;
  public long time;
}
