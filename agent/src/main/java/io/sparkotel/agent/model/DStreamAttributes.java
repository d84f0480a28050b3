package io.sparkotel.agent.model;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** What is known of a batch of DStreams, as attributes. */
final class DStreamAttributes {

  private static final int MAX_LIST = 10;

  private DStreamAttributes() {}

  /** What its actions tell. */
  static void putOutputs(AttributeList.Builder attributes, Collection<DStreamOutput> outputs) {
    List<String> texts = new ArrayList<>();
    for (DStreamOutput output : outputs) {
      if (texts.size() < MAX_LIST) {
        texts.add(output.text());
      }
    }
    attributes.put(StreamNames.OUTPUTS, texts);
  }

  /** What Spark tells of it, which only a live run hears. */
  static void put(AttributeList.Builder attributes, DStreamBatch told, Redactor redactor) {
    putNumber(attributes, StreamMetric.SCHEDULING_DELAY, told.schedulingDelay);
    putNumber(attributes, StreamMetric.PROCESSING_DELAY, told.processingDelay);
    putNumber(attributes, StreamMetric.TOTAL_DELAY, told.totalDelay);
    putNumber(attributes, StreamMetric.INPUT_ROWS, told.records);
    putInputs(attributes, told, redactor);
    List<DStreamBatch.Output> outputs = new ArrayList<>(told.outputs);
    outputs.sort(Comparator.comparingInt(output -> output.id));
    List<String> results = new ArrayList<>();
    for (DStreamBatch.Output output : outputs) {
      results.add(result(output));
    }
    putList(attributes, StreamNames.OUTPUT_RESULTS, results, redactor);
  }

  private static void putInputs(
      AttributeList.Builder attributes, DStreamBatch told, Redactor redactor) {
    List<DStreamBatch.Input> inputs = new ArrayList<>(told.inputs);
    inputs.sort(Comparator.comparingInt(input -> input.streamId));
    List<String> names = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    List<String> descriptions = new ArrayList<>();
    boolean described = false;
    for (DStreamBatch.Input input : inputs) {
      names.add("input stream " + input.streamId);
      rows.add(Long.toString(Math.max(0, input.records)));
      descriptions.add(input.description == null ? "" : input.description);
      described |= input.description != null;
    }
    putList(attributes, StreamNames.SOURCES, names, redactor);
    putList(attributes, StreamNames.SOURCE_ROWS, rows, redactor);
    if (described) {
      putList(attributes, StreamNames.SOURCE_OFFSETS, descriptions, redactor);
    }
  }

  /** Such as {@code 0 print at Orders.java:31: 40 ms, failed: java.io.IOException: disk full}. */
  private static String result(DStreamBatch.Output output) {
    StringBuilder text = new StringBuilder().append(output.id);
    if (output.name != null) {
      text.append(' ').append(output.name);
    }
    if (output.duration >= 0) {
      text.append(": ").append(output.duration).append(" ms");
    }
    if (output.failure != null) {
      int line = output.failure.indexOf('\n');
      text.append(", failed: ");
      text.append(line < 0 ? output.failure : output.failure.substring(0, line));
    }
    return text.toString();
  }

  private static void putNumber(AttributeList.Builder attributes, StreamMetric metric, long value) {
    if (value >= 0) {
      attributes.put(metric.attribute(), value);
    }
  }

  private static void putList(
      AttributeList.Builder attributes, Attribute key, List<String> all, Redactor redactor) {
    List<String> texts = new ArrayList<>();
    for (String text : all.subList(0, Math.min(MAX_LIST, all.size()))) {
      texts.add(Truncation.toBytes(redactor.text(text), Limits.MESSAGE).text());
    }
    attributes.put(key, texts);
  }

  static EventData event(ReceiverError error, Redactor redactor) {
    String text = error.error == null || error.error.isEmpty() ? error.message : error.error;
    String type = text == null ? null : Failures.errorType(text);
    String message = error.receiver == null ? error.message : error.receiver + ": " + error.message;
    return Failures.event(type, message, error.error, Math.max(0, error.time), redactor);
  }
}
