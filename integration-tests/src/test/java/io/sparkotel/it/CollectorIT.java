package io.sparkotel.it;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.TwoHalves;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever the collector does, the application prints, returns and lasts as it would; what was lost
 * is counted and said, and what fitted the buffer arrives once the collector takes it. What passed
 * is printed as a table, which the README repeats.
 */
@Tag("full")
class CollectorIT {

  /** The marker, then job, stage and task twice, and the application. */
  private static final int SPANS = 8;

  private static final int MAX_LINES = 10;

  /** Longer than the bound of the flush on a slow machine, far shorter than no bound at all. */
  private static final Duration HANG = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Pattern END =
      Pattern.compile(".*; spans sent (\\d+), dropped (\\d+)(?:: (.*))?");

  private static final int KINDS = 24;

  /** What came of each kind of collector, in cells of a table. */
  private static final Map<String, String> ROWS = new TreeMap<>();

  @TempDir Path temp;

  /** A collector that answers every request in one way. A Behaviour is a record of values. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Answer {
    HTTP_400("answers 400", Behaviour.refuse(400), 0, "HTTP 400"),
    HTTP_401("answers 401", Behaviour.refuse(401), 0, "HTTP 401"),
    HTTP_404("answers 404", Behaviour.refuse(404), 0, "HTTP 404"),
    HTTP_413("answers 413, however small the request", Behaviour.refuse(413), 0, "HTTP 413"),
    HTTP_429(
        "answers 429 with Retry-After", Behaviour.refuse(429).withRetryAfter("1"), 0, "HTTP 429"),
    HTTP_503("answers 503", Behaviour.refuse(503), 0, "HTTP 503"),
    SLOW("answers after a second", Behaviour.accept().after(Duration.ofSeconds(1)), SPANS, null),
    SILENT("takes requests and never answers", Behaviour.neverAnswer(), 0, null);

    final String words;
    final Behaviour behaviour;
    final int arriving;
    final String reason;

    /** With a null reason any is right. */
    Answer(String words, Behaviour behaviour, int arriving, String reason) {
      this.words = words;
      this.behaviour = behaviour;
      this.arriving = arriving;
      this.reason = reason;
    }
  }

  @ParameterizedTest
  @EnumSource
  void overHttpWhatIsLostIsCounted(Answer answer) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(answer.behaviour);
      Ended ended = run(application().exportOverHttp(receiver));

      assertThat(receiver.requests()).isNotEmpty();
      ended.assertCounted(answer.arriving, SPANS - answer.arriving, answer.reason);
      row("HTTP: " + answer.words, ended);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_400", "HTTP_401", "HTTP_429", "HTTP_503", "SLOW", "SILENT"})
  void overGrpcWhatIsLostIsCounted(Answer answer) {
    String status =
        switch (answer) {
          case HTTP_400 -> "INVALID_ARGUMENT";
          case HTTP_401 -> "UNAUTHENTICATED";
          case HTTP_429 -> "RESOURCE_EXHAUSTED";
          case HTTP_503 -> "UNAVAILABLE";
          default -> null;
        };
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(answer.behaviour);
      Ended ended = run(application().exportOverGrpc(receiver));

      assertThat(receiver.requests()).isNotEmpty();
      ended.assertCounted(
          answer.arriving, SPANS - answer.arriving, status == null ? null : "gRPC " + status);
      row("gRPC: " + (status == null ? answer.words : "answers " + status), ended);
    }
  }

  @Test
  void ofAPartialSuccessTheRejectedAreCounted() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behaveNext(Behaviour.partialSuccess(1, "too old"));
      Ended ended = run(application().exportOverHttp(receiver));

      ended.assertCounted(SPANS - 1, 1, "1 spans rejected: too old");
      row("HTTP: rejects one span of a request (partial success)", ended);
    }
  }

  @ParameterizedTest
  @EnumSource(OtlpReceiver.Protocol.class)
  void aCollectorThatIsNotThere(OtlpReceiver.Protocol protocol) throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    boolean http = protocol == OtlpReceiver.Protocol.HTTP;
    Ended ended = run(exportTo("http://127.0.0.1:" + port, http ? "http/protobuf" : "grpc"));

    ended.assertCounted(0, SPANS, http ? "connection refused" : null);
    row((http ? "HTTP" : "gRPC") + ": is down from start to end", ended);
  }

  @Test
  void anAnswerThatIsNoHttp() {
    try (BrokenServer server = BrokenServer.answering("\u0000\u0001 what is this?\r\n\r\n")) {
      Ended ended = run(exportTo("http://127.0.0.1:" + server.port(), "http/protobuf"));

      assertThat(server.connections()).isPositive();
      ended.assertCounted(0, SPANS, null);
      row("HTTP: answers with garbage", ended);
    }
  }

  @Test
  void anAnswerThatBreaksOff() {
    try (BrokenServer server = BrokenServer.answering("HTTP/1.1 200 OK\r\nContent-Le")) {
      Ended ended = run(exportTo("http://127.0.0.1:" + server.port(), "http/protobuf"));

      assertThat(server.connections()).isPositive();
      ended.assertCounted(0, SPANS, null);
      row("HTTP: closes in the middle of its answer", ended);
    }
  }

  @ParameterizedTest
  @EnumSource(OtlpReceiver.Protocol.class)
  void aCertificateThatNobodyTrusts(OtlpReceiver.Protocol protocol) {
    boolean http = protocol == OtlpReceiver.Protocol.HTTP;
    try (BrokenServer server = BrokenServer.untrusted(temp)) {
      Ended ended =
          run(exportTo("https://127.0.0.1:" + server.port(), http ? "http/protobuf" : "grpc"));

      assertThat(server.connections()).isPositive();
      ended.assertCounted(0, SPANS, null);
      assertThat(ended.reason()).startsWith(http ? "TLS: " : "");
      row((http ? "HTTP" : "gRPC") + ": shows a certificate that is not trusted", ended);
    }
  }

  /** Nothing of the first half is lost, though nobody was there to take it. */
  @ParameterizedTest
  @EnumSource(OtlpReceiver.Protocol.class)
  void aCollectorThatComesBackGetsAll(OtlpReceiver.Protocol protocol) {
    boolean http = protocol == OtlpReceiver.Protocol.HTTP;
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(Behaviour.refuse(503));
      SparkRun run = application();
      SparkProcess process =
          (http ? run.exportOverHttp(receiver) : run.exportOverGrpc(receiver)).start();
      process.awaitLine("count: 3");
      receiver.awaitRequests(2, PATIENCE);
      receiver.behave(Behaviour.accept());
      receiver.awaitSpan(span -> span.entity().equals("job"), PATIENCE);
      Ended ended = end(process);

      ended.assertCounted(SPANS, 0, null);
      assertThat(receiver.spans()).hasSize(SPANS);
      row((http ? "HTTP" : "gRPC") + ": is away at first, then there", ended);
    }
  }

  @Test
  void aCollectorThatDiesInTheMiddle() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = application().exportOverHttp(receiver).start();
      receiver.awaitSpan(span -> span.entity().equals("job"), PATIENCE);
      int sent = receiver.spans().size();
      receiver.stopHttp();
      Ended ended = end(process);

      // Stage and task came before their job.
      assertThat(sent).isEqualTo(4);
      ended.assertCounted(sent, SPANS - sent, "connection refused");
      row("HTTP: dies after the first job", ended);
    }
  }

  /**
   * The first request is never answered, and still all that Spark tells is taken in: a listener
   * that waited for the collector in any way would not get as far as the end of the job.
   */
  @ParameterizedTest
  @EnumSource(OtlpReceiver.Protocol.class)
  void theListenerBusDoesNotWaitForTheCollector(OtlpReceiver.Protocol protocol) throws Exception {
    boolean http = protocol == OtlpReceiver.Protocol.HTTP;
    Path file = temp.resolve("spans.jsonl");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(Behaviour.neverAnswer());
      SparkRun run =
          application()
              .conf("spark.otel.traces.exporter", "otlp,otlp_file")
              .conf("spark.otel.export.file", file)
              .conf("spark.otel.exporter.otlp.timeout", 3_600_000);
      SparkProcess process =
          (http ? run.exportOverHttp(receiver) : run.exportOverGrpc(receiver)).start();
      process.awaitLine("count: 3");
      receiver.awaitRequests(1, PATIENCE);
      awaitText(file, "\"name\":\"job count at TwoHalves.java:");

      assertThat(receiver.requests()).hasSize(1);
      end(process).assertCounted(0, SPANS, "no answer in time");
      assertThat(receiver.requests()).hasSize(1);
    }
  }

  private static void awaitText(Path file, String text) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (WatchService changes = file.getFileSystem().newWatchService()) {
      file.getParent().register(changes, ENTRY_CREATE, ENTRY_MODIFY);
      while (!Files.exists(file) || !Files.readString(file).contains(text)) {
        long left = deadline - System.nanoTime();
        assertThat(left).as("no %s in %s", text, file).isPositive();
        WatchKey key = changes.poll(left, TimeUnit.NANOSECONDS);
        if (key != null) {
          key.pollEvents();
          key.reset();
        }
      }
    }
  }

  @AfterAll
  static void theReadmeSaysWhatPassed() {
    StringBuilder table =
        new StringBuilder("| the collector | spans sent | dropped |\n|---|---|---|\n");
    ROWS.forEach((what, row) -> table.append("| ").append(what).append(row).append('\n'));
    System.out.println("What collectors did, and what came of it:\n" + table);
    // Where one failed the build is red anyway.
    if (ROWS.size() == KINDS) {
      new ReadmeTable("collector").assertIs(table.toString());
    }
  }

  private static void row(String what, Ended ended) {
    ROWS.put(what, String.format(" | %d | %d |", ended.sent(), ended.dropped()));
  }

  private static SparkRun application() {
    return SparkRun.of(SparkVersion.V3_5_9, TwoHalves.class).withInput();
  }

  private static SparkRun exportTo(String endpoint, String protocol) {
    return application()
        .conf("spark.otel.exporter.otlp.endpoint", endpoint)
        .conf("spark.otel.exporter.otlp.protocol", protocol)
        .agent();
  }

  private static Ended run(SparkRun run) {
    return end(run.start());
  }

  /** The second half runs, and the application ends as it does without agent. */
  private static Ended end(SparkProcess process) {
    process.type("");
    process.awaitLine("count: 2");
    long start = System.nanoTime();
    AgentLines.assertUnchanged(process, 3, "count: 3\ncount: 2");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(HANG);
    List<String> lines = AgentLines.of(process);
    assertThat(lines).hasSizeBetween(2, MAX_LINES);
    Matcher end = END.matcher(lines.get(lines.size() - 1));
    assertThat(end.matches()).as(lines.toString()).isTrue();
    return new Ended(
        lines, Integer.parseInt(end.group(1)), Integer.parseInt(end.group(2)), end.group(3));
  }

  /** The agent's lines, and what the last one says; the reason is null where there is none. */
  private record Ended(List<String> lines, int sent, int dropped, String reason) {

    void assertCounted(int expectedSent, int expectedDropped, String expectedReason) {
      assertThat(sent).as(lines.toString()).isEqualTo(expectedSent);
      assertThat(dropped).as(lines.toString()).isEqualTo(expectedDropped);
      if (expectedReason != null) {
        assertThat(reason).isEqualTo(expectedReason);
      }
    }
  }
}
