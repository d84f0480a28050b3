package io.sparkotel.agent.export;

import java.util.Locale;

/**
 * What can be wrong between the agent and a collector, and what to do about it. Both texts take the
 * same values; each first text is a heading of docs/troubleshooting.md, with {@code ...} for a
 * value.
 */
enum Finding {
  UNKNOWN_HOST(
      "the name %s is not known here",
      "Mend the name. Names inside a cluster are often not known outside it: run the check where"
          + " the driver runs."),
  NOTHING_LISTENS(
      "nothing listens at %s",
      "Start the collector, or mend the address. OTLP over HTTP is usually at port 4318, over gRPC"
          + " at 4317. In a container, localhost is the container itself."),
  OTHER_PORT_HTTP(
      "nothing listens at %s, but port %s takes HTTP",
      "Set otel.exporter.otlp.protocol to http/protobuf and otel.exporter.otlp.endpoint to %3$s."),
  OTHER_PORT_GRPC(
      "nothing listens at %s, but port %s takes gRPC",
      "Set otel.exporter.otlp.protocol to grpc and otel.exporter.otlp.endpoint to %3$s."),
  NO_ROUTE("there is no way to %s", "Look at the network and its rules, as seen from here."),
  NO_CONNECTION(
      "no connection to %s within %s ms",
      "Most often a firewall drops what is sent there, or the address is of another network."),
  NO_ANSWER(
      "connected to %s, but there is no answer within %s ms",
      "The collector hangs, a proxy in between does, or the port speaks another protocol. If it is"
          + " only slow, raise otel.exporter.otlp.timeout."),
  CLOSED(
      "%s closed the connection without an answer",
      "Often the port speaks another protocol: 4318 is for HTTP, 4317 for gRPC; https:// for TLS."),
  SPEAKS_GRPC(
      "%s speaks gRPC, but otel.exporter.otlp.protocol is http/protobuf",
      "Set otel.exporter.otlp.protocol to grpc, or take the collector's port for HTTP, usually"
          + " 4318."),
  SPEAKS_HTTP(
      "%s speaks HTTP/1.1, but otel.exporter.otlp.protocol is grpc",
      "Set otel.exporter.otlp.protocol to http/protobuf, or take the collector's port for gRPC,"
          + " usually 4317."),
  SPEAKS_TLS("%s speaks TLS, but the endpoint begins with http://", "Let it begin with https://."),
  SPEAKS_PLAIN_TEXT(
      "%s speaks no TLS, but the endpoint begins with https://",
      "Let it begin with http://, or switch TLS on at the collector."),
  SPEAKS_SOMETHING_ELSE(
      "%s speaks neither HTTP nor gRPC", "Mend the port: another server is there."),
  UNTRUSTED(
      "the certificate of %s is not trusted; it is for %s, signed by %s",
      "Put the certificate of who signed it, as PEM, into a file and set"
          + " otel.exporter.otlp.certificate to that."),
  WRONG_NAME(
      "the certificate of %s is for another name: %s",
      "Use a name that the certificate holds, or give the collector a certificate for this one."),
  EXPIRED("the certificate of %s ended on %s", "Renew it at the collector."),
  NOT_YET_VALID(
      "the certificate of %s begins on %s only", "Look at the clocks of this machine and of that."),
  HANDSHAKE(
      "the TLS handshake with %s failed: %s",
      "A collector that asks for a client certificate wants otel.exporter.otlp.client.certificate"
          + " and otel.exporter.otlp.client.key. Otherwise the two have no version of TLS in"
          + " common."),
  PROXY(
      "the proxy %s failed: %s", "It comes from the system properties https.proxyHost and so on."),
  NO_CREDENTIALS(
      "the collector asks for credentials, and no headers are sent: %s",
      "Set otel.exporter.otlp.headers or otel.exporter.otlp.headers-file."),
  WRONG_CREDENTIALS(
      "the collector refuses the credentials: %s; headers that are sent: %s",
      "The names or the values are wrong, or the token has run out. In otel.exporter.otlp.headers a"
          + " space is written %%20."),
  NO_SUCH_PATH(
      "there is no OTLP at this path: %s at %s",
      "otel.exporter.otlp.endpoint gets /v1/traces added; otel.exporter.otlp.traces.endpoint is"
          + " used as it is and has to hold the whole path."),
  WEB_PAGE(
      "a web page answers, not a collector: %s",
      "Something in front of the collector, such as a proxy or a login page, took the request; or"
          + " the address is wrong."),
  REDIRECT(
      "the collector sends elsewhere: %s to %s",
      "Redirects are not followed: set the endpoint to that address."),
  NOT_UNDERSTOOD(
      "the collector does not understand the request: %s",
      "It is no OTLP receiver for http/protobuf, or a proxy changed the request. If"
          + " otel.exporter.otlp.compression is gzip, try without."),
  TOO_LARGE(
      "the collector finds one small span too large: %s",
      "Raise the limit of the collector, or of the proxy in front of it."),
  BUSY(
      "the collector is busy: %s",
      "The agent would try again later. If it stays so, the collector needs more room."),
  UNAVAILABLE(
      "the collector is not available: %s",
      "What answers may be a proxy whose collector is down. The agent would try again later."),
  NOT_OTLP(
      "%s speaks gRPC, but takes no OTLP traces: %s",
      "It is another gRPC server, or a collector without a pipeline for traces."),
  REJECTED(
      "the collector took the request and not the span: %s", "The reason is the collector's own."),
  NOT_MADE(
      "the exporter cannot be made: %s",
      "Most often the client key and its certificate do not belong together, or are not PEM."),
  OTHER(
      "the test span was not delivered: %s",
      "docs/troubleshooting.md may know the rest of the line."),
  PROXY_VARIABLE(
      "%s is set in the environment, and the agent does not read it",
      "If the collector is behind that proxy, set -Dhttps.proxyHost and -Dhttps.proxyPort for the"
          + " driver's JVM.");

  private final String what;
  private final String remedy;

  Finding(String what, String remedy) {
    this.what = what;
    this.remedy = remedy;
  }

  /** What is wrong, in one line without values: {@code %s} or {@code ...} for each of them. */
  String template() {
    return what;
  }

  String what(Object... values) {
    return String.format(Locale.ROOT, what, values);
  }

  String remedy(Object... values) {
    return String.format(Locale.ROOT, remedy, values);
  }
}
