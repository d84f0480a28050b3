package io.sparkotel.agent.event;

import io.sparkotel.agent.model.TraceModel;
import java.io.IOException;
import java.util.Map;

/** The events of streaming queries in an event log. */
final class StreamJson {

  private static final String NO_QUERY = "without its query";

  private StreamJson() {}

  /** Tells the model; gives what is missing, or null. */
  static String start(JsonFields fields, TraceModel model) throws IOException {
    String queryId = null;
    String runId = null;
    String name = null;
    long time = 0;
    while (fields.next()) {
      switch (fields.name()) {
        case "id":
          queryId = fields.text();
          break;
        case "runId":
          runId = fields.text();
          break;
        case "name":
          name = fields.text();
          break;
        case "timestamp":
          time = Instants.millis(fields.text());
          break;
        default:
          fields.skip();
      }
    }
    if (queryId == null || runId == null) {
      return NO_QUERY;
    }
    model.streamStart(new StreamStart(queryId, runId, name, time));
    return null;
  }

  /** Tells the model; gives what is missing, or null. */
  static String end(JsonFields fields, TraceModel model) throws IOException {
    String queryId = null;
    String runId = null;
    String exception = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "id":
          queryId = fields.text();
          break;
        case "runId":
          runId = fields.text();
          break;
        case "exception":
          exception = fields.text();
          break;
        default:
          fields.skip();
      }
    }
    if (queryId == null || runId == null) {
      return NO_QUERY;
    }
    model.streamEnd(new StreamEnd(queryId, runId, exception));
    return null;
  }

  /** Of a trigger that found nothing to do: tells the model; gives what is missing, or null. */
  static String idle(JsonFields fields, TraceModel model) throws IOException {
    StreamProgress idle = new StreamProgress();
    progressFields(fields, idle);
    return tell(idle, model);
  }

  /** Tells the model; gives what is missing, or null. */
  static String progress(JsonFields fields, TraceModel model) throws IOException {
    StreamProgress progress = new StreamProgress();
    while (fields.next()) {
      if (fields.is("progress") && fields.enter()) {
        progressFields(fields, progress);
      } else if (!fields.is("progress")) {
        fields.skip();
      }
    }
    return tell(progress, model);
  }

  private static String tell(StreamProgress progress, TraceModel model) {
    if (progress.queryId == null || progress.runId == null) {
      return NO_QUERY;
    }
    model.streamProgress(progress);
    return null;
  }

  private static void progressFields(JsonFields fields, StreamProgress progress)
      throws IOException {
    while (fields.next()) {
      switch (fields.name()) {
        case "id":
          progress.queryId = fields.text();
          break;
        case "runId":
          progress.runId = fields.text();
          break;
        case "name":
          progress.name = fields.text();
          break;
        case "timestamp":
          progress.time = Instants.millis(fields.text());
          break;
        case "batchId":
          progress.batchId = fields.numberOr(-1);
          break;
        case "durationMs":
          numbers(fields, progress.durations);
          break;
        case "eventTime":
          fields.texts(progress.eventTime);
          break;
        case "stateOperators":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            if (fields.enter()) {
              progress.add(state(fields));
            }
          }
          break;
        case "sources":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            if (fields.enter()) {
              progress.add(source(fields));
            }
          }
          break;
        case "sink":
          if (fields.enter()) {
            sink(fields, progress);
          }
          break;
        default:
          fields.skip();
      }
    }
  }

  private static void numbers(JsonFields fields, Map<String, Long> into) throws IOException {
    if (fields.enter()) {
      while (fields.next()) {
        String key = fields.name();
        Long value = fields.numberOrNull();
        if (value != null && into.size() < StreamProgress.MAX) {
          into.put(key, value);
        }
      }
    }
  }

  private static StreamProgress.State state(JsonFields fields) throws IOException {
    StreamProgress.State state = new StreamProgress.State();
    while (fields.next()) {
      switch (fields.name()) {
        case "operatorName":
          state.operator = fields.text();
          break;
        case "numRowsTotal":
          state.rows = fields.numberOr(-1);
          break;
        case "numRowsUpdated":
          state.rowsUpdated = fields.numberOr(-1);
          break;
        case "numRowsRemoved":
          state.rowsRemoved = fields.numberOr(-1);
          break;
        case "numRowsDroppedByWatermark":
          state.rowsDroppedByWatermark = fields.numberOr(-1);
          break;
        case "memoryUsedBytes":
          state.memoryBytes = fields.numberOr(-1);
          break;
        case "commitTimeMs":
          state.commitMillis = fields.numberOr(-1);
          break;
        default:
          fields.skip();
      }
    }
    return state;
  }

  private static StreamProgress.Source source(JsonFields fields) throws IOException {
    StreamProgress.Source source = new StreamProgress.Source();
    while (fields.next()) {
      switch (fields.name()) {
        case "description":
          source.description = fields.text();
          break;
        case "startOffset":
          source.startOffset = fields.text();
          break;
        case "endOffset":
          source.endOffset = fields.text();
          break;
        case "latestOffset":
          source.latestOffset = fields.text();
          break;
        case "numInputRows":
          source.inputRows = fields.numberOr(0);
          break;
        case "inputRowsPerSecond":
          source.inputRowsPerSecond = fields.decimal();
          break;
        case "processedRowsPerSecond":
          source.processedRowsPerSecond = fields.decimal();
          break;
        default:
          fields.skip();
      }
    }
    return source;
  }

  private static void sink(JsonFields fields, StreamProgress progress) throws IOException {
    while (fields.next()) {
      switch (fields.name()) {
        case "description":
          progress.sink = fields.text();
          break;
        case "numOutputRows":
          progress.outputRows = fields.numberOr(-1);
          break;
        default:
          fields.skip();
      }
    }
  }
}
