package io.sparkotel.agent.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sparkotel.agent.replay.Logs;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayCommandTest {

  @TempDir Path temp;

  private final List<String> properties = new ArrayList<>();
  private String out;
  private String err;

  @AfterEach
  void clearProperties() {
    properties.forEach(System::clearProperty);
  }

  private void property(String name, String value) {
    properties.add(name);
    System.setProperty(name, value);
  }

  private int run(Object... arguments) {
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    int code =
        Main.run(
            texts,
            temp.resolve("agent.jar").toFile(),
            new PrintStream(outBytes, true, UTF_8),
            new PrintStream(errBytes, true, UTF_8));
    out = outBytes.toString(UTF_8);
    err = errBytes.toString(UTF_8);
    return code;
  }

  private File log(String name) throws IOException {
    return Logs.write(temp.resolve("logs/" + name), Logs.small(name));
  }

  private File killed(String name) throws IOException {
    return Logs.write(temp.resolve("logs/" + name), Logs.small(name).subList(0, 8));
  }

  private static List<String> entities(Path file) throws IOException {
    List<String> found = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      for (JsonNode span : new ObjectMapper().readTree(line).findValues("spans")) {
        span.forEach(one -> found.add(one.get("name").textValue()));
      }
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource({
    "replay, a PATH is missing",
    "replay --file, --file needs the name of a file",
    "replay --file a --file b log, --file is given twice",
    "replay --dry log, unknown option '--dry'",
    "replay -x log, unknown option '-x'",
    "play log, unknown command 'play'",
  })
  void wrongArguments(String line, String mistake) {
    assertThat(run((Object[]) line.split(" "))).isEqualTo(2);
    assertThat(err).startsWith(mistake + System.lineSeparator()).contains("Usage: java");
    assertThat(out).isEmpty();
  }

  @Test
  void help() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("replay", "log", "--help")).isZero();
    assertThat(out).startsWith("Usage: java").contains("--only-unfinished");
    assertThat(run("--help")).isZero();
    assertThat(run("version")).isZero();
    assertThat(out).startsWith("spark-otel-agent ");
  }

  @Test
  void aDryRunPrintsTheTable() throws IOException {
    log("app-1");
    log("app-20");
    assertThat(run("replay", "--dry-run", temp.resolve("logs"))).isZero();
    assertThat(err).isEmpty();
    assertThat(out.lines().limit(3))
        .containsExactly(
            "application  jobs  stages  tasks  failed  spans  anomalies  bad lines",
            "app-1           1       1      2       0      6          0          0",
            "app-20          1       1      2       0      6          0          0");
    assertThat(out.lines().skip(3)).hasSize(1).allMatch(line -> line.startsWith("24 events, "));
  }

  @Test
  void whatIsNamedAfterTwoDashesIsAPath() throws IOException {
    assertThat(run("replay", "--dry-run", "--", "--console")).isEqualTo(1);
    assertThat(err).startsWith("--console: no such file");
  }

  @Test
  void spansToAFile() throws IOException {
    Path file = temp.resolve("out.json");
    assertThat(run("replay", "--file", file, log("app-1"))).isZero();
    assertThat(err).isEmpty();
    assertThat(entities(file))
        .hasSize(6)
        .contains("spark.application", "spark.application.started", "task");
    assertThat(out).contains("6 spans sent, 0 not sent");
  }

  @Test
  void onlyWhatWasOpen() throws IOException {
    Path file = temp.resolve("out.json");
    assertThat(run("replay", "--only-unfinished", "--file", file, killed("app-1"))).isZero();
    assertThat(new TreeSet<>(entities(file)))
        .containsExactly(
            "job count at App.scala:7", "spark.application", "stage count at App.scala:7", "task");
    assertThat(entities(file)).hasSize(4);
  }

  @Test
  void spansToTheConsoleAndAFile() throws IOException {
    Path file = temp.resolve("out.json");
    assertThat(run("replay", "--console", "--file", file, log("app-1"))).isZero();
    assertThat(entities(file)).hasSize(6);
  }

  /** The application's span ends the tree: what belongs below it has to be there by then. */
  @Test
  void theTreeIsWhole() throws IOException {
    PrintStream before = System.err;
    ByteArrayOutputStream tree = new ByteArrayOutputStream();
    System.setErr(new PrintStream(tree, true, UTF_8));
    try {
      assertThat(run("replay", "--console", log("app-1"))).isZero();
    } finally {
      System.setErr(before);
    }
    assertThat(tree.toString(UTF_8).lines().filter(line -> line.contains("task ")))
        .hasSize(2)
        .allMatch(line -> line.contains("\u2500 task "));
  }

  @Test
  void aFileThatCannotBeWritten() throws IOException {
    Path file = temp.resolve("no/such/directory/out.json");
    assertThat(run("replay", "--file", file, log("app-1"))).isEqualTo(1);
    assertThat(out).contains("0 spans sent, 6 not sent");
    assertThat(err).contains("6 spans were not sent: FileNotFoundException: " + file);
  }

  @Test
  void withoutAnExporterItIsADryRun() throws IOException {
    property("otel.traces.exporter", "none");
    assertThat(run("replay", log("app-1"))).isZero();
    assertThat(out).contains("app-1").doesNotContain("spans sent");
  }

  @Test
  void badLogsAmongGoodOnes() throws IOException {
    File good = log("app-1");
    File cut = killed("app-2");
    Files.writeString(cut.toPath(), "{\"Event\":\"Spa", java.nio.file.StandardOpenOption.APPEND);
    File text = Logs.write(temp.resolve("logs/readme"), List.of("text"));
    File last = log("app-9");
    assertThat(run("replay", "--dry-run", cut, good, text, temp.resolve("none"), last))
        .isEqualTo(1);
    assertThat(err.lines())
        .containsExactlyInAnyOrder(
            temp.resolve("none") + ": no such file",
            cut + ": a bad line: line 9: not JSON",
            text + ": not an event log",
            "3 logs failed");
    assertThat(out.lines().filter(line -> line.startsWith("app-"))).hasSize(3);
  }

  /** In a directory there may be anything; what is named has to be a log. */
  @Test
  void otherFilesInADirectoryAreSkipped() throws IOException {
    log("app-1");
    Logs.write(temp.resolve("logs/readme"), List.of("text"));
    Files.createFile(temp.resolve("logs/empty.inprogress"));
    assertThat(run("replay", "--dry-run", temp.resolve("logs"))).isZero();
    assertThat(err.lines())
        .containsExactly(
            temp.resolve("logs/empty.inprogress") + ": skipped: empty",
            temp.resolve("logs/readme") + ": skipped: not an event log");
    Files.delete(temp.resolve("logs/app-1"));
    assertThat(run("replay", "--dry-run", temp.resolve("logs"), log("app-2"))).isZero();
    assertThat(run("replay", "--dry-run", temp.resolve("logs/readme"))).isEqualTo(1);
    assertThat(err).endsWith("1 log failed" + System.lineSeparator());
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  @Timeout(30)
  void anEndpointThatRefuses() throws IOException {
    property("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + closedPort());
    property("otel.spark.flush-timeout", "500");
    assertThat(run("replay", log("app-1"))).isEqualTo(1);
    assertThat(out).contains("0 spans sent, 6 not sent");
    assertThat(err).contains("cannot send spans").contains("gave up sending").contains("refused");
    assertThat(err).doesNotContain("log failed");
  }

  /**
   * More spans than the buffer holds: it neither waits for each of them nor reads on for nothing.
   */
  @Test
  @Timeout(60)
  void anEndpointThatRefusesIsGivenUpOnce() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    for (int task = 2; task < 20_000; task++) {
      lines.add(7, Logs.taskStart(0, task));
      lines.add(8, Logs.taskEnd(0, task));
    }
    File large = Logs.write(temp.resolve("logs/app-1"), lines);
    property("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + closedPort());
    property("otel.spark.flush-timeout", "500");
    property("otel.spark.buffer.max-bytes", "1m");
    property("otel.spark.tasks", "all");
    long start = System.nanoTime();
    assertThat(run("replay", large, log("app-2"), log("app-3"))).isEqualTo(1);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
    assertThat(err)
        .contains(large + ": not sent to its end")
        .contains("2 more logs were not read")
        .contains("gave up sending")
        .contains("3 logs failed");
  }
}
