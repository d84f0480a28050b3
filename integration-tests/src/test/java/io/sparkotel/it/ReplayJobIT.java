package io.sparkotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sparkotel.scenarios.SqlJoin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Event logs that are replayed by an application on a cluster with two workers. */
@Tag("full")
class ReplayJobIT {

  private static final String JOB = "io.sparkotel.replay.ReplayJob";
  private static final String SECRET = "sesame7";

  /** Settings that executors do not have from anywhere else. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "otel.spark.tasks", "all",
          "otel.exporter.otlp.headers", "x-door=" + SECRET,
          "otel.resource.attributes", "team=blue");

  @TempDir Path temp;

  private Path logs;
  private Path sent;

  @OnEachSpark
  void sendsWhatTheCommandLineSendsAndSendsItOnce(SparkVersion version) throws IOException {
    logs = Files.createDirectories(temp.resolve("logs"));
    sent = temp.resolve("sent");
    writeLogs(version);
    Map<String, Object> expected = commandLine();

    try (StandaloneCluster cluster = StandaloneCluster.start(version)) {
      firstRun(version, cluster, expected);
      nothingIsSentAgain(version, cluster);
      onlyWhatChangedIsSent(version, cluster);
    }
  }

  private void firstRun(
      SparkVersion version, StandaloneCluster cluster, Map<String, Object> expected)
      throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      Path events = Files.createDirectories(temp.resolve("events-of-the-job"));
      SparkProcess job =
          job(version, cluster, receiver, logs, temp.resolve("absent"))
              .conf("spark.eventLog.enabled", true)
              .conf("spark.eventLog.compress", false)
              .conf("spark.eventLog.dir", events.toUri())
              .run()
              .assertExit(1);

      assertThat(receiver.complaints()).isEmpty();
      Map<String, Object> spans = byId(receiver.spans());
      assertThat(spans.keySet()).isEqualTo(expected.keySet());
      assertThat(spans).isEqualTo(expected);
      assertThat(receiver.requests())
          .allSatisfy(request -> assertThat(request.headers()).containsEntry("x-door", SECRET));

      assertThat(ours(job))
          .hasSize(4)
          .contains(
              temp.resolve("absent") + ": no such file",
              "file:" + logs.resolve("notes.txt") + ": skipped: not an event log",
              "2 logs failed")
          .anyMatch(
              line ->
                  line.startsWith(
                      "file:" + logs.resolve("local-6.gz") + ": local-6.gz breaks off"));
      assertThat(job.stdout().lines())
          .first()
          .asString()
          .matches("application +jobs +stages +tasks +failed +spans +anomalies +bad lines");
      assertThat(job.stdout().lines()).endsWith(expected.size() + " spans sent, 0 not sent");
      assertThat(job.stdout().lines().map(line -> line.split(" ")[0]))
          .contains(
              "application_1700000000000_0001",
              "local-1",
              "local-2",
              "local-3",
              "local-4",
              "local-5",
              "local-6");

      String ofTheJob = text(events);
      assertThat(executors(ofTheJob)).containsExactlyInAnyOrder("0", "1");
      assertThat(ofTheJob).contains("spark.otel.exporter.otlp.headers").doesNotContain(SECRET);
      List<String> outputs = cluster.outputs("app-", "stderr");
      assertThat(outputs).hasSize(2);
      outputs.addAll(List.of(job.stdout(), job.stderr()));
      assertThat(outputs).noneMatch(output -> output.contains(SECRET));
    }
  }

  /** Of the log that is cut all that can be read has been sent. */
  private void nothingIsSentAgain(SparkVersion version, StandaloneCluster cluster) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess job = job(version, cluster, receiver, logs).run().assertExit(0);

