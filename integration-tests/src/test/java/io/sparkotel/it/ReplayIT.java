package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.JobGroups;
import io.sparkotel.scenarios.NoStop;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.SqlJoin;
import io.sparkotel.scenarios.StageRetry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An application that ran with the agent and its event log on: the replay of the log gives the same
 * spans. Listener and log reader are independent readers of the same events.
 */
class ReplayIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  static Stream<Arguments> scenarios() {
    List<Class<?>> scenarios = List.of(SqlJoin.class, JobGroups.class, StageRetry.class);
    return OnEachSpark.Versions.all()
        .flatMap(version -> scenarios.stream().map(scenario -> Arguments.of(version, scenario)));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void replayGivesTheSameSpans(SparkVersion version, Class<?> scenario) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, scenario));
    Trace live = TracedRun.of(spark.args(spark.dir().resolve("out"))).trace();
    assertThat(live.spans()).hasSizeGreaterThan(3);
    assertThat(EventLogs.differences(live.spans(), EventLogs.replay(spark).spans())).isEmpty();
  }

  @Test
  void onATerminalABarTellsHowFarItIs() throws Exception {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(SparkVersion.V3_5_9, NoStop.class));
    spark.run().assertExit(0);
    List<String> replay = EventLogs.command(EventLogs.of(spark), "--dry-run");
    assertThat(onTerminal(replay))
        .containsPattern(
            "\r\u001b\\[K\\[#*\\.*] +\\d+ %  [\\d.]+ MB/s  [\\d,]+ events/s  [^\r\n]*/events/")
        .containsPattern(
            "\u001b\\[Kapplication +jobs  stages  tasks  failed  spans  anomalies  bad lines\r")
        .containsPattern("\nlocal-\\d+ +1 +1 +1 +0 +5 +0 +0\r");
  }

  /** All that a command prints where both its streams are a terminal; by Python's pty. */
  private static String onTerminal(List<String> command) throws Exception {
    List<String> all = new ArrayList<>(List.of("python3", "-c"));
    all.add("import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))");
    all.addAll(command);
    Process process;
    try {
      process = new ProcessBuilder(all).start();
    } catch (IOException e) {
      throw PythonPackages.unavailable(e.toString());
    }
    try {
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void replayCompletesARunThatWasKilled() {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(SparkVersion.V4_2_0, Signalled.class));
    List<SpanNode> sent;
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process = spark.exportOverHttp(receiver).start()) {
      process.awaitLine("waiting");
      receiver.awaitSpan(span -> span.name().startsWith("job count"), PATIENCE);
      process.kill();
      process.waitFor();
      sent = receiver.spans();
    }
    assertThat(sent).extracting(SpanNode::entity).contains("started", "job", "stage", "task");
    assertThat(sent).extracting(SpanNode::entity).doesNotContain("application");

    List<SpanNode> whole = EventLogs.replay(spark).spans();
    assertThat(EventLogs.comparable(whole)).containsAllEntriesOf(EventLogs.comparable(sent));

    List<SpanNode> rest = EventLogs.replay(spark, "--only-unfinished").spans();
    assertThat(rest).extracting(SpanNode::entity).containsExactlyInAnyOrder("application", "job");
    assertThat(rest).allSatisfy(s -> assertThat(s.attribute("spark.incomplete")).isEqualTo(true));
    Set<String> union = new HashSet<>(EventLogs.comparable(sent).keySet());
    union.addAll(EventLogs.comparable(rest).keySet());
    assertThat(union).isEqualTo(EventLogs.comparable(whole).keySet());
  }
}
