package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was measured for the nodes of a plan, and which of them ran in a stage. */
class PlanMetricsTest {

  private static final PlanNode PLAN =
      measured(
          "WholeStageCodegen (1)",
          "WholeStageCodegen (1)",
          new Object[][] {{"duration", 1, "timing"}},
          measured(
              "HashAggregate",
              "HashAggregate(keys=[a#1], functions=[])",
              new Object[][] {
                {"avg hash probes per key", 2, "average"},
                {"spill size", 3, "size"},
                {"peak memory", 4, "size"},
                {"number of output rows", 5, "sum"},
                {"time in aggregation build", 6, "timing"}
              },
              measured(
                  "Scan parquet sales",
                  "FileScan parquet sales[a#1]",
                  new Object[][] {
                    {"number of output rows", 7, "sum"},
                    {"number of files read", 8, "sum"},
                    {"size of files read", 9, "size"},
                    {"shuffle write time", 10, "nsTiming"},
                    {"rows of the connector", 11, "v2Custom_com.acme.Rows"}
                  })));

  private final ModelFixture app = ModelFixture.app();

  private String plan(PlanNode plan, long[] driver, long[]... stages) {
    ModelFixture.Sql sql = app.sql(0).planned(plan).start().driverMetrics(driver);
    for (int i = 0; i < stages.length; i++) {
      ModelFixture.Stage stage = app.stage(i, 1);
      ModelFixture.Job job = app.job(i, stage).sql(0).start();
      stage.submit().run(10).sqlMetrics(stages[i]).complete();
      job.succeed();
    }
    sql.succeed();
    return (String) app.finish().value("sql 0", Names.SQL_PLAN);
  }

  @Test
  void eachNodeShowsItsTotalsAsSparksUiDoes() {
    long[] stage = {
      1, 61_500, 2, 70, 3, 0, 4, 786_432, 5, 12, 6, 3_600_000, 7, 1000, 10, 2_500_000
    };
    assertThat(plan(PLAN, new long[] {8, 4, 9, 2_047}, stage))
        .isEqualTo(
            "*(1) HashAggregate(keys=[a], functions=[])"
                + " {rows 12, duration 1.0 m, peak memory 768.0 KiB, time in aggregation build 1.00 h}\n"
                + "+- *(1) FileScan parquet sales[a]"
                + " {rows 1000, files read 4, size of files read 2047.0 B, shuffle write time 2 ms}");
  }

  @Test
  void whatNobodyToldIsAbsentAndWhatTheDriverToldIsAddedUp() {
    assertThat(plan(PLAN, new long[] {8, 0, 7, 2, 7, 3}))
        .isEqualTo(
            "*(1) HashAggregate(keys=[a], functions=[])\n"
                + "+- *(1) FileScan parquet sales[a] {rows 5, files read 0}");
  }

  /** An accumulator goes on counting in the next stage that uses it. */
  @Test
  void theLastTotalOfSeveralStagesCounts() {
    assertThat(plan(PLAN, new long[0], new long[] {7, 100}, new long[] {7, 150}))
        .endsWith("FileScan parquet sales[a] {rows 150}");
  }

  @Test
  void shapeShowsMetricsToo() {
    ModelFixture shape = ModelFixture.app("otel.spark.sql.plan=shape");
    shape.sql(0).planned(PLAN).start().driverMetrics(8, 4).succeed();
    assertThat(shape.finish().value("sql 0", Names.SQL_PLAN))
        .isEqualTo("*(1) HashAggregate\n+- *(1) Scan parquet sales {files read 4}");
  }

  @Test
  void noneShowsNothing() {
    ModelFixture none = ModelFixture.app("otel.spark.sql.plan=none");
    ModelFixture.Sql sql = none.sql(0).planned(PLAN).start().replan(PLAN);
    ModelFixture.Stage stage = none.stage(0, 1);
    ModelFixture.Job job = none.job(0, stage).sql(0).start();
    stage.submit().run(10).sqlMetrics(7, 100).complete();
    job.succeed();
    sql.succeed();
    SpanTree tree = none.finish();
    assertThat(tree.value("stage 0.0", Names.STAGE_OPERATORS)).isNull();
    for (var key : List.of(Names.SQL_PLAN, Names.SQL_PLAN_HASH, Names.SQL_AQE_UPDATES)) {
      assertThat(tree.value("sql 0", key)).isNull();
    }
  }

  @Test
  void aStageNamesTheNodesThatRanInIt() {
    plan(PLAN, new long[0], new long[] {7, 100, 5, 1}, new long[] {10, 5}, new long[] {99, 1});
    SpanTree tree = app.tree();
    assertThat(tree.value("stage 0.0", Names.STAGE_OPERATORS))
        .isEqualTo(List.of("HashAggregate", "Scan parquet sales"));
    assertThat(tree.value("stage 1.0", Names.STAGE_OPERATORS))
        .isEqualTo(List.of("Scan parquet sales"));
    assertThat(tree.value("stage 2.0", Names.STAGE_OPERATORS)).isNull();
  }

