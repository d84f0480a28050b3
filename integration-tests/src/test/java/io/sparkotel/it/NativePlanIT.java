package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Plans;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Comet runs the nodes of a plan outside the JVM: they keep the names and metrics of its own. */
@Tag("full")
class NativePlanIT {

  @Test
  void comet() {
    SparkRun spark =
        EventLogs.writtenBy(SparkRun.of(SparkVersion.V3_5_9, Plans.class))
            .classpath(Maven.jar("org.apache.datafusion:comet-spark-spark3.5_2.12:0.12.0"))
            .conf("spark.plugins", "org.apache.spark.CometPlugin")
            .conf(
                "spark.shuffle.manager",
                "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager")
            // Its scans tell their paths in their text alone.
            .conf("spark.sql.maxMetadataStringLength", 1000)
            .conf("spark.memory.offHeap.enabled", true)
            .conf("spark.memory.offHeap.size", "512m");
    TracedRun run = TracedRun.of(spark.args(spark.dir().resolve("data")));
    Trace trace = run.trace();

    assertThat(run.stdout()).startsWith("joined: 5\nagain: 0\n").endsWith("subquery: 10");
    SpanNode joined = trace.one("sql", sql -> sql.name().endsWith(" at Plans.java:46"));
    String plan = PlanTruth.plan(joined);
    assertThat(plan)
        .containsPattern("CometHashAggregate \\[name, count], Final, .*\\{rows 5[,}]")
        .containsPattern("CometBroadcastHashJoin .*Number of rows produced 1000[,}]")
        .containsPattern(
            "CometExchange hashpartitioning\\(customer, 7\\), .*records read 10000[,}]")
        .containsPattern("CometScan \\[\\w+] parquet .*files read 2[,}]");
    assertThat(joined.attribute("spark.sql.inputs"))
        .isEqualTo(
            List.of(
                "parquet file:" + spark.dir().resolve("data/orders"),
                "parquet file:" + spark.dir().resolve("data/customers")));
    assertThat(joined.attribute("spark.sql.aqe.changes").toString())
        .contains("CometSortMergeJoin became CometBroadcastHashJoin");
    Set<Object> operators = new TreeSet<>();
    for (SpanNode stage : trace.all("stage")) {
      if (joined
          .attribute("spark.sql.execution.id")
          .equals(stage.attribute("spark.sql.execution.id"))) {
        operators.addAll((List<?>) stage.attribute("spark.stage.operators"));
      }
    }
    assertThat(operators)
        .containsExactly(
            "CometBroadcastHashJoin",
            "CometColumnarToRow",
            "CometExchange",
            "CometFilter",
            "CometHashAggregate",
            "CometProject",
            "CometScan");
    assertThat(EventLogs.differences(run.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(Set.of());
  }
}
