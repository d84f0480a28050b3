package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;

/**
 * An HTTP server that does what a test tells it: each request takes the next of the {@link
 * #answers}, and an empty 200 when there is none left.
 */
final class FakeCollector implements AutoCloseable {

  static final Answer OK = status(200);
  static final Answer NEVER = (request, socket) -> {};

  interface Opener {
    ServerSocket open(int port, int backlog, InetAddress address) throws IOException;
  }

  interface Answer {
    void to(Request request, Socket socket) throws IOException;
  }

  /** A request as it came; header names are without case. */
  static final class Request {
    private final String line;
    private final Map<String, String> headers;
    private final byte[] body;

    Request(String line, Map<String, String> headers, byte[] body) {
      this.line = line;
      this.headers = headers;
      this.body = body;
    }

    String line() {
      return line;
    }

    Map<String, String> headers() {
      return headers;
    }

    List<String> spanNames() {
      return spanNames(0, "gzip".equals(headers.get("content-encoding")));
    }

    /** Of a call by gRPC, whose message is behind a prefix of five bytes. */
    List<String> spanNamesOfCall() {
      assertThat(ByteBuffer.wrap(body, 1, 4).getInt()).isEqualTo(body.length - 5);
      return spanNames(5, body[0] == 1);
    }

    private List<String> spanNames(int offset, boolean gzip) {
      try {
        InputStream in = new ByteArrayInputStream(body, offset, body.length - offset);
        return ExportTraceServiceRequest.parseFrom(gzip ? new GZIPInputStream(in) : in)
            .getResourceSpansList()
            .stream()
            .flatMap(resource -> resource.getScopeSpansList().stream())
            .flatMap(scope -> scope.getSpansList().stream())
            .map(Span::getName)
            .toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  final AtomicInteger connections = new AtomicInteger();
  final List<Answer> answers = Collections.synchronizedList(new ArrayList<>());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final ServerSocket server;

  FakeCollector() throws IOException {
    this(0);
  }

  FakeCollector(int port) throws IOException {
    this(ServerSocket::new, port);
  }

  FakeCollector(Opener opener, int port) throws IOException {
    server = opener.open(port, 50, InetAddress.getLoopbackAddress());
    daemon(this::acceptAll);
  }

  int port() {
    return server.getLocalPort();
  }

  String endpoint() {
    return "http://127.0.0.1:" + port() + "/v1/traces";
  }

  static Answer status(int status, String... headers) {
    return raw(
        "HTTP/1.1 "
            + status
            + " Reason\r\nContent-Length: 0\r\n"
            + String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList())
            + "\r\n");
  }

  static Answer protobuf(byte[] body) {
    return (request, socket) -> {
      raw("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: "
              + body.length
              + "\r\n\r\n")
          .to(request, socket);
      socket.getOutputStream().write(body);
    };
  }

  static Answer raw(String text) {
    return (request, socket) -> {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    };
  }

  static Answer thenClose(Answer answer) {
    return (request, socket) -> {
      answer.to(request, socket);
      socket.close();
    };
  }

  private void acceptAll() throws IOException {
    while (true) {
      Socket socket = server.accept();
      connections.incrementAndGet();
      sockets.add(socket);
      daemon(() -> serve(socket));
    }
  }

  private void serve(Socket socket) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream());
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        String[] pair = header.split(": ", 2);
        headers.put(pair[0], pair.length == 1 ? "" : pair[1]);
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      Request request = new Request(line, headers, in.readNBytes(length));
      requests.add(request);
      (answers.isEmpty() ? OK : answers.remove(0)).to(request, socket);
    }
  }

  /** A line without its end; empty at the end of the stream, too. */
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      line.append((char) b);
    }
    return line.toString().trim();
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // The peer or close() ended it: what arrived until then is what tests look at.
                return;
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
