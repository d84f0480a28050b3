package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, made by the JDK's keytool when the test runs. */
@Timeout(120)
class OtlpTlsTest {

  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir static Path directory;
  private static KeyStore server;
  private static KeyStore elsewhere;
  private static KeyStore client;

  @BeforeAll
  static void makeCertificates() throws Exception {
    server = keyStore("server", "san=ip:127.0.0.1");
    elsewhere = keyStore("elsewhere", "san=dns:elsewhere.example.com");
    client = keyStore("client", "ku=digitalSignature");
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

  /**
   * @param clients whom the server demands a certificate of, or null
   */
  private static FakeCollector collector(KeyStore keys, KeyStore clients) throws Exception {
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    if (clients != null) {
      KeyStore certificates = KeyStore.getInstance("PKCS12");
      certificates.load(null, null);
      certificates.setCertificateEntry("client", clients.getCertificate("key"));
      trusted.init(certificates);
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), clients == null ? null : trusted.getTrustManagers(), null);
    SSLServerSocketFactory factory = context.getServerSocketFactory();
    return new FakeCollector(
        (port, backlog, address) -> {
          SSLServerSocket socket =
              (SSLServerSocket) factory.createServerSocket(port, backlog, address);
          socket.setNeedClientAuth(clients != null);
          return socket;
        },
        0);
  }

  private static KeyStore keyStore(String name, String extension) throws Exception {
    Path file = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "key",
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-validity",
                "2",
                "-dname",
                "CN=" + name,
                "-ext",
                extension,
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  private static byte[] key(KeyStore store) throws Exception {
    return store.getKey("key", PASSWORD).getEncoded();
  }

  private static byte[] pem(KeyStore store) throws Exception {
    return pem("CERTIFICATE", store.getCertificate("key").getEncoded());
  }

  private static byte[] pem(String type, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
