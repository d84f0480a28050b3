package io.sparkotel.agent.export;

import static io.sparkotel.agent.export.Certificates.collector;
import static io.sparkotel.agent.export.Certificates.key;
import static io.sparkotel.agent.export.Certificates.keyStore;
import static io.sparkotel.agent.export.Certificates.pem;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, made by the JDK's keytool when the test runs. */
@Timeout(120)
class OtlpTlsTest {

  @TempDir static Path directory;
  private static KeyStore server;
  private static KeyStore elsewhere;
  private static KeyStore client;

  @BeforeAll
  static void makeCertificates() throws Exception {
    server = keyStore(directory, "server", "san=ip:127.0.0.1");
    elsewhere = keyStore(directory, "elsewhere", "san=dns:elsewhere.example.com");
    client = keyStore(directory, "client", "ku=digitalSignature");
  }

  @Test
  void trustedCertificateIsAccepted() throws Exception {
    try (FakeCollector collector = collector(server, null)) {
      assertThat(send(collector, pem(server), null)).isNull();
      assertThat(collector.requests).hasSize(1);
    }
  }

  @Test
  void certificateThatNobodySignedIsRefused() throws Exception {
    try (FakeCollector collector = collector(server, null)) {
      assertThat(send(collector, null, null)).hasMessageStartingWith("TLS: ");
      assertThat(collector.requests).isEmpty();
    }
  }

  @Test
  void certificateOfAnotherHostIsRefusedWhateverTheApplicationAllows() throws Exception {
    var before = HttpsURLConnection.getDefaultHostnameVerifier();
    HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);
    try (FakeCollector collector = collector(elsewhere, null)) {
      assertThat(send(collector, pem(elsewhere), null)).hasMessageStartingWith("TLS: ");
      assertThat(collector.requests).isEmpty();
    } finally {
      HttpsURLConnection.setDefaultHostnameVerifier(before);
    }
  }

  @Test
  void clientCertificateIsShown() throws Exception {
    try (FakeCollector collector = collector(server, client)) {
      assertThat(send(collector, pem(server), client)).isNull();
      assertThat(collector.requests).hasSize(1);
    }
    try (FakeCollector collector = collector(server, client)) {
      assertThat(send(collector, pem(server), null)).isNotNull();
      assertThat(collector.requests).isEmpty();
    }
  }

  private static ExportFailure send(FakeCollector collector, byte[] trusted, KeyStore client)
      throws Exception {
    SpanExporter exporter =
        Otlp.https(
            collector.endpoint().replace("http:", "https:"),
            trusted,
            client == null ? null : pem("PRIVATE KEY", key(client)),
            client == null ? null : pem(client));
    CompletableResultCode result = exporter.export(List.of(Spans.stage(1)));
    exporter.shutdown();
    return result.isSuccess() ? null : ExportFailure.of(result.getFailureThrowable());
  }
}
