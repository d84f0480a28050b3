package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

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
          + "exploding_join.rows=5000,long_filter.length=200,skew.ratio=2,skew.time=500ms,"
          + "spill.size=1,large_result.size=500k";

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
    assertThat(trace.children(skewed))
        .filteredOn(task -> !flags(task).isEmpty())
        .singleElement()
        .satisfies(
            task -> {
              assertThat(task.attribute("spark.task.index")).isEqualTo(0L);
              assertThat(flags(task)).containsExactly("skew");
            });
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
    assertThat(sentences(application)).hasSize(11).endsWith("and 1 more");
    assertThat(EventLogs.differences(run.receiver().spans(), replay(spark).spans()))
        .isEqualTo(Set.of());
  }

  private static OtlpReceiver replay(SparkRun run) {
    return EventLogs.replay(
        EventLogs.of(run),
        run.dir().resolve("replay.txt"),
        Map.of("OTEL_SPARK_FINDINGS_THRESHOLDS", THRESHOLDS));
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
    Set<Object> jobs =
        trace.all("job").stream()
            .filter(job -> description.equals(job.attribute("spark.job.description")))
            .map(job -> job.attribute("spark.job.id"))
            .collect(Collectors.toSet());
    SpanNode stage =
        trace.one(
            "stage",
            span -> jobs.contains(span.attribute("spark.job.id")) && !flags(span).isEmpty());
    assertThat(flags(stage)).containsExactly(code);
    return stage;
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
