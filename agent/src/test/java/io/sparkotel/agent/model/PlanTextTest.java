package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTextTest {

  private static final int BUDGET = 16_384;

  /** As Spark 4.1 logged it. */
  private static final PlanNode AGGREGATE =
      node(
          "AdaptiveSparkPlan",
          "AdaptiveSparkPlan isFinalPlan=false",
          node(
              "WholeStageCodegen (2)",
              "WholeStageCodegen (2)",
              node(
                  "HashAggregate",
                  "HashAggregate(keys=[key#3L], functions=[count(1)], output=[key#3L, count(1)#86L])",
                  node(
                      "InputAdapter",
                      "InputAdapter",
                      node(
                          "Exchange",
                          "Exchange hashpartitioning(key#3L, 4), ENSURE_REQUIREMENTS, [plan_id=42]",
                          node(
                              "WholeStageCodegen (1)",
                              "WholeStageCodegen (1)",
                              node(
                                  "SortMergeJoin",
                                  "SortMergeJoin [a#1], [b#2], Inner",
                                  node(
                                      "Filter",
                                      "Filter (name#7 = #123456)",
                                      node(
                                          "Scan parquet default.sales",
                                          "FileScan parquet default.sales[name#7,id#0] Format: Parquet")),
                                  node("Range", "Range (0, 1000, step=1, splits=2)"))))))));

  @Test
  void drawsSparksTreeWithoutIds() {
    assertThat(PlanText.render(AGGREGATE, false, null, SqlMetrics.NONE, BUDGET))
        .containsExactly(
            "AdaptiveSparkPlan isFinalPlan=false",
            "+- *(2) HashAggregate(keys=[key], functions=[count(1)], output=[key, count(1)])",
            "   +- Exchange hashpartitioning(key, 4), ENSURE_REQUIREMENTS",
            "      +- *(1) SortMergeJoin [a], [b], Inner",
            "         :- *(1) Filter (name = #123456)",
            "         :  +- *(1) FileScan parquet default.sales[name,id] Format: Parquet",
            "         +- *(1) Range (0, 1000, step=1, splits=2)");
  }

  @Test
  void shapeHasNamesAndTablesOnly() {
    assertThat(PlanText.render(AGGREGATE, true, null, SqlMetrics.NONE, BUDGET))
        .containsExactly(
            "AdaptiveSparkPlan",
            "+- *(2) HashAggregate",
            "   +- Exchange",
            "      +- *(1) SortMergeJoin",
            "         :- *(1) Filter",
            "         :  +- *(1) Scan parquet default.sales",
            "         +- *(1) Range");
  }

  @Test
  void shapeKeepsNoExpressionThatANameCarries() {
    assertThat(shape("Scan JDBCRelation((select * from t where name = 'Ann') q) [numPartitions=1]"))
        .isEqualTo("Scan JDBCRelation");
    assertThat(shape("Scan *(1) Project [name#1 AS Ann#2]\n+- x")).isEqualTo("Scan");
    assertThat(shape("Scan Filter (name = Ann)")).isEqualTo("Scan Filter");
    assertThat(shape("BatchScan parquet file:/data/name=Ann")).isEqualTo("BatchScan parquet");
    assertThat(shape("Scan csv hdfs://x/Ann")).isEqualTo("Scan csv");
    assertThat(shape("Scan In-memory table people")).isEqualTo("Scan In-memory table people");
    assertThat(shape("BatchScan spark_catalog.default.`t`[filters=Ann]"))
        .isEqualTo("BatchScan spark_catalog.default.`t`");
    assertThat(shape("CollectLimit 21")).isEqualTo("CollectLimit");
    assertThat(shape("Subquery subquery#12, [id=#5]")).isEqualTo("Subquery subquery");
    assertThat(shape("")).isEqualTo("?");
  }

  @Test
  void whatDiffersFromRunToRunGoes() {
    assertThat(full("Exchange SinglePartition, ENSURE_REQUIREMENTS, [id=#52]"))
        .isEqualTo("Exchange SinglePartition, ENSURE_REQUIREMENTS");
    assertThat(full("WriteToDataSourceV2 org.apache.MicroBatchWrite@27fafcca"))
        .isEqualTo("WriteToDataSourceV2 org.apache.MicroBatchWrite");
    assertThat(full("Project [max(`Amount`)#30 AS x#31, pythonUDF0#13, a#12Lx]"))
        .isEqualTo("Project [max(`Amount`) AS x, pythonUDF0, a#12Lx]");
    assertThat(full("a\nb\tc")).isEqualTo("a b c");
  }

  @Test
  void linesAreRedactedBeforeTheyAreCut() {
    Redactor redactor = new Redactor(null, null);
    String line =
        "Scan x Map(url -> " + "u".repeat(460) + ", password -> s3cr3ts3cr3ts3cr3ts3cr3t, z)";
    String rendered =
        PlanText.render(node("Scan x", line), false, redactor, SqlMetrics.NONE, BUDGET).get(0);
    assertThat(rendered).doesNotContain("s3cr3t");
    assertThat(TextSamples.bytes(rendered)).isLessThanOrEqualTo(500);
  }

  @Test
  void longAndBrokenLinesAreCutAndValid() {
    String line =
        PlanText.render(
                node("X", TextSamples.million(TextSamples.EMOJI)),
                false,
                null,
                SqlMetrics.NONE,
                BUDGET)
            .get(0);
    assertThat(line).endsWith("...");
    assertThat(TextSamples.bytes(line)).isBetween(490, 500);
    assertThat(TextSamples.isValidUtf8(line)).isTrue();
    assertThat(full("a" + TextSamples.LONE_HIGH)).isEqualTo("a\uFFFD");
    assertThat(shape("a" + TextSamples.LONE_HIGH)).isEqualTo("a");
  }

  @Test
  void aDeepPlanStaysWithinTheBudgetAndCountsTheRest() {
    PlanNode deep = node("Project", "Project [a#1]");
    for (int i = 1; i < 10_000; i++) {
      deep = node("Project", "Project [a#1]", deep);
    }
    List<String> lines = PlanText.render(deep, false, null, SqlMetrics.NONE, BUDGET);
    assertThat(TextSamples.bytes(String.join("\n", lines))).isBetween(BUDGET - 300, BUDGET);
    int drawn = lines.size() - 1;
    assertThat(lines.get(drawn)).isEqualTo("... " + (10_000 - drawn) + " nodes left out");
    assertThat(lines.get(drawn - 1)).hasSizeLessThan(160);
  }

  @Test
  void aWidePlanStopsAtTheBound() {
    List<PlanNode> children = new ArrayList<>(Collections.nCopies(50_000, node("Scan", "Scan")));
    List<String> lines =
        PlanText.render(
            new PlanNode("Union", "Union", children, List.of(), null),
            false,
            null,
            SqlMetrics.NONE,
            BUDGET);
    assertThat(lines.get(lines.size() - 1)).startsWith("... more than ");
    assertThat(TextSamples.bytes(String.join("\n", lines))).isLessThanOrEqualTo(BUDGET);
  }

  @Test
  void noPlanNoLines() {
    assertThat(PlanText.render(null, false, null, SqlMetrics.NONE, BUDGET)).isEmpty();
    assertThat(PlanText.render(node("A", ""), false, null, SqlMetrics.NONE, BUDGET))
        .containsExactly("A");
    assertThat(PlanText.render(node("A", ""), false, null, SqlMetrics.NONE, 0))
        .containsExactly("... 1 node left out");
  }

  private static String full(String simpleString) {
    return PlanText.render(node("X", simpleString), false, null, SqlMetrics.NONE, BUDGET).get(0);
  }

  private static String shape(String name) {
    return PlanText.render(node(name, "unused"), true, null, SqlMetrics.NONE, BUDGET).get(0);
  }

  private static PlanNode node(String name, String simpleString, PlanNode... children) {
    return new PlanNode(name, simpleString, List.of(children), List.of(), null);
  }
}
