package io.sparkotel.agent.model;

import io.sparkotel.agent.event.KafkaOffsets;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;

/** What Spark tells of the progress of a streaming query, as attributes. */
final class StreamAttributes {

  private static final int MAX_LIST = 10;

  /** Two offsets of a source. */
  private static final int OFFSETS = 1_000;

  /** That of an object in the memory of one run. */
  private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]+$");

  private static final StreamMetric[] METRICS = StreamMetric.values();

  private StreamAttributes() {}

  static void put(AttributeList.Builder attributes, StreamProgress progress, Redactor redactor) {
    for (StreamMetric metric : METRICS) {
      if (metric.phase() != null) {
        Long millis = progress.durations.get(metric.phase());
        putNumber(attributes, metric, millis == null ? -1 : millis);
      }
    }
    putSources(attributes, progress.sources, redactor);
    putNumber(attributes, StreamMetric.OUTPUT_ROWS, progress.outputRows);
    putText(attributes, StreamNames.WATERMARK, progress.eventTime.get("watermark"), redactor);
    putText(attributes, StreamNames.EVENT_TIME_MAX, progress.eventTime.get("max"), redactor);
    putText(attributes, StreamNames.SINK, withoutIdentity(progress.sink), redactor);
    putState(attributes, progress);
  }

  private static void putSources(
      AttributeList.Builder attributes, List<StreamProgress.Source> sources, Redactor redactor) {
    long rows = 0;
    double input = 0;
    double processed = 0;
    Map<String, Long> topics = new TreeMap<>();
    boolean kafka = false;
    for (StreamProgress.Source source : sources) {
      rows = Totals.sum(rows, Math.max(0, source.inputRows));
      input += source.inputRowsPerSecond;
      processed += source.processedRowsPerSecond;
      Map<String, Long> behind = KafkaOffsets.behind(source);
      if (behind != null) {
        kafka = true;
        behind.forEach((topic, records) -> topics.merge(topic, records, Totals::sum));
      }
    }
    putNumber(attributes, StreamMetric.INPUT_ROWS, rows);
    putRate(attributes, StreamMetric.INPUT_RATE, input);
    putRate(attributes, StreamMetric.PROCESSED_RATE, processed);
    List<StreamProgress.Source> first = sources.subList(0, Math.min(MAX_LIST, sources.size()));
    putList(
        attributes,
        StreamNames.SOURCES,
        first,
        source -> withoutIdentity(String.valueOf(source.description)),
        redactor);
    putList(
        attributes,
        StreamNames.SOURCE_OFFSETS,
        first,
        source -> offset(source.startOffset) + " to " + offset(source.endOffset),
        redactor);
    putList(
        attributes,
        StreamNames.SOURCE_ROWS,
        first,
        source -> Long.toString(Math.max(0, source.inputRows)),
        redactor);
    if (kafka) {
      putTopics(attributes, topics, redactor);
    }
  }

  private static void putTopics(
      AttributeList.Builder attributes, Map<String, Long> topics, Redactor redactor) {
    long all = 0;
    List<Map.Entry<String, Long>> behind = new ArrayList<>();
    for (Map.Entry<String, Long> topic : topics.entrySet()) {
      all = Totals.sum(all, topic.getValue());
      if (topic.getValue() > 0) {
        behind.add(topic);
      }
    }
    behind.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
    putNumber(attributes, StreamMetric.KAFKA_BEHIND, all);
    putList(
        attributes,
        StreamNames.KAFKA_TOPICS,
        behind.subList(0, Math.min(MAX_LIST, behind.size())),
        topic -> topic.getKey() + ' ' + topic.getValue(),
        redactor);
  }

  private static String offset(String offset) {
    return offset == null ? "the start" : Truncation.toBytes(offset, OFFSETS).text();
  }

  private static String withoutIdentity(String description) {
    return description == null ? null : IDENTITY.matcher(description).replaceFirst("");
  }

  private static void putState(AttributeList.Builder attributes, StreamProgress progress) {
    List<String> operators = new ArrayList<>();
    for (StreamProgress.State state : progress.states) {
      if (operators.size() < MAX_LIST) {
        operators.add(operator(state));
      }
    }
    attributes.put(StreamNames.STATE_OPERATORS, operators);
    putNumber(attributes, StreamMetric.STATE_ROWS, sum(progress, state -> state.rows));
    putNumber(attributes, StreamMetric.STATE_UPDATED, sum(progress, state -> state.rowsUpdated));
    putNumber(attributes, StreamMetric.STATE_REMOVED, sum(progress, state -> state.rowsRemoved));
    putNumber(attributes, StreamMetric.STATE_MEMORY, sum(progress, state -> state.memoryBytes));
    putNumber(attributes, StreamMetric.STATE_COMMIT, sum(progress, state -> state.commitMillis));
    putNumber(
        attributes,
        StreamMetric.ROWS_DROPPED,
        sum(progress, state -> state.rowsDroppedByWatermark));
  }

  private static String operator(StreamProgress.State state) {
    StringBuilder text = new StringBuilder(state.operator == null ? "operator" : state.operator);
    add(text, "rows", state.rows, "");
    add(text, "updated", state.rowsUpdated, "");
    add(text, "removed", state.rowsRemoved, "");
    add(text, "dropped by watermark", state.rowsDroppedByWatermark, "");
    add(text, "memory", state.memoryBytes, " B");
    add(text, "commit", state.commitMillis, " ms");
    return Truncation.toBytes(text.toString(), Limits.WORD).text();
  }

  private static void add(StringBuilder text, String what, long value, String unit) {
    if (value >= 0) {
      text.append(text.indexOf(": ") < 0 ? ": " : ", ");
      text.append(what).append(' ').append(value).append(unit);
    }
  }

  /** Over all operators of the query; -1 where none tells. */
  static long sum(StreamProgress progress, ToLongFunction<StreamProgress.State> number) {
    long sum = -1;
    for (StreamProgress.State state : progress.states) {
      long value = number.applyAsLong(state);
      if (value >= 0) {
        sum = Totals.sum(Math.max(0, sum), value);
      }
    }
    return sum;
  }

  private static void putNumber(AttributeList.Builder attributes, StreamMetric metric, long value) {
    if (value >= 0) {
      attributes.put(metric.attribute(), value);
    }
  }

  /** Of a first batch there is none: Spark divides by nothing. */
  private static void putRate(AttributeList.Builder attributes, StreamMetric metric, double rate) {
    if (rate >= 0 && !Double.isInfinite(rate)) {
      attributes.put(metric.attribute(), rate);
    }
  }

  private static void putText(
      AttributeList.Builder attributes, Attribute key, String text, Redactor redactor) {
    Limits.putText(attributes, key, redactor.text(text), Limits.MESSAGE);
  }

  private static <T> void putList(
      AttributeList.Builder attributes,
      Attribute key,
      List<T> of,
      Function<T, String> text,
      Redactor redactor) {
    List<String> texts = new ArrayList<>(of.size());
    for (T one : of) {
      texts.add(Truncation.toBytes(redactor.text(text.apply(one)), Limits.MESSAGE).text());
    }
    attributes.put(key, texts);
  }

  /**
   * @param exception as Spark tells it: with its stack trace
   */
  static void fail(SpanFactory.Draft draft, String exception, long time, Redactor redactor) {
    String type = Failures.errorType(exception);
    FailureDetails details = FailureDetails.of(exception, null);
    draft.error(type == null ? details.errorClass() : type, exception);
    details.put(draft.attributes, redactor);
    draft.event(Failures.event(type, exception, time, redactor));
  }
}
