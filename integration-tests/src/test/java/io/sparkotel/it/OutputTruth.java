package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a SQL execution says that it wrote, against the metrics of the nodes that write, on Spark's
 * own SQL page. Sizes are compared as that page shows them.
 */
final class OutputTruth {

  private static final String FILES = "number of written files";

  private static final Map<String, String> COUNTS =
      Map.of("spark.sql.output.rows", "number of output rows", "spark.sql.output.files", FILES);

  private final JsonNode executions;

  /**
   * @param executions all of the application, with details
   */
  OutputTruth(JsonNode executions) {
    this.executions = executions;
  }

  /** A command whose own node counts nothing has the numbers of an execution that it started. */
  void compare(SpanNumbers numbers, SpanNode sql, JsonNode truth) {
    List<JsonNode> own = new ArrayList<>();
    addWriters(truth, own);
    List<JsonNode> writers = new ArrayList<>(own);
    if (own.isEmpty()) {
      executions.forEach(execution -> addWriters(execution, writers));
    }
    COUNTS.forEach(
        (key, metric) -> {
          if (!own.isEmpty() || sql.attribute(key) != null) {
            numbers.equalToOneOf(key, values(writers, metric));
          }
        });
    if (sql.attribute("spark.sql.output.partitions") != null) {
      numbers.equalToOneOf(
          "spark.sql.output.partitions", values(writers, "number of dynamic part"));
    }
    Object bytes = sql.attribute("spark.sql.output.bytes");
    if (bytes != null) {
      numbers.skip("spark.sql.output.bytes");
      numbers.among(
          "spark.sql.output.bytes", shown((Long) bytes), values(writers, "written output"));
    }
  }

  private static void addWriters(JsonNode execution, List<JsonNode> writers) {
    for (JsonNode node : execution.get("nodes")) {
      if (!values(List.of(node), FILES).isEmpty()) {
        writers.add(node);
      }
    }
  }

  private static List<String> values(List<JsonNode> nodes, String metric) {
    List<String> values = new ArrayList<>();
    for (JsonNode node : nodes) {
      for (JsonNode one : node.get("metrics")) {
        if (one.get("name").asText().equals(metric)) {
          values.add(PlanTruth.total(one.get("value").asText()));
        }
      }
    }
    return values;
  }

  private static String shown(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double value = bytes;
    while (value >= 2 * 1024 && unit + 1 < units.length) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }
}
