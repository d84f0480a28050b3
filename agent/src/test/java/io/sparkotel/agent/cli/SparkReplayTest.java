package io.sparkotel.agent.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.bootstrap.ReplayEntry;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The job's other half, which needs no Spark: executors are further instances of it. */
class SparkReplayTest {

  private static final String YARN = "application_1603128018386_7846";

  @TempDir Path temp;

  private final Map<String, String> conf = new HashMap<>();
  private final ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
  private LocalFiles files = new LocalFiles();
  private Path logs;
  private Path exported;
  private int tasks;

  @BeforeEach
  void exportToAFile() {
    logs = temp.resolve("logs");
    exported = temp.resolve("spans.json");
    conf.put("spark.otel.traces.exporter", "otlp_file");
    conf.put("spark.otel.export.file", exported.toString());
    conf.put("spark.otel.tasks", "all");
  }

  private SparkReplay replay() {
    outBytes.reset();
    errBytes.reset();
    return new SparkReplay(
        temp.resolve("agent.jar").toFile(),
        new PrintStream(outBytes, true, UTF_8),
        new PrintStream(errBytes, true, UTF_8));
  }

  private int run(Object... arguments) throws IOException {
    Files.deleteIfExists(exported);
    SparkReplay driver = replay();
    int code = driver.prepare(texts(arguments), conf);
    if (code != ReplayEntry.GO_ON) {
      return code;
    }
    List<byte[]> results = new ArrayList<>();
    List<byte[]> all = driver.tasks(files);
    tasks = all.size();
    for (byte[] task : all) {
      results.add(0, new SparkReplay(new File("executor.jar")).run(task, files));
    }
    return driver.end(results);
  }

  private static String[] texts(Object... arguments) {
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    return texts;
  }

  private List<String> out() {
    return outBytes.toString(UTF_8).lines().toList();
  }

  private List<String> err() {
    return errBytes.toString(UTF_8).lines().toList();
  }

  private File log(String name) throws IOException {
    return Logs.write(logs.resolve(name), Logs.small(name));
  }

