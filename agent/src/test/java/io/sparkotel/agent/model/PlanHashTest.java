package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import org.junit.jupiter.api.Test;

class PlanHashTest {

  private static final String SCAN =
      "FileScan parquet default.sales[name#7,id#0L] Batched: true, DataFilters: [isnotnull(id#0L),"
          + " (id#0L > 5)], Format: Parquet, Location: InMemoryFileIndex(1 paths)"
          + "[file:/data/dt=2026-01-31/part 1], PartitionFilters: [], PushedFilters:"
          + " [IsNotNull(id), GreaterThan(id,5)], ReadSchema: struct<id:bigint>";

  @Test
  void whatMayBeALiteralIsAMark() {
    assertThat(PlanHash.normal(SCAN))
        .isEqualTo(
            "?[name,id] Batched: ?, DataFilters: [isnotnull(id), (id > ?)], Format: ?, Location:"
                + " InMemoryFileIndex(?)[file:/data/dt=0/part ?], PartitionFilters: [],"
                + " PushedFilters: [IsNotNull(?), GreaterThan(?)], ReadSchema: struct<id:?>");
    assertThat(PlanHash.normal("Filter ((a#1 = 2026-01-31 12:00:00) AND (b#2 = say no more))"))
        .isEqualTo("? ((a = ?) AND (b = ?))");
    assertThat(PlanHash.normal("SortMergeJoin [a#1], [b#2], LeftOuter"))
        .isEqualTo("? [a], [b], LeftOuter");
    assertThat(PlanHash.normal("Exchange hashpartitioning(a#1, 200), [plan_id=12]"))
        .isEqualTo("? hashpartitioning(a, ?), [?=?]");
    assertThat(PlanHash.normal("s3://b/2026/01/31/x-20260131T10 and /a/b2, 'it (is)'"))
        .isEqualTo("s3://b/0/0/0/x-0T0 ? /a/b0, ?");
    assertThat(
            PlanHash.normal(
                "X a.b.Strategy$$Lambda$3044/0x00007fb730eddb98@7e864fa4, NoopWrite$@452d6fd"))
        .isEqualTo(PlanHash.normal("X a.b.Strategy$$Lambda/0x01@1a2b3c4, NoopWrite$@9d6fd01"));
  }

  @Test
  void theSameInEveryRun() {
    assertThat(PlanHash.of(plan(SCAN, 1)))
        .isEqualTo(PlanHash.of(plan(SCAN.replace("#0", "#1234567").replace("#7", "#99"), 2)))
        .isEqualTo(
            PlanHash.of(plan(SCAN.replace("5", "70000").replace("2026-01-31", "2026-02-01"), 3)))
        .matches("[0-9a-f]{16}")
        .isEqualTo("5ebb5155ba490ce1");
  }

  @Test
  void anotherPlanIsAnotherHash() {
    String hash = PlanHash.of(plan(SCAN, 1));
    assertThat(hash)
        .isNotEqualTo(PlanHash.of(plan(SCAN.replace("name", "surname"), 1)))
        .isNotEqualTo(PlanHash.of(plan(SCAN.replace("/data/", "/other/"), 1)))
        .isNotEqualTo(PlanHash.of(plan(SCAN.replace(">", "<"), 1)))
        .isNotEqualTo(PlanHash.of(node("Sort", "Project [name#7]", plan(SCAN, 1))));
  }

  /** Two children are not one child's child. */
  @Test
  void theShapeCounts() {
    PlanNode leaf = node("Range", "Range");
    assertThat(PlanHash.of(node("Union", "Union", leaf, leaf)))
        .isNotEqualTo(PlanHash.of(node("Union", "Union", node("Range", "Range", leaf))));
  }

  @Test
  void whereATextWasCutIsNoMatter() {
    StringBuilder few = new StringBuilder("Project [");
    StringBuilder many = new StringBuilder("Project [");
    for (int i = 0; i < 400; i++) {
      few.append("column#").append(i % 10).append(", ");
      many.append("column#").append(100_000 + i).append(", ");
    }
    few.setLength(2000);
    many.setLength(2000);
    assertThat(PlanHash.of(node("Project", few.toString())))
        .isEqualTo(PlanHash.of(node("Project", many.toString())));
  }

  private static PlanNode plan(String scan, int number) {
    return node(
        "AdaptiveSparkPlan",
        "AdaptiveSparkPlan isFinalPlan=" + (number == 1),
        node(
            "WholeStageCodegen (" + number + ")",
            "WholeStageCodegen (" + number + ")",
            node("Project", "Project [name#7]", node("Scan parquet default.sales", scan))));
  }

  private static PlanNode node(String name, String text, PlanNode... children) {
    return ModelFixture.node(name, text, children);
  }
}