      assertThat(receiver.requests()).isEmpty();
      assertThat(job.stdout().lines())
          .containsExactly("0 spans sent, 0 not sent", "logs sent before: 8");
    }
  }

  /** And the agent traces the job that does so. */
  private void onlyWhatChangedIsSent(SparkVersion version, StandaloneCluster cluster)
      throws IOException {
    Files.setLastModifiedTime(logs.resolve("local-2"), FileTime.fromMillis(1_700_000_000_000L));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess job = job(version, cluster, receiver, logs).agent().run().assertExit(0);

      assertThat(receiver.complaints()).isEmpty();
      assertThat(receiver.requests())
          .allSatisfy(request -> assertThat(request.headers()).containsEntry("x-door", SECRET));
      assertThat(receiver.traces())
          .extracting(trace -> trace.application().resource().get("spark.app.id"))
          .hasSize(2)
          .startsWith("local-2");
      assertThat(receiver.traces().get(1).all("job")).hasSize(1);
      assertThat(AgentLines.complaints(job)).isEmpty();
    }
  }

  private SparkRun job(
      SparkVersion version, StandaloneCluster cluster, OtlpReceiver receiver, Path... paths) {
    SparkRun run =
        SparkRun.of(version, JOB)
            .submitted(Layout.agentJar())
            .master(cluster.url())
            .conf("spark.executor.memory", "512m")
            .conf("spark.cores.max", 2)
            // No task before both are there.
            .conf("spark.scheduler.minRegisteredResourcesRatio", 1.0)
            .conf("spark.scheduler.maxRegisteredResourcesWaitingTime", "60s")
            .conf("spark.otel.exporter.otlp.endpoint", receiver.httpEndpoint())
            .args("--sent", sent)
            .args((Object[]) paths);
    SETTINGS.forEach(
        (key, value) -> run.conf("spark." + key.replace("otel.spark.", "otel."), value));
    return run;
  }

  /** The spans that the command line sends of the same logs. */
  private Map<String, Object> commandLine() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      List<Object> arguments = new ArrayList<>();
      SETTINGS.forEach((key, value) -> arguments.add("-D" + key + "=" + value));
      arguments.add("-Dotel.exporter.otlp.endpoint=" + receiver.httpEndpoint());
      arguments.addAll(List.of("-jar", Layout.agentJar(), "replay", logs));
      PlainJava.run(Path.of(System.getProperty("java.home")), temp, arguments.toArray())
          .assertExit(1);
      assertThat(receiver.complaints()).isEmpty();
      Map<String, Object> spans = byId(receiver.spans());
      assertThat(receiver.traces()).hasSize(8);
      return spans;
    }
  }

  /** Logs of one run, under many names and in many forms. */
  private void writeLogs(SparkVersion version) throws IOException {
    SparkRun run =
        SparkRun.of(version, SqlJoin.class)
            .conf("spark.eventLog.enabled", true)
            .conf("spark.eventLog.compress", false)
            .conf("spark.eventLog.dir", Files.createDirectories(temp.resolve("run")).toUri());
    run.args(run.dir().resolve("out")).run().assertExit(0);
    List<String> lines = text(temp.resolve("run")).lines().toList();
    for (int i = 1; i <= 3; i++) {
      Files.write(logs.resolve("local-" + i), of(lines, "local-" + i));
    }
    Files.write(logs.resolve("local-4.gz"), gzip(of(lines, "local-4")));

    Path rolling = Files.createDirectories(logs.resolve("eventlog_v2_local-5"));
    List<String> fifth = of(lines, "local-5");
    Files.writeString(rolling.resolve("appstatus_local-5"), "");
    Files.write(rolling.resolve("events_1_local-5"), fifth.subList(0, 10));
    Files.write(rolling.resolve("events_2_local-5"), fifth.subList(10, 20));
    Files.write(rolling.resolve("events_10_local-5"), fifth.subList(20, 21));
    for (int part = 3; part < 10; part++) {
      Files.writeString(rolling.resolve("events_" + part + "_local-5"), "");
    }
    Files.write(rolling.resolve("events_11_local-5"), fifth.subList(21, fifth.size()));

    byte[] whole = gzip(of(lines, "local-6"));
    Files.write(logs.resolve("local-6.gz"), Arrays.copyOf(whole, whole.length / 2));
    Files.writeString(logs.resolve("notes.txt"), "nothing like a log\n");

    for (int attempt = 1; attempt <= 2; attempt++) {
      String id = "application_1700000000000_0001";
      Files.write(logs.resolve(id + "_" + attempt), attempt(of(lines, id), attempt));
    }
  }

  private static List<String> of(List<String> lines, String application) {
    return lines.stream().map(line -> line.replaceAll("local-\\d{6,}", application)).toList();
  }

  /** As YARN numbers them; the second starts later. */
  private static List<String> attempt(List<String> lines, int attempt) {
    return lines.stream()
        .map(
            line ->
                line.contains("SparkListenerApplicationStart")
                    ? line.replaceFirst(
                            "\"App ID\"", "\"App Attempt ID\":\"" + attempt + "\",\"App ID\"")
                        .replaceFirst("(\"Timestamp\":\\d+)\\d", "$1" + attempt)
                    : line)
        .toList();
  }

  private static byte[] gzip(List<String> lines) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write((String.join("\n", lines) + "\n").getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  /** All of each span by its id; no id comes twice. */
  private static Map<String, Object> byId(List<SpanNode> spans) {
    Map<String, Object> byId = new TreeMap<>();
    for (SpanNode span : spans) {
      List<Object> all =
          List.of(
              span.traceId(),
              span.parentId(),
              span.name(),
              span.startNanos(),
              span.endNanos(),
              span.status(),
              span.attributes(),
              span.events(),
              span.links(),
              span.resource(),
              span.scope());
      assertThat(byId.put(span.id(), all)).as(span.name()).isNull();
    }
    return byId;
  }

  /** What the job itself says on stderr, without Spark's log. */
  private static List<String> ours(SparkProcess job) {
    return job.stderrLines().stream()
        .filter(line -> !line.matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} .*"))
        .toList();
  }

  /** The executors that ran tasks, by an event log. */
  private static Set<String> executors(String eventLog) throws IOException {
    Set<String> executors = new TreeSet<>();
    for (String line : eventLog.lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      if (event.path("Event").asText().equals("SparkListenerTaskEnd")) {
        executors.add(event.path("Task Info").path("Executor ID").asText());
      }
    }
    return executors;
  }

  /** All event log files below a directory, which are of one application. */
  private static String text(Path directory) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        if (!file.getFileName().toString().matches("\\..*|appstatus_.*")) {
          all.append(Files.readString(file));
        }
      }
    }
    return all.toString();
  }
}
