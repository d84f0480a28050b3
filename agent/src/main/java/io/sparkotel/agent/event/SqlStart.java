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

  /**
   * Of a command that stands in its plan by its name alone, what it was called with, as far as the
   * description of the plan says so; else null.
   */
  public String commandArguments;

  public long time;
}
