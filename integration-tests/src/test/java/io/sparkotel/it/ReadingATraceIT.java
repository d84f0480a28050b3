package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Problems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The problems of docs/reading-a-trace.md, run, and the page held to what comes of them. What it
 * shows is of one version of Spark; what it quotes and asks for is there with another, too, and in
 * a replay.
 */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class ReadingATraceIT {

  static final List<SparkVersion> VERSIONS = List.of(SparkVersion.V3_5_9, SparkVersion.V4_2_0);

  /** No log tells how a program ended. */
  private static final Set<String> OF_THE_END =
      Set.of(
          "application: error.type",
          "application: events",
          "application: spark.exit_code",
          "application: spark.failure.root_cause",
          "application: status");

  /** Nor does the JVM beside Python know more than its exit code. */
  private static final Set<String> OF_PYTHONS_END =
      Set.of("application: spark.exit_code", "application: status");

  /** Small data has small faults. */
  private static final String THRESHOLDS =
      "skew.ratio=3,skew.time=300ms,spill.size=1,tiny_tasks.tasks=500,full_scan.size=1,"
          + "python_time.time=500ms,python_time.share=0.1";

  private final SparkVersion version;
  private String thresholds = THRESHOLDS;

  ReadingATraceIT(SparkVersion version) {
    this.version = version;
  }

  @Test
  void thePageHasTheseSections() {
    assertThat(TraceSection.PAGE.headings())
        .containsExactly(
            "1. One key has all the rows",
            "2. Thousands of tiny tasks",
            "3. A join spills to disk",
            "4. One bad record",
            "5. An executor dies",
            "6. The driver works alone",
            "7. The plan is not the one of yesterday",
            "8. A partitioned table is read as a whole",
            "9. What was written is not what was wanted",
            "10. A Python function");
  }

  @Test
  void skew() {
    TraceSection section = run("1. One key has all the rows", problem("skew"), 0);
    SpanNode stage = section.trace().stage(2, 0);
    section.showsTree();
    section.quotes(
        found(Quote.of(stage).with("spark.tasks.total", 8), "skew")
            .shows("spark.stage.skew", "spark.stage.task_duration_ms.p50")
            .shows("spark.stage.task_duration_ms.max")
            .with("spark.stage.slowest_task.index", 5)
            .shows("spark.stage.task_shuffle_read_bytes.p50")
            .shows("spark.stage.task_shuffle_read_bytes.max"));
    section.isFound(Map.of("600000", "300", "skew > 5", "skew > 3"));
  }

  @Test
  void tinyTasks() {
    TraceSection section = run("2. Thousands of tiny tasks", problem("small"), 0);
    Trace trace = section.trace();
    section.showsTree();
    section.quotes(
        found(Quote.of(trace.stage(2, 0)).with("spark.tasks.total", 1000), "tiny_tasks")
            .shows("spark.stage.task_duration_ms.p50", "spark.stage.task_duration_ms.max")
            .with("spark.otel.tasks.not_exported", 980),
        found(Quote.of(sql(trace, 0)), "small_files_read")
            .part("spark.sql.plan", "(FileScan json) .*(\\{.*files read 1000.*})"));
    section.isFound(Map.of("2000", "500"));
  }

  @Test
  void spill() {
    SparkRun spark = problem("spill");
    spark.conf("spark.shuffle.spill.numElementsForceSpillThreshold", 20_000);
    TraceSection section = run("3. A join spills to disk", spark, 0);
    Trace trace = section.trace();
    section.showsTree();
    section.quotes(
        found(Quote.of(trace.stage(4, 0)).with("spark.tasks.total", 4), "spill")
            .shows("spark.spill.memory_bytes", "spark.spill.disk_bytes")
            .shows("spark.stage.task_spill_disk_bytes.p50")
            .shows("spark.stage.task_spill_disk_bytes.max")
            .shows("spark.stage.operators"),
        Quote.of(sql(trace, 0)).part("spark.sql.plan", "(Sort \\[id ASC.*\\{.*spill size.*})"));
    section.isFound(Map.of("10737418240", "100000"));
  }

  @Test
  void badRecord() {
    TraceSection section = run("4. One bad record", problem("record").master("local[2,3]"), 1);
    Trace trace = section.trace();
    SpanNode last =
        trace.one("task", task -> Long.valueOf(2).equals(task.attribute("spark.task.attempt")));
    section.showsTree();
    section.quotes(
        Quote.of(last)
            .with("error.type", "java.lang.IllegalStateException")
            .with("spark.task.partition", 1)
            .with("spark.task.outcome", "ExceptionFailure"),
        Quote.event(last, "exception")
            .part(
                "exception.stacktrace",
                "(Caused by: .*)[\\s\\S]*?(at io\\.sparkotel\\.scenarios\\.Problems\\.cents.*)"),
        Quote.of(trace.application())
            .with("spark.exit_code", 1)
            .part(
                "spark.failure.root_cause",
                "(java\\.lang\\.NumberFormatException: For input string: \"n/a\" at"
                    + " io\\.sparkotel\\.scenarios\\.Problems\\.cents\\(Problems\\.java:\\d+\\))$"));
    section.isFound(Map.of());
  }

  @Test
  void lostExecutor() {
    try (StandaloneCluster cluster = StandaloneCluster.start(version)) {
      SparkRun spark =
          problem("executor")
              .submitted()
              .master(cluster.url())
              .conf("spark.executor.memory", "512m")
              .conf("spark.scheduler.minRegisteredResourcesRatio", "1.0");
      TraceSection section = run("5. An executor dies", spark, 0);
      Trace trace = section.trace();
      SpanNode lost = trace.one("task", task -> "ExecutorLostFailure".equals(outcome(task)));
      section.showsTree();
      section.quotes(
          Quote.event(lost, "spark.executor.removed")
              .with("spark.executor.loss_cause", "killed")
              .with("spark.executor.removed.reason", "Command exited with code 137")
              .with("spark.executor.exit_code", 137),
          found(Quote.of(trace.stage(1, 0)), "executor_lost")
              .part("spark.stage.failure_reason", "(.*)"),
          Quote.of(trace.stage(0, 1)).with("spark.stage.attempt", 1).with("spark.tasks.total", 1),
          Quote.of(trace.stage(1, 1))
              .with("spark.stage.attempt", 1)
              .part("spark.stage.retry_reason", "(.*)"));
      section.isFound(Map.of());
    }
  }

  @Test
  void driverAlone() {
    thresholds = "large_result.size=10k,driver_time.time=1s,driver_time.share=0.1";
    TraceSection section = run("6. The driver works alone", problem("driver"), 0);
    Trace trace = section.trace();
    section.showsTree();
    section.quotes(
        found(Quote.of(trace.application()), "driver_time")
            .with("spark.jobs.total", 3)
            .shows("spark.driver_only_time_ms", "spark.critical_path_ms", "spark.ideal_time_ms")
            .shows("spark.executors.utilization"),
        found(Quote.of(trace.stage(0, 0)), "large_result").shows("spark.result.size_bytes"));
    section.isFound(Map.of("1800000", "3000", "268435456", "10000"));
  }

  @Test
  void changedPlan() {
    TraceSection section = run("7. The plan is not the one of yesterday", problem("plan"), 0);
    Trace trace = section.trace();
    SpanNode yesterday = sql(trace, 0);
    SpanNode today = sql(trace, 1);
    assertThat(yesterday.attribute("spark.sql.aqe.changes")).isNull();
    assertThat(yesterday.attribute("spark.sql.plan_hash"))
        .isNotEqualTo(today.attribute("spark.sql.plan_hash"));
    section.showsTree();
    section.quotes(
        Quote.of(yesterday)
            .shows("spark.sql.plan_hash")
            .part("spark.sql.plan", "(BroadcastHashJoin .*})"),
        Quote.of(today)
            .shows("spark.sql.plan_hash")
            .with(
                "spark.sql.aqe.changes",
                List.of(
                    "SortMergeJoin became BroadcastHashJoin",
                    "shuffle of 4 partitions read locally (2 times)"))
            .part("spark.sql.plan", "(BroadcastHashJoin .*})")
            .part(
                "spark.sql.plan",
                "(Exchange hashpartitioning\\(customer, 4\\)).*(\\{data size [^,]*).*(records read \\d+)"));
    section.isFound(
        Map.of("0000000000000000", (String) yesterday.attribute("spark.sql.plan_hash")));
  }

  @Test
  void fullScan() {
    TraceSection section = run("8. A partitioned table is read as a whole", problem("scan"), 0);
    section.showsTree();
    section.quotes(
        found(Quote.of(sql(section.trace(), 0)), "full_scan")
            .shows("spark.sql.inputs")
            .part("spark.sql.plan", "(Filter .*})")
            .part(
                "spark.sql.plan",
                "(FileScan csv) .*(PartitionFilters: \\[]),.*(\\{rows 60, files read 30).*(partitions read 30)"));
    section.isFound(Map.of("107374182400", "1000"));
  }

  @Test
  void manyFiles() {
    TraceSection section = run("9. What was written is not what was wanted", problem("write"), 0);
    Trace trace = section.trace();
    section.showsTree();
    section.quotes(
        found(Quote.of(sql(trace, 0)), "small_files_written")
            .shows("spark.sql.output.path")
            .with("spark.sql.output.mode", "errorifexists")
            .with("spark.sql.output.partition_columns", List.of("day"))
            .with("spark.sql.output.partitions", 20)
            .with("spark.sql.output.files", 160)
            .with("spark.sql.output.rows", 2000)
            .shows("spark.sql.output.bytes"),
        Quote.of(sql(trace, 1))
            .shows("spark.sql.inputs", "spark.sql.output.path")
            .with("spark.sql.output.mode", "overwrite")
            .with("spark.sql.output.rows", 0)
            .with("spark.sql.output.files", 1));
    section.isFound(Map.of("1000 ", "100 "));
  }

  /** On the newest Spark, which tells the time in Python. */
  @Test
  void python() {
    boolean isShown = version.equals(VERSIONS.get(0));
    String spark = isShown ? "4.3.0" : version.version();
    String flags = Layout.agentFlag() + " " + String.join(" ", ConsoleTree.UTF_8);
    ScriptRun submit =
        EventLogs.writtenBy(ScriptRun.of(spark, "spark-submit"))
            .defaults("spark.driver.extraJavaOptions", flags)
            .defaults("spark.otel.traces.exporter", "otlp,console")
            .defaults("spark.otel.findings.thresholds", thresholds)
            .args(Layout.pythonProgram("problems.py"));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = submit.exportTo(receiver).start().assertExit(1);
      TraceSection section =
          new TraceSection(
              "10. A Python function", isShown, receiver.trace(), ConsoleTree.of(process));
      assertReplayed(receiver, EventLogs.of(submit), OF_PYTHONS_END);
      Trace trace = section.trace();
      SpanNode failed = trace.one("task", SpanNode::isError);
      section.showsTree();
      section.quotes(
          Quote.of(sql(trace, 0))
              .part(
                  "spark.sql.plan",
                  "(BatchEvalPython \\[in_euro).*(\\{rows 2000).*(time to execute Python code [^,}]*)"),
          found(Quote.of(trace.stage(0, 0)), "python_time")
              .shows("spark.executor.run_time_ms", "spark.executor.cpu_time_ms"),
          Quote.of(trace.job(1))
              .with("error.type", "KeyError")
              .part(
                  "spark.failure.root_cause",
                  "(KeyError: 'CHF' at in_euro\\(problems.py:\\d+\\))$"),
          Quote.event(failed, "exception")
              .with("exception.message", "'CHF'")
              .part("exception.stacktrace", "(File \".*problems\\.py\", line .*)"));
      section.isFound(Map.of("3600000", "500"));
    }
  }

  private SparkRun problem(String name) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, Problems.class));
    return spark
        .args(name, spark.dir().resolve("data"))
        .conf("spark.otel.findings.thresholds", thresholds);
  }

  private TraceSection run(String heading, SparkRun spark, int exitCode) {
    ConsoleTree.UTF_8.forEach(spark::jvmFlag);
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          spark
              .exportOverHttp(receiver)
              .conf("spark.otel.traces.exporter", "otlp,console")
              .start()
              .assertExit(exitCode);
      assertReplayed(receiver, EventLogs.of(spark), exitCode == 0 ? Set.of() : OF_THE_END);
      boolean isShown = version.equals(VERSIONS.get(0));
      return new TraceSection(heading, isShown, receiver.trace(), ConsoleTree.of(process));
    }
  }

  /** By the same thresholds. */
  private void assertReplayed(OtlpReceiver live, Path logs, Set<String> differences) {
    OtlpReceiver replay =
        EventLogs.replay(
            logs,
            logs.resolveSibling("replay.txt"),
            Map.of("OTEL_SPARK_FINDINGS_THRESHOLDS", thresholds));
    assertThat(EventLogs.differences(live.spans(), replay.spans())).isEqualTo(differences);
  }

  private static Quote found(Quote quote, String code) {
    return quote.with("spark.finding." + code, true).shows("spark.findings");
  }

  private static SpanNode sql(Trace trace, int index) {
    return trace.all("sql").get(index);
  }

  private static Object outcome(SpanNode task) {
    return task.attribute("spark.task.outcome");
  }
}
