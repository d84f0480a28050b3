package io.sparkotel.agent.export;

import static io.sparkotel.agent.export.FakeCollector.NEVER;
import static io.sparkotel.agent.export.FakeCollector.raw;
import static io.sparkotel.agent.export.FakeCollector.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.config.OtlpConfig;
import io.sparkotel.agent.export.ExportFailure.Kind;
import io.sparkotel.agent.telemetry.Entity;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls by gRPC. The collector knows HTTP/1.1 only: over TLS the client takes that too. Against
 * HTTP/2 it is tested with real applications.
 */
@Timeout(60)
class OtlpGrpcTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\n";

  @TempDir static Path keys;
  private static KeyStore server;

  @TempDir Path directory;
  private FakeCollector collector;
  private SpanExporter exporter;

  @BeforeAll
  static void makeCertificate() throws Exception {
    server = Certificates.keyStore(keys, "server", "san=ip:127.0.0.1");
  }

  @BeforeEach
  void listen() throws Exception {
    collector = Certificates.collector(server, null);
  }

  @AfterEach
  void close() throws Exception {
    if (exporter != null) {
      exporter.shutdown();
    }
    collector.close();
  }

  @Test
  void callsTheServiceOverOneConnection() {
    exporter = exporter(config().headers(Map.of("api-key", "sch\u00fcssel")));
    answers(done(0, ""), done(0, ""));

    assertThat(send("a", "b")).isNull();
    assertThat(send("c")).isNull();
    assertThat(collector.connections).hasValue(1);
    FakeCollector.Request first = collector.requests.get(0);
    assertThat(first.line())
        .isEqualTo("POST /opentelemetry.proto.collector.trace.v1.TraceService/Export HTTP/1.1");
    assertThat(first.headers())
        .containsEntry("content-type", "application/grpc")
        .containsEntry("te", "trailers")
        .containsEntry("api-key", latin("sch\u00fcssel"))
        .doesNotContainKey("grpc-encoding");
    assertThat(first.spanNamesOfCall()).containsExactly("a", "b");
    assertThat(collector.requests.get(1).spanNamesOfCall()).containsExactly("c");
  }

  @Test
  void compresses() {
    exporter = exporter(config().gzip(true));
    answers(done(0, ""));

    assertThat(send("a")).isNull();
    assertThat(collector.requests.get(0).headers()).containsEntry("grpc-encoding", "gzip");
    assertThat(collector.requests.get(0).spanNamesOfCall()).containsExactly("a");
  }

  @ParameterizedTest
  @CsvSource({
    "7,  REFUSED,     gRPC PERMISSION_DENIED",
    "8,  BUSY,        gRPC RESOURCE_EXHAUSTED",
    "14, UNREACHABLE, gRPC UNAVAILABLE",
    "99, REFUSED,     gRPC UNKNOWN",
    "x,  REFUSED,     gRPC UNKNOWN"
  })
  void statusBesideTheHeadersOrAtTheEnd(String number, Kind kind, String message) {
    exporter = exporter(config());
    answers(
        raw(OK + "grpc-status: " + number + "\r\nContent-Length: 0\r\n\r\n"),
        done(number, "", "grpc-message: not%20now, %c3%bc %\r\n"));

    for (int i = 0; i < 2; i++) {
      ExportFailure failure = send("a");
      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure).hasMessage(message);
      assertThat(failure.grpcDescription()).isEqualTo(i == 0 ? "" : "not now, \u00fc %");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, REFUSED,     gRPC UNKNOWN",
    "302, REFUSED,     gRPC UNKNOWN",
    "401, REFUSED,     gRPC UNAUTHENTICATED",
    "404, REFUSED,     gRPC UNIMPLEMENTED",
    "503, UNREACHABLE, gRPC UNAVAILABLE"
  })
  void answerOfSomebodyWhoDoesNotKnowGrpc(int status, Kind kind, String message) {
    exporter = exporter(config());
    answers(status(status, "Location: https://127.0.0.1:1/"));

    ExportFailure failure = send("a");
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessage(message);
    assertThat(failure.grpcDescription()).isEqualTo("HTTP " + status);
  }

  @Test
  void partialSuccessIsSaid() {
    exporter = exporter(config());
    byte[] response =
        ExportTraceServiceResponse.newBuilder()
            .setPartialSuccess(
                ExportTracePartialSuccess.newBuilder()
                    .setRejectedSpans(2)
                    .setErrorMessage("too old"))
            .build()
            .toByteArray();
    String message = new String(response, StandardCharsets.ISO_8859_1);
    String prefix = "\0\0\0\0" + (char) response.length;
    answers(done(0, prefix + message), done(0, "\1" + prefix.substring(1) + message));

    assertThat(send("a")).hasMessage("2 spans rejected: too old");
    // Compressed, which nobody asked for.
    assertThat(send("a")).isNull();
  }

  @Test
  void answersThatMakeNoSense() {
    exporter = exporter(config());
    answers(
        done(0, "\0\0"),
        done(0, "\0\0\0\0\7abc"),
        done(0, "\0\u00ff\u00ff\u00ff\u00ffabc"),
        done(0, "\0\0\1\u0086\u00a0" + "x".repeat(100_000)));
    for (int i = 0; i < 4; i++) {
      assertThat(send("a")).isNull();
    }
    answers(raw("what?\r\n\r\n"));
    assertThat(send("a").kind()).isEqualTo(Kind.UNREACHABLE);
  }

  @Test
  void headersFileIsReadAgainWhenTheTokenIsRefused() throws Exception {
    Path file = Files.writeString(directory.resolve("headers"), "authorization=old");
    exporter = exporter(config().headersFile(file.toFile()));
    answers(
        (request, socket) -> {
          Files.writeString(file, "authorization=new");
          done(16, "").to(request, socket);
        },
        done(0, ""),
        done(16, ""));

    assertThat(send("a")).isNull();
    assertThat(collector.requests)
        .extracting(request -> request.headers().get("authorization"))
        .containsExactly("old", "new");
    assertThat(send("a")).hasMessage("gRPC UNAUTHENTICATED");
    assertThat(collector.requests).hasSize(3);
  }

  @Test
  void headerThatNoRequestCanCarryIsRefusedWithoutItsValue() {
    exporter = exporter(config().headers(Map.of("api-key", "sesame\n7")));

    assertThat(send("a")).hasMessage("a header has a control character: api-key");
    assertThat(collector.requests).isEmpty();
  }

  @Test
  void answerThatDoesNotComeIsATimeout() {
    exporter = exporter(config().timeoutMillis(50));
    answers(NEVER);

    assertThat(send("a")).hasMessage("timeout");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE})
  void timeoutThatIsNone(long millis) {
    exporter = exporter(config().timeoutMillis(millis));
    answers(done(0, ""));

    assertThat(send("a")).isNull();
  }

  @Test
  void shutdownEndsACallThatIsBlocked() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    answers(NEVER);
    Pipeline pipeline =
        new Pipeline(
            () -> {
              thread.set(Thread.currentThread());
              return exporter(config().timeoutMillis(3_600_000));
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

  @ParameterizedTest
  @CsvSource({"http", "https"})
  void proxySelectorOfTheApplicationIsNotAsked(String scheme) throws Exception {
    AtomicInteger asked = new AtomicInteger();
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            asked.incrementAndGet();
            throw new IllegalStateException("select");
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {
            asked.incrementAndGet();
          }
        });
    try (FakeCollector plain = new FakeCollector()) {
      FakeCollector to = scheme.equals("http") ? plain : collector;
      exporter = exporter(config(scheme + "://127.0.0.1:" + to.port()));
      answers(done(0, ""));
      send("a");

      assertThat(to.connections).hasPositiveValue();
    } finally {
      ProxySelector.setDefault(before);
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void callsGoThroughTheProxyOfTheJvm() throws Exception {
    String[] keys = {"https.proxyHost", "https.proxyPort", "http.nonProxyHosts"};
    try (FakeCollector proxy = new FakeCollector()) {
      System.setProperty(keys[0], "127.0.0.1");
      System.setProperty(keys[1], String.valueOf(proxy.port()));
      System.setProperty(keys[2], "");
      proxy.answers.add(status(503));
      exporter = exporter(config("https://collector.invalid"));

      assertThat(send("a").kind()).isEqualTo(Kind.UNREACHABLE);
      assertThat(proxy.requests.get(0).line()).isEqualTo("CONNECT collector.invalid:443 HTTP/1.1");
    } finally {
      Arrays.asList(keys).forEach(System::clearProperty);
    }
  }

  private OtlpConfig.Builder config() {
    return config("https://127.0.0.1:" + collector.port());
  }

  private static OtlpConfig.Builder config(String endpoint) {
    try {
      return OtlpConfig.builder(OtlpConfig.Protocol.GRPC, endpoint)
          .trustedCertificates(Certificates.pem(server));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static SpanExporter exporter(OtlpConfig.Builder config) {
    return Exporters.Grpc.exporter(config.build());
  }

  private void answers(FakeCollector.Answer... answers) {
    collector.answers.addAll(List.of(answers));
  }

  private static FakeCollector.Answer done(int status, String body) {
    return done(String.valueOf(status), body, "");
  }

  /** In chunks, since only behind the last of them there is something. */
  private static FakeCollector.Answer done(String status, String body, String more) {
    String chunk =
        body.isEmpty() ? "" : Integer.toHexString(body.length()) + "\r\n" + body + "\r\n";
    return raw(
        OK
            + "Transfer-Encoding: chunked\r\n\r\n"
            + chunk
            + "0\r\ngrpc-status: "
            + status
            + "\r\n"
            + more
            + "\r\n");
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Null when delivered. */
  private ExportFailure send(String... names) {
    List<SpanData> spans =
        Stream.of(names)
            .map(name -> (SpanData) Spans.span(Entity.JOB, name, 1, 0, StatusData.unset()))
            .toList();
    CompletableResultCode result = exporter.export(spans);
    return result.isSuccess() ? null : ExportFailure.of(result.getFailureThrowable());
  }
}
