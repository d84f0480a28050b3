package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ClusterFindings;
import io.sparkotel.scenarios.Findings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;

/** What is found in queries and jobs of which each has one fault, with low thresholds. */
@Tag("full")
class FindingsIT {

  private static final String FLAG = "spark.finding.";
  private static final String THRESHOLDS =
      "small_files_read.files=8,small_files_read.size=1k,small_files_written.files=8,"
          + "small_files_written.size=1k,full_scan.size=1,full_scan.partitions=2,"
          + "missed_broadcast.large=100k,large_broadcast.size=100,cartesian.pairs=5000,"
          + "exploding_join.rows=5000,long_filter.length=200,skew.ratio=2,skew.time=500ms,skew.data=10k,"
          + "spill.size=1,large_result.size=500k";

  private static final String ON_A_CLUSTER =
      "tiny_tasks.tasks=20,tiny_tasks.time=30s,straggler.ratio=3,straggler.time=1s,gc.time=300ms,"
          + "large_partition.size=200k,idle_cores.time=4s,retries.time=300ms,driver_time.share=0.01,"
          + "driver_time.time=500ms,memory_unused.size=1m,memory_unused.time=1s,"
          + "memory_near_limit.share=0.01,memory_near_limit.size=1m";

  @OnEachSpark
  void eachFaultIsFoundWhereItIs(SparkVersion version) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, Findings.class));
    spark.conf("spark.otel.findings.thresholds", THRESHOLDS);
    TracedRun run = TracedRun.of(spark.args(spark.dir().resolve("data")));
    Trace trace = run.trace();

    assertSql(
        trace,
        "small files written",
        "Execute InsertIntoHadoopFsRelationCommand wrote 8 files of 28.0 B on average,"
            + " 230.0 B in all");
    assertSql(
        trace, "small files read", "Scan text read 8 files of 28.0 B on average, 230.0 B in all");
    assertSql(trace, "partitioned", "");
    assertSql(
        trace,
        "full scan",
        "Scan text read all of a table, 2 partitions with 230.0 B, without a filter on its"
            + " partitions");
    assertSql(trace, "one partition", "");
    assertSql(
        trace,
        "missed broadcast",
        "SortMergeJoin shuffled 156.3 KiB to join them with the 160.0 B of its right side");
    SpanNode late =
        trace.one("sql", span -> "late broadcast".equals(span.attribute("spark.sql.description")));
    assertThat(flags(late)).containsExactly("large_broadcast", "missed_broadcast");
    assertThat(sentences(late))
        .hasSize(2)
        .contains(
            "BroadcastHashJoin had shuffled 156.3 KiB before its right side was seen to be"
                + " 160.0 B");
    // How much room the rows take differs from version to version.
    assertSql(
        trace, "large broadcast", "BroadcastExchange sent [0-9.]+ [KM]?i?B to every executor");
    assertSql(
        trace, "exploding join", "SortMergeJoin made 5000 rows of 100 and 50, 33 times as many");
    assertSql(trace, "cartesian", "CartesianProduct compared at least 5000 pairs of rows");
    assertSql(trace, "long filter", "a filter has a condition of [2-9][0-9]{2} characters or more");

    SpanNode skewed = assertStage(trace, "skew", "skew");
    assertThat(sentences(skewed))
        .singleElement()
        .asString()
        .matches(
            "task 0 on executor driver ran [0-9.]+ times the median \\(2\\.[0-9] s, median .*\\)"
                + " and read [0-9.]+ KiB of [0-9.]+ KiB: key skew");
    assertFlagged(trace, skewed, 0, "skew");
    SpanNode spilled = assertStage(trace, "spill", "spill");
    assertThat(sentences(spilled))
        .singleElement()
        .asString()
        .matches("tasks spilled .* of memory, .* on disk; the most of one task is .*");
    assertThat(trace.children(spilled))
        .allSatisfy(task -> assertThat(flags(task)).contains("spill"));
    SpanNode sent = assertStage(trace, "large result", "large_result");
    assertThat(sentences(sent))
        .singleElement()
        .asString()
        .matches("2 tasks sent 59[0-9]\\.[0-9] KiB of results to the driver");

    SpanNode application = trace.application();
    assertThat(flags(application))
        .containsExactly(
            "cartesian",
            "exploding_join",
            "full_scan",
            "large_broadcast",
            "large_result",
            "long_filter",
            "missed_broadcast",
            "skew",
            "small_files_read",
            "small_files_written",
            "spill");
    assertThat(sentences(application)).hasSize(11).endsWith("and 3 more");
    assertReplay(spark, run, THRESHOLDS);
  }

  private static void assertReplay(SparkRun spark, TracedRun run, String thresholds) {
    OtlpReceiver replay =
        EventLogs.replay(
            EventLogs.of(spark),
            spark.dir().resolve("replay.txt"),
            Map.of("OTEL_SPARK_FINDINGS_THRESHOLDS", thresholds));
    assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(Set.of());
  }

  /** What needs executors of its own. */
  @OnEachSpark
  void eachFaultOfTasksAndExecutorsIsFoundWhereItIs(SparkVersion version) {
    try (StandaloneCluster cluster = StandaloneCluster.start(version)) {
      SparkRun spark =
          EventLogs.writtenBy(SparkRun.of(version, ClusterFindings.class))
              .submitted()
              .master(cluster.url())
              .conf("spark.cores.max", 2)
              .conf("spark.executor.memory", "512m")
              .conf("spark.executor.metrics.pollingInterval", "100ms")
              .conf("spark.scheduler.minRegisteredResourcesRatio", "1.0")
              .conf("spark.otel.findings.thresholds", ON_A_CLUSTER);
      TracedRun run = TracedRun.of(spark);
      Trace trace = run.trace();

      assertStage(trace, "tiny tasks", "tiny_tasks", "20 tasks ran with a median of .*");
      SpanNode straggled =
          assertStage(
              trace,
              "straggler",
              "straggler",
              "task 5 on executor [01] ran [0-9]+ times the median \\(3\\.[0-9] s, median .*\\) on"
                  + " no more data than others: a slow executor or host");
      assertFlagged(trace, straggled, 5, "straggler");
      assertStage(trace, "gc", "gc", "garbage collection took .* run time, [0-9]+ %");
      assertThat(stages(trace, "large partition"))
          .allSatisfy(
              stage ->
                  assertThat(sentences(stage))
                      .singleElement()
                      .asString()
                      .matches("task 0 on executor [01] (wrote|read) 3.* of shuffle data"));
      assertThat(stages(trace, "large partition")).hasSize(2);
      assertStage(trace, "idle cores", "idle_cores", "1 task on 2 cores used .* core time, .*");
      SpanNode retried =
          assertStage(trace, "retries", "retries", "1 of 3 tasks failed, with .* of task time");
      assertThat(trace.children(retried).stream().filter(SpanNode::isError))
          .singleElement()
          .satisfies(task -> assertThat(flags(task)).containsExactly("retries"));
      SpanNode lost = stages(trace, "executor lost").get(0);
      assertThat(flags(lost)).containsExactly("executor_lost", "retries");
      assertThat(sentences(lost))
          .hasSize(2)
          .anySatisfy(text -> assertThat(text).isEqualTo("1 task was lost with its executor"));

      SpanNode application = trace.application();
      assertThat(flags(application))
          .containsExactly(
              "driver_time",
              "executor_lost",
              "gc",
              "idle_cores",
              "large_partition",
              "memory_near_limit",
              "memory_unused",
              "retries",
              "straggler",
              "tiny_tasks");
      assertReplay(spark, run, ON_A_CLUSTER);
    }
  }

  private static SpanNode assertStage(
      Trace trace, String description, String code, String sentence) {
    SpanNode stage = assertStage(trace, description, code);
    assertThat(sentences(stage)).singleElement().asString().matches(sentence);
    return stage;
  }

  private static void assertFlagged(Trace trace, SpanNode stage, long index, String code) {
    assertThat(trace.children(stage))
        .filteredOn(task -> !flags(task).isEmpty())
        .singleElement()
        .satisfies(
            task -> {
              assertThat(task.attribute("spark.task.index")).isEqualTo(index);
              assertThat(flags(task)).containsExactly(code);
            });
  }

  /**
   * @param sentence a regular expression or the text itself, empty for none
   */
  private static void assertSql(Trace trace, String description, String sentence) {
    SpanNode sql =
        trace.one("sql", span -> description.equals(span.attribute("spark.sql.description")));
    if (sentence.isEmpty()) {
      assertThat(sentences(sql)).as(description).isEmpty();
      assertThat(flags(sql)).as(description).isEmpty();
      return;
    }
    assertThat(sentences(sql))
        .as(description)
        .singleElement()
        .asString()
        .satisfiesAnyOf(
            text -> assertThat(text).isEqualTo(sentence),
            text -> assertThat(text).matches(sentence));
    String code = description.replace(' ', '_');
    assertThat(flags(sql)).as(description).containsExactly(code);
  }

  /** The one stage of the jobs of that description that has a finding: that one alone. */
  private static SpanNode assertStage(Trace trace, String description, String code) {
    List<SpanNode> stages = stages(trace, description);
    assertThat(stages).as(description).hasSize(1);
    assertThat(flags(stages.get(0))).as(description).containsExactly(code);
    return stages.get(0);
  }

  /** Those of the jobs of that description that have a finding. */
  private static List<SpanNode> stages(Trace trace, String description) {
    Set<Object> jobs =
        trace.all("job").stream()
            .filter(job -> description.equals(job.attribute("spark.job.description")))
            .map(job -> job.attribute("spark.job.id"))
            .collect(Collectors.toSet());
    return trace.all("stage").stream()
        .filter(stage -> jobs.contains(stage.attribute("spark.job.id")) && !flags(stage).isEmpty())
        .toList();
  }

  private static List<Object> sentences(SpanNode span) {
    Object sentences = span.attribute("spark.findings");
    return sentences == null ? List.of() : List.copyOf((List<?>) sentences);
  }

  private static Set<String> flags(SpanNode span) {
    Set<String> flags = new TreeSet<>();
    span.attributes()
        .forEach(
            (key, value) -> {
              if (key.startsWith(FLAG)) {
                assertThat(value).as(key).isEqualTo(true);
                flags.add(key.substring(FLAG.length()));
              }
            });
    return flags;
  }
}
