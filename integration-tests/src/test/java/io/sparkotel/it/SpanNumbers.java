package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.it.SparkAnswers.Metric;
import io.sparkotel.it.SparkAnswers.StageAttempt;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** The numbers of one span: each has to be compared, or named as not being Spark's. */
final class SpanNumbers {
  private final SpanNode span;
  private final String id;
  private final Differences differences;
  private final Map<String, Object> left = new TreeMap<>();

  /**
   * @param id Spark's own, for the differences
   */
  SpanNumbers(SpanNode span, String id, Differences differences) {
    this.span = span;
    this.id = id;
    this.differences = differences;
    span.attributes()
        .forEach(
            (key, value) -> {
              if (value instanceof Number) {
                left.put(key, value);
              }
            });
    // What only a live run has, of its own making.
    left.keySet().removeIf(key -> key.matches("process\\.pid|spark\\.otel\\.(?!tasks|anom).*"));
  }

  void equal(String key, Number truth) {
    left.remove(key);
    text(key, truth instanceof Integer ? (Number) truth.longValue() : truth);
  }

  /** A number that is left out where it is 0. */
  void equalOrAbsentZero(String key, Number truth) {
    equal(key, truth.doubleValue() == 0 && span.attribute(key) == null ? null : truth);
  }

  /** Equal to one of these, as text; absent where there is none. */
  void equalToOneOf(String key, List<String> truths) {
    left.remove(key);
    Object value = span.attribute(key);
    among(key, value == null ? null : value.toString(), truths);
  }

  void among(String key, String value, List<String> truths) {
    String first = truths.isEmpty() ? null : truths.get(0);
    differences.compare(span.entity(), id, key, value, truths.contains(value) ? value : first);
  }

  void text(String key, Object truth) {
    differences.compare(span.entity(), id, key, span.attribute(key), truth);
  }

  /** An end that is a number is a duration; one that Spark does not know is not compared. */
  void time(JsonNode start, JsonNode end) {
    if (start != null) {
      long millis = SparkAnswers.millis(start);
      differences.compare(span.entity(), id, "start", span.startNanos(), millis * 1_000_000);
      if (end != null) {
        long truth = end.isNumber() ? millis + end.asLong() : SparkAnswers.millis(end);
        differences.compare(span.entity(), id, "end", span.endNanos(), truth * 1_000_000);
      }
    }
  }

  void tasks(List<StageAttempt> stages) {
    long succeeded = 0;
    long failed = 0;
    long killed = 0;
    long speculative = 0;
    for (StageAttempt stage : stages) {
      succeeded += stage.truth().get("numCompleteTasks").asLong();
      failed += stage.truth().get("numFailedTasks").asLong();
      killed += stage.truth().get("numKilledTasks").asLong();
      speculative +=
          stage.tasks().stream()
              .filter(task -> task.get("speculative").asBoolean())
              .filter(task -> !task.get("status").asText().equals("RUNNING"))
              .count();
    }
    equal("spark.tasks.total", succeeded + failed + killed);
    equal("spark.tasks.succeeded", succeeded);
    equal("spark.tasks.failed", failed);
    equal("spark.tasks.killed", killed);
    equal("spark.tasks.speculative", speculative);
  }

  /**
   * @param told whether any task told metrics: there is something to add up, and a 0 is told as
   *     such
   */
  void sums(List<StageAttempt> stages, boolean told) {
    for (Metric metric : SparkAnswers.METRICS) {
      sum(metric.key(), metric.ofStages(stages), told);
    }
  }

  /**
   * @param told as {@link #sums}
   */
  void sum(String key, Number truth, boolean told) {
    if (!told) {
      equalOrAbsentZero(key, truth);
    } else if (truth.doubleValue() == 0 && span.attribute(key) == null) {
      differences.addUntold(key);
    } else {
      equal(key, truth);
    }
  }

  /** Of all that executors sample. */
  void peaks(String prefix, Map<String, String> sources, ToLongFunction<String> truth) {
    sources.forEach((key, source) -> equalOrAbsentZero(prefix + key, truth.applyAsLong(source)));
  }

  void skipAll(String prefix) {
    left.keySet().removeIf(key -> key.startsWith(prefix));
  }

  void skip(String... keys) {
    left.keySet().removeAll(List.of(keys));
  }

  void end() {
    left.forEach((key, value) -> differences.compare(span.entity(), id, key, value, null));
  }
}
