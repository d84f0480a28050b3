package io.sparkotel.agent.event;

/** Spark's {@code TaskInfo}. */
public final class TaskInfo {
  public long id;
  public int index;
  public int attempt;

  /** Before Spark 3.3 the index. */
  public int partition;

  public long launchTime;

  /** 0 while the task runs. */
  public long finishTime;

  /** 0 where the result came with the status. */
  public long gettingResultTime;

  public String executorId;
  public String host;
  public String locality;
  public boolean speculative;

  /** The finish, never before the launch. */
  public long endTime() {
    return Math.max(launchTime, finishTime);
  }

  /** Finish less launch in milliseconds, at least 0. */
  public long duration() {
    return Math.max(0, finishTime - launchTime);
  }
}
