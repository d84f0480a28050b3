package io.sparkotel.agent.export;

import static io.sparkotel.agent.export.FakeCollector.NEVER;
import static io.sparkotel.agent.export.FakeCollector.OK;
import static io.sparkotel.agent.export.FakeCollector.protobuf;
import static io.sparkotel.agent.export.FakeCollector.raw;
import static io.sparkotel.agent.export.FakeCollector.status;
import static io.sparkotel.agent.export.FakeCollector.thenClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.export.ExportFailure.Kind;
import io.sparkotel.agent.telemetry.Entity;
import java.io.IOException;
import java.net.Authenticator;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The HTTP exporter against a collector that misbehaves. */
@Timeout(60)
class OtlpHttpTest {

  private static final long GENEROUS = 30_000;
  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  @TempDir Path directory;
  private FakeCollector collector;
  private SpanExporter exporter;
  private Pipeline pipeline;

  @BeforeEach
  void listen() throws Exception {
    collector = new FakeCollector();
  }

  @AfterEach
  void close() throws Exception {
    if (exporter != null) {
      exporter.shutdown();
    }
    if (pipeline != null) {
      pipeline.shutdown();
    }
    collector.close();
  }

  @Test
  void postsProtobufOverOneConnection() {
    exporter = exporter(Map.of("api-key", "secret"), null, false, 10_000);

    assertThat(send("a", "b")).isNull();
    assertThat(send("c")).isNull();
    assertThat(collector.connections).hasValue(1);
    FakeCollector.Request first = collector.requests.get(0);
    assertThat(first.line()).isEqualTo("POST /v1/traces HTTP/1.1");
    assertThat(first.headers())
        .containsEntry("host", "127.0.0.1:" + collector.port())
        .containsEntry("content-type", "application/x-protobuf")
        .containsEntry("api-key", "secret")
        .doesNotContainKey("content-encoding");
    assertThat(first.spanNames()).containsExactly("a", "b");
    assertThat(collector.requests.get(1).spanNames()).containsExactly("c");
  }

  @Test
  void compresses() {
    exporter = exporter(Map.of(), null, true, 10_000);

    assertThat(send("a")).isNull();
    assertThat(collector.requests.get(0).headers()).containsEntry("content-encoding", "gzip");
    assertThat(collector.requests.get(0).spanNames()).containsExactly("a");
  }

