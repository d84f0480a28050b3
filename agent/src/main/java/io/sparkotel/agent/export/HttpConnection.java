package io.sparkotel.agent.export;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One HTTP/1.1 connection on a plain socket, kept from request to request.
 *
 * <p>Not {@link java.net.HttpURLConnection}: that class takes its stream handler, authenticator,
 * proxy selector, socket factory and host name verifier from JVM-wide places which belong to the
 * application, and tracing agents make spans of what goes through it.
 *
 * <p>It has no read timeout: who waits for it closes the socket. Not thread-safe.
 */
final class HttpConnection {

  /** Longest answer that is read: head and body each. */
  static final int MAX_ANSWER = 64 * 1024;

  private final InputStream in;
  private final OutputStream out;
  private int headBytes;
  private int requests;
  private boolean answering;
  private boolean reusable = true;

  private HttpConnection(Socket socket) throws IOException {
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /**
   * Connects, through the proxy if there is one, and completes the TLS handshake for an {@code
   * https} endpoint. The server has to prove the endpoint's host name.
   *
   * @param proxy null for none
   * @param tls null for {@code http}
   * @param connectMillis for one address of the host; 0 waits for ever
   * @param opened told each TCP socket before it connects; closing it ends whatever waits here
   */
  static HttpConnection open(
      URI endpoint,
      InetSocketAddress proxy,
      SSLSocketFactory tls,
      int connectMillis,
      Consumer<Socket> opened)
      throws IOException {
    String host = bareHost(endpoint);
    int port = port(endpoint);
    Socket tcp =
        proxy == null
            ? connect(host, port, connectMillis, opened)
            : connect(proxy.getHostString(), proxy.getPort(), connectMillis, opened);
    if (tls == null) {
      return new HttpConnection(tcp);
    }
    if (proxy != null) {
      tunnel(tcp, endpoint.getHost() + ':' + port);
    }
    SSLSocket secure = (SSLSocket) tls.createSocket(tcp, host, port, true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return new HttpConnection(secure);
  }

  /** The endpoint's port, or the scheme's. */
  static int port(URI endpoint) {
    if (endpoint.getPort() != -1) {
      return endpoint.getPort();
    }
    return "https".equalsIgnoreCase(endpoint.getScheme()) ? 443 : 80;
  }

  private static String bareHost(URI endpoint) {
    String host = endpoint.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * A name may stand for addresses of which not all are served, as {@code localhost} often does.
   */
  private static Socket connect(String host, int port, int millis, Consumer<Socket> opened)
      throws IOException {
    IOException failure = null;
    for (InetAddress address : InetAddress.getAllByName(host)) {
      Socket socket = new Socket(Proxy.NO_PROXY);
      opened.accept(socket);
      try {
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(address, port), millis);
        return socket;
      } catch (IOException e) {
        socket.close();
        if (failure == null) {
          failure = e;
        }
      }
    }
    throw failure;
  }

  private static void tunnel(Socket tcp, String authority) throws IOException {
    HttpConnection proxy = new HttpConnection(tcp);
    String head = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    proxy.out.write(head.getBytes(StandardCharsets.US_ASCII));
    HttpAnswer answer = proxy.readAnswer(true);
    if (!answer.isSuccess()) {
      throw new IOException("the proxy answered HTTP " + answer.getStatusCode());
    }
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param head request line and headers with the empty line at the end
   */
  HttpAnswer exchange(byte[] head, byte[] body, int length) throws IOException {
    requests++;
    answering = false;
    try {
      out.write(head);
      out.write(body, 0, length);
      out.flush();
    } catch (IOException e) {
      return earlyAnswer(e);
    }
    return readAnswer(false);
  }

  /** A server may refuse a request before it has read all of it, and close. */
  private HttpAnswer earlyAnswer(IOException whileWriting) throws IOException {
    reusable = false;
    try {
      return readAnswer(false);
    } catch (IOException e) {
      whileWriting.addSuppressed(e);
      throw whileWriting;
    }
  }

  /** Whether a request went over it before the last one. */
  boolean isReused() {
    return requests > 1;
  }

  /** Whether a part of the answer to the last request arrived. */
  boolean isAnswering() {
    return answering;
  }

  /** Whether the server keeps it for another request. */
  boolean isReusable() {
    return reusable;
  }

  private HttpAnswer readAnswer(boolean toConnect) throws IOException {
    while (true) {
      headBytes = 0;
      String[] statusLine = readLine().split(" ", 3);
      int status = statusLine.length < 2 ? -1 : number(statusLine[1], 10);
      if (!statusLine[0].startsWith("HTTP/1.") || status < 100 || status > 999) {
        throw new IOException("the answer is not HTTP");
      }
      Map<String, String> headers = readHeaders();
      if (status < 200) {
        continue;
      }
      String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
      if (statusLine[0].equals("HTTP/1.0") || connection.contains("close")) {
        reusable = false;
      }
      boolean bodyless = status == 204 || status == 304 || (toConnect && status < 300);
      return new HttpAnswer(
          status,
          statusLine.length < 3 ? "" : statusLine[2],
          headers.get("content-type"),
          headers.get("retry-after"),
          headers.get("location"),
          bodyless ? new byte[0] : readBody(headers));
    }
  }

  private Map<String, String> readHeaders() throws IOException {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.put(line.substring(0, colon).trim(), line.substring(colon + 1).trim());
      }
    }
    return headers;
  }

  private byte[] readBody(Map<String, String> headers) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    String length = headers.get("content-length");
    if (headers
        .getOrDefault("transfer-encoding", "")
        .toLowerCase(Locale.ROOT)
        .contains("chunked")) {
      readChunks(body);
    } else if (length != null) {
      int bytes = number(length, 10);
      if (bytes < 0) {
        throw new IOException("the answer is not HTTP");
      }
      readInto(body, bytes);
    } else {
      reusable = false;
      readUntilClosed(body);
    }
    return body.toByteArray();
  }

