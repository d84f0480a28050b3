package io.sparkotel.agent.event;

/** {@code SparkListenerExecutorAdded}. */
public final class ExecutorAdded {

  public long time;
  public String executorId;

  /** 0 where they are not told. */
  public int cores;

  /** Its {@link ResourceProfile}; 0 is the default one, and what there was before Spark 3.1. */
  public int profileId;

  /** Null where nothing is told. */
  public ExecutorLinks links;
}
