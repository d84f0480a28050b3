package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingThreshold;
import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayDeque;

/** What was wrong with a plan, by what was measured for its nodes. */
final class PlanFindings {

  private final Findings findings;
  private final FindingsConfig config;
  private final NodeFacts facts;
  private final JoinFindings joins;

  private PlanFindings(Findings findings, FindingsConfig config, NodeFacts facts) {
    this.findings = findings;
    this.config = config;
    this.facts = facts;
    joins = new JoinFindings(findings, config, facts);
  }

  /**
   * @param plan the last one, or null
   */
  static void addTo(Findings findings, PlanNode plan, SqlMetrics metrics, SpanFactory spans) {
    if (plan == null) {
      return;
    }
    PlanFindings finder =
        new PlanFindings(findings, spans.config.findings(), new NodeFacts(metrics, spans.redactor));
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    while (!open.isEmpty()) {
      PlanNode node = open.pop();
      finder.look(node);
      open.addAll(node.children());
    }
  }

  private void look(PlanNode node) {
    String name = NativeNodes.sparks(node.name());
    addSmallFiles(
        node,
        FindingCode.SMALL_FILES_READ,
        "read",
        facts.value(node, "number of files read"),
        facts.value(node, "size of files read"),
        FindingThreshold.SMALL_FILES_READ_FILES,
        FindingThreshold.SMALL_FILES_READ_SIZE);
    addSmallFiles(
        node,
        FindingCode.SMALL_FILES_WRITTEN,
        "wrote",
        facts.value(node, "number of written files"),
        facts.value(node, "written output"),
        FindingThreshold.SMALL_FILES_WRITTEN_FILES,
        FindingThreshold.SMALL_FILES_WRITTEN_SIZE);
    addFullScan(node);
    if (name.startsWith("BroadcastExchange")) {
      addLargeBroadcast(node);
    } else if (name.equals("Filter")) {
      addLongFilter(node);
    }
    joins.look(node, name);
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
          facts.words(node)
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

  /** They are counted of partitioned tables only; RAPIDS has a name of its own for it. */
  private void addFullScan(PlanNode node) {
    Long partitions = facts.value(node, "number of partitions read", "partitions");
    Long size = facts.value(node, "size of files read");
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
          facts.words(node)
              + " read all of a table, "
              + FindingText.count(partitions, "partition")
              + " with "
              + FindingText.bytes(size)
              + ", without a filter on its partitions";
      findings.add(config, FindingCode.FULL_SCAN, excess, sentence);
    }
  }

  private void addLargeBroadcast(PlanNode node) {
    Long size = facts.value(node, "data size");
    double excess = size == null ? 0 : config.excess(FindingThreshold.LARGE_BROADCAST_SIZE, size);
    if (excess > 0) {
      String sentence =
          facts.words(node) + " sent " + FindingText.bytes(size) + " to every executor";
      findings.add(config, FindingCode.LARGE_BROADCAST, excess, sentence);
    }
  }

  private void addLongFilter(PlanNode node) {
    String text = PlanIds.without(node.simpleString());
    int start = node.name().length() + 1;
    int columns = text.indexOf("], ");
    if (node.name().startsWith("Comet") && columns > 0) {
      // The columns that it gives come first.
      start = columns + "], ".length();
    }
    int length = text.length() - start;
    double excess = config.excess(FindingThreshold.LONG_FILTER_LENGTH, length);
    if (excess > 0) {
      String sentence =
          "a filter has a condition of " + FindingText.number(length) + " characters or more";
      findings.add(config, FindingCode.LONG_FILTER, excess, sentence);
    }
  }
}
