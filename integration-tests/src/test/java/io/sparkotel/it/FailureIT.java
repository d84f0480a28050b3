package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.FailedQueries;
import io.sparkotel.scenarios.LostExecutor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** What a failure came from, in which class of Spark's it is, and where it leads on. */
@Tag("full")
class FailureIT {

  private static final String HISTORY = "http://history:18080/history/";

  private static final String CHAIN =
      "java.lang.ArithmeticException: / by zero at"
          + " io.sparkotel.scenarios.FailedQueries.ratio(FailedQueries.java:53)";

  private static final String DIVIDED =
      "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return"
          + " NULL instead. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this"
          + " error.";

  /** How the program ended is in no log. */
  private static final Set<String> LIVE_ONLY =
      Set.of(
          "application: error.type",
          "application: events",
          "application: spark.exit_code",
          "application: spark.failure.root_cause",
          "application: status");

  @OnEachSpark
  void failuresNameTheirCause(SparkVersion version) {
    boolean four = version.equals(SparkVersion.V4_2_0);
    SparkRun spark =
        EventLogs.writtenBy(SparkRun.of(version, FailedQueries.class).args("throws"))
            .conf("spark.otel.history-url", HISTORY + "{app_id}");
    TracedRun run = TracedRun.of(spark, 1);
    Trace trace = run.trace();
    String page = HISTORY + trace.application().resource().get("spark.app.id");

    assertThat(failure(trace.application()))
        .isEqualTo(List.of("org.apache.spark.SparkException", "", "", CHAIN, page));
    String state = four ? "22012" : "";
    String divided =
        "org.apache.spark.SparkArithmeticException: " + DIVIDED + (four ? " SQLSTATE: 22012" : "");
    assertFailed(
        trace, 28, List.of("java.lang.IllegalStateException", "", ""), CHAIN, page, 0, 0, 0);
    assertFailed(trace, 30, List.of("java.lang.ArithmeticException", "", ""), CHAIN, page, 1, 1, 1);
    assertFailed(
        trace,
        31,
        List.of("org.apache.spark.SparkArithmeticException", "DIVIDE_BY_ZERO", state),
        divided,
        page,
        2,
        2,
        2);
    // Spark 3.5 wraps what a write failed of; the innermost class counts.
    List<String> written =
        four
            ? List.of("org.apache.spark.SparkArithmeticException", "DIVIDE_BY_ZERO", state)
            : List.of("org.apache.spark.SparkException", "DIVIDE_BY_ZERO", state);
    assertThat(failure(trace.one("job", at(32))))
        .isEqualTo(with(written, divided, page + "/jobs/job/?id=3"));
    List<SpanNode> writes = trace.all("sql").stream().filter(at(32)).toList();
    assertThat(writes).hasSize(four ? 3 : 2);
    for (SpanNode sql : List.of(writes.get(0), writes.get(writes.size() - 1))) {
      assertThat(failure(sql))
          .isEqualTo(
              with(
                  written,
                  divided,
                  page + "/SQL/execution/?id=" + sql.attribute("spark.sql.execution.id")));
    }
    assertThat(failure(trace.one("job", at(38))))
        .isEqualTo(
            List.of("java.lang.IllegalStateException", "", "", CHAIN, page + "/jobs/job/?id=4"));

    // What fails in its analysis is an execution for Spark 4 alone, what fails to parse for none.
    Set<String> unplanned = new TreeSet<>();
    trace.all("sql").stream()
        .filter(sql -> sql.attribute("spark.sql.plan") == null)
        .forEach(sql -> unplanned.add(sql.name() + ": " + failure(sql).subList(0, 3)));
    assertThat(unplanned)
        .isEqualTo(
            four
                ? Set.of(
                    "sql sql at FailedQueries.java:33: [UNRESOLVED_COLUMN.WITH_SUGGESTION,"
                        + " UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703]",
                    "sql table at FailedQueries.java:34: [TABLE_OR_VIEW_NOT_FOUND,"
                        + " TABLE_OR_VIEW_NOT_FOUND, 42P01]")
                : Set.of());
    assertThat(trace.all("sql")).hasSize(four ? 8 : 5).allMatch(SpanNode::isError);

    Map<String, String> pages = Map.of("OTEL_SPARK_HISTORY_URL", HISTORY + "{app_id}");
    OtlpReceiver replay =
        EventLogs.replay(EventLogs.of(spark), spark.dir().resolve("replay.txt"), pages);
    assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(LIVE_ONLY);
  }

