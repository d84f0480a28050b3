package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the tasks of each SQL execution measured of Python, read from Spark's event log and computed
 * by no code of the product. Times are in ms.
 */
final class PythonTruth {

  private static final Map<String, String> KEYS =
      Map.of(
          "number of output rows", "rows",
          "data sent to Python workers", "data_sent_bytes",
          "data returned from Python workers", "data_received_bytes",
          "time to start Python workers", "start_time_ms",
          "time to initialize Python workers", "init_time_ms",
          "time to run Python workers", "run_time_ms",
          "time to execute Python code", "code_time_ms");

  private final Map<Long, JsonNode> plans = new HashMap<>();
  private final Map<Long, Long> updates = new HashMap<>();

  PythonTruth(List<JsonNode> events) {
    for (JsonNode event : events) {
      if (event.has("sparkPlanInfo")) {
        plans.put(event.get("executionId").asLong(), event.get("sparkPlanInfo"));
      }
      for (JsonNode of : event.path("Task Info").path("Accumulables")) {
        if (isTaskEnd(event) && of.path("Metadata").asText().equals("sql") && of.has("Update")) {
          updates.merge(of.get("ID").asLong(), of.get("Update").asLong(), Long::sum);
        }
      }
    }
  }

  private static boolean isTaskEnd(JsonNode event) {
    return event.get("Event").asText().equals("SparkListenerTaskEnd")
        && event.get("Task End Reason").get("Reason").asText().equals("Success");
  }

  /** By the attribute of the SQL span. */
  Map<String, Object> of(long execution) {
    Map<String, Object> sums = new TreeMap<>();
    List<JsonNode> open = new ArrayList<>(List.of(plans.get(execution)));
    while (!open.isEmpty()) {
      JsonNode node = open.remove(0);
      node.get("children").forEach(open::add);
      if (node.get("nodeName").asText().matches(".*(Python|InPandas|InArrow).*")) {
        node.get("metrics").forEach(metric -> add(metric, sums));
      }
    }
    return sums;
  }

  private void add(JsonNode metric, Map<String, Object> sums) {
    String key = KEYS.get(metric.get("name").asText());
    Long value = updates.get(metric.get("accumulatorId").asLong());
    if (key != null && value != null) {
      boolean nanos = metric.get("metricType").asText().equals("nsTiming");
      sums.merge(
          "spark.python." + key, nanos ? value / 1_000_000 : value, (a, b) -> (Long) a + (Long) b);
    }
  }
}
