package io.sparkotel.it;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;

/**
 * An OTLP receiver for traces: HTTP (protobuf, gzip) and gRPC on two free ports of the loopback
 * address. As strict as a collector: what is not a well-formed OTLP request is refused and kept as
 * a complaint, and a gRPC message above 4 MiB is refused.
 */
public final class OtlpReceiver implements AutoCloseable {

  /** How a request came. */
  public enum Protocol {
    HTTP,
    GRPC
  }

  /**
   * A well-formed request, whatever the answer was.
   *
   * @param headers by lower-case name
   * @param message the protobuf message, as sent or decompressed
   * @param wireSize bytes of it as sent, compressed or not
   * @param spans as sent
   * @param accepted how many of them the answer took, from the first
   */
  public record Request(
      Protocol protocol,
      Map<String, String> headers,
      ByteString message,
      long wireSize,
      List<SpanNode> spans,
      int accepted) {

    /** Bytes of the protobuf message. */
    public long size() {
      return message.size();
    }
  }

  private static final Context.Key<Metadata> METADATA = Context.key("metadata");
  private static final Context.Key<AtomicLong> WIRE_SIZE = Context.key("wire size");

  private final HttpServer http;
  private final Server grpc;
  private final ExecutorService threads = Executors.newCachedThreadPool(OtlpReceiver::daemon);
  private final CountDownLatch closed = new CountDownLatch(1);

  private final Object lock = new Object();
  private final List<Request> requests = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final Deque<Behaviour> next = new ArrayDeque<>();
  private Behaviour behaviour = Behaviour.accept();

