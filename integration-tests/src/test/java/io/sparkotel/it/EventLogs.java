package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs with Spark's event log on, and replays of what they wrote. */
final class EventLogs {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What only the live process can know, as docs/replay.md lists it. */
  private static final Pattern LIVE_ONLY =
      Pattern.compile(
          "process\\..*|os\\.type|spark\\.ui\\.url|spark\\.otel\\.(spans|events)\\..*"
              + "|spark\\.otel\\.errors");

  /** A live run sees samples that no log has: its peaks of the application may be higher. */
  private static final Pattern PEAK = Pattern.compile("spark\\.(executor|driver)\\.peak\\..*");

  private EventLogs() {}

  /** Lets a run write its event log, below its directory. */
  static SparkRun writtenBy(SparkRun run) {
    return writtenBy(run, of(run));
  }

  static SparkRun writtenBy(SparkRun run, Path directory) {
    try {
      // What heartbeats tell of a stage is in no log, but the ends of its tasks are.
      return run.conf("spark.executor.heartbeatInterval", "100s")
          .conf("spark.eventLog.enabled", true)
          .conf("spark.eventLog.dir", Files.createDirectories(directory).toUri());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ScriptRun writtenBy(ScriptRun run) {
    try {
      return run.defaults("spark.executor.heartbeatInterval", "100s")
          .defaults("spark.eventLog.enabled", true)
          .defaults("spark.eventLog.dir", Files.createDirectories(of(run)).toUri());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where {@link #writtenBy(ScriptRun)} lets it be written. */
  static Path of(ScriptRun run) {
    return run.dir().resolve("events");
  }

  /** Where {@link #writtenBy(SparkRun)} lets it be written. */
  static Path of(SparkRun run) {
    return run.dir().resolve("events");
  }

  /** All events of the uncompressed logs below a directory. */
  static List<JsonNode> events(Path directory) {
    ObjectMapper json = new ObjectMapper();
    List<JsonNode> events = new ArrayList<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).filter(EventLogs::isLog).toList()) {
        for (String line : Files.readAllLines(file)) {
          events.add(json.readTree(line));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return events;
  }

  /** Beside it lie checksums and a mark of the application's state. */
  private static boolean isLog(Path file) {
    String name = file.getFileName().toString();
    return !name.startsWith(".") && !name.startsWith("appstatus");
  }

  /** What a replay of the run's event log sends. */
  static OtlpReceiver replay(SparkRun run, String... options) {
    return replay(of(run), run.dir().resolve("replay.txt"), Map.of(), options);
  }

  /**
   * Replays in a JVM of its own, without Spark, and sees to it that all was read and sent.
   *
   * @param logs a log, or a directory of logs
   * @param output gets what the replay prints
   * @param environment settings
   * @return the receiver that it sent to, closed
   */
  static OtlpReceiver replay(
      Path logs, Path output, Map<String, String> environment, String... options) {
    List<String> command = command(logs, options);
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_"));
      builder.environment().put("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
      builder.environment().putAll(environment);
      Process process = builder.redirectOutput(output.toFile()).start();
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
      assertThat(receiver.complaints()).isEmpty();
      return receiver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A replay as one types it. */
  static List<String> command(Path logs, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", Layout.agentJar().toString(), "replay"));
    command.addAll(List.of(options));
    command.add(logs.toString());
    return command;
  }

  /** All of each span that both sides can know, by its id; no id comes twice. */
  static Map<String, Map<String, Object>> comparable(List<SpanNode> spans) {
    Map<String, Map<String, Object>> byId = new LinkedHashMap<>();
    for (SpanNode span : spans) {
      Map<String, Object> all = new TreeMap<>(span.attributes());
      all.keySet().removeIf(key -> LIVE_ONLY.matcher(key).matches());
      all.put("trace", span.traceId());
      all.put("parent", span.parentId());
      all.put("name", span.name());
      all.put("start", span.startNanos());
      all.put("end", span.endNanos());
      all.put("status", span.status());
      all.put("events", span.events());
      all.put("links", span.links());
      all.put("resource", span.resource());
      all.put("scope", span.scope());
      assertThat(byId.put(span.id(), all)).as(span.name()).isNull();
    }
    return byId;
  }

  /**
   * What differs between a live run and its replay, as the entity, a colon and the attribute or
   * part of the span; what only the live run can know is not compared.
   */
  static Set<String> differences(List<SpanNode> live, List<SpanNode> replayed) {
    assertThat(replayed)
        .flatExtracting(span -> span.attributes().keySet())
        .noneMatch(key -> LIVE_ONLY.matcher(key.toString()).matches());
    Map<String, Map<String, Object>> left = comparable(live);
    Map<String, Map<String, Object>> right = comparable(replayed);
    assertThat(right.keySet()).isEqualTo(left.keySet());
    Set<String> differences = new TreeSet<>();
    left.forEach(
        (id, ours) -> {
          Map<String, Object> others = right.get(id);
          if ("application".equals(ours.get("spark.entity"))) {
            dropPeaks(ours, others);
          }
          Set<String> keys = new TreeSet<>(ours.keySet());
          keys.addAll(others.keySet());
          keys.removeIf(key -> ours.containsKey(key) && ours.get(key).equals(others.get(key)));
          keys.forEach(key -> differences.add(ours.get("spark.entity") + ": " + key));
        });
    return differences;
  }

  private static void dropPeaks(Map<String, Object> live, Map<String, Object> replayed) {
    replayed.forEach(
        (key, value) -> {
          if (PEAK.matcher(key).matches() && value instanceof Long peak) {
            assertThat((Long) live.get(key)).as(key).isGreaterThanOrEqualTo(peak);
          }
        });
    live.keySet().removeIf(key -> PEAK.matcher(key).matches());
    replayed.keySet().removeIf(key -> PEAK.matcher(key).matches());
  }
}
