package io.sparkotel.agent.telemetry;

/** What a span stands for: the value of {@code spark.entity}. */
public enum Entity {
  APPLICATION("application", 1),
  /** The marker that makes a running application, or a run of a streaming query, visible. */
  STARTED("started", 2),
  SQL("sql", 3),
  JOB("job", 4),
  STAGE("stage", 5),
  TASK("task", 6),
  /** The root of a trace in which an application goes on. */
  CONTINUED("continued", 7),
  /** A micro-batch of a streaming query. */
  BATCH("batch", 8),
  /** A run of a streaming query. */
  QUERY("query", 9),
  /** Whatever somebody asked a shared application for. */
  GROUP("group", 10);

  private final String label;
  private final int code;

  Entity(String label, int code) {
    this.label = label;
    this.code = code;
  }

  /** Goes into span ids: never changes, whatever is added. */
  int code() {
    return code;
  }

  /** The value of {@code spark.entity}. */
  public String label() {
    return label;
  }

  /** Structure is every span but a task's: it goes first, and is dropped last. */
  public boolean isStructure() {
    return this != TASK;
  }
}
