package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Cancelled;
import io.sparkotel.scenarios.DemoApplication;
import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.FailingJob;
import io.sparkotel.scenarios.LargeStage;
import io.sparkotel.scenarios.MainThrows;
import io.sparkotel.scenarios.ManyTasks;
import io.sparkotel.scenarios.NestedSql;
import io.sparkotel.scenarios.NoStop;
import io.sparkotel.scenarios.RddShuffle;
import io.sparkotel.scenarios.SharedStage;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.StopTwice;
import io.sparkotel.scenarios.Truth;
import io.sparkotel.scenarios.TwoContexts;
import io.sparkotel.scenarios.ZeroPartitions;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A live run and the replay of its event log give the same spans, whatever the application does and
 * however it ends. What differs is exactly what docs/replay.md says: how the program ended, on the
 * application's span.
 */
@Tag("full")
class ReplayScenariosIT {

  private static final Set<String> NOTHING = Set.of();
  private static final Set<String> EXIT_CODE =
      Set.of("application: spark.exit_code", "application: status");
  private static final Set<String> EXCEPTION =
      Set.of(
          "application: spark.exit_code",
          "application: status",
          "application: error.type",
          "application: spark.failure.root_cause",
          "application: events");
  private static final Set<String> SIGNAL = Set.of("application: spark.incomplete");

  /**
   * One run.
   *
   * @param differs between its live spans and the replayed ones
   */
  record Scenario(Class<?> main, UnaryOperator<SparkRun> setUp, int exitCode, Set<String> differs) {
    @Override
    public String toString() {
      return main.getSimpleName();
    }
  }

  private static Stream<Scenario> scenarios() {
    UnaryOperator<SparkRun> plain = UnaryOperator.identity();
    UnaryOperator<SparkRun> retrying = run -> run.master("local[2,3]");
    UnaryOperator<SparkRun> stopped = run -> run.args("stop");
    UnaryOperator<SparkRun> submitted = SparkRun::submitted;
    return Stream.of(
        new Scenario(Cancelled.class, plain, 0, NOTHING),
        new Scenario(DemoApplication.class, retrying, 0, NOTHING),
        new Scenario(ExitCode.class, plain, 3, EXIT_CODE),
        new Scenario(ExitCode.class, stopped, 3, EXIT_CODE),
        new Scenario(FailingJob.class, plain, 0, NOTHING),
        new Scenario(LargeStage.class, retrying, 0, NOTHING),
        new Scenario(MainThrows.class, plain, 1, EXCEPTION),
        new Scenario(MainThrows.class, stopped, 1, EXCEPTION),
        new Scenario(MainThrows.class, submitted, 1, EXCEPTION),
        new Scenario(ManyTasks.class, run -> run.args(3000), 0, NOTHING),
        new Scenario(NestedSql.class, plain, 0, NOTHING),
        new Scenario(NoStop.class, plain, 0, NOTHING),
        new Scenario(NoStop.class, submitted, 0, NOTHING),
        new Scenario(RddShuffle.class, ReplayScenariosIT::inherits, 0, NOTHING),
        new Scenario(SharedStage.class, plain, 0, NOTHING),
        new Scenario(StopTwice.class, plain, 0, NOTHING),
        new Scenario(Truth.class, ReplayScenariosIT::truth, 0, NOTHING),
        new Scenario(TwoContexts.class, plain, 0, NOTHING),
        new Scenario(ZeroPartitions.class, plain, 0, NOTHING));
  }

  /** Below the span of a scheduler, with a resource that the environment adds to. */
  private static SparkRun inherits(SparkRun run) {
    return run.master("local[2,3]")
        .env("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=night")
        .env("OTEL_SERVICE_NAME", "ledger");
  }

  private static SparkRun truth(SparkRun run) {
    return run.master("local[2,3]")
        .withUi()
        .args(run.dir().resolve("data"), run.dir().resolve("answers"));
  }

  static Stream<Arguments> runs() {
    return OnEachSpark.Versions.all()
        .flatMap(version -> scenarios().map(scenario -> Arguments.of(version, scenario)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void replayGivesTheSameSpans(SparkVersion version, Scenario scenario) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, scenario.main));
    TracedRun live = TracedRun.of(scenario.setUp.apply(spark), scenario.exitCode);
    assertSame(spark, live, scenario.differs);
  }

  @OnEachSpark
  void ofARunThatWasTerminated(SparkVersion version) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, Signalled.class));
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process = spark.exportOverHttp(receiver).start()) {
      process.awaitLine("waiting");
      process.terminate();
      assertSame(spark, TracedRun.ended(process, receiver, 143), SIGNAL);
    }
  }

  private static void assertSame(SparkRun spark, TracedRun live, Set<String> differs) {
    assertThat(EventLogs.differences(live.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(differs);
  }
}
