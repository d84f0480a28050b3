package io.sparkotel.agent.export;

import io.sparkotel.agent.config.OtlpConfig;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** The collector that a check is about. */
final class Target {

  private static final int GRPC_PORT = 4317;
  private static final int HTTP_PORT = 4318;
  private static final long LONGEST_STEP_MILLIS = 10_000;
  private static final int PROBE_MILLIS = 2_000;

  private final OtlpConfig otlp;
  private final URI endpoint;
  private final InetSocketAddress proxy;
  private final IntUnaryOperator otherPort;

  /**
   * @param otherPort the port beside a port at which the other protocol is looked for, 0 for none
   */
  Target(OtlpConfig otlp, IntUnaryOperator otherPort) {
    this.otlp = otlp;
    this.endpoint = URI.create(otlp.endpoint());
    this.proxy = ProxySettings.find(endpoint, System::getProperty);
    this.otherPort = otherPort;
  }

  /** The usual ports of OTLP lie side by side. */
  static int otherPortOf(int port) {
    return port == GRPC_PORT ? HTTP_PORT : port == HTTP_PORT ? GRPC_PORT : 0;
  }

  OtlpConfig otlp() {
    return otlp;
  }

  boolean isGrpc() {
    return otlp.protocol() == OtlpConfig.Protocol.GRPC;
  }

  boolean isTls() {
    return "https".equalsIgnoreCase(endpoint.getScheme());
  }

  /** Null for none. */
  InetSocketAddress proxy() {
    return proxy;
  }

  /** The name to be resolved: the proxy's where there is one. */
  String host() {
    String host = proxy == null ? endpoint.getHost() : proxy.getHostString();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  int port() {
    return proxy == null ? HttpConnection.port(endpoint) : proxy.getPort();
  }

  /** {@code host:port} as the settings have it, the proxy's where there is one. */
  String address() {
    return (proxy == null ? endpoint.getHost() : proxy.getHostString()) + ":" + port();
  }

  int otherPort() {
    return proxy == null ? otherPort.applyAsInt(port()) : 0;
  }

  String endpointAt(int port) {
    return endpoint.getScheme() + "://" + endpoint.getHost() + ":" + port;
  }

  /** Longest time for the name and for the connection, in milliseconds. */
  long stepMillis() {
    long timeout = otlp.timeoutMillis();
    return timeout > 0 ? Math.min(timeout, LONGEST_STEP_MILLIS) : LONGEST_STEP_MILLIS;
  }

  PortProbe probe(int port) {
    return new PortProbe(host(), port, (int) Math.min(stepMillis(), PROBE_MILLIS));
  }

  /** Never their values. */
  Set<String> headerNames() {
    return new HeaderSource(otlp.headers(), otlp.headersFile()).get().keySet();
  }
}
