package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Keys with a certificate that they signed themselves, by the JDK's keytool, and collectors. */
final class Certificates {

  private static final char[] PASSWORD = "changeit".toCharArray();

  private Certificates() {}

  /**
   * @param clients whom the server demands a certificate of, or null
   */
  static FakeCollector collector(KeyStore keys, KeyStore clients) throws Exception {
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

  static KeyStore keyStore(Path directory, String name, String extension, String... more)
      throws Exception {
    Path file = directory.resolve(name + ".p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", "key", "-keyalg", "RSA", "-keysize", "2048"));
    command.addAll(List.of("-validity", "2", "-dname", "CN=" + name, "-ext", extension));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", new String(PASSWORD)));
    command.addAll(List.of("-keystore", file.toString()));
    command.addAll(List.of(more));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  static byte[] key(KeyStore store) throws Exception {
    return store.getKey("key", PASSWORD).getEncoded();
  }

  static byte[] pem(KeyStore store) throws Exception {
    return pem("CERTIFICATE", store.getCertificate("key").getEncoded());
  }

  static byte[] pem(String type, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
