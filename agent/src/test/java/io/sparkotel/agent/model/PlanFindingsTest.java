package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static io.sparkotel.agent.model.ModelFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is found in a plan, just over each threshold and just below it. */
class PlanFindingsTest {

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private static final Object[][] SCAN = {
    {"number of files read", 1, "sum"},
    {"size of files read", 2, "size"},
    {"number of partitions read", 3, "sum"}
  };

  private SpanTree tree;

  private List<Object> found(PlanNode plan, long... values) {
    return found("otel.spark.sql.plan=full", plan, values);
  }

  /** The sentences on the SQL execution, which the application has with the place. */
  private List<Object> found(String setting, PlanNode plan, long... values) {
    ModelFixture app = ModelFixture.app(setting);
    app.sql(0)
        .planned(node("Project", "Project [a]", plan))
        .start()
        .driverMetrics(values)
        .succeed();
    tree = app.finish();
    List<Object> sentences = list("sql 0");
    assertThat(list("application"))
        .isEqualTo(sentences.stream().map(sentence -> (Object) ("sql 0: " + sentence)).toList());
    return sentences;
  }

  private List<Object> list(String key) {
    Object value = tree.value(key, Names.FINDINGS);
    return value == null ? List.of() : List.copyOf((List<?>) value);
  }

  private void assertFlag(FindingCode only) {
    for (String key : List.of("sql 0", "application")) {
      for (FindingCode code : FindingCode.values()) {
        assertThat(tree.value(key, code.attribute())).isEqualTo(code == only ? true : null);
      }
    }
  }

  private static PlanNode scan(String partitionFilters) {
    return measured(
        "Scan parquet default.sales",
        "FileScan parquet default.sales[a#1] Batched: true, DataFilters: [], Format: Parquet,"
            + " PartitionFilters: ["
            + partitionFilters
            + "], PushedFilters: []",
        SCAN);
  }

  @Test
  void smallFilesRead() {
    assertThat(found(scan("x"), 1, 100, 2, 300 * MIB))
        .containsExactly(
            "Scan parquet default.sales read 100 files of 3.0 MiB on average, 300.0 MiB in all");
    assertFlag(FindingCode.SMALL_FILES_READ);
    assertThat(found(scan("x"), 1, 99, 2, 99 * MIB)).isEmpty();
    assertThat(found(scan("x"), 1, 100, 2, 300 * MIB + 1)).isEmpty();
    assertThat(found(scan("x"), 1, 100)).isEmpty();
    assertFlag(null);
  }

  @Test
  void smallFilesWritten() {
    PlanNode write =
        measured(
            "Execute InsertIntoHadoopFsRelationCommand",
            "Execute InsertIntoHadoopFsRelationCommand file:/secret, false, Parquet",
            new Object[][] {{"number of written files", 1, "sum"}, {"written output", 2, "size"}});
    assertThat(found(write, 1, 1000, 2, 20 * MIB))
        .containsExactly(
            "Execute InsertIntoHadoopFsRelationCommand wrote 1000 files of 20.5 KiB on average,"
                + " 20.0 MiB in all");
    assertFlag(FindingCode.SMALL_FILES_WRITTEN);
    assertThat(found(write, 1, 99, 2, 1)).isEmpty();
    assertThat(found(write, 1, 100, 2, 300 * MIB + 1)).isEmpty();
  }

  @Test
  void fullScan() {
    assertThat(found(scan(""), 1, 10, 2, GIB, 3, 10))
        .containsExactly(
            "Scan parquet default.sales read all of a table, 10 partitions with 1024.0 MiB,"
                + " without a filter on its partitions");
    assertFlag(FindingCode.FULL_SCAN);
    assertThat(found(scan(""), 1, 10, 2, GIB, 3, 9)).isEmpty();
    assertThat(found(scan(""), 1, 10, 2, GIB - 1, 3, 10)).isEmpty();
    assertThat(found(scan("isnotnull(day#2)"), 1, 10, 2, GIB, 3, 10)).isEmpty();
    assertThat(found(scan(""), 1, 10, 2, GIB)).isEmpty();
  }

  @Test
  void largeBroadcast() {
    PlanNode broadcast =
        measured(
            "BroadcastExchange",
            "BroadcastExchange HashedRelationBroadcastMode",
            new Object[][] {{"data size", 1, "size"}});
    assertThat(found(broadcast, 1, 512 * MIB))
        .containsExactly("BroadcastExchange sent 512.0 MiB to every executor");
    assertFlag(FindingCode.LARGE_BROADCAST);
    assertThat(found(broadcast, 1, 512 * MIB - 1)).isEmpty();
  }

