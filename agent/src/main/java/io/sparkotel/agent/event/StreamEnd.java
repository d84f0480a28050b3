package io.sparkotel.agent.event;

/** {@code StreamingQueryListener.QueryTerminatedEvent}. */
public final class StreamEnd {
  public final String queryId;
  public final String runId;

  /** With its stack trace; null where the query was stopped, or came to its end. */
  public final String exception;

  public StreamEnd(String queryId, String runId, String exception) {
    this.queryId = queryId;
    this.runId = runId;
    this.exception = exception;
  }
}
