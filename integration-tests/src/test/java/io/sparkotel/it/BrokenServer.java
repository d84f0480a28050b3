package io.sparkotel.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A server on a free port that answers everything with the same bytes and closes. */
final class BrokenServer implements AutoCloseable {

  private static final char[] PASSWORD = "changeit".toCharArray();

  private final ServerSocket listener;
  private final byte[] answer;
  private final AtomicInteger connections = new AtomicInteger();

  private BrokenServer(ServerSocket listener, String answer) {
    this.listener = listener;
    this.answer = answer.getBytes(StandardCharsets.UTF_8);
    Thread thread = new Thread(this::serve, "broken server");
    thread.setDaemon(true);
    thread.start();
  }

  static BrokenServer answering(String answer) {
    try {
      return new BrokenServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** By TLS, with a certificate that nobody trusts; made by the JDK's keytool in {@code dir}. */
  static BrokenServer untrusted(Path dir) {
    try {
      KeyStore store = selfSigned(dir);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return new BrokenServer(
          context
              .getServerSocketFactory()
              .createServerSocket(0, 50, InetAddress.getLoopbackAddress()),
          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore selfSigned(Path dir) throws IOException, GeneralSecurityException {
    Path file = dir.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("keytool.log").toFile())
            .start();
    try {
      if (keytool.waitFor() != 0) {
        throw new IOException(Files.readString(dir.resolve("keytool.log")));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How many there were so far. */
  int connections() {
    return connections.get();
  }

  private void serve() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept()) {
        connections.incrementAndGet();
        socket.setSoTimeout(200);
        byte[] buffer = new byte[64 << 10];
        if (socket.getInputStream().read(buffer) > 0) {
          socket.getOutputStream().write(answer);
        }
      } catch (IOException e) {
        // The client gave up, or the server was closed: the next connection, if any.
      }
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
