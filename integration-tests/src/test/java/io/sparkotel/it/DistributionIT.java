package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.group;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.oneJob;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.MainThrows;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.StoppedAndLeft;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/** Applications of the JVM as users start them: with the scripts of a real distribution. */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class DistributionIT {

  static final List<String> VERSIONS = ScriptRun.VERSIONS;

  private final String version;

  DistributionIT(String version) {
    this.version = version;
  }

  @Test
  void mainThrows() {
    assertThatTrace(traced(submit(MainThrows.class), 1).trace())
        .isTree(
            oneJob("count at MainThrows.java:15")
                .with("spark.exit_code", 1)
                .with("error.type", "java.lang.IllegalStateException")
                .without("spark.incomplete")
                .failed("the report is empty")
                .event(
                    "exception",
                    "exception.type",
                    "java.lang.IllegalStateException",
                    "exception.message",
                    "the report is empty"));
  }

  @Test
  void exits() {
    assertThatTrace(traced(submit(ExitCode.class), 3).trace())
        .isTree(
            oneJob("count at ExitCode.java:17")
                .with("spark.exit_code", 3)
                .without("spark.incomplete", "error.type")
                .failed("exit code 3"));
  }

  @Test
  void stopsTwiceAndLeavesTheNextContext() {
    TracedRun run = traced(submit(StoppedAndLeft.class), 0);

    assertThat(run.stdout()).isEqualTo("count: 3\nrows: 2");
    assertThat(run.traces())
        .extracting(trace -> trace.application().resource().get("service.name"))
        .containsExactly("stopped", "left");
    assertThatTrace(run.traces().get(0))
        .isTree(
            oneJob("count at StoppedAndLeft.java:14")
                .without("spark.incomplete", "spark.exit_code", "error.type"));
    String collect = "collect at StoppedAndLeft.java:18";
    assertThatTrace(run.traces().get(1))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job("job " + collect, stage("stage " + collect, task().times(2))))
                .without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  @Test
  void isKilledBySigterm() {
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process = submit(Signalled.class).exportTo(receiver).start()) {
      process.awaitLine("waiting");
      process.terminate();

      assertThatTrace(TracedRun.ended(process, receiver, 143).trace())
          .isTree(
              application(
                      "spark.application",
                      started(),
                      job(
                          "job count at Signalled.java:18",
                          stage("stage count at Signalled.java:18", task())),
                      job(
                              "job foreach at Signalled.java:20",
                              stage(
                                  "stage foreach at Signalled.java:20",
                                  task().with("spark.incomplete", true)))
                          .with("spark.job.result", "cancelled"))
                  .with("spark.incomplete", true)
                  .without("spark.exit_code", "error.type"));
    }
  }

  @Test
  void sparkShellReadsStandardInput() {
    TracedRun run =
        typed(
            ScriptRun.of(version, "spark-shell").args("--driver-java-options", Layout.agentFlag()),
            """
            println("count: " + sc.parallelize(1 to 3, 1).count())
            sc.setJobGroup("cell-7", "typed")
            sc.parallelize(1 to 4, 1).count()
            sc.parallelize(1 to 5, 1).count()
            """);

    assertThat(run.stdout()).contains("count: 3");
    assertThat(run.traces()).hasSize(3);
    assertThatTrace(run.traces().get(0))
        .isTree(
            application("spark.application", started())
                .with("spark.jobs.total", 3)
                .without("spark.incomplete", "spark.exit_code", "error.type")
                .linkOutside()
                .linkOutside());
    SpanPattern count =
        job("job count at <console>:*", stage("stage count at <console>:*", task()));
    // What is typed has nothing to do with each other, unless a group says so.
    assertThatTrace(run.traces().get(2))
        .isTree(group("group cell-*", count, count).with("spark.group.id", "cell-7"));
    assertThatTrace(run.traces().get(1)).isTree(count.linkOutside());
  }

  /** The second statement fails before Spark tells of its start. */
  @Test
  void sparkSqlFailsAtItsSecondStatement() {
    TracedRun run =
        traced(
            ScriptRun.of(version, "spark-sql")
                .args("--driver-java-options", Layout.agentFlag())
                .args("-e", "SELECT sum(id) FROM range(0, 5, 1, 1); SELECT * FROM missing"),
            1);

    assertThat(run.stdout()).isEqualTo("10");
    assertThatTrace(run.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    sql(
                            "sql HashAggregate",
                            job("job HashAggregate", stage("stage HashAggregate", task())))
                        .with("spark.sql.execution.id", 0))
                .with("spark.exit_code", 1)
                .without("spark.incomplete", "error.type")
                .failed("exit code 1"));
  }

  private ScriptRun submit(Class<?> scenario) {
    return ScriptRun.of(version, "spark-submit")
        .args("--driver-java-options", Layout.agentFlag(), "--class", scenario.getName())
        .args(Layout.scenarioJar());
  }

  private static TracedRun traced(ScriptRun run, int exitCode) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      return TracedRun.ended(run.exportTo(receiver).start(), receiver, exitCode);
    }
  }

  private static TracedRun typed(ScriptRun run, String input) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = run.exportTo(receiver).withInput().start();
      process.type(input);
      return TracedRun.ended(process, receiver, 0);
    }
  }
}