  /** Spark's own wrapping of a side of a join, at 3.0 and later. */
  private static PlanNode side(long sizeId) {
    PlanNode exchange =
        measured(
            "Exchange",
            "Exchange hashpartitioning(a#1, 200)",
            new Object[][] {{"data size", sizeId, "size"}});
    PlanNode read =
        node("AQEShuffleRead", "AQEShuffleRead", node("ShuffleQueryStage", "0", exchange));
    return node(
        "InputAdapter",
        "InputAdapter",
        node("WholeStageCodegen (1)", "WholeStageCodegen (1)", node("Sort", "Sort [a]", read)));
  }

  private static PlanNode join(String type) {
    return node("SortMergeJoin", "SortMergeJoin [a#1], [b#2], " + type, side(1), side(2));
  }

  @Test
  void missedBroadcast() {
    assertThat(found(join("Inner"), 1, 100 * GIB, 2, GIB))
        .containsExactly(
            "SortMergeJoin shuffled 100.0 GiB to join them with the 1024.0 MiB of its right side");
    assertFlag(FindingCode.MISSED_BROADCAST);
    assertThat(found(join("Inner"), 1, 10 * MIB, 2, GIB))
        .containsExactly(
            "SortMergeJoin shuffled 1024.0 MiB to join them with the 10.0 MiB of its left side");
    assertThat(found(join("Inner"), 1, 200 * GIB, 2, GIB + 1)).isEmpty();
    assertThat(found(join("Inner"), 1, GIB - 1, 2, 1)).isEmpty();
    assertThat(found(join("Inner"), 1, 100 * GIB - 1, 2, GIB)).isEmpty();
    assertThat(found(join("Inner"), 1, 100 * GIB)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Inner, true, true",
    "LeftOuter, false, true",
    "LeftSemi, false, true",
    "LeftAnti, false, true",
    "RightOuter, true, false",
    "FullOuter, false, false"
  })
  void onlyASideThatCanBeBroadcast(String type, boolean left, boolean right) {
    assertThat(found(join(type), 1, MIB, 2, GIB)).hasSize(left ? 1 : 0);
    assertThat(found(join(type), 1, GIB, 2, MIB)).hasSize(right ? 1 : 0);
  }

  /** As adaptive execution leaves it: both sides were shuffled before one was sent. */
  private static PlanNode broadcastJoin(String build, String origin) {
    PlanNode[] sides = new PlanNode[2];
    for (int i = 0; i < 2; i++) {
      PlanNode exchange =
          measured(
              "Exchange",
              "Exchange hashpartitioning(k#1L, 200), " + origin + ", [plan_id=1]",
              new Object[][] {{"data size", i + 1L, "size"}});
      PlanNode read =
          node("AQEShuffleRead", "AQEShuffleRead", node("ShuffleQueryStage", "0", exchange));
      boolean sent = (i == 0) == build.equals("BuildLeft");
      sides[i] =
          sent
              ? node("BroadcastQueryStage", "1", node("BroadcastExchange", "B", read))
              : node("InputAdapter", "InputAdapter", read);
    }
    String text = "BroadcastHashJoin [a#1], [b#2], Inner, " + build + ", false";
    return node("BroadcastHashJoin", text, sides);
  }

  @Test
  void aBroadcastThatCameAfterTheShuffles() {
    String own = "ENSURE_REQUIREMENTS";
    assertThat(found(broadcastJoin("BuildRight", own), 1, 100 * GIB, 2, GIB))
        .containsExactly(
            "BroadcastHashJoin had shuffled 100.0 GiB before its right side was seen to be"
                + " 1024.0 MiB");
    assertFlag(FindingCode.MISSED_BROADCAST);
    assertThat(found(broadcastJoin("BuildLeft", own), 1, MIB, 2, GIB))
        .containsExactly(
            "BroadcastHashJoin had shuffled 1024.0 MiB before its left side was seen to be"
                + " 1024.0 KiB");
    assertThat(found(broadcastJoin("BuildRight", own), 1, 100 * GIB - 1, 2, GIB)).isEmpty();
    assertThat(found(broadcastJoin("BuildRight", own), 1, MIB, 2, GIB)).isEmpty();
    assertThat(found(broadcastJoin("BuildRight", "REPARTITION_BY_COL"), 1, GIB, 2, MIB)).isEmpty();
  }

  /** One that was planned from the start shuffled nothing for it. */
  @Test
  void aBroadcastThatWasPlanned() {
    PlanNode sent =
        measured(
            "BroadcastExchange",
            "BroadcastExchange",
            new Object[][] {{"data size", 2, "size"}},
            node("Scan", "Scan"));
    PlanNode shuffled = broadcastJoin("BuildRight", "ENSURE_REQUIREMENTS").children().get(0);
    PlanNode join =
        node("BroadcastHashJoin", "BroadcastHashJoin [a#1], Inner, BuildRight", shuffled, sent);
    assertThat(found(join, 1, 100 * GIB, 2, MIB)).isEmpty();
  }