  private static Predicate<SpanNode> at(int line) {
    return span -> span.name().endsWith(" at FailedQueries.java:" + line);
  }

  /** Error type, class and SQLSTATE, root cause and page, an empty text where there is none. */
  private static List<String> failure(SpanNode span) {
    assertThat(span.isError()).as(span.name()).isTrue();
    return Stream.of(
            "error.type",
            "spark.error.class",
            "spark.error.sql_state",
            "spark.failure.root_cause",
            "spark.history.url")
        .map(key -> Objects.toString(span.attribute(key), ""))
        .toList();
  }

  private static List<String> with(List<String> error, String cause, String page) {
    return List.of(error.get(0), error.get(1), error.get(2), cause, page);
  }

  /** The action of that line: the task, its stage, its job and its query. */
  private static void assertFailed(
      Trace trace,
      int line,
      List<String> error,
      String cause,
      String page,
      int stage,
      int job,
      int sql) {
    SpanNode query = trace.one("sql", at(line));
    assertThat(failure(query)).isEqualTo(with(error, cause, page + "/SQL/execution/?id=" + sql));
    SpanNode itsJob = trace.one("job", at(line));
    assertThat(failure(itsJob)).isEqualTo(with(error, cause, page + "/jobs/job/?id=" + job));
    SpanNode itsStage = trace.one("stage", at(line));
    assertThat(failure(itsStage))
        .isEqualTo(with(error, "", page + "/stages/stage/?id=" + stage + "&attempt=0"));
    assertThat(trace.children(itsStage)).hasSize(1);
    assertThat(failure(trace.children(itsStage).get(0))).isEqualTo(with(error, "", ""));
  }

  @OnEachSpark
  void aLostExecutorSaysWhyAndWhere(SparkVersion version) {
    try (StandaloneCluster cluster = StandaloneCluster.start(version)) {
      assertLost(cluster, SparkRun.of(version, LostExecutor.class), 137, "killed");
      SparkRun exits = SparkRun.of(version, LostExecutor.class).args(52);
      assertLost(cluster, exits, 52, "jvm_out_of_memory");
    }
  }

  private static void assertLost(
      StandaloneCluster cluster, SparkRun spark, int exitCode, String cause) {
    EventLogs.writtenBy(spark)
        .submitted()
        .master(cluster.url())
        .conf("spark.cores.max", 2)
        .conf("spark.executor.memory", "512m")
        .conf("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    TracedRun run = TracedRun.of(spark);

    assertThat(run.stdout()).isEqualTo("sum: 3\ncount: 3");
    SpanNode task = run.trace().one("task", SpanNode::isError);
    SpanNode stage = run.trace().one("stage", span -> !span.events().isEmpty());
    Object log = task.attribute("spark.executor.log_url");
    assertThat(log)
        .asString()
        .matches(
            "http://127\\.0\\.0\\.1:\\d+/logPage/\\?appId=.*&executorId="
                + task.attribute("spark.executor.id")
                + "&logType=stderr");
    Object stdout = log.toString().replace("stderr", "stdout");
    assertThat(task.attribute("spark.executor.stdout_url")).isEqualTo(stdout);
    for (SpanNode span : List.of(task, stage)) {
      SpanNode.Event removed = span.events().get(0);
      assertThat(removed.name()).isEqualTo("spark.executor.removed");
      assertThat(removed.attributes())
          .containsEntry("spark.executor.loss_cause", cause)
          .containsEntry("spark.executor.exit_code", (long) exitCode)
          .containsEntry("spark.executor.removed.reason", "Command exited with code " + exitCode)
          .containsEntry("spark.executor.log_url", log)
          .containsEntry("spark.executor.stdout_url", stdout);
    }
    assertThat(EventLogs.differences(run.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(Set.of());
  }
}
