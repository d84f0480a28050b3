package io.sparkotel.agent.event;

/** {@code StreamingListenerReceiverError}, which live listeners get and no event log has. */
public final class ReceiverError {

  /** Epoch milliseconds. */
  public final long time;

  /** Null where it was not told, as below. */
  public final String receiver;

  public final String message;

  /** The exception with its stack trace. */
  public final String error;

  public ReceiverError(long time, String receiver, String message, String error) {
    this.time = time;
    this.receiver = receiver;
    this.message = message;
    this.error = error;
  }
}
