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

  /**
   * The action is closed.
   *
   * @param output the output operation of DStreams that it ran for, or null
   */
  void closed(ActionEnd action, Long output) {
    if (batch != null) {
      batch.closed(action, output);
    } else if (run != null) {
      run.closed(action);
    }
  }

  /** Outside of batches nothing else tells whose it is. */
  void link(SpanFactory.Draft top) {
    if (batch == null && run != null) {
      top.link(run.context());
    }
  }
}
