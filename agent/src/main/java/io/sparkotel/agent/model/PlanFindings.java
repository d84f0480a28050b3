package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;

/** What was wrong with a plan, by what was measured for its nodes. */
final class PlanFindings {

  private static final String ROWS = "number of output rows";
  private static final String DATA_SIZE = "data size";
  private static final int NAME_WORDS = 4;

  private final Findings findings;
  private final FindingsConfig config;
  private final SqlMetrics metrics;
  private final Redactor redactor;

  private PlanFindings(
      Findings findings, FindingsConfig config, SqlMetrics metrics, Redactor redactor) {
    this.findings = findings;
    this.config = config;
    this.metrics = metrics;
    this.redactor = redactor;
  }

  /**
   * @param plan the last one, or null
   */
  static void addTo(Findings findings, PlanNode plan, SqlMetrics metrics, SpanFactory spans) {
    if (plan == null) {
      return;
    }
    PlanFindings finder =
        new PlanFindings(findings, spans.config.findings(), metrics, spans.redactor);
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      finder.look(node);
      open.addAll(node.children());
    }
  }

  private void look(PlanNode node) {
    String name = node.name();
    addSmallFiles(
        node,
        FindingCode.SMALL_FILES_READ,
        "read",
        value(node, "number of files read"),
        value(node, "size of files read"),
        FindingThreshold.SMALL_FILES_READ_FILES,
        FindingThreshold.SMALL_FILES_READ_SIZE);
    addSmallFiles(
        node,
        FindingCode.SMALL_FILES_WRITTEN,
        "wrote",
        value(node, "number of written files"),
        value(node, "written output"),
        FindingThreshold.SMALL_FILES_WRITTEN_FILES,
        FindingThreshold.SMALL_FILES_WRITTEN_SIZE);
    addFullScan(node);
    if (name.startsWith("BroadcastExchange")) {
      addLargeBroadcast(node);
    } else if (name.startsWith("SortMergeJoin") || name.startsWith("ShuffledHashJoin")) {
      addMissedBroadcast(node);
    } else if (name.equals("Filter")) {
      addLongFilter(node);
    }
    if (name.startsWith(SqlMetrics.PRODUCT) || name.startsWith("BroadcastNestedLoopJoin")) {
      addCartesian(node);
    } else if (name.contains("Join")) {
      addExplodingJoin(node);
    }
  }

  private void addSmallFiles(
      PlanNode node,
      FindingCode code,
      String did,
      Long files,
      Long size,
      FindingThreshold many,
      FindingThreshold small) {
    if (files == null || size == null || files == 0) {
      return;
    }
    double average = (double) size / files;
    double excess = Math.min(config.excess(many, files), config.excess(small, average));
    if (excess > 0) {
      String sentence =
          words(node)
              + ' '
              + did
              + ' '
              + FindingText.count(files, "file")
              + " of "
              + FindingText.bytes(average)
              + " on average, "
              + FindingText.bytes(size)
              + " in all";
      findings.add(config, code, excess, sentence);
    }
  }

  /** Spark counts the partitions read of partitioned tables only. */
  private void addFullScan(PlanNode node) {
    Long partitions = value(node, "number of partitions read");
    Long size = value(node, "size of files read");
    if (partitions == null
        || size == null
        || !node.simpleString().contains("PartitionFilters: []")) {
      return;
    }
    double excess =
        Math.min(
            config.excess(FindingThreshold.FULL_SCAN_PARTITIONS, partitions),
            config.excess(FindingThreshold.FULL_SCAN_SIZE, size));
    if (excess > 0) {
      String sentence =
          words(node)
              + " read all of a table, "
              + FindingText.count(partitions, "partition")
              + " with "
              + FindingText.bytes(size)
              + ", without a filter on its partitions";
      findings.add(config, FindingCode.FULL_SCAN, excess, sentence);
    }
  }

  private void addLargeBroadcast(PlanNode node) {
    Long size = value(node, DATA_SIZE);
    double excess = size == null ? 0 : config.excess(FindingThreshold.LARGE_BROADCAST_SIZE, size);
    if (excess > 0) {
      String sentence = words(node) + " sent " + FindingText.bytes(size) + " to every executor";
      findings.add(config, FindingCode.LARGE_BROADCAST, excess, sentence);
    }
  }

  private void addMissedBroadcast(PlanNode join) {
    if (join.children().size() != 2) {
      return;
    }
    Long left = shuffled(join.children().get(0));
    Long right = shuffled(join.children().get(1));
    if (left == null || right == null) {
      return;
    }
    boolean leftIsSmall = left < right;
    long small = Math.min(left, right);
    long large = Math.max(left, right);
    double ratio =
        config.excess(FindingThreshold.MISSED_BROADCAST_RATIO, (double) large / Math.max(1, small));
    double excess =
        Math.min(
            Math.min(ratio, config.excess(FindingThreshold.MISSED_BROADCAST_LARGE, large)),
            config.excess(FindingThreshold.MISSED_BROADCAST_SMALL, small));
    if (excess > 0 && canBroadcast(join.simpleString(), leftIsSmall)) {
      String sentence =
          words(join)
              + " shuffled "
              + FindingText.bytes(large)
              + " to join them with the "
              + FindingText.bytes(small)
              + " of its "
              + (leftIsSmall ? "left" : "right")
              + " side";
      findings.add(config, FindingCode.MISSED_BROADCAST, excess, sentence);
    }
  }

  /** An outer join has to see every row of its outer side once, so only the other can be sent. */
  private static boolean canBroadcast(String join, boolean left) {
    if (join.contains(", FullOuter")) {
      return false;
    }
    boolean inner = join.contains(", Inner");
    return inner || (left ? join.contains(", RightOuter") : !join.contains(", RightOuter"));
  }

  /** What was shuffled for that side of a join, or null where it was not for it alone. */
  private Long shuffled(PlanNode side) {
    PlanNode node = side;
    while (!node.name().startsWith("Exchange")) {
      String name = node.name();
      boolean passes =
          PlanText.isHidden(name)
              || name.equals("Sort")
              || name.startsWith("AQEShuffleRead")
              || name.startsWith("CustomShuffleReader")
              || name.startsWith("ShuffleQueryStage");
      if (!passes || node.children().size() != 1) {
        return null;
      }
      node = node.children().get(0);
    }
    return value(node, DATA_SIZE);
  }

  private void addCartesian(PlanNode join) {
    if (join.children().size() != 2) {
      return;
    }
    Long left = rows(join.children().get(0));
    Long right = rows(join.children().get(1));
    if (left == null || right == null) {
      return;
    }
    if (Math.min(left, right) <= 1) {
      return;
    }
    double pairs = (double) left * right;
    if (join.name().startsWith(SqlMetrics.PRODUCT)) {
      // Each task has one of the left partitions and one of the right ones, and computes both.
      int tasks = tasks(join);
      pairs = tasks == 0 ? 0 : pairs / tasks;
    }
    double excess = config.excess(FindingThreshold.CARTESIAN_PAIRS, pairs);
    if (excess > 0) {
      String sentence =
          String.format(Locale.ROOT, "%s compared at least %.0f pairs of rows", words(join), pairs);
      findings.add(config, FindingCode.CARTESIAN, excess, sentence);
    }
  }

  private int tasks(PlanNode product) {
    int tasks = 0;
    for (PlanMetric metric : product.metrics()) {
      tasks = Math.max(tasks, metrics.tasksOfProduct(metric.accumulatorId()));
    }
    return tasks;
  }

  private void addExplodingJoin(PlanNode join) {
    Long out = value(join, ROWS);
    if (out == null || join.children().size() != 2) {
      return;
    }
    Long left = rows(join.children().get(0));
    Long right = rows(join.children().get(1));
    if (left == null || right == null) {
      return;
    }
    long in = Totals.sum(left, right);
    if (in == 0) {
      return;
    }
    double ratio = (double) out / in;
    double excess =
        Math.min(
            config.excess(FindingThreshold.EXPLODING_JOIN_ROWS, out),
            config.excess(FindingThreshold.EXPLODING_JOIN_RATIO, ratio));
    if (excess > 0) {
      String sentence =
          words(join)
              + " made "
              + out
              + " rows of "
              + left
              + " and "
              + right
              + ", "
              + FindingText.ratio(ratio)
              + " times as many";
      findings.add(config, FindingCode.EXPLODING_JOIN, excess, sentence);
    }
  }

  /** The rows that a side of a join gives, or null where they are not known. */
  private Long rows(PlanNode side) {
    PlanNode node = side;
    while (true) {
      Long rows = value(node, ROWS);
      if (rows == null && node.name().startsWith("Exchange")) {
        rows = value(node, "shuffle records written");
      }
      if (rows != null) {
        return rows;
      }
      if (!keepsRows(node.name()) || node.children().size() != 1) {
        return null;
      }
      node = node.children().get(0);
    }
  }

  private static boolean keepsRows(String name) {
    return PlanText.isHidden(name)
        || name.equals("Project")
        || name.equals("Sort")
        || name.startsWith("ColumnarToRow")
        || name.startsWith("AQEShuffleRead")
        || name.startsWith("CustomShuffleReader")
        || name.endsWith("QueryStage")
        || name.startsWith("Exchange")
        || name.startsWith("BroadcastExchange");
  }

  private void addLongFilter(PlanNode node) {
    int length = PlanIds.without(node.simpleString()).length() - "Filter ".length();
    double excess = config.excess(FindingThreshold.LONG_FILTER_LENGTH, length);
    if (excess > 0) {
      String sentence = "a filter has a condition of " + length + " characters or more";
      findings.add(config, FindingCode.LONG_FILTER, excess, sentence);
    }
  }

  /** The node's own name, such as {@code Scan parquet default.sales}. */
  private String words(PlanNode node) {
    String words = PlanText.words(PlanText.bounded(node.name()), NAME_WORDS, true);
    return redactor.text(words.isEmpty() ? "a node" : words);
  }

  /** The total of that metric, or null. */
  private Long value(PlanNode node, String metric) {
    List<PlanMetric> all = node.metrics();
    for (PlanMetric one : all) {
      if (one.name().equals(metric)) {
        return metrics.value(one.accumulatorId());
      }
    }
    return null;
  }
}