  /** Its nodes are known before it runs, and stay known when the plan goes on without them. */
  @Test
  void aNodeThatALaterPlanDroppedIsKnown() {
    PlanNode scan = scan("PhotonScan parquet", 20);
    ModelFixture.Sql sql = app.sql(0).start().replan(ModelFixture.node("Union", "Union", scan));
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit().sqlMetrics(20, 100);
    sql.replan(ModelFixture.node("EmptyRelation", "EmptyRelation"));
    stage.run(10).complete();
    job.succeed();
    sql.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("stage 0.0", Names.STAGE_OPERATORS))
        .isEqualTo(List.of("PhotonScan parquet"));
    assertThat(tree.value("sql 0", Names.SQL_AQE_UPDATES)).isEqualTo(2L);
  }

  /** Its plan may come with this update or with the next one, as its thread is quick or slow. */
  @Test
  void thePlanOfASubqueryCountsInTheFirstPlanOnly() {
    PlanNode first =
        ModelFixture.node(
            "Filter", "Filter", ModelFixture.node("Subquery", "Subquery", scan("Range", 20)));
    PlanNode later =
        ModelFixture.node(
            "Filter", "Filter", ModelFixture.node("Subquery", "Subquery", scan("Range", 21)));
    ModelFixture.Sql sql = app.sql(0).planned(first).start().replan(later);
    for (int i = 0; i < 2; i++) {
      ModelFixture.Stage stage = app.stage(i, 1);
      ModelFixture.Job job = app.job(i, stage).sql(0).start();
      stage.submit().run(10).sqlMetrics(20 + i, 100).complete();
      job.succeed();
    }
    sql.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("stage 0.0", Names.STAGE_OPERATORS)).isEqualTo(List.of("Range"));
    assertThat(tree.value("stage 1.0", Names.STAGE_OPERATORS)).isNull();
    assertThat(tree.value("sql 0", Names.SQL_PLAN))
        .isEqualTo("Filter\n+- Subquery\n   +- Range {rows 100}");
  }

  /** The accumulators of a cache go on from what filled it before. */
  @Test
  void whatAnotherExecutionDidForACacheIsNotShown() {
    PlanNode cached =
        ModelFixture.node("InMemoryTableScan", "InMemoryTableScan [a#1]", scan("Range", 20));
    for (int i = 0; i < 2; i++) {
      ModelFixture.Sql sql = app.sql(i).planned(cached).start();
      ModelFixture.Stage stage = app.stage(i, 1);
      ModelFixture.Job job = app.job(i, stage).sql(i).start();
      stage.submit().run(10).sqlMetrics(20, 100 + i).complete();
      job.succeed();
      sql.succeed();
    }
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 0", Names.SQL_PLAN))
        .isEqualTo("InMemoryTableScan [a]\n+- Range {rows 100}");
    assertThat(tree.value("sql 1", Names.SQL_PLAN)).isEqualTo("InMemoryTableScan [a]\n+- Range");
  }

  @Test
  void whatIsReusedIsDrawnOnce() {
    PlanNode exchange =
        ModelFixture.node("Exchange", "Exchange SinglePartition", scan("Range", 20));
    PlanNode union =
        ModelFixture.node(
            "Union",
            "Union",
            exchange,
            ModelFixture.node("ReusedExchange", "ReusedExchange [a#1]", exchange));
    assertThat(plan(union, new long[] {20, 5}))
        .isEqualTo(
            "Union\n:- Exchange SinglePartition\n:  +- Range {rows 5}\n+- ReusedExchange [a]");
  }

  @Test
  void aStageThatTwoExecutionsShareCountsForBoth() {
    ModelFixture.Stage shared = app.stage(0, 1);
    for (int i = 0; i < 2; i++) {
      app.sql(i).planned(scan("Range", 20)).start();
      app.job(i, shared).sql(i).start();
    }
    shared.submit().run(10).sqlMetrics(20, 7).complete();
    for (int i = 0; i < 2; i++) {
      app.job(i, shared).sql(i).succeed();
      app.sql(i).succeed();
    }
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 0", Names.SQL_PLAN)).isEqualTo("Range {rows 7}");
    assertThat(tree.value("sql 1", Names.SQL_PLAN)).isEqualTo("Range {rows 7}");
  }

  @Test
  void valuesAreBoundedAndTheRestIsCounted() {
    long[] many = new long[2 * (SqlMetrics.MAX + 3)];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = i;
      many[i + 1] = 1;
    }
    app.sql(0).start().driverMetrics(many).driverMetrics(0, 1).succeed();
    assertThat(app.finish().value("sql 0", Names.SQL_METRICS_LEFT_OUT)).isEqualTo(3L);
  }

  @Test
  void lateMetricsOfTheDriverAreNoAnomaly() {
    app.sql(0).start().succeed().driverMetrics(8, 4);
    assertThat(app.model.anomalies()).isZero();
    app.sql(1).driverMetrics(8, 4);
    assertThat(app.model.anomalies()).isEqualTo(1);
  }

  @Test
  void namesAndNumbersAreBounded() {
    Object[][] metrics = new Object[300][];
    long[] values = new long[600];
    for (int i = 0; i < metrics.length; i++) {
      metrics[i] = new Object[] {"metric " + i, i, "sum"};
      values[2 * i] = i;
      values[2 * i + 1] = Long.MAX_VALUE;
    }
    metrics[0][0] = "x\ny}";
    PlanNode node = measured("Scan", "Scan " + "x".repeat(700), metrics);
    String line = plan(node, values);
    assertThat(line)
        .hasSize(500)
        .contains("... {metric 1 9223372036854775807, metric 10 9223372036854775807, ")
        .endsWith("}")
        .doesNotContain("\n");
  }

  private static PlanNode scan(String name, long id) {
    return measured(name, name, new Object[][] {{"number of output rows", id, "sum"}});
  }
}