  private void readChunks(ByteArrayOutputStream body) throws IOException {
    while (reusable || body.size() < MAX_ANSWER) {
      headBytes = 0;
      int bytes = number(readLine().split(";", 2)[0].trim(), 16);
      if (bytes < 0) {
        throw new IOException("the answer is not HTTP");
      }
      if (bytes == 0) {
        readHeaders();
        return;
      }
      if (!readInto(body, bytes)) {
        return;
      }
      readLine();
    }
  }

  /** False when the body got too long: the rest is left, and the connection with it. */
  private boolean readInto(ByteArrayOutputStream body, int bytes) throws IOException {
    int wanted = Math.min(bytes, MAX_ANSWER - body.size());
    byte[] buffer = new byte[wanted];
    int read = 0;
    while (read < wanted) {
      int n = in.read(buffer, read, wanted - read);
      if (n < 0) {
        throw new EOFException();
      }
      read += n;
    }
    body.write(buffer, 0, read);
    if (wanted < bytes) {
      reusable = false;
    }
    return wanted == bytes;
  }

  private void readUntilClosed(ByteArrayOutputStream body) throws IOException {
    int b = in.read();
    while (b >= 0 && body.size() < MAX_ANSWER) {
      body.write(b);
      b = in.read();
    }
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException();
      }
      answering = true;
      if (++headBytes > MAX_ANSWER) {
        throw new IOException("the answer is not HTTP");
      }
      if (b == '\n') {
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r'
            ? line.substring(0, end - 1)
            : line.toString();
      }
      line.append((char) b);
    }
  }

  private static int number(String digits, int radix) {
    try {
      return Integer.parseInt(digits, radix);
    } catch (NumberFormatException e) {
      // Every caller refuses a negative number as no HTTP.
      return -1;
    }
  }
}
