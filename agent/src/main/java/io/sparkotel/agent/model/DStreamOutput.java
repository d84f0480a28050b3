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

  private String failure;
  private String failureType;
  private FailureDetails failureDetails;

  /**
   * @param id -1 where it is not known
   */
  DStreamOutput(long id) {
    this.id = id;
  }

  /** An execution is closed. */
  void add(SqlSpan action, long ended) {
    add(action.startTime(), ended);
    if (action.hasFailed()) {
      failed(action.failureMessage(), action.errorType(), action.failure(), ended);
    }
  }

  /** The same of a job outside SQL. */
  void add(JobSpan action, long ended) {
    add(action.startTime(), ended);
    if (action.failed()) {
      failed(action.failureMessage(), action.errorType(), action.failure(), ended);
    }
  }

  private void add(long began, long ended) {
    actions++;
    start = Math.min(start, began);
    end = Math.max(end, ended);
  }

  private void failed(String message, String type, FailureDetails details, long ended) {
    failed++;
    if (ended < failureEnd) {
      failureEnd = ended;
      failure = message;
      failureType = type;
      failureDetails = details;
    }
  }

  boolean hasFailed() {
    return failed > 0;
  }

  /** The action has the exception as an event. */
  void putError(SpanFactory.Draft batch, Redactor redactor) {
    batch.error(failureType, failure);
    if (failureDetails != null) {
      failureDetails.put(batch.attributes, redactor);
    }
  }

  /** Such as {@code 0: 2 actions in 31 ms, 1 failed}. */
  String text() {
    String text = id < 0 ? "unknown" : Long.toString(id);
    text += ": " + actions + (actions == 1 ? " action" : " actions");
    text += " in " + Math.max(0, end - start) + " ms";
    return failed == 0 ? text : text + ", " + failed + " failed";
  }
}
