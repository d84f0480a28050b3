package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** One run of a streaming query, from its start or restart to its end. */
final class StreamRun {

  final String queryId;
  final String runId;

  private final Units units;
  private final int every;

  /** The run before it, of the same query in the same application; or null. */
  private final SpanContext earlier;

  private final long number;
  private final TreeMap<Long, QueryBatch> open = new TreeMap<>();

  /** Those that have a span, or are left out. */
  private final IdRanges closed = new IdRanges();

  private final Totals totals = new Totals();
  private String name;

  /** Its start was told, and so in {@link #runs}. */
  private boolean announced;

  private Long start;
  private long firstTime = Long.MAX_VALUE;
  private long lastTime;
  private StreamEnd end;
  private long batches;
  private long failed;
  private long notExported;
  private long idle;
  private long inputRows;
  private long rowsDropped = -1;

  /** In continuous mode Spark tells of nothing but the start and the end. */
  private boolean told;

  /** Before its first batch, and all of it in continuous mode. */
  private int actionsOutside;

  /** Of the triggers that ran a batch. */
  private final BatchDurations durations = new BatchDurations();

  /**
   * @param every which batches are shown whatever they are: those whose ids it divides
   */
  StreamRun(String queryId, String runId, Units units, int every, SpanContext earlier) {
    this.queryId = queryId;
    this.runId = runId;
    this.units = units;
    this.every = every;
    this.earlier = earlier;
    number = SpanIds.number(runId);
  }

  /** Stands for the run in ids. */
  long number() {
    return number;
  }

  /** Of its span, in the application's own trace. */
  SpanContext context() {
    return units.home().spans.context(Entity.QUERY, number, 0);
  }

  void started(StreamStart event) {
    named(event.name);
    if (event.time > 0) {
      start = event.time;
      seen(event.time);
    }
    if (!announced && units.areBatchesApart()) {
      announced = true;
      units.accept(buildMarker());
    }
  }

  /** The trace of all runs of the query, whatever applications they are in. */
  private SpanFactory runs() {
    return units.home().spans.common(Entity.QUERY.label(), queryId);
  }

  private SpanContext marker() {
    return runs().context(Entity.STARTED, number, 0);
  }

  /** What the runs of one query know of each other: after a restart nothing else is the same. */
  private FinishedSpan buildMarker() {
    SpanFactory.Draft draft = runs().draft(Entity.STARTED, number, 0);
    long time = start == null ? units.start() : start;
    draft.name("streaming query " + label() + " started").time(time, time);
    draft.link(units.home().spans.application()).link(context());
    putIdentity(draft.attributes);
    return draft.build();
  }

  void named(String told) {
    if (name == null) {
      name = told;
    }
  }

  /** Empty names say nothing. */
  String label() {
    return name == null || name.trim().isEmpty() ? "(unnamed)" : name;
  }

  private void seen(long time) {
    if (time > 0) {
      firstTime = Math.min(firstTime, time);
      lastTime = Math.max(lastTime, time);
    }
  }

  /** An action begins that runs outside of batches. */
  void opened(long time) {
    seen(time);
    actionsOutside++;
  }

  /** An action is closed that ran outside of batches. */
  void closed(ActionEnd action) {
    seen(action.end);
    actionsOutside--;
    totals.add(action.totals);
    units.streams.closeIfDone(this);
  }

  /** The batch that an action runs for. */
  QueryBatch batch(long id, long time) {
    seen(time);
    return batch(id);
  }

  private QueryBatch batch(long id) {
    QueryBatch known = open.get(id);
    if (known != null) {
      return known;
    }
    boolean shown = id % every == 0;
    if (closed.contains(id)) {
      return new QueryBatch(this, id, units, true, shown);
    }
    QueryBatch batch = new QueryBatch(this, id, units, false, shown);
    open.put(id, batch);
    // A query runs one after the other: those before have told all that they will.
    for (QueryBatch before : new ArrayList<>(open.headMap(id).values())) {
      before.abandon();
      closeIfDone(before);
    }
    return batch;
  }

