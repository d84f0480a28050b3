package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.group;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Python programs as users start them. Through spark-submit the JVM runs Python and learns its exit
 * code; below {@code python} it is the other way round and nobody in the JVM knows.
 */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class PythonProgramsIT {

  static final List<String> VERSIONS = ScriptRun.VERSIONS;

  private static final String REPORT = "total: 10\nwords: ['aa', 'bb']";

  private final String version;

  PythonProgramsIT(String version) {
    this.version = version;
  }

  @Test
  void sparkSubmitOfAProgramThatRaises() {
    TracedRun run = traced(submit("raises"), 1);

    assertThat(run.stdout())
        .startsWith(REPORT + "\nhandled: True\nTraceback")
        .endsWith("\nValueError: the report is empty");
    assertThatTrace(run.trace())
        .isTree(
            report(failedJob())
                .with("spark.exit_code", 1)
                .without("spark.incomplete")
                .failed("exit code 1"));
  }

  @Test
  void sparkSubmitOfAProgramThatExits() {
    TracedRun run = traced(submit("exits"), 3);

    assertThat(run.stdout()).isEqualTo(REPORT);
    assertThatTrace(run.trace())
        .isTree(
            report()
                .with("spark.exit_code", 3)
                .without("spark.incomplete", "error.type")
                .failed("exit code 3"));
  }

  /** And stops its first context twice, and leaves the second. */
  @Test
  void sparkSubmitOfAProgramWithTwoContexts() {
    TracedRun run = traced(submit("again"), 0);

    assertThat(run.stdout()).isEqualTo(REPORT + "\ncount: 3");
    assertThat(run.traces())
        .extracting(trace -> trace.application().resource().get("service.name"))
        .containsExactly("python report", "second report");
    assertThatTrace(run.traces().get(0))
        .isTree(report().without("spark.incomplete", "spark.exit_code", "error.type"));
    String count = "count at report.py:36";
    assertThatTrace(run.traces().get(1))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job("job " + count, stage("stage " + count, task().times(2))))
                .without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  @Test
  void pythonWithTheFlagInSparkDefaults() {
    TracedRun run =
        traced(python("raises").defaults("spark.driver.extraJavaOptions", Layout.agentFlag()), 1);

    assertThat(run.stdout()).isEqualTo(REPORT + "\nhandled: True");
    assertThatTrace(run.trace())
        .isTree(report(failedJob()).without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  @Test
  void pythonWithTheFlagInTheBuilder() {
    TracedRun run =
        traced(python("exits").args("spark.driver.extraJavaOptions=" + Layout.agentFlag()), 3);

    assertThat(run.stdout()).isEqualTo(REPORT);
    assertThatTrace(run.trace())
        .isTree(report().without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  /** Python dies at once; the JVM sees the end of its standard input, and exits. */
  @Test
  void pythonIsKilledBySigterm() {
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process =
            python("waits")
                .defaults("spark.driver.extraJavaOptions", Layout.agentFlag())
                .exportTo(receiver)
                .start()) {
      process.awaitLine("waiting");
      process.terminate();

      assertThatTrace(TracedRun.ended(process, receiver, 143).trace())
          .isTree(report().without("spark.incomplete", "spark.exit_code", "error.type"));
    }
  }

  /** In the function of {@code foreachBatch}, which runs on the driver. */
  @Test
  void aBatchOfAStreamFailsInPython() {
    ScriptRun script =
        EventLogs.writtenBy(ScriptRun.of(version, "spark-submit"))
            .args("--driver-java-options", Layout.agentFlag(), Layout.pythonProgram("stream.py"));
    TracedRun run = traced(script.args(script.dir().resolve("stream")), 0);

    assertThat(run.stdout()).isEqualTo("batch 0: 1\nfailed: StreamingQueryException");
    List<SpanNode> spans = run.receiver().spans();
    List<SpanNode> batches = spans.stream().filter(span -> span.entity().equals("batch")).toList();
    assertThat(batches)
        .extracting(
            SpanNode::name,
            batch -> batch.attribute("spark.streaming.batch.id"),
            batch -> batch.attribute("spark.streaming.batch.result"),
            batch -> batch.attribute("error.type"))
        .containsExactly(
            tuple("batch words", 0L, "succeeded", null),
            tuple("batch words", 1L, "failed", "ValueError"));
    SpanNode query =
        spans.stream().filter(span -> span.entity().equals("query")).findAny().orElseThrow();
    for (SpanNode failed : List.of(query, batches.get(1))) {
      assertThat(failed.isError()).isTrue();
      assertThat(failed.attribute("error.type")).isEqualTo("ValueError");
      assertThat(failed.attribute("spark.failure.root_cause"))
          .isEqualTo("ValueError: batch 1 has 1 rows at publish(stream.py:15)");
    }
    assertThat(query.attribute("spark.streaming.query.result")).isEqualTo("failed");
    OtlpReceiver replay =
        EventLogs.replay(EventLogs.of(script), script.dir().resolve("replay.txt"), Map.of());
    assertThat(EventLogs.differences(spans, replay.spans())).isEqualTo(Set.of());
  }

  @Test
  void pysparkReadsStandardInput() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          ScriptRun.of(version, "pyspark")
              .args("--driver-java-options", Layout.agentFlag())
              .env("PYSPARK_DRIVER_PYTHON_OPTS", "-i")
              .exportTo(receiver)
              .withInput()
              .start();
      process.type(
          """
          print('count:', sc.parallelize([1, 2, 3], 1).count())
          sc.setJobGroup('cell-7', 'typed')
          sc.parallelize([1], 1).count()
          sc.parallelize([2], 1).count()
          """);
      TracedRun run = TracedRun.ended(process, receiver, 0);

      assertThat(run.stdout()).contains("count: 3");
      assertThat(run.traces()).hasSize(3);
      assertThatTrace(run.traces().get(0))
          .isTree(
              application("spark.application", started())
                  .without("spark.incomplete", "spark.exit_code", "error.type")
                  .linkOutside()
                  .linkOutside());
      SpanPattern count = job("job count at <stdin>:1", stage("stage count at <stdin>:1", task()));
      assertThatTrace(run.traces().get(2))
          .isTree(group("group cell-*", count, count).with("spark.group.id", "cell-7"));
      assertThatTrace(run.traces().get(1)).isTree(count.linkOutside());
    }
  }

  private ScriptRun submit(String how) {
    return ScriptRun.of(version, "spark-submit")
        .args("--driver-java-options", Layout.agentFlag(), Layout.pythonProgram("report.py"), how);
  }

  private ScriptRun python(String how) {
    return ScriptRun.of(version, "python").args(Layout.pythonProgram("report.py"), how);
  }

  private static TracedRun traced(ScriptRun run, int exitCode) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      return TracedRun.ended(run.exportTo(receiver).start(), receiver, exitCode);
    }
  }

  /** What every way of the program does first, and then those. */
  private static SpanPattern report(Expected... then) {
    String query = "collect at report.py:15";
    String words = "collect at report.py:16";
    List<Expected> all =
        new ArrayList<>(
            List.of(
                started(),
                sql("sql " + query, job("job " + query, stage("stage " + query, task())))
                    .with("spark.jobs.succeeded", 1),
                job("job " + words, stage("stage " + words, task()))
                    .with("spark.job.result", "succeeded")));
    all.addAll(List.of(then));
    return application("spark.application", all.toArray(new Expected[0]));
  }

  /** What failed in Python is told as Python tells it. */
  private static SpanPattern failedJob() {
    String collect = "collect at report.py:26";
    return divisionByZero(
        job("job " + collect, divisionByZero(stage("stage " + collect, divisionByZero(task()))))
            .with("spark.job.result", "failed"));
  }

  private static SpanPattern divisionByZero(SpanPattern span) {
    String message = "integer division or modulo by zero";
    return span.with("error.type", "ZeroDivisionError")
        .failed("*")
        .event(
            "exception",
            "exception.type",
            "ZeroDivisionError",
            "exception.message",
            message,
            "exception.stacktrace",
            "Traceback (most recent call last):\n*ZeroDivisionError: " + message);
  }
}
