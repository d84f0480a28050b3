package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a plan shows of its nodes against the node metrics of Spark's own SQL page. A total of 0 and
 * averages are not shown, of a node with very many metrics not all.
 */
final class PlanTruth {

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
   * @param truth the answer of the REST API, with details
   */
  static void compare(SpanNode sql, JsonNode truth, Differences differences) {
    Set<String> ours = new TreeSet<>();
    Matcher measured = MEASURED.matcher(plan(sql));
    while (measured.find()) {
      for (String metric : measured.group(1).split(", ")) {
        int blank = metric.indexOf(' ', metric.replaceAll(" [\\d.]+( \\w+)?$", "").length());
        ours.add(metric.substring(0, blank) + " =" + metric.substring(blank));
      }
    }
    Set<String> sparks = new TreeSet<>();
    for (JsonNode node : truth.get("nodes")) {
      for (JsonNode metric : node.get("metrics")) {
        String name = metric.get("name").asText();
        String value = total(metric.get("value").asText());
        if (!name.startsWith("avg ") && !ZERO.matcher(value).matches()) {
          sparks.add(label(name) + " = " + value);
        }
      }
    }
    ours.removeIf(metric -> metric.endsWith(" = 0"));
    String id = truth.get("id").asText();
    for (String metric : union(ours, sparks)) {
      differences.compare(
          "sql",
          id,
          metric,
          ours.contains(metric) ? "there" : "missing",
          sparks.contains(metric) ? "there" : "missing");
    }
  }

  private static Set<String> union(Set<String> a, Set<String> b) {
    Set<String> all = new TreeSet<>(a);
    all.addAll(b);
    return all;
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
