package io.sparkotel.agent.event;

/** {@code StreamingQueryListener.QueryStartedEvent}. */
public final class StreamStart {

  /** Of the query: the same after a restart from its checkpoint. */
  public final String queryId;

  public final String runId;

  /** Null where the user gave none. */
  public final String name;

  /** Epoch milliseconds; 0 where it was not told. */
  public final long time;

  public StreamStart(String queryId, String runId, String name, long time) {
    this.queryId = queryId;
    this.runId = runId;
    this.name = name;
    this.time = time;
  }
}
