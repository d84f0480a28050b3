package io.sparkotel.agent.event;

/** {@code SparkListenerTaskStart}. */
public final class TaskStart {
  public int stageId;
  public int stageAttempt;
  public TaskInfo task;
}
