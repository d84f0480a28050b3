package io.sparkotel.it;

import static io.sparkotel.it.SparkVersion.V3_5_9;
import static io.sparkotel.it.SparkVersion.V4_2_0;
import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.oneJob;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.opentelemetry.proto.trace.v1.Status;
import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.MainThrows;
import io.sparkotel.scenarios.NoStop;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.StoppedThenSignalled;
import io.sparkotel.scenarios.VetoedExit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How the program ended is told by the application's span, whether main runs by itself or below
 * {@code SparkSubmit}, and whether the context was stopped before or not.
 */
class ProgramEndIT {

  /** Version, and whether through spark-submit. */
  static Stream<Arguments> starts() {
    return Stream.of(
        Arguments.of(V3_5_9, false), Arguments.of(V4_2_0, false), Arguments.of(V4_2_0, true));
  }

  private static SparkRun run(SparkVersion version, Class<?> scenario, boolean submitted) {
    SparkRun run = SparkRun.of(version, scenario);
    return submitted ? run.submitted() : run;
  }

  @ParameterizedTest
  @MethodSource("starts")
  void mainThrows(SparkVersion version, boolean submitted) {
    assertMainThrows(run(version, MainThrows.class, submitted));
  }

  @ParameterizedTest
  @MethodSource("starts")
  void mainThrowsAfterStop(SparkVersion version, boolean submitted) {
    assertMainThrows(run(version, MainThrows.class, submitted).args("stop"));
  }

  private static void assertMainThrows(SparkRun run) {
    assertThatTrace(TracedRun.of(run, 1).trace())
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
                    "the report is empty",
                    "exception.stacktrace",
                    "java.lang.IllegalStateException: the report is empty\n"
                        + "\tat io.sparkotel.scenarios.MainThrows.main(MainThrows.java:16)\n*"));
  }

  @ParameterizedTest
  @MethodSource("starts")
  void exits(SparkVersion version, boolean submitted) {
    assertExits(run(version, ExitCode.class, submitted), 3);
  }

  @ParameterizedTest
  @MethodSource("starts")
  void exitsAfterStop(SparkVersion version, boolean submitted) {
    assertExits(run(version, ExitCode.class, submitted).args("stop"), 3);
  }

  @Test
  void exitsThroughTheRuntime() {
    assertExits(SparkRun.of(V4_2_0, ExitCode.class).args("runtime"), 5);
  }

  private static void assertExits(SparkRun run, int code) {
    assertThatTrace(TracedRun.of(run, code).trace())
        .isTree(
            oneJob("count at ExitCode.java:17")
                .with("spark.exit_code", code)
                .without("spark.incomplete", "error.type")
                .failed("exit code " + code));
  }

  /** Not through {@link TracedRun}: the JVM warns of security managers, with a path of ours. */
  @Test
  void isVetoedAnExit() {
    assumeTrue(Runtime.version().feature() < 24, "this JVM has no security managers");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(V3_5_9, VetoedExit.class)
              .jvmFlag("-Djava.security.manager=allow")
              .exportOverHttp(receiver)
              .run()
              .assertExit(0);

      assertThat(process.stdout()).isEqualTo("count: 3\nvetoed: 33");
      assertThat(AgentLines.complaints(process)).isEmpty();
      assertThatTrace(receiver.trace())
          .isTree(
              oneJob("count at VetoedExit.java:15")
                  .without("spark.incomplete", "spark.exit_code", "error.type"));
      assertThat(receiver.trace().application().status().getCode())
          .isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
    }
  }

  @ParameterizedTest
  @MethodSource("starts")
  void returnsWithoutStop(SparkVersion version, boolean submitted) {
    assertThatTrace(TracedRun.of(run(version, NoStop.class, submitted)).trace())
        .isTree(
            oneJob("count at NoStop.java:14")
                .without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  /**
   * Spark's own shutdown hook stops the context, which gives up the job that runs, upon which main
   * throws: not the reason of the end.
   */
  @ParameterizedTest
  @MethodSource("starts")
  void isKilledBySigterm(SparkVersion version, boolean submitted) {
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process =
            run(version, Signalled.class, submitted).exportOverHttp(receiver).start()) {
      process.awaitLine("waiting");
      process.terminate();
      Trace trace = TracedRun.ended(process, receiver, 143).trace();

      assertThatTrace(trace)
          .isTree(
              application(
                      "spark.application",
                      started(),
                      job(
                              "job count at Signalled.java:18",
                              stage("stage count at Signalled.java:18", task()))
                          .with("spark.job.result", "succeeded"),
                      job(
                              "job foreach at Signalled.java:20",
                              stage(
                                  "stage foreach at Signalled.java:20",
                                  task()
                                      .with("spark.incomplete", true)
                                      .without("spark.task.outcome")))
                          .with("spark.job.result", "cancelled")
                          .without("spark.incomplete"))
                  .with("spark.incomplete", true)
                  .without("spark.exit_code", "error.type"));
    }
  }

  /** The application was over: only its JVM was not. */
  @ParameterizedTest
  @MethodSource("starts")
  void isKilledBySigtermAfterStop(SparkVersion version, boolean submitted) {
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process =
            run(version, StoppedThenSignalled.class, submitted).exportOverHttp(receiver).start()) {
      process.awaitLine("waiting");
      process.terminate();

      assertThatTrace(TracedRun.ended(process, receiver, 143).trace())
          .isTree(
              oneJob("count at StoppedThenSignalled.java:15")
                  .without("spark.incomplete", "spark.exit_code", "error.type"));
    }
  }
}
