package io.sparkotel.agent.export;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Finds out what a port speaks, where the agent's own way did not work. It trusts every certificate
 * and therefore sends nothing but the beginning of a conversation: no headers, no spans.
 */
final class PortProbe {

  /** What answered. */
  enum Speech {
    NOTHING,
    HTTP,
    /** HTTP/2 without negotiation, which is gRPC. */
    GRPC,
    OTHER
  }

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final byte[] EMPTY_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final int SETTINGS = 4;
  private static final int HEAD = 7;

  private final String host;
  private final int port;
  private final int millis;

  /**
   * @param millis for each connection and each answer
   */
  PortProbe(String host, int port, int millis) {
    this.host = host;
    this.port = port;
    this.millis = millis;
  }

  /** What is spoken over plain text, or inside TLS. */
  Speech speech(boolean tls) {
    Speech speech = answerTo(tls, PREFACE, EMPTY_SETTINGS);
    if (speech == Speech.HTTP || speech == Speech.GRPC) {
      return speech;
    }
    // An empty request is one that OTLP allows: no span in it.
    String request =
        "POST /v1/traces HTTP/1.1\r\nHost: "
            + host
            + "\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n";
    Speech second = answerTo(tls, request, new byte[0]);
    return second == Speech.NOTHING ? speech : second;
  }

  /** The server's certificates, its own first, or null where no TLS is spoken. */
  X509Certificate[] certificates() {
    Witness witness = new Witness();
    try (Socket socket = open(true, witness)) {
      return witness.chain;
    } catch (IOException e) {
      // A server that wants a certificate of ours fails after it showed its own.
      return witness.chain;
    }
  }

  private Speech answerTo(boolean tls, String text, byte[] bytes) {
    try (Socket socket = open(tls, new Witness())) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
      return judge(socket.getInputStream());
    } catch (IOException e) {
      // Closed, refused or silent: there is no answer to judge.
      return Speech.NOTHING;
    }
  }

  private static Speech judge(InputStream in) throws IOException {
    byte[] head = new byte[HEAD];
    int read = 0;
    while (read < HEAD) {
      int n = in.read(head, read, HEAD - read);
      if (n < 0) {
        break;
      }
      read += n;
    }
    if (read == 0) {
      return Speech.NOTHING;
    }
    if (new String(head, 0, read, StandardCharsets.US_ASCII).equals("HTTP/1.")) {
      return Speech.HTTP;
    }
    boolean settings = read == HEAD && head[0] == 0 && head[3] == SETTINGS && head[4] == 0;
    return settings ? Speech.GRPC : Speech.OTHER;
  }

  private Socket open(boolean tls, Witness witness) throws IOException {
    Socket tcp = new Socket(Proxy.NO_PROXY);
    try {
      tcp.setSoTimeout(millis);
      tcp.connect(new InetSocketAddress(host, port), millis);
      if (!tls) {
        return tcp;
      }
      SSLSocket secure =
          (SSLSocket) context(witness).getSocketFactory().createSocket(tcp, host, port, true);
      secure.startHandshake();
      return secure;
    } catch (IOException | RuntimeException e) {
      tcp.close();
      throw e;
    }
  }

  private static SSLContext context(Witness witness) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {witness}, new SecureRandom());
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("no TLS in this JVM", e);
    }
  }

  /** Accepts every certificate and remembers it. */
  private static final class Witness extends X509ExtendedTrustManager {
    private X509Certificate[] chain;

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type) {
      chain = shown.clone();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, Socket socket) {
      chain = shown.clone();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, SSLEngine engine) {
      chain = shown.clone();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type) {
      throw new IllegalStateException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, Socket socket) {
      throw new IllegalStateException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, SSLEngine engine) {
      throw new IllegalStateException("no server");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
