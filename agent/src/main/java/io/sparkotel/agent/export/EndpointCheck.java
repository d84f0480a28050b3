package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.config.AgentConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Reaches the collector step by step, sends it one span through the agent's own exporter, and says
 * in plain words what came of it.
 */
public final class EndpointCheck {

  private static final List<String> PROXY_VARIABLES =
      Arrays.asList("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY");

  /** The exporter keeps its own time; this is for one that does not, or that has no limit. */
  private static final long LONGER_THAN_A_REQUEST_MILLIS = 2_000;

  private static final long NO_LIMIT_MILLIS = 30_000;

  private final AgentConfig config;
  private final Target target;
  private final UnaryOperator<String> environment;
  private final Consumer<String> out;

  /**
   * @param environment by name of the variable, null where it is not set
   * @param out takes the lines
   */
  public EndpointCheck(
      AgentConfig config, UnaryOperator<String> environment, Consumer<String> out) {
    this(config, environment, out, Target::otherPortOf);
  }

  EndpointCheck(
      AgentConfig config,
      UnaryOperator<String> environment,
      Consumer<String> out,
      IntUnaryOperator otherPort) {
    this.config = config;
    this.target = new Target(config.otlp(), otherPort);
    this.environment = environment;
    this.out = out;
  }

  /** Whether the collector took the span. */
  public boolean run(SpanData span) throws InterruptedException {
    out.accept(
        "To "
            + target.otlp().endpoint()
            + " by "
            + (target.isGrpc() ? "grpc" : "http/protobuf")
            + (target.proxy() == null ? ":" : " through the proxy " + target.address() + ":"));
    Diagnosis failed = reach();
    boolean reached = failed == null;
    if (reached) {
      failed = send(span);
    }
    if (failed == null) {
      return true;
    }
    tell(failed);
    if (!reached && target.proxy() == null) {
      tellProxyVariables();
    }
    return false;
  }

  private void tell(Diagnosis diagnosis) {
    out.accept("  failed: " + diagnosis.what());
    out.accept("  " + diagnosis.remedy());
  }

  private void tellProxyVariables() {
    for (String name : PROXY_VARIABLES) {
      String value = environment.apply(name);
      if (value != null && !value.isEmpty()) {
        Diagnosis note = new Diagnosis(Finding.PROXY_VARIABLE, name);
        out.accept("  note: " + note.what());
        out.accept("  " + note.remedy());
        return;
      }
    }
  }

  /** Null where a connection came about, which is closed again. */
  private Diagnosis reach() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(target.stepMillis());
    InetAddress[] addresses = resolve();
    if (addresses == null) {
      return new Diagnosis(Finding.UNKNOWN_HOST, target.host());
    }
    String resolved =
        Arrays.stream(addresses)
            .map(InetAddress::getHostAddress)
            .collect(Collectors.joining(" and "));
    if (!resolved.equals(target.host())) {
      out.accept("  ok: " + target.host() + " is " + resolved);
    }
    IOException failure = null;
    for (InetAddress address : addresses) {
      long start = System.nanoTime();
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - start);
      try (Socket socket = new Socket(Proxy.NO_PROXY)) {
        if (left <= 0) {
          throw new SocketTimeoutException();
        }
        socket.connect(new InetSocketAddress(address, target.port()), (int) left);
        out.accept("  ok: connected in " + millisSince(start) + " ms");
        return null;
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    return Diagnosis.ofConnect(target, failure);
  }

  /** Null where the name is not known, or not found in time. */
  private InetAddress[] resolve() throws InterruptedException {
    FutureTask<InetAddress[]> lookUp =
        new FutureTask<>(() -> InetAddress.getAllByName(target.host()));
    Thread thread = new Thread(lookUp, "spark-otel-check-name");
    thread.setDaemon(true);
    thread.start();
    try {
      return lookUp.get(target.stepMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // One and the same for whoever waits: no address.
      return null;
    }
  }

  /** Null where the span was taken. */
  private Diagnosis send(SpanData span) {
    SpanExporter exporter;
    try {
      exporter = Exporters.create(AgentConfig.Exporter.OTLP, config);
    } catch (RuntimeException e) {
      return new Diagnosis(Finding.NOT_MADE, ExportFailure.describe(e));
    }
    long timeout = target.otlp().timeoutMillis();
    long patience =
        timeout > 0 && timeout < Integer.MAX_VALUE
            ? timeout + LONGER_THAN_A_REQUEST_MILLIS
            : NO_LIMIT_MILLIS;
    long start = System.nanoTime();
    CompletableResultCode result =
        exporter.export(Collections.singletonList(span)).join(patience, TimeUnit.MILLISECONDS);
    long took = millisSince(start);
    try {
      if (!result.isDone()) {
        return new Diagnosis(Finding.NO_ANSWER, target.address(), patience);
      }
      ExportFailure failure =
          result.isSuccess() ? null : ExportFailure.of(result.getFailureThrowable());
      boolean warned =
          failure != null
              && failure.kind() == ExportFailure.Kind.PARTIAL
              && failure.rejected() == 0;
      if (failure != null && !warned) {
        return Diagnosis.ofRequest(target, failure);
      }
      String how = target.isTls() ? " over TLS" : "";
      out.accept("  ok: the collector took a test span" + how + " in " + took + " ms");
      if (warned) {
        out.accept("  note: the collector says: " + failure.getMessage());
      }
      return null;
    } finally {
      exporter.shutdown();
    }
  }

  private static long millisSince(long startNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }
}
