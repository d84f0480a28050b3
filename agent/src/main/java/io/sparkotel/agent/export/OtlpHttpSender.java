package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/**
 * Posts requests over one {@link HttpConnection} at a time, on the caller's thread. Redirects are
 * not followed. Every failure is an {@link ExportFailure}, a partial success among them.
 */
final class OtlpHttpSender implements HttpSender {

  /** What collectors accept by default. */
  static final int MAX_REQUEST = 4 * 1024 * 1024;

  private final HttpSenderConfig config;
  private final HeaderSource headers;
  private final URI endpoint;
  private final InetSocketAddress proxy;
  private final SSLSocketFactory tls;
  private final Body body = new Body();
  private final Timer timer = new Timer("spark-otel-export-timeout", true);
  private HttpConnection connection;
  private volatile Socket socket;
  private volatile Deadline deadline = new Deadline();
  private volatile boolean closed;

  OtlpHttpSender(HttpSenderConfig config, HeaderSource headers) {
    this.config = config;
    this.headers = headers;
    this.endpoint = config.getEndpoint();
    this.proxy = ProxySettings.find(endpoint, System::getProperty);
    this.tls = "https".equalsIgnoreCase(endpoint.getScheme()) ? tls(config) : null;
  }

  /** A context of our own: the JVM's default one may be the application's. */
  private static SSLSocketFactory tls(HttpSenderConfig config) {
    SSLContext context = config.getSslContext();
    try {
      if (context == null) {
        context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no TLS in this JVM", e);
    }
    return context.getSocketFactory();
  }

  @Override
  public void send(
      MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
    HttpAnswer answer;
    try {
      answer = post(message);
    } catch (ExportFailure e) {
      onError.accept(e);
      return;
    }
    onResponse.accept(answer);
  }

  /** Ends a request that is under way, too. */
  @Override
  public CompletableResultCode shutdown() {
    closed = true;
    timer.cancel();
    disconnect(socket);
    return CompletableResultCode.ofSuccess();
  }

  private HttpAnswer post(MessageWriter message) throws ExportFailure {
    if (message.getContentLength() >= MAX_REQUEST) {
      throw ExportFailure.tooLarge(message.getContentLength());
    }
    try {
      body.reset();
      if (config.getCompressor() == null) {
        message.writeMessage(body);
      } else {
        try (OutputStream compressed = config.getCompressor().compress(body)) {
          message.writeMessage(compressed);
        }
      }
    } catch (IOException e) {
      throw ExportFailure.refused(ExportFailure.describe(e));
    }
    HttpAnswer answer = exchangeInTime();
    int status = answer.getStatusCode();
    if ((status == 401 || status == 403) && headers.reload()) {
      answer = exchangeInTime();
    }
    if (!answer.isSuccess() || answer.isHtml()) {
      throw ExportFailure.http(answer);
    }
    ExportFailure partial =
        answer.isProtobuf() ? PartialSuccess.read(answer.getResponseBody()) : null;
    if (partial != null) {
      throw partial;
    }
    return answer;
  }

  /** Nothing but closing its socket ends a blocked write, hence a timer instead of SO_TIMEOUT. */
  private HttpAnswer exchangeInTime() throws ExportFailure {
    deadline = new Deadline();
    long millis = config.getTimeout().toMillis();
    if (millis > 0 && !closed) {
      timer.schedule(deadline, millis);
    }
    try {
      return exchange(head());
    } catch (IOException e) {
      disconnect(socket);
      connection = null;
      throw deadline.passed ? ExportFailure.timeout() : ExportFailure.network(e);
    } finally {
      deadline.cancel();
    }
  }

  private HttpAnswer exchange(byte[] head) throws IOException {
    if (connection == null) {
      connect();
    }
    HttpAnswer answer;
    try {
      answer = connection.exchange(head, body.bytes(), body.size());
    } catch (IOException e) {
      // A kept connection that ends before an answer began was closed while it lay idle.
      boolean stale = connection.isReused() && !connection.isAnswering() && !socket.isClosed();
      if (!stale) {
        throw e;
      }
      disconnect(socket);
      connect();
      answer = connection.exchange(head, body.bytes(), body.size());
    }
    if (!connection.isReusable()) {
      disconnect(socket);
      connection = null;
    }
    return answer;
  }

  private void connect() throws IOException {
    connection = null;
    int connectMillis = (int) Math.min(Integer.MAX_VALUE, config.getConnectTimeout().toMillis());
    connection = HttpConnection.open(endpoint, proxy, tls, connectMillis, this::opened);
  }

  private void opened(Socket opened) {
    socket = opened;
    if (closed || deadline.passed) {
      disconnect(opened);
    }
  }

  private byte[] head() throws ExportFailure {
    String path = endpoint.getRawPath().isEmpty() ? "/" : endpoint.getRawPath();
    String query = endpoint.getRawQuery() == null ? "" : '?' + endpoint.getRawQuery();
    String authority =
        endpoint.getPort() == -1
            ? endpoint.getHost()
            : endpoint.getHost() + ':' + endpoint.getPort();
    String forProxy = proxy == null || tls != null ? "" : "http://" + authority;
    StringBuilder head = new StringBuilder(512);
    head.append("POST ").append(forProxy).append(path).append(query).append(" HTTP/1.1\r\n");
    header(head, "Host", authority);
    header(head, "Content-Type", config.getContentType());
    header(head, "Content-Length", String.valueOf(body.size()));
    if (config.getCompressor() != null) {
      header(head, "Content-Encoding", config.getCompressor().getEncoding());
    }
    for (Map.Entry<String, List<String>> entry : config.getHeadersSupplier().get().entrySet()) {
      for (String value : entry.getValue()) {
        header(head, entry.getKey(), value);
      }
    }
    return head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void header(StringBuilder head, String name, String value) throws ExportFailure {
    HeaderSource.check(name, value);
    head.append(name).append(": ").append(value).append("\r\n");
  }

  /** Closes the TCP socket below any TLS, whose own close waits for a blocked write. */
  private static void disconnect(Socket socket) {
    if (socket == null) {
      return;
    }
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed all the same, and nothing more is to be sent on it.
      return;
    }
  }

  private final class Deadline extends TimerTask {
    private volatile boolean passed;

    @Override
    public void run() {
      passed = true;
      disconnect(socket);
    }
  }

  private static final class Body extends ByteArrayOutputStream {
    private byte[] bytes() {
      return buf;
    }
  }
}
