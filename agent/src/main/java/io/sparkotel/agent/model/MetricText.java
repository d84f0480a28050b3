package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was measured for one node of a plan, in words: totals as Spark's UI shows them, with its
 * rounding. A size or a time of 0 says nothing and is left out.
 */
final class MetricText {

  private static final int MAX_METRICS = 10;
  private static final int MAX_NAME_CHARS = 60;
  private static final int MAX_CHARS = 250;
  private static final String NUMBER_OF = "number of ";
  private static final String ROWS = "number of output rows";

  /** What comes first; all others follow in the order of their names. */
  private static final Map<String, Integer> RANKS = new HashMap<>();

  static {
    for (String name :
        Arrays.asList(
            ROWS,
            "duration",
            "number of files read",
            "size of files read",
            "number of partitions read",
            "number of written files",
            "written output",
            "number of dynamic part",
            "data size",
            "shuffle bytes written",
            "spill size",
            "peak memory",
            "scan time",
            "sort time",
            "time in aggregation build",
            "number of partitions")) {
      RANKS.put(name, RANKS.size());
    }
  }

  private MetricText() {}

  /**
   * Such as {@code {rows 10, sort time 3 ms}}: ASCII, with the blank before it; empty for nothing.
   *
   * @param codegen the node of the generated code that begins at this one, or null
   */
  static String of(PlanNode node, PlanNode codegen, SqlMetrics values) {
    List<PlanMetric> known = new ArrayList<>(0);
    collect(node, values, known);
    if (codegen != null) {
      collect(codegen, values, known);
    }
    if (known.isEmpty()) {
      return "";
    }
    known.sort(
        Comparator.comparingInt((PlanMetric metric) -> rank(metric.name()))
            .thenComparing(PlanMetric::name)
            .thenComparingLong(PlanMetric::accumulatorId));
    StringBuilder text = new StringBuilder(" {");
    for (int i = 0; i < known.size() && i < MAX_METRICS && text.length() < MAX_CHARS; i++) {
      PlanMetric metric = known.get(i);
      text.append(i == 0 ? "" : ", ").append(label(metric.name())).append(' ');
      text.append(value(metric.type(), values.value(metric.accumulatorId())));
    }
    return text.append('}').toString();
  }

  private static void collect(PlanNode node, SqlMetrics values, List<PlanMetric> known) {
    for (PlanMetric metric : node.metrics()) {
      Long value = values.value(metric.accumulatorId());
      if (value != null && value >= least(metric.type()) && isPlain(metric.name())) {
        known.add(metric);
      }
    }
  }

  /** The least value that is shown. */
  private static long least(PlanMetric.Type type) {
    switch (type) {
      case SUM:
        return 0;
      case NS_TIMING:
        return 1_000_000;
      case OTHER:
        return Long.MAX_VALUE;
      default:
        return 1;
    }
  }

  private static int rank(String name) {
    return RANKS.getOrDefault(name, Integer.MAX_VALUE);
  }

  private static String label(String name) {
    if (name.equals(ROWS)) {
      return "rows";
    }
    return name.startsWith(NUMBER_OF) ? name.substring(NUMBER_OF.length()) : name;
  }

  /** A connector names its own, and could write anything. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < ' ' || c > '~' || c == '{' || c == '}') {
        return false;
      }
    }
    return !name.isEmpty() && name.length() <= MAX_NAME_CHARS;
  }

  private static String value(PlanMetric.Type type, long value) {
    switch (type) {
      case SIZE:
        return bytes(value);
      case TIMING:
        return time(value);
      case NS_TIMING:
        return time(value / 1_000_000);
      default:
        return Long.toString(value);
    }
  }

  /** A unit from two of it on, as Spark's UI does. */
  static String bytes(long value) {
    String units = "BKMGTPE";
    int unit = 0;
    while (unit < 6 && value >> (10 * unit) >= 2048) {
      unit++;
    }
    String number = String.format(Locale.ROOT, "%.1f ", value / (double) (1L << (10 * unit)));
    return number + (unit == 0 ? "B" : units.charAt(unit) + "iB");
  }

  static String time(long millis) {
    if (millis < 1_000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1_000f);
    }
    if (millis < 3_600_000) {
      return String.format(Locale.ROOT, "%.1f m", millis / 60_000f);
    }
    return String.format(Locale.ROOT, "%.2f h", millis / 3_600_000f);
  }
}
