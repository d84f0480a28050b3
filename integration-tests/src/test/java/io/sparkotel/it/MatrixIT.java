package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.SqlShuffleFailure;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One jar on every line of Spark, both Scalas and every JVM that the line runs on. What passed is
 * printed as a table, which the README repeats.
 */
@Tag("full")
class MatrixIT {

  private static final Map<SparkVersion, int[]> JAVAS = new TreeMap<>(SparkVersion.OLDEST_FIRST);

  static {
    JAVAS.put(SparkVersion.V3_0_3, new int[] {11});
    JAVAS.put(SparkVersion.V3_1_3, new int[] {11});
    JAVAS.put(SparkVersion.V3_2_4, new int[] {11});
    JAVAS.put(SparkVersion.V3_3_4, new int[] {17});
    JAVAS.put(SparkVersion.V3_3_4_SCALA_2_13, new int[] {17});
    JAVAS.put(SparkVersion.V3_4_4, new int[] {17});
    JAVAS.put(SparkVersion.V3_5_9, new int[] {11, 17, 21});
    JAVAS.put(SparkVersion.V3_5_9_SCALA_2_13, new int[] {17, 21});
    JAVAS.put(SparkVersion.V4_0_4, new int[] {17, 21});
    JAVAS.put(SparkVersion.V4_1_3, new int[] {17, 21});
    JAVAS.put(SparkVersion.V4_2_0, new int[] {17, 21, 25});
    JAVAS.put(SparkVersion.V4_3_0, new int[] {17, 21, 25});
  }

  /** The JVMs of a Spark whose application passed. */
  private static final Map<SparkVersion, TreeSet<Integer>> PASSED =
      new TreeMap<>(SparkVersion.OLDEST_FIRST);

  static Stream<Arguments> matrix() {
    return JAVAS.entrySet().stream()
        .flatMap(
            line ->
                IntStream.of(line.getValue()).mapToObj(java -> Arguments.of(line.getKey(), java)));
  }

  @ParameterizedTest(name = "Spark {0} on Java {1}")
  @MethodSource("matrix")
  void oneJarTracesThemAll(SparkVersion version, int java) {
    SparkRun spark =
        EventLogs.writtenBy(SparkRun.of(version, SqlShuffleFailure.class))
            .conf("spark.sql.adaptive.enabled", false)
            .javaHome(JavaRuntimes.home(java));
    TracedRun run = TracedRun.of(spark);

    assertThat(run.stdout()).isEqualTo("rows: 10\nkeys: 3\nhandled: true");
    Trace trace = run.trace();
    assertThat(trace.application().resource()).containsEntry("spark.version", version.version());
    assertThat(trace.application().attribute("process.runtime.version"))
        .asString()
        .startsWith(java + ".");
    assertThat(trace.application().attribute("spark.scala.version"))
        .asString()
        .startsWith(version.scalaBinary() + ".");
    assertThatTrace(trace).isTree(tree());
    assertThat(EventLogs.differences(trace.spans(), EventLogs.replay(spark).spans())).isEmpty();
    PASSED.computeIfAbsent(version, v -> new TreeSet<>()).add(java);
  }

  private static SpanPattern tree() {
    String query = "collectAsList at SqlShuffleFailure.java:23";
    String count = "count at SqlShuffleFailure.java:31";
    String foreach = "foreach at SqlShuffleFailure.java:36";
    String type = "java.lang.IllegalArgumentException";
    String abort = "Job aborted due to stage failure: *";
    return application(
            "spark.application",
            started(),
            sql(
                    "sql " + query,
                    job(
                            "job " + query,
                            stage("stage " + query, task().times(3))
                                .with("spark.shuffle.write.records", 30),
                            stage("stage " + query, task().times(2))
                                .with("spark.shuffle.read.records", 30))
                        .with("spark.tasks.total", 5))
                .with("spark.sql.execution.id", 0)
                .with("spark.jobs.succeeded", 1)
                .with("spark.shuffle.write.records", 30),
            job(
                    "job " + count,
                    stage("stage mapToPair at SqlShuffleFailure.java:29", task().times(4))
                        .with("spark.shuffle.write.records", 8),
                    stage("stage " + count, task().times(2)).with("spark.shuffle.read.records", 8))
                .with("spark.job.result", "succeeded"),
            job(
                    "job " + foreach,
                    stage(
                            "stage " + foreach,
                            task()
                                .with("error.type", type)
                                .failed("bad record 3")
                                .event("exception", "exception.message", "bad record 3"))
                        .failed(abort)
                        .event("exception", "exception.message", "bad record 3"))
                .with("spark.job.result", "failed")
                .with("error.type", type)
                .failed(abort)
                .event("exception", "exception.message", abort))
        .with("spark.jobs.total", 3)
        .with("spark.jobs.failed", 1)
        .with("spark.stages.total", 5)
        .with("spark.tasks.total", 12)
        .with("spark.tasks.failed", 1)
        .with("spark.otel.spans.dropped", 0)
        .with("spark.otel.errors", 0)
        .with("spark.otel.anomalies", 0);
  }

  @AfterAll
  static void theReadmeSaysWhatPassed() {
    String table =
        "| Spark | Scala | Java |\n|---|---|---|\n"
            + PASSED.entrySet().stream()
                .map(
                    line ->
                        String.format(
                            "| %s | %s | %s |%n",
                            line.getKey().version(),
                            line.getKey().scalaBinary(),
                            line.getValue().stream().map(String::valueOf).collect(joining(", "))))
                .collect(joining());
    System.out.println("What ran with this jar:\n" + table);
    boolean whole =
        PASSED.size() == JAVAS.size()
            && JAVAS.entrySet().stream()
                .allMatch(line -> PASSED.get(line.getKey()).size() == line.getValue().length);
    // Where one failed the build is red anyway; where one was skipped nothing can be said.
    if (whole) {
      new ReadmeTable("matrix").assertIs(table);
    }
  }
}
