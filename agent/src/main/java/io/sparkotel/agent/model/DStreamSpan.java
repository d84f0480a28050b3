package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.StreamNames;
import java.time.Instant;
import java.util.TreeMap;

/**
 * A batch of DStreams: from the start of the first action that ran for it to the end of the last,
 * which a log tells as well as Spark does live. Nothing of it is exported before it is known that
 * more runs than jobs without a stage, as Spark runs them where there is no input.
 */
final class DStreamSpan extends BatchSpan {

  /** More output operations than a program has. */
  private static final int MAX_OUTPUTS = 100;

  private final DStreams streams;
  private final boolean chosen;
  private final TreeMap<Long, DStreamOutput> outputs = new TreeMap<>();
  private DStreamBatch told;

  /** Anything ran but jobs without a stage. */
  private boolean hasRun;

  private boolean incomplete;
  private boolean slow;

  /**
   * @param closed where it has a span already, and this is what came too late
   * @param chosen whether it is shown whatever it is
   */
  DStreamSpan(long time, DStreams streams, Units units, boolean closed, boolean chosen) {
    super(time, units, closed, closed && chosen);
    this.streams = streams;
    this.chosen = chosen;
  }

  @Override
  long number() {
    return DStreams.NUMBER;
  }

  @Override
  String traceKey() {
    return DStreams.traceKey(id);
  }

  @Override
  SpanContext parentIn(TraceUnit where) {
    return where.top;
  }

  @Override
  void opened(long time) {
    super.opened(time);
    streams.busy(this);
  }

  @Override
  void accept(FinishedSpan span) {
    if (span.entity() != Entity.JOB) {
      run();
    }
    super.accept(span);
  }

  private void run() {
    hasRun = true;
    if (chosen && !isShown()) {
      show();
    }
  }

  @Override
  void closed(ActionEnd action, Long output) {
    if (action.hasRun) {
      run();
    }
    incomplete |= !action.isTold;
    long number = output == null ? -1 : output;
    if (outputs.size() < MAX_OUTPUTS || outputs.containsKey(number)) {
      outputs.computeIfAbsent(number, DStreamOutput::new).add(action);
    }
    super.closed(action, output);
  }

  /** Spark says that it is over. */
  void completed(DStreamBatch event) {
    told = event;
  }

  boolean isTold() {
    return told != null;
  }

  @Override
  void closeIfDone() {
    streams.closeIfDone(this);
  }

  /**
   * @param isSlow whether it took much longer than those before it
   */
  void slow(boolean isSlow) {
    slow = isSlow;
  }

  /** Nothing is to be shown of it. */
  boolean isEmpty() {
    return !hasRun && !hasFailed();
  }

  /** As Spark says; where it says nothing, as its actions did. */
  boolean hasFailed() {
    return told == null ? failedOutput() != null : told.firstFailed() != null;
  }

  private DStreamOutput failedOutput() {
    for (DStreamOutput output : outputs.values()) {
      if (output.hasFailed()) {
        return output;
      }
    }
    return null;
  }

  @Override
  boolean isRemarkable() {
    return chosen || slow || hasFailed();
  }

  int stateSize() {
    return 1 + heldCount() + outputs.size();
  }

  @Override
  FinishedSpan build(long closeTime) {
    long start = firstStart();
    long end = lastEnd();
    if (start == 0 && told != null) {
      start = told.start > 0 ? told.start : id;
      end = Math.max(start, told.end);
    }
    end = Math.min(closeTime, end);
    SpanFactory.Draft draft = draft(streams.label(), Math.min(start, end), end);
    draft.incomplete(incomplete);
    draft.attributes.put(StreamNames.BATCH_ID, id);
    draft.attributes.put(StreamNames.BATCH_TIME, Instant.ofEpochMilli(id).toString());
    DStreamAttributes.putOutputs(draft.attributes, outputs.values());
    if (told != null) {
      DStreamAttributes.put(draft.attributes, told, redactor());
    }
    if (told != null || hasFailed()) {
      draft.attributes.put(StreamNames.BATCH_RESULT, hasFailed() ? "failed" : "succeeded");
    }
    totals.put(draft.attributes, Entity.BATCH);
    streams.putReceiverErrors(draft);
    putError(draft, end);
    return draft.build();
  }

  private void putError(SpanFactory.Draft draft, long end) {
    DStreamBatch.Output failed = told == null ? null : told.firstFailed();
    DStreamOutput known = failed == null ? failedOutput() : outputs.get((long) failed.id);
    if (!hasFailed()) {
      return;
    }
    if (known != null && known.hasFailed()) {
      known.putError(draft, redactor());
    } else if (failed != null) {
      StreamAttributes.fail(draft, failed.failure, end, redactor());
    }
  }
}
