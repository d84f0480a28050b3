package io.sparkotel.agent.model;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.StreamMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The batches of a program with DStreams, by their times. Jobs and executions carry them, so that a
 * log has them, too; what Spark tells besides goes to live listeners alone: that a batch is over,
 * for one. Without it a batch is closed once so many later ones rest.
 */
final class DStreams {

  /** More than run beside each other, where the user lets them at all. */
  static final int KEPT = 16;

  private static final int MAX_CLOSED = 1_000;

  /** Of receivers, that one batch shows. */
  private static final int MAX_ERRORS = 10;

  private static final String KEY = "dstream";

  /** Stands for all of them in ids: an application has one StreamingContext at a time. */
  static final long NUMBER = SpanIds.number(KEY);

  private final Units units;
  private final int every;
  private final TreeMap<Long, DStreamSpan> open = new TreeMap<>();

  /** Those of them for which nothing runs. */
  private final TreeMap<Long, DStreamSpan> idle = new TreeMap<>();

  /** The last ones that have a span, or are left out. */
  private final TreeSet<Long> closed = new TreeSet<>();

  /** That one and all before it are closed. */
  private long allClosed;

  private boolean any;
  private final List<EventData> receiverErrors = new ArrayList<>(0);
  private long newReceiverErrors;
  private long allReceiverErrors;
  private long batches;
  private long failed;
  private long notExported;
  private long empty;
  private long records = -1;

  /** Of the batches that did not fail. */
  private final BatchDurations durations = new BatchDurations();

  /**
   * @param every one of so many batches is shown whatever it is
   */
  DStreams(Units units, int every) {
    this.units = units;
    this.every = every;
  }

  /** The batch that an execution runs for, as far as its own event tells. */
  StreamPart of(SqlStart root) {
    return of(DStreamKey.of(root.description), root.time);
  }

  /** The batch that a job runs for. */
  StreamPart of(JobStart job) {
    return of(DStreamKey.of(job.properties), job.time);
  }

  private StreamPart of(DStreamKey key, long time) {
    if (key == null) {
      return StreamPart.NONE;
    }
    any = true;
    StreamPart part = new StreamPart(null, batch(key.time));
    part.opened(time);
    return part;
  }

  private DStreamSpan batch(long time) {
    DStreamSpan known = open.get(time);
    if (known != null) {
      return known;
    }
    return isClosed(time) ? new DStreamSpan(time, this, units, true, isChosen(time)) : open(time);
  }

  private DStreamSpan open(long time) {
    DStreamSpan batch = new DStreamSpan(time, this, units, false, isChosen(time));
    open.put(time, batch);
    return batch;
  }

  /** By a hash: times are round numbers, and nothing else is the same in any order of events. */
  private boolean isChosen(long time) {
    return every == 1 || Math.floorMod(SpanIds.number(traceKey(time)), (long) every) == 0;
  }

  static String traceKey(long time) {
    return KEY + '/' + time;
  }

  private boolean isClosed(long time) {
    return time <= allClosed || closed.contains(time);
  }

  /** Whether anything was seen that ran for a batch. */
  boolean wereAny() {
    return any;
  }

  /** Spark says that a batch is over, which only a live run hears. */
  void completed(DStreamBatch told) {
    DStreamSpan batch = open.get(told.time);
    boolean again = batch == null ? isClosed(told.time) : batch.isTold();
    if (again || told.time <= 0) {
      return;
    }
    records = Totals.sum(Math.max(0, records), Math.max(0, told.records));
    if (batch == null && told.firstFailed() != null) {
      batch = open(told.time);
    }
    if (batch == null) {
      empty++;
    } else {
      batch.completed(told);
      closeIfDone(batch);
    }
  }

  /** The next batch tells of it, for nobody knows which one it harmed. */
  void receiverFailed(ReceiverError error) {
    newReceiverErrors++;
    allReceiverErrors++;
    if (receiverErrors.size() < MAX_ERRORS) {
      receiverErrors.add(DStreamAttributes.event(error, units.home().spans.redactor));
    }
  }

  void busy(DStreamSpan batch) {
    idle.remove(batch.id);
  }

  void closeIfDone(DStreamSpan batch) {
    if (batch.isClosed() || !batch.isIdle()) {
      return;
    }
    if (batch.isTold()) {
      close(batch, Long.MAX_VALUE);
      return;
    }
    idle.put(batch.id, batch);
    while (idle.size() > KEPT || (idle.size() > 1 && heldCount() > BatchSpan.MAX_HELD)) {
      close(idle.firstEntry().getValue(), Long.MAX_VALUE);
    }
  }

  private int heldCount() {
    int count = 0;
    for (DStreamSpan batch : idle.values()) {
      count += batch.heldCount();
    }
    return count;
  }

  private void close(DStreamSpan batch, long closeTime) {
    open.remove(batch.id);
    idle.remove(batch.id);
    if (batch.isEmpty()) {
      empty++;
      return;
    }
    batch.slow(isSlow(batch));
    closed.add(batch.id);
    if (closed.size() > MAX_CLOSED) {
      allClosed = closed.pollFirst();
    }
    batches++;
    failed += batch.hasFailed() ? 1 : 0;
    batch.close(closeTime);
    notExported += batch.isShown() ? 0 : 1;
  }

  private boolean isSlow(DStreamSpan batch) {
    return !batch.hasFailed()
        && durations.isSlow(Math.max(0, batch.lastEnd() - batch.firstStart()));
  }

  /** No event follows. */
  void close(long closeTime) {
    for (DStreamSpan batch : new ArrayList<>(open.values())) {
      close(batch, closeTime);
    }
  }

  /** The application's, which the user chose. */
  String label() {
    AttributeKey<String> name = AttributeKey.stringKey("spark.app.name");
    String label = units.home().spans.identity.resource().getAttribute(name);
    return label == null ? "(unnamed)" : label;
  }

  /** Of receivers, since the last time that somebody asked. */
  void putReceiverErrors(SpanFactory.Draft batch) {
    if (newReceiverErrors > 0) {
      batch.attributes.put(StreamMetric.RECEIVER_ERRORS.attribute(), newReceiverErrors);
      receiverErrors.forEach(batch::event);
      receiverErrors.clear();
      newReceiverErrors = 0;
    }
  }

  int stateSize() {
    int size = 0;
    for (DStreamSpan batch : open.values()) {
      size += batch.stateSize();
    }
    return size;
  }

  /** What is held of batches that are over, and of receivers: bounded. */
  int memorySize() {
    return closed.size() + receiverErrors.size();
  }

  /** On the span of the application. */
  void put(SpanFactory.Draft application) {
    AttributeList.Builder attributes = application.attributes;
    if (batches > 0 || records >= 0) {
      attributes.put(StreamMetric.BATCHES.attribute(), batches);
      attributes.put(StreamMetric.BATCHES_FAILED.attribute(), failed);
      attributes.put(StreamMetric.BATCHES_NOT_EXPORTED.attribute(), notExported);
    }
    if (records >= 0) {
      attributes.put(StreamMetric.IDLE_TRIGGERS.attribute(), empty);
      attributes.put(StreamMetric.INPUT_ROWS.attribute(), records);
    }
    if (allReceiverErrors > 0) {
      attributes.put(StreamMetric.RECEIVER_ERRORS.attribute(), allReceiverErrors);
      receiverErrors.forEach(application::event);
    }
  }
}
