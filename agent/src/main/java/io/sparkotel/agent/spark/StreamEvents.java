package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.Instants;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import io.sparkotel.agent.model.TraceModel;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.streaming.SinkProgress;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Reads the events of streaming queries: one a batch, so that its cost does not matter. */
final class StreamEvents {

  private static final String IDLE =
      "org.apache.spark.sql.streaming.StreamingQueryListener$QueryIdleEvent";

  private static final MethodHandle LATEST_OFFSET =
      SparkCompat.handle(SourceProgress.class, "latestOffset");
  private static final MethodHandle OPERATOR =
      SparkCompat.handle(StateOperatorProgress.class, "operatorName");
  private static final MethodHandle ROWS_REMOVED =
      SparkCompat.handle(StateOperatorProgress.class, "numRowsRemoved");
  private static final MethodHandle ROWS_DROPPED =
      SparkCompat.handle(StateOperatorProgress.class, "numRowsDroppedByWatermark");
  private static final MethodHandle COMMIT_TIME =
      SparkCompat.handle(StateOperatorProgress.class, "commitTimeMs");

  private StreamEvents() {}

  static void dispatch(TraceModel model, Object event) {
    if (event instanceof QueryProgressEvent) {
      StreamingQueryProgress progress = ((QueryProgressEvent) event).progress();
      if (progress != null) {
        model.streamProgress(progress(progress));
      }
    } else if (event instanceof QueryStartedEvent) {
      QueryStartedEvent start = (QueryStartedEvent) event;
      model.streamStart(
          new StreamStart(
              text(start.id()),
              text(start.runId()),
              start.name(),
              Instants.millis(start.timestamp())));
    } else if (event instanceof QueryTerminatedEvent) {
      QueryTerminatedEvent end = (QueryTerminatedEvent) event;
      String exception = (String) SparkCompat.unwrap(end.exception());
      model.streamEnd(new StreamEnd(text(end.id()), text(end.runId()), exception));
    } else if (event.getClass().getName().equals(IDLE)) {
      model.streamProgress(idle(event));
    }
  }

  private static String text(UUID id) {
    return id == null ? "" : id.toString();
  }

  /** Of a class that Spark has since 3.5. */
  private static StreamProgress idle(Object event) {
    StreamProgress idle = new StreamProgress();
    Class<?> type = event.getClass();
    idle.queryId = text((UUID) SparkCompat.call(SparkCompat.handle(type, "id"), event));
    idle.runId = text((UUID) SparkCompat.call(SparkCompat.handle(type, "runId"), event));
    idle.time =
        Instants.millis((String) SparkCompat.call(SparkCompat.handle(type, "timestamp"), event));
    return idle;
  }

  private static StreamProgress progress(StreamingQueryProgress from) {
    StreamProgress progress = new StreamProgress();
    progress.queryId = text(from.id());
    progress.runId = text(from.runId());
    progress.name = from.name();
    progress.time = Instants.millis(from.timestamp());
    progress.batchId = from.batchId();
    put(from.durationMs(), progress.durations);
    put(from.eventTime(), progress.eventTime);
    if (from.stateOperators() != null) {
      for (StateOperatorProgress state : from.stateOperators()) {
        progress.add(state(state));
      }
    }
    if (from.sources() != null) {
      for (SourceProgress source : from.sources()) {
        progress.add(source(source));
      }
    }
    SinkProgress sink = from.sink();
    if (sink != null) {
      progress.sink = sink.description();
      progress.outputRows = sink.numOutputRows();
    }
    return progress;
  }

  private static <V> void put(Map<String, V> from, Map<String, V> into) {
    if (from != null) {
      into.putAll(from);
    }
  }

  private static StreamProgress.State state(StateOperatorProgress from) {
    StreamProgress.State state = new StreamProgress.State();
    state.operator = (String) SparkCompat.call(OPERATOR, from);
    state.rows = from.numRowsTotal();
    state.rowsUpdated = from.numRowsUpdated();
    state.rowsRemoved = number(ROWS_REMOVED, from);
    state.rowsDroppedByWatermark = number(ROWS_DROPPED, from);
    state.memoryBytes = from.memoryUsedBytes();
    state.commitMillis = number(COMMIT_TIME, from);
    return state;
  }

  private static StreamProgress.Source source(SourceProgress from) {
    StreamProgress.Source source = new StreamProgress.Source();
    source.description = from.description();
    source.startOffset = from.startOffset();
    source.endOffset = from.endOffset();
    source.latestOffset = (String) SparkCompat.call(LATEST_OFFSET, from);
    source.inputRows = from.numInputRows();
    source.inputRowsPerSecond = from.inputRowsPerSecond();
    source.processedRowsPerSecond = from.processedRowsPerSecond();
    return source;
  }

  private static long number(MethodHandle handle, Object of) {
    Object value = SparkCompat.call(handle, of);
    return value == null ? -1 : ((Number) value).longValue();
  }
}
