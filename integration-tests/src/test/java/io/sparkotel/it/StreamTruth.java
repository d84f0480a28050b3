package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What the batches and runs of streaming queries tell, computed once more from the progress that
 * Spark itself wrote into its event log, by no code of the product.
 */
final class StreamTruth {

  private static final String PREFIX = "spark.streaming.";

  private final Map<String, JsonNode> batches = new HashMap<>();
  private final Map<String, Long> idle = new HashMap<>();

  StreamTruth(List<JsonNode> events) {
    for (JsonNode event : events) {
      String name = event.get("Event").asText();
      if (name.endsWith("QueryIdleEvent")) {
        idle.merge(event.get("runId").asText(), 1L, Long::sum);
      } else if (name.endsWith("QueryProgressEvent")) {
        JsonNode progress = event.get("progress");
        String run = progress.get("runId").asText();
        if (progress.get("durationMs").has("addBatch")) {
          batches.put(run + "/" + progress.get("batchId").asLong(), progress);
        } else {
          idle.merge(run, 1L, Long::sum);
        }
      }
    }
  }

  /** Every number, text and list of each batch and each run's idle triggers; nothing is missing. */
  void assertTold(List<SpanNode> spans) {
    int compared = 0;
    for (SpanNode span : spans) {
      Object run = span.attribute(PREFIX + "run.id");
      if (span.entity().equals("query")) {
        assertThat(span.attribute(PREFIX + "idle_triggers"))
            .as(span.name())
            .isEqualTo(idle.getOrDefault(run, 0L));
      } else if (span.entity().equals("batch")) {
        JsonNode progress = batches.get(run + "/" + span.attribute(PREFIX + "batch.id"));
        compared += progress == null ? 0 : 1;
        assertThat(told(span))
            .as(span.name())
            .isEqualTo(progress == null ? Map.of() : of(progress));
      }
    }
    assertThat(compared).isEqualTo(batches.size()).isPositive();
  }

  /** Of a span what its progress tells. */
  private static Map<String, Object> told(SpanNode span) {
    Map<String, Object> told = new TreeMap<>();
    span.attributes()
        .forEach(
            (key, value) -> {
              if (key.startsWith(PREFIX)
                  && !key.matches(".*\\.((query|run|batch)\\..*|output\\.id|idle_triggers)")) {
                told.put(key.substring(PREFIX.length()), value);
              }
            });
    return told;
  }

  private static Map<String, Object> of(JsonNode progress) {
    Map<String, Object> of = new TreeMap<>();
    for (Map.Entry<String, JsonNode> phase : progress.get("durationMs").properties()) {
      of.put(snakeCase(phase.getKey()) + "_ms", phase.getValue().asLong());
    }
    JsonNode eventTime = progress.get("eventTime");
    put(of, "watermark", eventTime.path("watermark"));
    put(of, "event_time.max", eventTime.path("max"));
    JsonNode sources = progress.get("sources");
    long rows = 0;
    for (JsonNode source : sources) {
      rows += source.get("numInputRows").asLong();
    }
    of.put("input_rows", rows);
    putRate(of, "input_rows_per_second", sources, "inputRowsPerSecond");
    putRate(of, "processed_rows_per_second", sources, "processedRowsPerSecond");
    of.put("sources", texts(sources, source -> plain(source.get("description"))));
    of.put("source.rows", texts(sources, source -> source.get("numInputRows").asText()));
    of.put(
        "source.offsets",
        texts(
            sources,
            source ->
                offset(source.get("startOffset")) + " to " + offset(source.get("endOffset"))));
    JsonNode sink = progress.get("sink");
    of.put("sink", plain(sink.get("description")));
    if (sink.path("numOutputRows").asLong(-1) >= 0) {
      of.put("output_rows", sink.get("numOutputRows").asLong());
    }
    JsonNode states = progress.get("stateOperators");
    if (!states.isEmpty()) {
      putSum(of, "state.rows", states, "numRowsTotal");
      putSum(of, "state.rows_updated", states, "numRowsUpdated");
      putSum(of, "state.rows_removed", states, "numRowsRemoved");
      putSum(of, "state.memory_bytes", states, "memoryUsedBytes");
      putSum(of, "state.commit_time_ms", states, "commitTimeMs");
      putSum(of, "rows_dropped_by_watermark", states, "numRowsDroppedByWatermark");
      of.put(
          "state.operators",
          texts(
              states,
              state ->
                  String.format(
                      Locale.ROOT,
                      "%s: rows %d, updated %d, removed %d, dropped by watermark %d, memory %d B,"
                          + " commit %d ms",
                      state.get("operatorName").asText(),
                      state.get("numRowsTotal").asLong(),
                      state.get("numRowsUpdated").asLong(),
                      state.get("numRowsRemoved").asLong(),
                      state.get("numRowsDroppedByWatermark").asLong(),
                      state.get("memoryUsedBytes").asLong(),
                      state.get("commitTimeMs").asLong())));
    }
    return of;
  }

  private static String snakeCase(String camelCase) {
    return camelCase.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static void put(Map<String, Object> to, String key, JsonNode text) {
    if (text.isTextual()) {
      to.put(key, text.asText());
    }
  }

  /** Spark writes NaN and Infinity, as text, where it divided by nothing. */
  private static void putRate(Map<String, Object> to, String key, JsonNode sources, String field) {
    double sum = 0;
    for (JsonNode source : sources) {
      JsonNode rate = source.path(field);
      sum += rate.isNumber() ? rate.asDouble() : Double.NaN;
    }
    if (!Double.isNaN(sum)) {
      to.put(key, sum);
    }
  }

  private static void putSum(Map<String, Object> to, String key, JsonNode states, String field) {
    long sum = 0;
    for (JsonNode state : states) {
      sum += state.get(field).asLong();
    }
    to.put(key, sum);
  }

  private static List<String> texts(JsonNode nodes, Function<JsonNode, String> text) {
    List<String> texts = new ArrayList<>();
    nodes.forEach(node -> texts.add(text.apply(node)));
    return texts;
  }

  private static String offset(JsonNode offset) {
    return offset.isNull() ? "the start" : offset.asText();
  }

  /** Without what names an object in memory. */
  private static String plain(JsonNode description) {
    return description.asText().replaceFirst("@[0-9a-f]+$", "");
  }
}