  private OtlpReceiver() throws IOException {
    InetSocketAddress anyPort =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    http = HttpServer.create(anyPort, 0);
    http.createContext("/", this::handle);
    http.setExecutor(threads);
    http.start();
    grpc =
        NettyServerBuilder.forAddress(anyPort)
            .executor(threads)
            .addStreamTracerFactory(new WireSizes())
            .intercept(new KeepMetadata())
            .addService(new TraceService())
            .build()
            .start();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "otlp receiver");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts on two free ports. */
  public static OtlpReceiver start() {
    try {
      return new OtlpReceiver();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The base, to which the exporter adds {@code /v1/traces}. */
  public String httpEndpoint() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  public String grpcEndpoint() {
    return "http://127.0.0.1:" + grpc.getPort();
  }

  /** From now on, until told otherwise. */
  public void behave(Behaviour from) {
    synchronized (lock) {
      behaviour = from;
    }
  }

  /** For the next requests, one each, before it goes on as before. */
  public void behaveNext(Behaviour... forEach) {
    synchronized (lock) {
      Collections.addAll(next, forEach);
    }
  }

  public List<Request> requests() {
    synchronized (lock) {
      return List.copyOf(requests);
    }
  }

  /** What was refused for not being OTLP; empty when all is well. */
  public List<String> complaints() {
    synchronized (lock) {
      return List.copyOf(complaints);
    }
  }

  /** Every accepted span, in order of arrival. */
  public List<SpanNode> spans() {
    List<SpanNode> spans = new ArrayList<>();
    for (Request request : requests()) {
      spans.addAll(request.spans().subList(0, request.accepted()));
    }
    return spans;
  }

  /** The accepted spans by trace, the trace that began first in front. */
  public List<Trace> traces() {
    Map<String, List<SpanNode>> byId = new LinkedHashMap<>();
    for (SpanNode span : spans()) {
      byId.computeIfAbsent(span.traceId(), id -> new ArrayList<>()).add(span);
    }
    return byId.values().stream().map(Trace::new).sorted(Trace.BY_START).toList();
  }

  /** The one trace that was received; fails when there is none, more than one, or a complaint. */
  public Trace trace() {
    if (!complaints().isEmpty()) {
      throw new AssertionError("not OTLP: " + complaints());
    }
    List<Trace> traces = traces();
    if (traces.size() != 1) {
      StringBuilder all = new StringBuilder("expected one trace, received " + traces.size());
      traces.forEach(trace -> all.append('\n').append(trace));
      throw new AssertionError(all);
    }
    return traces.get(0);
  }

  /** Waits for an accepted span; returns the first. */
  public SpanNode awaitSpan(Predicate<SpanNode> wanted, Duration timeout) {
    return await(
        () -> spans().stream().filter(wanted).findFirst(),
        timeout,
        () -> "no such span among " + spans());
  }

  /** Waits until that many well-formed requests came, whatever their answer; returns them all. */
  public List<Request> awaitRequests(int count, Duration timeout) {
    return await(
        () -> Optional.of(requests()).filter(all -> all.size() >= count),
        timeout,
        () -> requests().size() + " requests, expected " + count);
  }

  private <T> T await(Supplier<Optional<T>> wanted, Duration timeout, Supplier<String> otherwise) {
    long deadline = System.nanoTime() + timeout.toNanos();
    synchronized (lock) {
      Optional<T> found = wanted.get();
      while (found.isEmpty()) {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
          throw new AssertionError(otherwise.get() + ", complaints " + complaints);
        }
        try {
          lock.wait(millis);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(e);
        }
        found = wanted.get();
      }
      return found.get();
    }
  }

  /** Nobody listens any more; answers that are under way are sent. */
  public void stopHttp() {
    http.stop(1);
  }

  @Override
  public void close() {
    closed.countDown();
    http.stop(0);
    grpc.shutdownNow();
    threads.shutdownNow();
  }

  private Behaviour nextBehaviour() {
    synchronized (lock) {
      return next.isEmpty() ? behaviour : next.remove();
    }
  }

  private void keep(Request request) {
    synchronized (lock) {
      requests.add(request);
      lock.notifyAll();
    }
  }

  private void complain(String what) {
    synchronized (lock) {
      complaints.add(what);
      lock.notifyAll();
    }
  }

  private static int accepted(Behaviour how, List<SpanNode> spans) {
    return how.accepts() ? Math.max(0, spans.size() - how.rejectedSpans()) : 0;
  }

  private static ExportTraceServiceResponse response(Behaviour how) {
    ExportTraceServiceResponse.Builder response = ExportTraceServiceResponse.newBuilder();
    if (how.rejectedSpans() > 0 || !how.message().isEmpty()) {
      response.setPartialSuccess(
          ExportTracePartialSuccess.newBuilder()
              .setRejectedSpans(how.rejectedSpans())
              .setErrorMessage(how.message()));
    }
    return response.build();
  }

  private static List<SpanNode> spans(ExportTraceServiceRequest message) {
    List<SpanNode> spans = new ArrayList<>();
    for (ResourceSpans resource : message.getResourceSpansList()) {
      for (ScopeSpans scope : resource.getScopeSpansList()) {
        for (Span span : scope.getSpansList()) {
          spans.add(new SpanNode(span, resource.getResource(), scope.getScope()));
        }
      }
    }
    return spans;
  }

  /** Blocks for the delay of that behaviour; false when the sender is to wait for ever. */
  private boolean pause(Behaviour how) {
    try {
      if (how.hang()) {
        closed.await();
        return false;
      }
      return !closed.await(how.delay().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // The receiver is being closed.
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try {
      Map<String, String> headers = new TreeMap<>();
      exchange
          .getRequestHeaders()
          .forEach(
              (name, all) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", all)));
      byte[] wire;
      try (InputStream body = exchange.getRequestBody()) {
        wire = body.readAllBytes();
      }
      String path = exchange.getRequestURI().toString();
      if (!exchange.getRequestMethod().equals("POST") || !path.equals("/v1/traces")) {
        complain(exchange.getRequestMethod() + " " + path);
        answer(exchange, 404, "no such page");
        return;
      }
      if (!"application/x-protobuf".equals(headers.get("content-type"))) {
        complain("content type " + headers.get("content-type"));
        answer(exchange, 415, "not protobuf");
        return;
      }
      byte[] message;
      List<SpanNode> spans;
      try {
        message = decompress(wire, headers.getOrDefault("content-encoding", "identity"));
        spans = spans(ExportTraceServiceRequest.parseFrom(message));
      } catch (InvalidProtocolBufferException e) {
        complain("not a trace request: " + e.getMessage());
        answer(exchange, 400, "not a trace request");
        return;
      } catch (IOException e) {
        complain("cannot decompress: " + e);
        answer(exchange, 400, "cannot decompress");
        return;
      }
      Behaviour how = nextBehaviour();
      keep(
          new Request(
              Protocol.HTTP,
              headers,
              ByteString.copyFrom(message),
              wire.length,
              spans,
              accepted(how, spans)));
      if (!pause(how)) {
        return;
      }
      if (how.retryAfter() != null) {
        exchange.getResponseHeaders().add("Retry-After", how.retryAfter());
      }
      if (how.status() == 200) {
        exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
        answer(exchange, 200, response(how).toByteArray());
      } else {
        answer(exchange, how.status(), how.message());
      }
    } finally {
      exchange.close();
    }
  }

  private static byte[] decompress(byte[] wire, String encoding) throws IOException {
    if (encoding.equals("identity")) {
      return wire;
    }
    if (!encoding.equals("gzip")) {
      throw new IOException("unknown encoding " + encoding);
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(wire))) {
      return in.readAllBytes();
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    answer(exchange, status, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  private final class TraceService extends TraceServiceGrpc.TraceServiceImplBase {
    @Override
    public void export(
        ExportTraceServiceRequest message, StreamObserver<ExportTraceServiceResponse> caller) {
      Map<String, String> headers = new TreeMap<>();
      Metadata metadata = METADATA.get();
      for (String name : metadata.keys()) {
        if (!name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
          headers.put(name, metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
        }
      }
      List<SpanNode> spans = spans(message);
      Behaviour how = nextBehaviour();
      keep(
          new Request(
              Protocol.GRPC,
              headers,
              message.toByteString(),
              WIRE_SIZE.get().get(),
              spans,
              accepted(how, spans)));
      if (!pause(how)) {
        return;
      }
      if (how.status() == 200) {
        caller.onNext(response(how));
        caller.onCompleted();
      } else {
        caller.onError(status(how.status()).withDescription(how.message()).asRuntimeException());
      }
    }

    private Status status(int http) {
      return switch (http) {
        case 400 -> Status.INVALID_ARGUMENT;
        case 401 -> Status.UNAUTHENTICATED;
        case 403 -> Status.PERMISSION_DENIED;
        case 404 -> Status.UNIMPLEMENTED;
        case 413, 429 -> Status.RESOURCE_EXHAUSTED;
        case 502, 503 -> Status.UNAVAILABLE;
        case 504 -> Status.DEADLINE_EXCEEDED;
        default -> Status.UNKNOWN;
      };
    }
  }

  private static final class KeepMetadata implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> handler) {
      Context context = Context.current().withValue(METADATA, headers);
      return Contexts.interceptCall(context, call, headers, handler);
    }
  }

  /** The service sees the message only: how long it was on the wire, the stream knows. */
  private static final class WireSizes extends ServerStreamTracer.Factory {
    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
      AtomicLong size = new AtomicLong();
      return new ServerStreamTracer() {
        @Override
        public Context filterContext(Context context) {
          return context.withValue(WIRE_SIZE, size);
        }

        @Override
        public void inboundWireSize(long bytes) {
          size.addAndGet(bytes);
        }
      };
    }
  }
}
