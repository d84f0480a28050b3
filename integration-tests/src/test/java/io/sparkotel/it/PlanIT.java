package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.scenarios.Plans;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Plans with what was measured for their nodes, and what adaptive execution made of them. */
class PlanIT {

  @OnEachSpark
  void plansShowWhatTheirNodesDid(SparkVersion version) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, Plans.class));
    spark.conf("spark.eventLog.compress", false);
    TracedRun run = TracedRun.of(spark.args(spark.dir().resolve("data")));
    Trace trace = run.trace();
    assertUpdates(trace, EventLogs.events(EventLogs.of(spark)));

    assertThat(run.stdout()).isEqualTo("joined: 5\nagain: 0\nfilled: 449\nread: 399\nsubquery: 10");
    SpanNode joined = sql(trace, 46);
    assertThat(joined.attribute("spark.sql.aqe.changes"))
        .isEqualTo(
            List.of(
                "SortMergeJoin became BroadcastHashJoin",
                "shuffle of 7 partitions read as 1 (3 times)"));
    assertThat(counts(joined))
        .contains(
            "HashAggregate(keys=[name], functions=[count(1)]) {rows 5}",
            "Exchange hashpartitioning(name, 7), ENSURE_REQUIREMENTS {partitions 7, local blocks"
                + " read 1, records read 5, shuffle records written 5}",
            "HashAggregate(keys=[name], functions=[partial_count(1)]) {rows 5}",
            "Filter isnotnull(customer) {rows 10000}",
            "ColumnarToRow {rows 10000, input batches 4}",
            "BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false)"
                + " {rows 10}",
            "Filter ((isnotnull(name) AND (length(name) < 11)) AND isnotnull(id)) {rows 10}")
        .anyMatch(
            line ->
                line.startsWith("BroadcastHashJoin [customer], [id], Inner, BuildRight, false")
                    && line.endsWith(" {rows 1000}"))
        .anyMatch(
            line ->
                line.startsWith("FileScan parquet [customer,half] ")
                    && line.contains("PartitionFilters: [isnotnull(half), (half = 1)]")
                    && line.endsWith(" {rows 10000, files read 2, partitions read 1}"));
    assertThat(operators(trace, joined))
        .containsExactlyInAnyOrder(
            List.of("Exchange", "Filter", "ColumnarToRow", "Scan parquet"),
            List.of("Exchange", "Filter", "ColumnarToRow", "Scan parquet"),
            List.of("Exchange"),
            List.of("Exchange", "HashAggregate", "BroadcastHashJoin"),
            List.of("HashAggregate", "Exchange"));

    assertThat(sql(trace, 51).attribute("spark.sql.aqe.changes"))
        .isEqualTo(List.of("SortMergeJoin was dropped"));

    // The second one reads what the first one cached.
    SpanNode filled = sql(trace, 53);
    assertThat(counts(filled))
        .contains(
            "Filter (twice > 100) {rows 449}",
            "InMemoryTableScan [twice], [(twice > 100)] {rows 500}",
            "Range (0, 500, step=1, splits=2) {rows 500}");
    SpanNode read = sql(trace, 54);
    assertThat(counts(read))
        .contains(
            "Filter (twice > 200) {rows 399}",
            "InMemoryTableScan [twice], [(twice > 200)] {rows 500}",
            "Range (0, 500, step=1, splits=2)");
    assertThat(read.attribute("spark.sql.plan_hash"))
        .isEqualTo(filled.attribute("spark.sql.plan_hash"))
        .isNotEqualTo(joined.attribute("spark.sql.plan_hash"));

    assertThat(EventLogs.differences(run.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(Set.of());
  }

  /** As many as Spark told of each execution; none is absent. */
  private static void assertUpdates(Trace trace, List<JsonNode> events) {
    Map<Object, Long> told = new TreeMap<>();
    for (JsonNode event : events) {
      if (event.get("Event").asText().endsWith("SparkListenerSQLAdaptiveExecutionUpdate")) {
        told.merge(event.get("executionId").asLong(), 1L, Long::sum);
      }
    }
    Map<Object, Object> ours = new TreeMap<>();
    for (SpanNode sql : trace.all("sql")) {
      Object updates = sql.attribute("spark.sql.aqe.updates");
      if (updates != null) {
        ours.put(sql.attribute("spark.sql.execution.id"), updates);
      }
    }
    assertThat(ours).isEqualTo(told).hasSizeGreaterThan(1);
  }

  private static SpanNode sql(Trace trace, int line) {
    return trace.one("sql", sql -> sql.name().endsWith(" at Plans.java:" + line));
  }

  private static List<Object> operators(Trace trace, SpanNode sql) {
    return trace.all("stage").stream()
        .filter(stage -> sql.attribute("spark.sql.execution.id").equals(id(stage)))
        .map(stage -> stage.attribute("spark.stage.operators"))
        .toList();
  }

  private static Object id(SpanNode stage) {
    return stage.attribute("spark.sql.execution.id");
  }

  /** The lines of the plan without the drawing, times and sizes, which no two runs share. */
  private static List<String> counts(SpanNode sql) {
    return PlanTruth.plan(sql)
        .lines()
        .map(line -> line.replaceFirst("^[ :]*[:+]- ", "").replaceFirst("^\\*\\(\\d+\\) ", ""))
        .map(
            line ->
                line.replaceAll("(?<=[{,])[^{},]* [\\d.]+ (ms|s|m|h|B|[KM]iB)(?=[,}])", "")
                    .replaceAll("\\{,+ ", "{")
                    .replaceAll(",+(?=[,}])", "")
                    .replace(" {}", ""))
        .toList();
  }
}
