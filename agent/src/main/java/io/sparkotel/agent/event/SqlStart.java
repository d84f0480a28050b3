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

  /** The job group that it was started in, from Spark 4.1 on; null where there is none. */
  public String jobGroup;

  /** Whether the event tells the job group, and be it that there is none. */
  public boolean tellsJobGroup;

  /**
   * The tags of its jobs, from Spark 3.5 on; with commas between them, null where there are none.
   */
  public String jobTags;

  public long time;
}