  private File attempt(int attempt) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small(YARN));
    lines.set(2, Logs.attempt(YARN, attempt));
    return Logs.write(logs.resolve(YARN + "_" + attempt), lines);
  }

  /** The spans that were sent, in their order. */
  private List<JsonNode> spans() throws IOException {
    List<JsonNode> spans = new ArrayList<>();
    if (Files.exists(exported)) {
      for (String line : Files.readAllLines(exported)) {
        new ObjectMapper()
            .readTree(line)
            .findValues("spans")
            .forEach(all -> all.forEach(spans::add));
      }
    }
    return spans;
  }

  private List<JsonNode> applications() throws IOException {
    return spans().stream()
        .filter(span -> span.get("name").textValue().equals("spark.application"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--sent dir | a PATH is missing",
        "log --sent | --sent needs a value",
        "--since | --since needs a value",
        "--since yesterday log | --since yesterday: not a time; legal are 2026-05-31,"
            + " 2026-05-31T06:00:00Z, and 90m, 36h, 7d ago",
        "--console log | unknown option '--console'; legal options: --since TIME, --sent DIR,"
            + " --dry-run, --only-unfinished, --help",
      })
  void wrongArguments(String line, String mistake) throws IOException {
    assertThat(run((Object[]) line.split(" "))).isEqualTo(2);
    assertThat(err())
        .startsWith(mistake, "Usage: spark-submit [--conf spark.otel.key=value ...] \\");
    assertThat(out()).isEmpty();
  }

  @Test
  void help() throws IOException {
    assertThat(run("log", "--help")).isZero();
    assertThat(out()).startsWith("Usage: spark-submit [--conf spark.otel.key=value ...] \\");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-05-31, 1780185600000",
    "2026-05-31T06:00:00Z, 1780207200000",
    "90s, 999910000",
    "2m, 999880000",
    "36h, 870400000",
    "7d, 395200000",
  })
  void since(String text, long millis) {
    JobOptions options = new JobOptions();
    assertThat(options.parse(new String[] {"--since", text, "log"}, 1_000_000_000)).isNull();
    assertThat(options.since()).isEqualTo(millis);
  }

  @Test
  void oneLogATask() throws IOException {
    log("app-20");
    log("app-3");
    Logs.write(logs.resolve("readme"), List.of("text"));
    log("_hidden");
    assertThat(run(logs, logs.resolve("app-3"))).isZero();
    assertThat(tasks).isEqualTo(3);
    assertThat(out())
        .containsExactly(
            "application  jobs  stages  tasks  failed  spans  anomalies  bad lines",
            "app-3           1       1      2       0      6          0          0",
            "app-20          1       1      2       0      6          0          0",
            "12 spans sent, 0 not sent");
    assertThat(err()).containsExactly(logs.resolve("readme") + ": skipped: not an event log");
    assertThat(spans()).hasSize(12);
  }

  @Test
  void aGlobStandsForWhatItMatches() throws IOException {
    log("app-1");
    log("app-2");
    log("other");
    Logs.write(logs.resolve("_app-3"), List.of("text"));
    assertThat(run(logs + "/*app-*")).isZero();
    assertThat(err()).isEmpty();
    assertThat(applications()).hasSize(2);
    assertThat(run(logs + "/none*")).isEqualTo(1);
    assertThat(err()).containsExactly(logs + "/none*: no such file", "1 log failed");
  }

  @Test
  void aDryRunSendsAndNotesNothing() throws IOException {
    log("app-1");
    assertThat(run("--dry-run", "--sent", temp.resolve("sent"), logs)).isZero();
    assertThat(out()).hasSize(2);
    assertThat(spans()).isEmpty();
    assertThat(temp.resolve("sent")).doesNotExist();
  }

  @Test
  void whatWasSentIsSentAgainOnlyWhenItChanges() throws IOException {
    File first = log("app-1");
    log("app-2");
    Path sent = temp.resolve("sent");
    assertThat(run("--sent", sent, logs)).isZero();
    assertThat(applications()).hasSize(2);
    assertThat(sent.toFile().list())
        .hasSize(2)
        .allMatch(name -> name.matches("app-[12]\\.[0-9a-f]{24}\\.sent"));

    assertThat(run("--sent", sent, logs)).isZero();
    assertThat(tasks).isZero();
    assertThat(out()).containsExactly("0 spans sent, 0 not sent", "logs sent before: 2");

    assertThat(first.setLastModified(first.lastModified() - 5_000)).isTrue();
    assertThat(run("--sent", sent, logs)).isZero();
    assertThat(out()).contains("logs sent before: 1").anyMatch(line -> line.startsWith("app-1 "));
    assertThat(applications()).hasSize(1);

    // Less than all is another thing than all.
    assertThat(run("--only-unfinished", "--sent", sent, logs)).isZero();
    assertThat(spans()).hasSize(2);
  }

  @Test
  void anAttemptThatWasSentIsReadForTheLinkToItAlone() throws IOException {
    Path sent = temp.resolve("sent");
    attempt(1);
    assertThat(run("--sent", sent, logs)).isZero();
    String first = applications().get(0).get("spanId").textValue();

    attempt(2);
    assertThat(run("--sent", sent, logs)).isZero();
    assertThat(tasks).isEqualTo(1);
    assertThat(spans()).hasSize(6);
    assertThat(applications()).hasSize(1);
    assertThat(applications().get(0).get("links").get(0).get("spanId").textValue())
        .isEqualTo(first);
    assertThat(out()).contains("6 spans sent, 0 not sent", "logs sent before: 1");
  }

  @Test
  void applicationsThatFollowEachOtherAreNoAttempts() throws IOException {
    log(YARN);
    log("application_1603128018386_7847");
    log("job_1");
    log("job_2");
    assertThat(run(logs)).isZero();
    assertThat(tasks).isEqualTo(4);
  }

  @Test
  void oldLogsArePassedOver() throws IOException {
    assertThat(log("app-1").setLastModified(1_000_000)).isTrue();
    log("app-2");
    assertThat(run("--since", "1d", logs)).isZero();
    assertThat(out()).contains("logs not modified since 1d: 1");
    assertThat(applications()).hasSize(1);
  }

  /** It may be there the next time, unlike what is wrong with the log itself. */
  @Test
  void aLogThatTheFileSystemFailsToGiveIsNotNoted() throws IOException {
    log("app-1");
    Files.writeString(log("app-2").toPath(), "{\"Event\":\"Spa", StandardOpenOption.APPEND);
    files = new LocalFiles("app-1");
    Path sent = temp.resolve("sent");
    assertThat(run("--sent", sent, logs)).isEqualTo(1);
    assertThat(err())
        .hasSize(3)
        .anyMatch(
            line ->
                line.startsWith(logs.resolve("app-1") + ": app-1 breaks off after ")
                    && line.contains("events: the disk is gone"))
        .contains(logs.resolve("app-2") + ": a bad line: line 13: not JSON", "2 logs failed");
    assertThat(applications()).hasSize(2);

    files = new LocalFiles();
    assertThat(run("--sent", sent, logs)).isZero();
    assertThat(out()).contains("6 spans sent, 0 not sent", "logs sent before: 1");
  }

  @Test
  void whatIsNotSentIsNotNoted() throws IOException {
    log("app-1");
    conf.put("spark.otel.export.file", temp.resolve("no/such/directory/out.json").toString());
    Path sent = temp.resolve("sent");
    assertThat(run("--sent", sent, logs)).isEqualTo(1);
    assertThat(err().get(0))
        .startsWith(logs.resolve("app-1") + ": 6 spans were not sent: FileNotFoundException");
    assertThat(out()).contains("0 spans sent, 6 not sent");
    assertThat(sent).doesNotExist();
  }

  /** Without the notes all would be sent again. */
  @Test
  void notesThatCannotBeRead() throws IOException {
    File log = log("app-1");
    assertThat(run("--sent", log, logs)).isEqualTo(1);
    assertThat(err()).containsExactly("--sent " + log + ": not a directory", "1 log failed");
    assertThat(spans()).isEmpty();
  }

  @Test
  void aTaskWithoutAResultIsAFailure() throws IOException {
    log("app-1");
    log("app-2");
    SparkReplay driver = replay();
    assertThat(driver.prepare(texts(logs), conf)).isEqualTo(ReplayEntry.GO_ON);
    List<byte[]> all = driver.tasks(files);
    assertThat(driver.end(List.of(driver.run(all.get(1), files)))).isEqualTo(1);
    assertThat(err())
        .containsExactly(
            logs.resolve("app-1") + ": not replayed, because the job on Spark failed",
            "1 log failed");
    assertThat(out()).contains("6 spans sent, 0 not sent");
  }

  @Test
  void sparkHidesTheHeaders() {
    SparkReplay driver = replay();
    driver.prepare(texts("log"), conf);
    assertThat(driver.sparkConf()).isEmpty();

    conf.put("spark.otel.exporter.otlp.headers", "x-door=sesame");
    conf.put("spark.redaction.regex", "(?i)secret");
    driver = replay();
    driver.prepare(texts("log"), conf);
    assertThat(driver.sparkConf())
        .containsExactly(
            Map.entry(
                "spark.redaction.regex",
                "(?i)secret|otel[.]exporter[.]otlp[.](traces[.])?headers"));
  }

  @Test
  void mistakesInSettingsAreTold() {
    conf.put("spark.otel.tasks", "some");
    replay().prepare(texts("log"), conf);
    assertThat(err()).singleElement().asString().startsWith("otel.spark.tasks=some (SparkConf");
  }
}
