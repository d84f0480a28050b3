package io.sparkotel.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/**
 * Takes every HTTP request, answers 200 (OTLP's empty answer, else an empty JSON object), keeps
 * nothing but two sums: cheap enough to stand beside what is measured.
 */
final class ByteCounter implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool(ByteCounter::daemon);
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong raw = new AtomicLong();

  private ByteCounter() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  static ByteCounter start() throws IOException {
    return new ByteCounter();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "byte counter");
    thread.setDaemon(true);
    return thread;
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Bytes of all bodies as sent, compressed or not. */
  long sent() {
    return sent.get();
  }

  /** The same, decompressed. */
  long raw() {
    return raw.get();
  }

  private void take(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    sent.addAndGet(body.length);
    if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
      try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
        byte[] buffer = new byte[64 << 10];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          raw.addAndGet(read);
        }
      }
    } else {
      raw.addAndGet(body.length);
    }
    boolean otlp = exchange.getRequestURI().getPath().startsWith("/v1/");
    byte[] answer = (otlp ? "" : "{}").getBytes(StandardCharsets.US_ASCII);
    String type = otlp ? "application/x-protobuf" : "application/json";
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
