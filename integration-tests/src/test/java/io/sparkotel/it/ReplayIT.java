package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.JobGroups;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.SqlJoin;
import io.sparkotel.scenarios.StageRetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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

  /** What only the live process can know, as docs/replay.md lists it. */
  private static final Pattern LIVE_ONLY =
      Pattern.compile(
          "process\\..*|os\\.type|spark\\.ui\\.url|spark\\.otel\\.(spans|events)\\..*"
              + "|spark\\.otel\\.errors");

  static Stream<Arguments> scenarios() {
    List<Class<?>> scenarios = List.of(SqlJoin.class, JobGroups.class, StageRetry.class);
    return OnEachSpark.Versions.all()
        .flatMap(version -> scenarios.stream().map(scenario -> Arguments.of(version, scenario)));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void replayGivesTheSameSpans(SparkVersion version, Class<?> scenario) throws Exception {
    SparkRun spark = withEventLog(SparkRun.of(version, scenario));
    Trace live = TracedRun.of(spark.args(spark.dir().resolve("out"))).trace();
    Map<String, Object> replayed = byId(replay(spark));
    assertThat(replayed).isEqualTo(byId(live.spans())).hasSizeGreaterThan(3);
  }

  @Test
  void replayCompletesARunThatWasKilled() throws Exception {
    SparkRun spark = withEventLog(SparkRun.of(SparkVersion.V4_2_0, Signalled.class));
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

    Map<String, Object> whole = byId(replay(spark));
    assertThat(whole).containsAllEntriesOf(byId(sent));

    List<SpanNode> rest = replay(spark, "--only-unfinished");
    assertThat(rest).extracting(SpanNode::entity).containsExactlyInAnyOrder("application", "job");
    assertThat(rest).allSatisfy(s -> assertThat(s.attribute("spark.incomplete")).isEqualTo(true));
    Set<String> union = new HashSet<>(byId(sent).keySet());
    union.addAll(byId(rest).keySet());
    assertThat(union).isEqualTo(whole.keySet());
  }

  private static SparkRun withEventLog(SparkRun run) throws IOException {
    return run.conf("spark.eventLog.enabled", true)
        .conf("spark.eventLog.dir", Files.createDirectories(events(run)).toUri());
  }

  private static Path events(SparkRun run) {
    return run.dir().resolve("events");
  }

  /** The spans that a replay of the run's event log sends. */
  private static List<SpanNode> replay(SparkRun run, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", Layout.agentJar().toString(), "replay"));
    command.addAll(List.of(options));
    command.add(events(run).toString());
    Path output = run.dir().resolve("replay.txt");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_"));
      builder.environment().put("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
      Process process = builder.redirectOutput(output.toFile()).start();
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
      assertThat(receiver.complaints()).isEmpty();
      return receiver.spans();
    }
  }

  /** All of each span that both sides can know, by its id; no id comes twice. */
  private static Map<String, Object> byId(List<SpanNode> spans) {
    Map<String, Object> byId = new LinkedHashMap<>();
    for (SpanNode span : spans) {
      Map<String, Object> attributes = new TreeMap<>(span.attributes());
      attributes.keySet().removeIf(key -> LIVE_ONLY.matcher(key).matches());
      List<Object> all =
          List.of(
              span.traceId(),
              span.parentId(),
              span.name(),
              span.startNanos(),
              span.endNanos(),
              span.status(),
              attributes,
              span.events(),
              span.links(),
              span.resource(),
              span.scope());
      assertThat(byId.put(span.id(), all)).as(span.name()).isNull();
    }
    return byId;
  }
}
