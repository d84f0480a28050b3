package io.sparkotel.agent.event;

/** {@code SparkListenerApplicationStart}. */
public final class ApplicationStart {
  public final String id;

  /** Null where the cluster manager knows no attempts. */
  public final String attemptId;

  public final String name;
  public final String user;
  public final long time;

  public ApplicationStart(String id, String attemptId, String name, String user, long time) {
    this.id = id;
    this.attemptId = attemptId;
    this.name = name;
    this.user = user;
    this.time = time;
  }
}