  private static PlanNode rows(String name, long id, PlanNode... children) {
    return measured(name, name, new Object[][] {{"number of output rows", id, "sum"}}, children);
  }

  @Test
  void cartesian() {
    PlanNode nested =
        rows(
            "BroadcastNestedLoopJoin",
            3,
            node("Project", "Project [a]", rows("Scan parquet", 1)),
            node("BroadcastExchange", "BroadcastExchange", rows("Range", 2)));
    assertThat(found(nested, 1, 20_000, 2, 50_000, 3, 5))
        .containsExactly("BroadcastNestedLoopJoin compared at least 1,000,000,000 pairs of rows");
    assertFlag(FindingCode.CARTESIAN);
    assertThat(found(nested, 1, 20_000, 2, 49_999, 3, 5)).isEmpty();
    assertThat(found(nested, 1, 20_000, 3, 1_000_000_000_000L)).isEmpty();
    // One row, such as a total, is joined to each other one.
    assertThat(found(nested, 1, 2_000_000_000L, 2, 1, 3, 5)).isEmpty();
  }

  /** Each task computes its part of both sides: their rows are counted once for each of them. */
  @Test
  void cartesianProductOfPartitions() {
    PlanNode product = rows("CartesianProduct", 3, rows("Range", 1), rows("Range", 2));
    for (long right : new long[] {100_000, 99_999}) {
      ModelFixture app = ModelFixture.app();
      ModelFixture.Sql sql = app.sql(0).planned(product).start();
      ModelFixture.Stage stage = app.stage(0, 4);
      ModelFixture.Job job = app.job(0, stage).sql(0).start();
      stage.submit().run(10).sqlMetrics(1, 40_000, 2, right, 3, 5).complete();
      job.succeed();
      sql.succeed();
      tree = app.finish();
      assertThat(list("sql 0")).hasSize(right == 100_000 ? 1 : 0);
    }
    assertThat(found(product, 1, 40_000, 2, 100_000, 3, 5)).isEmpty();
  }

  @Test
  void explodingJoin() {
    PlanNode exchange =
        measured(
            "Exchange",
            "Exchange hashpartitioning(a#1, 200)",
            new Object[][] {{"shuffle records written", 2, "sum"}});
    PlanNode join = rows("BroadcastHashJoin", 3, rows("Filter", 1), exchange);
    assertThat(found(join, 1, 0, 2, 0, 3, 10_000_000)).isEmpty();
    assertThat(found(join, 1, 900_000, 2, 100_000, 3, 10_000_000))
        .containsExactly(
            "BroadcastHashJoin made 10,000,000 rows of 900,000 and 100,000, 10 times as many");
    assertFlag(FindingCode.EXPLODING_JOIN);
    assertThat(found(join, 1, 900_000, 2, 100_001, 3, 10_000_000)).isEmpty();
    assertThat(found(join, 1, 9, 2, 1, 3, 9_999_999)).isEmpty();
    assertThat(found(join, 1, 9, 3, 10_000_000)).isEmpty();
  }

  @Test
  void longFilter() {
    String condition = "a".repeat(1000);
    assertThat(found(node("Filter", "Filter " + condition + "#123")))
        .containsExactly("a filter has a condition of 1000 characters or more");
    assertFlag(FindingCode.LONG_FILTER);
    assertThat(found(node("Filter", "Filter " + condition.substring(1) + "#12345"))).isEmpty();
    assertThat(found(node("Project", "Project " + condition))).isEmpty();
  }

  /** Names of nodes and numbers alone: as shape has them. */
  @Test
  void noSentenceHasAnExpression() {
    assertThat(found("otel.spark.sql.plan=shape", scan(""), 1, 1000, 2, GIB, 3, 1000))
        .hasSize(2)
        .allSatisfy(sentence -> assertThat((String) sentence).doesNotContain("[", "(", "#"));
  }

  @Test
  void nothingIsSaidOfAPlanThatIsNotShown() {
    assertThat(found("otel.spark.sql.plan=none", scan(""), 1, 1000, 2, GIB, 3, 1000)).isEmpty();
  }

  /** What ran is the last plan. */
  @Test
  void thePlanThatWasDroppedIsNotLookedAt() {
    ModelFixture app = ModelFixture.app();
    app.sql(0)
        .planned(node("Filter", "Filter " + "a".repeat(1000)))
        .start()
        .replan(node("Project", "Project [a]"))
        .succeed();
    tree = app.finish();
    assertThat(list("sql 0")).isEmpty();
  }
}
