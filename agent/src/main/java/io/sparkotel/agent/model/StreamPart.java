package io.sparkotel.agent.model;

/** What of a stream an action runs for: a batch, or a streaming query outside of batches. */
final class StreamPart {

  static final StreamPart NONE = new StreamPart(null, null);

  /** Null outside of batches. */
  final BatchSpan batch;

  private final StreamRun run;

  /**
   * @param run null of what no streaming query runs
   */
  StreamPart(StreamRun run, BatchSpan batch) {
    this.run = run;
    this.batch = batch;
  }

  /** The action begins. */
  void opened(long time) {
    if (batch != null) {
      batch.opened(time);
    } else if (run != null) {
      run.opened(time);
    }
  }

  /** An execution is closed. */
  void closed(SqlSpan top, long end) {
    if (batch != null) {
      batch.closed(top, end);
    } else if (run != null) {
      run.actionClosed(top.totals, end);
    }
  }

  /** A job outside SQL is closed. */
  void closed(JobSpan top, long end) {
    if (batch != null) {
      batch.closed(top, end);
    } else if (run != null) {
      run.actionClosed(top.totals, end);
    }
  }

  /** Outside of batches nothing else tells whose it is. */
  void link(SpanFactory.Draft top) {
    if (batch == null && run != null) {
      top.link(run.context());
    }
  }
}