  @Test
  void readsAnswersInEveryForm() {
    exporter = exporter();
    answers(
        raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        raw(CHUNKED + "3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: t\r\n\r\n"),
        raw("HTTP/1.1 204 No Content\r\n\r\n"));
    for (int i = 0; i < 4; i++) {
      assertThat(send("a")).isNull();
    }
    assertThat(collector.connections).hasValue(1);

    answers(
        thenClose(raw("HTTP/1.0 200 OK\r\n\r\nuntil the end")),
        thenClose(status(200, "Connection: close")),
        raw("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + "x".repeat(70_000)));
    for (int i = 0; i < 4; i++) {
      assertThat(send("a")).isNull();
    }
    assertThat(collector.connections).hasValue(4);
  }

  @Test
  void connectionThatWasClosedWhileIdleIsReplaced() {
    exporter = exporter();
    answers(thenClose(OK));

    assertThat(send("a")).isNull();
    assertThat(send("b")).isNull();
    assertThat(collector.connections).hasValue(2);
    assertThat(collector.requests).hasSize(2);
  }

  @Test
  void saysWhichFailuresArePassing() {
    exporter = exporter();
    answers(
        status(503),
        status(429, "Retry-After: 7"),
        status(400),
        status(302, "Location: http://127.0.0.1:1/"),
        status(413));

    assertThat(send("a")).matches(f -> f.kind() == Kind.UNREACHABLE).hasMessage("HTTP 503");
    assertThat(send("a"))
        .matches(f -> f.kind() == Kind.BUSY)
        .matches(f -> f.retryAfterMillis() == 7_000)
        .hasMessage("HTTP 429");
    assertThat(send("a")).matches(f -> f.kind() == Kind.REFUSED).hasMessage("HTTP 400");
    assertThat(send("a")).matches(f -> f.kind() == Kind.REFUSED).hasMessage("HTTP 302");
    assertThat(send("a")).matches(f -> f.kind() == Kind.TOO_LARGE).hasMessage("HTTP 413");
    assertThat(collector.requests).hasSize(5);
  }

  @Test
  void answerThatIsNoHttpIsAFailure() {
    exporter = exporter();
    answers(
        thenClose(raw("220 mail.example.com ESMTP\r\n")),
        raw("x".repeat(100_000)),
        thenClose(raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")),
        thenClose(raw(CHUNKED + "zz\r\n")));

    assertThat(send("a")).hasMessageContaining("not HTTP");
    assertThat(send("a")).hasMessageContaining("not HTTP");
    assertThat(send("a")).hasMessage("connection closed");
    assertThat(send("a")).hasMessageContaining("not HTTP");
    assertThat(send("a")).isNull();
  }

  @Test
  void collectorThatNeverAnswersTimesOut() {
    exporter = exporter(Map.of(), null, false, 200);
    answers(NEVER);

    assertThat(send("a")).hasMessage("timeout");
    assertThat(send("a")).isNull();
  }

  @Test
  void collectorThatNeverReadsTimesOut() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String endpoint = "http://127.0.0.1:" + deaf.getLocalPort() + "/v1/traces";
      exporter = Otlp.http(endpoint, Map.of(), null, false, 200);
      int padding = 1_000_000;
      List<SpanData> large =
          List.of(Spans.task(1, padding), Spans.task(2, padding), Spans.task(3, padding));

      assertThat(failure(exporter.export(large))).hasMessage("timeout");
    }
  }

  @Test
  void namesAClosedPortWithoutAWordInTheApplicationsLog() throws Exception {
    String endpoint = "http://127.0.0.1:" + closedPort() + "/v1/traces";
    exporter = Otlp.http(endpoint, Map.of(), null, false, 10_000);
    List<LogRecord> logged = Collections.synchronizedList(new ArrayList<>());
    Handler handler =
        new StreamHandler() {
          @Override
          public synchronized void publish(LogRecord entry) {
            logged.add(entry);
          }
        };
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    try {
      assertThat(send("a")).hasMessage("connection refused");
    } finally {
      root.removeHandler(handler);
    }
    assertThat(logged).isEmpty();
  }

  @Test
  void partialSuccessIsTold() {
    exporter = exporter();
    answers(protobuf(partialSuccess(3, "bad ids")), protobuf(new byte[] {10, 120, 1}));

    assertThat(send("a"))
        .matches(f -> f.kind() == Kind.PARTIAL)
        .matches(f -> f.rejected() == 3)
        .hasMessage("3 spans rejected: bad ids");
    assertThat(send("a")).isNull();
  }

  @Test
  void requestOfFourMebibytesIsNotSent() {
    exporter = exporter();
    SpanData[] large = {Spans.task(1, 4 << 20)};

    assertThat(failure(exporter.export(Arrays.asList(large))))
        .matches(f -> f.kind() == Kind.TOO_LARGE);
    assertThat(collector.requests).isEmpty();
  }

  @Test
  void headersFileIsReadAgainWhenTheCollectorAnswers401() throws Exception {
    Path file = directory.resolve("headers");
    Files.writeString(file, "# the token\nauthorization=Bearer 1,x-scope=a=b\n");
    exporter = exporter(Map.of("Authorization", "none"), file, false, 10_000);
    assertThat(send("a")).isNull();
    assertThat(collector.requests.get(0).headers())
        .containsEntry("authorization", "Bearer 1")
        .containsEntry("x-scope", "a=b");

    answers(
        (request, socket) -> {
          // Same length and same time as before: only the answer tells that it changed.
          var modified = Files.getLastModifiedTime(file);
          Files.writeString(file, "# the token\nauthorization=Bearer 2,x-scope=a=b\n");
          Files.setLastModifiedTime(file, modified);
          status(401).to(request, socket);
        });
    assertThat(send("a")).isNull();
    assertThat(collector.requests.get(2).headers()).containsEntry("authorization", "Bearer 2");

    answers(status(401));
    assertThat(send("a")).matches(f -> f.kind() == Kind.REFUSED).hasMessage("HTTP 401");
    assertThat(collector.requests).hasSize(4);
  }

  @Test
  void headerWithALineBreakIsNotSent() {
    exporter = exporter(Map.of("a", "b\r\nEvil: yes"), null, false, 10_000);

    assertThat(send("a")).matches(f -> f.kind() == Kind.REFUSED);
    assertThat(collector.requests).isEmpty();
  }

  @Test
  void proxyOfTheSystemPropertiesIsUsed() {
    System.setProperty("http.proxyHost", "127.0.0.1");
    System.setProperty("http.proxyPort", String.valueOf(collector.port()));
    try {
      exporter = Otlp.http("http://collector.invalid/v1/traces", Map.of(), null, false, 10_000);
      assertThat(send("a")).isNull();
    } finally {
      System.clearProperty("http.proxyHost");
      System.clearProperty("http.proxyPort");
    }
    assertThat(collector.requests.get(0).line())
        .isEqualTo("POST http://collector.invalid/v1/traces HTTP/1.1");
  }

  @Test
  void httpsGoesThroughATunnel() {
    System.setProperty("https.proxyHost", "127.0.0.1");
    System.setProperty("https.proxyPort", String.valueOf(collector.port()));
    answers(status(407));
    try {
      exporter = Otlp.https("https://collector.invalid/v1/traces", null, null, null);
      assertThat(send("a")).hasMessageEndingWith("the proxy answered HTTP 407");
    } finally {
      System.clearProperty("https.proxyHost");
      System.clearProperty("https.proxyPort");
    }
    assertThat(collector.requests.get(0).line())
        .isEqualTo("CONNECT collector.invalid:443 HTTP/1.1");
  }

  @Test
  void proxyExclusionsAreHonoured() {
    Map<String, String> properties = Map.of("https.proxyHost", "proxy", "https.proxyPort", "3128");
    assertThat(ProxySettings.find(URI.create("https://a.b/"), properties::get))
        .hasToString("proxy/<unresolved>:3128");
    assertThat(ProxySettings.find(URI.create("https://localhost/"), properties::get)).isNull();
    assertThat(ProxySettings.find(URI.create("http://a.b/"), properties::get)).isNull();

    Map<String, String> excluding =
        Map.of("https.proxyHost", "proxy", "http.nonProxyHosts", "x|*.b");
    assertThat(ProxySettings.find(URI.create("https://A.B/"), excluding::get)).isNull();
    assertThat(ProxySettings.find(URI.create("https://a.bc/"), excluding::get)).isNotNull();
  }

  @Test
  void whatTheApplicationSetForItsJvmDoesNotMatter() {
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            asked.add("proxy for " + uri);
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        });
    Authenticator.setDefault(
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            asked.add("password");
            return null;
          }
        });
    try {
      exporter = exporter();
      answers(status(401, "WWW-Authenticate: Basic realm=\"x\""));
      assertThat(send("a")).hasMessage("HTTP 401");
    } finally {
      ProxySelector.setDefault(before);
      Authenticator.setDefault(null);
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void nothingIsLostWhileTheCollectorIsDownAtFirst() throws Exception {
    int port = closedPort();
    BlockingQueue<String> log = new LinkedBlockingQueue<>();
    String endpoint = "http://127.0.0.1:" + port + "/v1/traces";
    pipeline =
        new Pipeline(
            () -> Otlp.http(endpoint, Map.of(), null, false, 10_000), 64 << 20, log::add, 0, 1);
    pipeline.start();
    for (int i = 0; i < 2_000; i++) {
      pipeline.offer(Spans.task(i));
    }
    assertThat(log.take()).endsWith("connection refused");
    assertThat(pipeline.flush(50, 50)).isFalse();

    collector.close();
    collector = new FakeCollector(port);
    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isTrue();
    assertThat(collector.requests.stream().flatMap(r -> r.spanNames().stream()).distinct())
        .hasSize(2_000);
    assertThat(pipeline.counts().exported()).isEqualTo(2_000);
    assertThat(log).containsExactly("spans are sent again");
  }

  @Test
  void shutdownEndsARequestThatIsBlocked() throws Exception {
    answers(NEVER);
    AtomicReference<Thread> thread = new AtomicReference<>();
    pipeline =
        new Pipeline(
            () -> {
              thread.set(Thread.currentThread());
              return Otlp.http(collector.endpoint(), Map.of(), null, false, 3_600_000);
            },
            64 << 20,
            line -> {},
            0,
            1);
    pipeline.start();
    pipeline.offer(Spans.stage(1));
    assertThat(pipeline.flush(50, 50)).isFalse();
    pipeline.shutdown();

    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
    thread.get().join();
  }

  /** Never accepted on: a socket that a thread waits at may live on for a moment when closed. */
  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void answers(FakeCollector.Answer... answers) {
    collector.answers.addAll(List.of(answers));
  }

  private SpanExporter exporter() {
    return exporter(Map.of(), null, false, 10_000);
  }

  private SpanExporter exporter(
      Map<String, String> headers, Path headersFile, boolean gzip, long timeoutMillis) {
    return Otlp.http(collector.endpoint(), headers, headersFile, gzip, timeoutMillis);
  }

  /** Null when delivered. */
  private ExportFailure send(String... names) {
    List<SpanData> spans =
        Stream.of(names)
            .map(name -> (SpanData) Spans.span(Entity.JOB, name, 1, 0, StatusData.unset()))
            .toList();
    return failure(exporter.export(spans));
  }

  private static ExportFailure failure(CompletableResultCode result) {
    return result.isSuccess() ? null : ExportFailure.of(result.getFailureThrowable());
  }

  private static byte[] partialSuccess(long rejected, String message) {
    return ExportTraceServiceResponse.newBuilder()
        .setPartialSuccess(
            ExportTracePartialSuccess.newBuilder()
                .setRejectedSpans(rejected)
                .setErrorMessage(message))
        .build()
        .toByteArray();
  }
}
