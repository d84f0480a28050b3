package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The streaming queries of an application, as far as they are open. */
final class Streams {

  /** More than run at a time: beyond, ends are missing, and the oldest is closed as it stands. */
  static final int MAX_OPEN = 1_000;

  /** More than restart while an application runs; of others nothing is known any more. */
  private static final int MAX_KNOWN = 1_000;

  private final Units units;
  private final int every;

  /** In the order in which they were first told of. */
  private final Map<String, StreamRun> runs = new LinkedHashMap<>();

  /** Of each query, by its id: the next one is linked to it. */
  private final Map<String, StreamRun> lastRuns = new Recent<>();

  /** The ids of those that have a span. */
  private final Map<String, Boolean> finished = new Recent<>();

  /** Forgets what was put first. */
  private static final class Recent<V> extends LinkedHashMap<String, V> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
      return size() > MAX_KNOWN;
    }
  }

  Streams(Units units, int every) {
    this.units = units;
    this.every = every;
  }

  void started(StreamStart event) {
    StreamRun run = run(event.queryId, event.runId);
    if (run != null) {
      run.started(event);
    }
  }

  void progress(StreamProgress told) {
    StreamRun run = run(told.queryId, told.runId);
    if (run != null) {
      run.progress(told);
    }
  }

  void ended(StreamEnd event) {
    StreamRun run = run(event.queryId, event.runId);
    if (run != null) {
      run.ended(event);
      closeIfDone(run);
    }
  }

  /** Whether a job group is what Spark gives to all that a query runs. */
  boolean isRun(String jobGroup) {
    return jobGroup != null && (runs.containsKey(jobGroup) || finished.containsKey(jobGroup));
  }

  boolean areAnyOpen() {
    return !runs.isEmpty();
  }

  /** What of a query an execution runs for. */
  StreamPart of(SqlStart root) {
    return of(BatchKey.of(root.description), root.time);
  }

  /** What of a query a job runs for. */
  StreamPart of(JobStart job) {
    return of(BatchKey.of(job.properties), job.time);
  }

  private StreamPart of(BatchKey key, long time) {
    StreamRun run = key == null ? null : run(key);
    if (run == null) {
      return StreamPart.NONE;
    }
    run.named(key.name);
    StreamPart part =
        key.isOfBatch()
            ? new StreamPart(run, run.batch(key.batchId, time))
            : new StreamPart(run, null);
    part.opened(time);
    return part;
  }

  private StreamRun run(BatchKey key) {
    StreamRun last = key.runId == null ? lastRuns.get(key.queryId) : null;
    String runId = last == null ? key.runId : last.runId;
    return runId == null ? null : run(key.queryId, runId);
  }

  /** Null of one that has a span. */
  private StreamRun run(String queryId, String runId) {
    StreamRun known = runs.get(runId);
    if (queryId == null || runId == null) {
      return null;
    }
    if (known != null || finished.containsKey(runId)) {
      return known;
    }
    StreamRun before = lastRuns.get(queryId);
    SpanContext earlier = before == null ? null : before.context();
    StreamRun run = new StreamRun(queryId, runId, units, every, earlier);
    if (runs.size() == MAX_OPEN) {
      StreamRun oldest = runs.values().iterator().next();
      runs.remove(oldest.runId);
      close(oldest, oldest.lastTime());
    }
    runs.put(runId, run);
    lastRuns.put(queryId, run);
    return run;
  }

  void closeIfDone(StreamRun run) {
    if (run.isDone() && runs.remove(run.runId, run)) {
      finished.put(run.runId, true);
      units.accept(run.build(Long.MAX_VALUE));
    }
  }

  /** No event follows. */
  void close(long closeTime) {
    List<StreamRun> open = new ArrayList<>(runs.values());
    open.sort(Comparator.comparing(run -> run.runId));
    runs.clear();
    open.forEach(run -> close(run, closeTime));
  }

  private void close(StreamRun run, long closeTime) {
    finished.put(run.runId, true);
    run.closeOpen(closeTime);
    units.accept(run.build(closeTime));
  }

  int stateSize() {
    int size = 0;
    for (StreamRun run : runs.values()) {
      size += run.stateSize();
    }
    return size;
  }

  /** What is held of runs that are over: bounded. */
  int memorySize() {
    return lastRuns.size() + finished.size();
  }
}