  void progress(StreamProgress progress) {
    told = true;
    named(progress.name);
    seen(progress.time);
    if (!progress.hasRun()) {
      idle++;
      return;
    }
    if (closed.contains(progress.batchId)) {
      return;
    }
    QueryBatch batch = batch(progress.batchId);
    batch.progress(progress, isSlow(progress.durations.get("triggerExecution")));
    seen(batch.end());
    for (StreamProgress.Source source : progress.sources) {
      inputRows = Totals.sum(inputRows, Math.max(0, source.inputRows));
    }
    long dropped = StreamAttributes.sum(progress, state -> state.rowsDroppedByWatermark);
    if (dropped >= 0) {
      rowsDropped = Totals.sum(Math.max(0, rowsDropped), dropped);
    }
    closeIfDone(batch);
  }

  void ended(StreamEnd event) {
    end = event;
    List<QueryBatch> left = new ArrayList<>(open.values());
    for (int i = 0; i < left.size(); i++) {
      QueryBatch batch = left.get(i);
      if (i == left.size() - 1 && !batch.hasProgress()) {
        batch.ended(event.exception);
      } else {
        batch.abandon();
      }
      closeIfDone(batch);
    }
  }

  void closeIfDone(QueryBatch batch) {
    if (batch.isDone()) {
      close(batch, Long.MAX_VALUE);
      units.streams.closeIfDone(this);
    }
  }

  private void close(QueryBatch batch, long closeTime) {
    open.remove(batch.id);
    closed.add(batch.id);
    seen(batch.end());
    batches++;
    failed += batch.failed() ? 1 : 0;
    totals.add(batch.totals);
    batch.close(closeTime);
    notExported += batch.isShown() ? 0 : 1;
  }

  private boolean isSlow(Long duration) {
    return duration != null && duration >= 0 && durations.isSlow(duration);
  }

  /** Nothing more follows of it. */
  boolean isDone() {
    return end != null && open.isEmpty() && actionsOutside == 0;
  }

  /** No event follows. */
  void closeOpen(long closeTime) {
    for (QueryBatch batch : new ArrayList<>(open.values())) {
      close(batch, closeTime);
    }
  }

  int stateSize() {
    int size = 1;
    for (QueryBatch batch : open.values()) {
      size += 1 + batch.heldCount();
    }
    return size;
  }

  /** Where nothing tells a time, that of the application. */
  private long firstTime() {
    return lastTime == 0 ? units.start() : firstTime;
  }

  /** Of what was seen so far, epoch milliseconds. */
  long lastTime() {
    return lastTime == 0 ? units.start() : lastTime;
  }

  /** Of a batch that is not right below it. */
  void link(SpanFactory.Draft batch) {
    if (!batch.isBelow(context())) {
      batch.link(context());
    }
  }

  void putIdentity(AttributeList.Builder attributes) {
    Redactor redactor = units.home().spans.redactor;
    Limits.putText(attributes, StreamNames.QUERY_NAME, redactor.text(name), Limits.WORD);
    Limits.putText(attributes, StreamNames.QUERY_ID, queryId, Limits.WORD);
    Limits.putText(attributes, StreamNames.RUN_ID, runId, Limits.WORD);
  }

  /**
   * @param closeTime the end of one that has not ended, epoch milliseconds
   */
  FinishedSpan build(long closeTime) {
    SpanFactory spans = units.home().spans;
    SpanFactory.Draft draft = spans.draft(Entity.QUERY, number, 0);
    long begin = start == null ? firstTime() : start;
    long last = end == null ? closeTime : lastTime();
    draft.name("streaming query " + label()).time(begin, last).incomplete(end == null);
    draft.parent(spans.application());
    if (announced) {
      draft.link(marker());
    }
    if (earlier != null) {
      draft.link(earlier);
    }
    AttributeList.Builder attributes = draft.attributes;
    putIdentity(attributes);
    attributes.put(StreamMetric.BATCHES.attribute(), batches);
    attributes.put(StreamMetric.BATCHES_FAILED.attribute(), failed);
    attributes.put(StreamMetric.BATCHES_NOT_EXPORTED.attribute(), notExported);
    attributes.put(StreamMetric.IDLE_TRIGGERS.attribute(), idle);
    if (told) {
      attributes.put(StreamMetric.INPUT_ROWS.attribute(), inputRows);
    }
    if (rowsDropped >= 0) {
      attributes.put(StreamMetric.ROWS_DROPPED.attribute(), rowsDropped);
    }
    totals.put(attributes, Entity.QUERY);
    if (end != null) {
      attributes.put(StreamNames.QUERY_RESULT, end.exception == null ? "ended" : "failed");
      if (end.exception != null) {
        StreamAttributes.fail(draft, end.exception, last, spans.redactor);
      }
    }
    return draft.build();
  }
}
