package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a plan shows of its nodes against the node metrics of Spark's own SQL page. A total of 0 and
 * averages are not shown, of a node with very many metrics not all.
 */
final class PlanTruth {

  /** Behind the drawing and the number of the generated code, as Spark's page calls it. */
  private static final Pattern NODE =
      Pattern.compile("^[ :]*(?:[:+]- )?(?:\\*\\(\\d+\\) )?!?(?:File(?=Scan))?(\\w+)");

  private static final Pattern MEASURED = Pattern.compile(" \\{([^{}]*)}$", Pattern.MULTILINE);
  private static final Pattern ZERO = Pattern.compile("0|0\\.0 B|0 ms");

  private PlanTruth() {}

  /** The whole plan of a SQL span, all its parts. */
  static String plan(SpanNode sql) {
    StringBuilder plan = new StringBuilder(sql.attribute("spark.sql.plan").toString());
    for (int i = 2; sql.attribute("spark.sql.plan_" + i) != null; i++) {
      plan.append('\n').append(sql.attribute("spark.sql.plan_" + i));
    }
    return plan.toString();
  }

  /**
   * Node by node. What Spark tells of generated code as a node of its own, its duration, is in the
   * plan at a node that it holds.
   *
   * @param truth the answer of the REST API, with details
   */
  static void compare(SpanNode sql, JsonNode truth, Differences differences) {
    Map<String, Integer> ours = new TreeMap<>();
    for (String line : plan(sql).lines().toList()) {
      Matcher node = NODE.matcher(line);
      if (node.find()) {
        Matcher measured = MEASURED.matcher(line);
        add(ours, node.group(1), measured.find() ? metrics(measured.group(1)) : Set.of());
      }
    }
    Map<String, Integer> sparks = new TreeMap<>();
    for (JsonNode node : truth.get("nodes")) {
      add(sparks, node.get("nodeName").asText().trim().split(" ")[0], metrics(node.get("metrics")));
    }
    String id = truth.get("id").asText();
    Set<String> all = new TreeSet<>(ours.keySet());
    all.addAll(sparks.keySet());
    for (String node : all) {
      differences.compare("sql", id, node, ours.get(node), sparks.get(node));
    }
  }

  /** Counts a node of that name with these metrics, and its duration by itself. */
  private static void add(Map<String, Integer> nodes, String name, Set<String> metrics) {
    Set<String> own = new TreeSet<>(metrics);
    for (String metric : metrics) {
      if (metric.startsWith("duration = ")) {
        nodes.merge(metric, 1, Integer::sum);
        own.remove(metric);
      }
    }
    if (!own.isEmpty()) {
      nodes.merge(name + " " + own, 1, Integer::sum);
    }
  }

  private static Set<String> metrics(String measured) {
    Set<String> metrics = new TreeSet<>();
    for (String metric : measured.split(", ")) {
      int blank = metric.indexOf(' ', metric.replaceAll(" [\\d.]+( \\w+)?$", "").length());
      String value = metric.substring(blank + 1);
      if (!value.equals("0")) {
        metrics.add(metric.substring(0, blank) + " = " + value);
      }
    }
    return metrics;
  }

  private static Set<String> metrics(JsonNode all) {
    Set<String> metrics = new TreeSet<>();
    for (JsonNode metric : all) {
      String name = metric.get("name").asText();
      String value = total(metric.get("value").asText());
      if (!name.startsWith("avg ") && !ZERO.matcher(value).matches()) {
        metrics.add(label(name) + " = " + value);
      }
    }
    return metrics;
  }

  private static String label(String name) {
    return Map.of("number of output rows", "rows")
        .getOrDefault(name, name.replaceFirst("^number of ", ""));
  }

  /** Spark adds least, median and most behind it, and says so in a line before it. */
  static String total(String value) {
    String last = value.substring(value.lastIndexOf('\n') + 1);
    int spread = last.indexOf(" (");
    return (spread < 0 ? last : last.substring(0, spread)).replace(",", "");
  }
}
