package io.sparkotel.agent.export;

import static io.sparkotel.agent.export.FakeCollector.NEVER;
import static io.sparkotel.agent.export.FakeCollector.protobuf;
import static io.sparkotel.agent.export.FakeCollector.raw;
import static io.sparkotel.agent.export.FakeCollector.status;
import static io.sparkotel.agent.export.FakeCollector.thenClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.export.FakeCollector.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each thing that can be wrong with a collector is told by its name. */
@Timeout(120)
class EndpointCheckTest {

  /** A frame of settings, with which every HTTP/2 server begins. */
  private static final Answer HTTP_2 = thenClose(raw("\0\0\0\4\0\0\0\0\0"));

  private static final int OFTEN = 20;

  @TempDir static Path certificates;
  private static final Map<String, KeyStore> KEYS = new HashMap<>();

  @TempDir Path directory;
  private final Map<String, String> properties = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> lines = new ArrayList<>();
  private FakeCollector collector;
  private int otherPort;

  @BeforeEach
  void listen() throws IOException {
    collector = new FakeCollector();
    properties.put("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + collector.port());
  }

  @AfterEach
  void close() throws IOException {
    collector.close();
  }

  private String address() {
    return "127.0.0.1:" + collector.port();
  }

  private boolean check() throws InterruptedException {
    AgentConfig config =
        AgentConfig.load(new ConfigSources(Map.of(), null, properties, Map.of(), null));
    return new EndpointCheck(config, environment::get, lines::add, port -> otherPort)
        .run(Spans.application());
  }

  /** What is wrong, and what to do. */
  private List<String> failure() throws InterruptedException {
    assertThat(check()).isFalse();
    int at = 0;
    while (!lines.get(at).startsWith("  failed: ")) {
      at++;
    }
    return List.of(lines.get(at).substring("  failed: ".length()), lines.get(at + 1).trim());
  }

  private void always(Answer answer) {
    collector.answers.addAll(Collections.nCopies(OFTEN, answer));
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void certified(String extension, String... more) throws Exception {
    KeyStore keys = KEYS.get(extension + List.of(more));
    if (keys == null) {
      Path of = Files.createTempDirectory(certificates, "keys");
      keys = Certificates.keyStore(of, "collector", extension, more);
      KEYS.put(extension + List.of(more), keys);
    }
    collector.close();
    collector = Certificates.collector(keys, null);
    properties.put("otel.exporter.otlp.endpoint", "https://" + address());
    trust(keys);
  }

  private void trust(KeyStore keys) throws Exception {
    Path file = Files.write(directory.resolve("trusted.pem"), Certificates.pem(keys));
    properties.put("otel.exporter.otlp.certificate", file.toString());
  }

  @Test
  void aSpanThatIsTaken() throws Exception {
    assertThat(check()).isTrue();
    assertThat(lines.get(0)).isEqualTo("To http://" + address() + "/v1/traces by http/protobuf:");
    assertThat(lines.get(1)).matches("  ok: connected in \\d+ ms");
    assertThat(lines.get(2)).matches("  ok: the collector took a test span in \\d+ ms");
    assertThat(lines).hasSize(3);
    assertThat(collector.requests).hasSize(1);
    assertThat(collector.requests.get(0).spanNames()).containsExactly("application");
  }

  @Test
  void aSpanThatIsTakenOverTls() throws Exception {
    certified("san=ip:127.0.0.1");
    assertThat(check()).isTrue();
    assertThat(lines.get(2)).matches("  ok: the collector took a test span over TLS in \\d+ ms");
  }

  @Test
  void aNameThatIsNotKnown() throws Exception {
    properties.put("otel.exporter.otlp.endpoint", "http://no-such-host.invalid:4318");
    environment.put("https_proxy", "http://proxy:3128");
    assertThat(failure())
        .containsExactly(
            "the name no-such-host.invalid is not known here",
            "Mend the name. Names inside a cluster are often not known outside it: run the check"
                + " where the driver runs.");
    assertThat(lines.subList(3, 5))
        .containsExactly(
            "  note: https_proxy is set in the environment, and the agent does not read it",
            "  If the collector is behind that proxy, set -Dhttps.proxyHost and -Dhttps.proxyPort"
                + " for the driver's JVM.");
  }

  @Test
  void aPortThatIsClosed() throws Exception {
    int port = closedPort();
    properties.put("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + port);
    otherPort = closedPort();
    assertThat(failure())
        .containsExactly(
            "nothing listens at 127.0.0.1:" + port,
            "Start the collector, or mend the address. OTLP over HTTP is usually at port 4318, over"
                + " gRPC at 4317. In a container, localhost is the container itself.");
    assertThat(lines).hasSize(3);
  }

  @Test
  void aPortThatIsClosedBesideOneThatIsOpen() throws Exception {
    int port = closedPort();
    properties.put("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + port);
    otherPort = collector.port();
    assertThat(failure())
        .containsExactly(
            "nothing listens at 127.0.0.1:" + port + ", but port " + otherPort + " takes HTTP",
            "Set otel.exporter.otlp.protocol to http/protobuf and otel.exporter.otlp.endpoint to"
                + " http://"
                + address()
                + ".");
    lines.clear();
    always(HTTP_2);
    assertThat(failure())
        .containsExactly(
            "nothing listens at 127.0.0.1:" + port + ", but port " + otherPort + " takes gRPC",
            "Set otel.exporter.otlp.protocol to grpc and otel.exporter.otlp.endpoint to http://"
                + address()
                + ".");
  }

  @Test
  void theUsualPortsLieSideBySide() {
    assertThat(List.of(4317, 4318, 80)).map(Target::otherPortOf).containsExactly(4318, 4317, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          401 | the collector asks for credentials, and no headers are sent: HTTP 401
          403 | the collector asks for credentials, and no headers are sent: HTTP 403
          404 | there is no OTLP at this path: HTTP 404 at ENDPOINT/v1/traces
          405 | there is no OTLP at this path: HTTP 405 at ENDPOINT/v1/traces
          400 | the collector does not understand the request: HTTP 400
          415 | the collector does not understand the request: HTTP 415
          413 | the collector finds one small span too large: HTTP 413
          429 | the collector is busy: HTTP 429
          502 | the collector is not available: HTTP 502
          503 | the collector is not available: HTTP 503
          504 | the collector is not available: HTTP 504
          500 | the test span was not delivered: HTTP 500
          307 | the test span was not delivered: HTTP 307
          """)
  void refusals(int status, String what) throws Exception {
    always(status(status));
    String endpoint = "http://" + address();
    assertThat(failure().get(0)).isEqualTo(what.replace("ENDPOINT", endpoint));
  }

  @Test
  void theAnswersOwnWordsAreShown() throws Exception {
    properties.put("otel.exporter.otlp.headers", "api-key=secret,x-tenant=a");
    always(raw("HTTP/1.1 401 No\r\nContent-Length: 16\r\n\r\nkey \0is\n unknown"));
    assertThat(failure())
        .containsExactly(
            "the collector refuses the credentials: HTTP 401, key is unknown"
                + "; headers that are sent: api-key, x-tenant",
            "The names or the values are wrong, or the token has run out. In"
                + " otel.exporter.otlp.headers a space is written %20.");
    assertThat(String.join("\n", lines)).doesNotContain("secret");
  }

  @Test
  void aBusyCollectorThatAsksForTime() throws Exception {
    always(status(429, "Retry-After: 30"));
    assertThat(failure().get(0)).isEqualTo("the collector is busy: HTTP 429, Retry-After 30");
  }

  @Test
  void aRedirect() throws Exception {
    always(status(302, "Location: https://elsewhere/v1/traces"));
    assertThat(failure())
        .containsExactly(
            "the collector sends elsewhere: HTTP 302 to https://elsewhere/v1/traces",
            "Redirects are not followed: set the endpoint to that address.");
  }

  @Test
  void aWebPageIsNoSuccess() throws Exception {
    always(status(200, "Content-Type: text/html; charset=utf-8"));
    assertThat(failure().get(0))
        .isEqualTo("a web page answers, not a collector: HTTP 200, a web page");
  }

  @Test
  void partialSuccess() throws Exception {
    collector.answers.add(protobuf(partial(1, "too old")));
    assertThat(failure().get(0))
        .isEqualTo("the collector took the request and not the span: 1 spans rejected: too old");
    lines.clear();
    collector.answers.add(protobuf(partial(0, "old version")));
    assertThat(check()).isTrue();
    assertThat(lines).last().isEqualTo("  note: the collector says: old version");
  }

  private static byte[] partial(int rejected, String message) {
    return ExportTraceServiceResponse.newBuilder()
        .setPartialSuccess(
            ExportTracePartialSuccess.newBuilder()
                .setRejectedSpans(rejected)
                .setErrorMessage(message))
        .build()
        .toByteArray();
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf", "grpc"})
  void silence(String protocol) throws Exception {
    properties.put("otel.exporter.otlp.protocol", protocol);
    properties.put("otel.exporter.otlp.timeout", "200");
    always(NEVER);
    assertThat(failure().get(0))
        .isEqualTo("connected to " + address() + ", but there is no answer within 200 ms");
  }

  @Test
  void aConnectionThatIsClosed() throws Exception {
    always(thenClose(raw("")));
    assertThat(failure().get(0)).isEqualTo(address() + " closed the connection without an answer");
  }

  @Test
  void grpcBehindHttp() throws Exception {
    always(HTTP_2);
    assertThat(failure())
        .containsExactly(
            address() + " speaks gRPC, but otel.exporter.otlp.protocol is http/protobuf",
            "Set otel.exporter.otlp.protocol to grpc, or take the collector's port for HTTP,"
                + " usually 4318.");
  }

  @Test
  void httpBehindGrpc() throws Exception {
    properties.put("otel.exporter.otlp.protocol", "grpc");
    assertThat(failure())
        .containsExactly(
            address() + " speaks HTTP/1.1, but otel.exporter.otlp.protocol is grpc",
            "Set otel.exporter.otlp.protocol to http/protobuf, or take the collector's port for"
                + " gRPC, usually 4317.");
    assertThat(lines.get(0)).isEqualTo("To http://" + address() + " by grpc:");
  }

  @Test
  void anotherServer() throws Exception {
    always(thenClose(raw("SSH-2.0-OpenSSH\r\n")));
    assertThat(failure().get(0)).isEqualTo(address() + " speaks neither HTTP nor gRPC");
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf", "grpc"})
  void plainTextAgainstTls(String protocol) throws Exception {
    certified("san=ip:127.0.0.1");
    properties.put("otel.exporter.otlp.endpoint", "http://" + address());
    properties.put("otel.exporter.otlp.protocol", protocol);
    assertThat(failure())
        .containsExactly(
            address() + " speaks TLS, but the endpoint begins with http://",
            "Let it begin with https://.");
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf", "grpc"})
  void tlsAgainstPlainText(String protocol) throws Exception {
    properties.put("otel.exporter.otlp.endpoint", "https://" + address());
    properties.put("otel.exporter.otlp.protocol", protocol);
    // A server waits for the end of a line that TLS does not send.
    properties.put("otel.exporter.otlp.timeout", "1000");
    assertThat(failure())
        .containsExactly(
            address() + " speaks no TLS, but the endpoint begins with https://",
            "Let it begin with http://, or switch TLS on at the collector.");
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf", "grpc"})
  void aCertificateThatIsNotTrusted(String protocol) throws Exception {
    certified("san=ip:127.0.0.1");
    properties.remove("otel.exporter.otlp.certificate");
    properties.put("otel.exporter.otlp.protocol", protocol);
    assertThat(failure())
        .containsExactly(
            "the certificate of "
                + address()
                + " is not trusted; it is for CN=collector, signed by CN=collector",
            "Put the certificate of who signed it, as PEM, into a file and set"
                + " otel.exporter.otlp.certificate to that.");
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf", "grpc"})
  void aCertificateForAnotherName(String protocol) throws Exception {
    certified("san=dns:a.example.com,dns:b.example.com");
    properties.put("otel.exporter.otlp.protocol", protocol);
    assertThat(failure().get(0))
        .isEqualTo(
            "the certificate of "
                + address()
                + " is for another name: a.example.com, b.example.com");
  }

  @Test
  void aCertificateThatEnded() throws Exception {
    certified("san=ip:127.0.0.1", "-startdate", "-9d");
    properties.remove("otel.exporter.otlp.certificate");
    X509Certificate certificate = certificate();
    assertThat(failure().get(0))
        .isEqualTo(
            "the certificate of "
                + address()
                + " ended on "
                + certificate.getNotAfter().toInstant());
  }

  @Test
  void aCertificateThatHasNotBegun() throws Exception {
    certified("san=ip:127.0.0.1", "-startdate", "+2d");
    properties.remove("otel.exporter.otlp.certificate");
    X509Certificate certificate = certificate();
    assertThat(failure().get(0))
        .isEqualTo(
            "the certificate of "
                + address()
                + " begins on "
                + certificate.getNotBefore().toInstant()
                + " only");
  }

  private X509Certificate certificate() {
    return new PortProbe("127.0.0.1", collector.port(), 5_000).certificates()[0];
  }

  @Test
  void aProxyThatIsNotThere() throws Exception {
    int port = closedPort();
    System.setProperty("http.proxyHost", "127.0.0.1");
    System.setProperty("http.proxyPort", String.valueOf(port));
    System.setProperty("http.nonProxyHosts", "nobody");
    try {
      assertThat(failure())
          .containsExactly(
              "the proxy 127.0.0.1:" + port + " failed: connection refused",
              "It comes from the system properties https.proxyHost and so on.");
      assertThat(lines.get(0)).endsWith(" through the proxy 127.0.0.1:" + port + ":");
    } finally {
      List.of("http.proxyHost", "http.proxyPort", "http.nonProxyHosts")
          .forEach(System::clearProperty);
    }
  }

  @Test
  void aKeyThatIsNone() throws Exception {
    KeyStore keys = Certificates.keyStore(directory, "client", "ku=digitalSignature");
    Path certificate = Files.write(directory.resolve("client.pem"), Certificates.pem(keys));
    Path key =
        Files.writeString(
            directory.resolve("client.key"),
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    properties.put("otel.exporter.otlp.client.certificate", certificate.toString());
    properties.put("otel.exporter.otlp.client.key", key.toString());
    assertThat(failure().get(0)).startsWith("the exporter cannot be made: ");
  }
}
