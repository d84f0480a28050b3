package io.sparkotel.agent.model;

/** An output operation of a batch of DStreams, as far as its actions tell. */
final class DStreamOutput {

  final long id;

  private long actions;
  private long failed;
  private long start = Long.MAX_VALUE;
  private long end;

  /** Of the failed action that ended first, so that the order of events does not matter. */
  private long failureEnd = Long.MAX_VALUE;

  private ActionEnd.Failure failure;

  /**
   * @param id -1 where it is not known
   */
  DStreamOutput(long id) {
    this.id = id;
  }

  /** An action of it is closed. */
  void add(ActionEnd action) {
    actions++;
    start = Math.min(start, action.start);
    end = Math.max(end, action.end);
    if (action.failure == null) {
      return;
    }
    failed++;
    if (action.end < failureEnd) {
      failureEnd = action.end;
      failure = action.failure;
    }
  }

  boolean hasFailed() {
    return failed > 0;
  }

  /** Of one that has failed. */
  void putError(SpanFactory.Draft batch, Redactor redactor) {
    failure.put(batch, redactor);
  }

  /** Such as {@code 0: 2 actions in 31 ms, 1 failed}. */
  String text() {
    String text = id < 0 ? "unknown" : Long.toString(id);
    text += ": " + actions + (actions == 1 ? " action" : " actions");
    text += " in " + Math.max(0, end - start) + " ms";
    return failed == 0 ? text : text + ", " + failed + " failed";
  }
}
