package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.sparkotel.agent.export.PortProbe.Speech;
import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;

/** Why a test span was not delivered: a {@link Finding} and its values. */
final class Diagnosis {

  private static final int MAX_WORDS = 200;

  private final Finding finding;
  private final Object[] values;

  Diagnosis(Finding finding, Object... values) {
    this.finding = finding;
    this.values = values;
  }

  String what() {
    return finding.what(values);
  }

  String remedy() {
    return finding.remedy(values);
  }

  /** For a connection that did not come about; looks whether the port beside is served. */
  static Diagnosis ofConnect(Target target, Exception failure) {
    String address = target.address();
    if (target.proxy() != null) {
      return new Diagnosis(Finding.PROXY, address, ExportFailure.network(failure).getMessage());
    }
    if (failure instanceof SocketTimeoutException) {
      return new Diagnosis(Finding.NO_CONNECTION, address, target.stepMillis());
    }
    if (failure instanceof NoRouteToHostException) {
      return new Diagnosis(Finding.NO_ROUTE, address);
    }
    String text = ExportFailure.network(failure).getMessage();
    if (!text.equals("connection refused")) {
      return new Diagnosis(Finding.OTHER, text);
    }
    int other = target.otherPort();
    Speech speech = other == 0 ? Speech.NOTHING : target.probe(other).speech(target.isTls());
    if (speech == Speech.HTTP) {
      return new Diagnosis(Finding.OTHER_PORT_HTTP, address, other, target.endpointAt(other));
    }
    if (speech == Speech.GRPC) {
      return new Diagnosis(Finding.OTHER_PORT_GRPC, address, other, target.endpointAt(other));
    }
    return new Diagnosis(Finding.NOTHING_LISTENS, address);
  }

  /** For a request on a connection; looks what the port speaks where that may explain it. */
  static Diagnosis ofRequest(Target target, ExportFailure failure) {
    if (failure.httpAnswer() != null) {
      return ofHttp(target, failure.httpAnswer());
    }
    if (failure.grpcStatus() != null) {
      return ofGrpc(target, failure);
    }
    if (failure.kind() == ExportFailure.Kind.PARTIAL) {
      return new Diagnosis(Finding.REJECTED, failure.getMessage());
    }
    if (failure.kind() != ExportFailure.Kind.UNREACHABLE) {
      return new Diagnosis(Finding.OTHER, failure.getMessage());
    }
    return target.proxy() == null ? ofNetwork(target, failure) : ofProxied(target, failure);
  }

  private static Diagnosis ofHttp(Target target, HttpAnswer answer) {
    String words = words(answer);
    int status = answer.getStatusCode();
    switch (status) {
      case 401:
      case 403:
        return ofCredentials(target, words);
      case 404:
      case 405:
        return new Diagnosis(Finding.NO_SUCH_PATH, words, target.otlp().endpoint());
      case 400:
        boolean tls = !target.isTls() && target.proxy() == null && speaksTls(target);
        return tls
            ? new Diagnosis(Finding.SPEAKS_TLS, target.address())
            : new Diagnosis(Finding.NOT_UNDERSTOOD, words);
      case 415:
        return new Diagnosis(Finding.NOT_UNDERSTOOD, words);
      case 407:
        return new Diagnosis(Finding.PROXY, target.address(), words);
      case 413:
        return new Diagnosis(Finding.TOO_LARGE, words);
      case 429:
        return new Diagnosis(Finding.BUSY, words);
      case 502:
      case 503:
      case 504:
        return new Diagnosis(Finding.UNAVAILABLE, words);
      default:
        break;
    }
    if (status >= 300 && status < 400 && answer.location() != null) {
      return new Diagnosis(Finding.REDIRECT, words, clean(answer.location()));
    }
    return new Diagnosis(answer.isHtml() ? Finding.WEB_PAGE : Finding.OTHER, words);
  }

  private static Diagnosis ofGrpc(Target target, ExportFailure failure) {
    String description = failure.grpcDescription();
    String words = failure.getMessage();
    if (description != null && !description.trim().isEmpty()) {
      words += ", " + clean(description);
    }
    GrpcStatusCode status = failure.grpcStatus();
    switch (status) {
      case UNAUTHENTICATED:
      case PERMISSION_DENIED:
        return ofCredentials(target, words);
      case UNIMPLEMENTED:
      case UNKNOWN:
        return new Diagnosis(Finding.NOT_OTLP, target.address(), words);
      case UNAVAILABLE:
        return new Diagnosis(Finding.UNAVAILABLE, words);
      case DEADLINE_EXCEEDED:
        return new Diagnosis(Finding.NO_ANSWER, target.address(), target.otlp().timeoutMillis());
      default:
        break;
    }
    switch (failure.kind()) {
      case TOO_LARGE:
        return new Diagnosis(Finding.TOO_LARGE, words);
      case BUSY:
        return new Diagnosis(Finding.BUSY, words);
      default:
        return new Diagnosis(Finding.OTHER, words);
    }
  }

  private static Diagnosis ofCredentials(Target target, String words) {
    Set<String> names = target.headerNames();
    return names.isEmpty()
        ? new Diagnosis(Finding.NO_CREDENTIALS, words)
        : new Diagnosis(Finding.WRONG_CREDENTIALS, words, String.join(", ", names));
  }

  private static Diagnosis ofProxied(Target target, ExportFailure failure) {
    SSLException tls = find(failure, SSLException.class);
    return tls == null
        ? new Diagnosis(Finding.PROXY, target.address(), failure.getMessage())
        : new Diagnosis(Finding.HANDSHAKE, target.otlp().endpoint(), clean(tls.getMessage()));
  }

  private static Diagnosis ofNetwork(Target target, ExportFailure failure) {
    String address = target.address();
    PortProbe probe = target.probe(target.port());
    SSLException tls = find(failure, SSLException.class);
    if (tls != null) {
      return ofTls(address, probe, tls);
    }
    if (!target.isTls() && probe.certificates() != null) {
      return new Diagnosis(Finding.SPEAKS_TLS, address);
    }
    Speech speech = probe.speech(target.isTls());
    if (speech == Speech.GRPC && !target.isGrpc()) {
      return new Diagnosis(Finding.SPEAKS_GRPC, address);
    }
    if (speech == Speech.HTTP && target.isGrpc()) {
      return new Diagnosis(Finding.SPEAKS_HTTP, address);
    }
    if (speech == Speech.OTHER) {
      return new Diagnosis(Finding.SPEAKS_SOMETHING_ELSE, address);
    }
    if (target.isTls() && speech == Speech.NOTHING && probe.speech(false) != Speech.NOTHING) {
      return new Diagnosis(Finding.SPEAKS_PLAIN_TEXT, address);
    }
    // The two senders tell it in two ways.
    if (failure.getMessage().equals("timeout")
        || find(failure, InterruptedIOException.class) != null) {
      return new Diagnosis(Finding.NO_ANSWER, address, target.otlp().timeoutMillis());
    }
    return find(failure, EOFException.class) != null
        ? new Diagnosis(Finding.CLOSED, address)
        : new Diagnosis(Finding.OTHER, failure.getMessage());
  }

  private static Diagnosis ofTls(String address, PortProbe probe, SSLException cause) {
    X509Certificate[] chain = probe.certificates();
    if (chain != null) {
      return ofCertificate(address, chain[0], cause);
    }
    return probe.speech(false) != Speech.NOTHING
        ? new Diagnosis(Finding.SPEAKS_PLAIN_TEXT, address)
        : new Diagnosis(Finding.HANDSHAKE, address, clean(cause.getMessage()));
  }

  private static boolean speaksTls(Target target) {
    return target.probe(target.port()).certificates() != null;
  }

  private static Diagnosis ofCertificate(String address, X509Certificate own, SSLException cause) {
    Instant now = Instant.now();
    Instant begins = own.getNotBefore().toInstant();
    Instant ends = own.getNotAfter().toInstant();
    if (ends.isBefore(now)) {
      return new Diagnosis(Finding.EXPIRED, address, ends);
    }
    if (begins.isAfter(now)) {
      return new Diagnosis(Finding.NOT_YET_VALID, address, begins);
    }
    StringBuilder all = new StringBuilder();
    for (Throwable t = cause; t != null; t = t.getCause()) {
      all.append(t.getMessage()).append('\n');
    }
    String text = all.toString();
    if (text.contains("No subject alternative")
        || text.contains("No name matching")
        || text.contains("not verified")) {
      return new Diagnosis(Finding.WRONG_NAME, address, names(own));
    }
    if (text.contains("PKIX path")) {
      return new Diagnosis(
          Finding.UNTRUSTED, address, own.getSubjectX500Principal(), own.getIssuerX500Principal());
    }
    return new Diagnosis(Finding.HANDSHAKE, address, clean(cause.getMessage()));
  }

  /** The host names and addresses of a certificate; its subject where it has none. */
  private static String names(X509Certificate certificate) {
    Collection<List<?>> alternatives;
    try {
      alternatives = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException e) {
      // It names nothing that can be read.
      alternatives = null;
    }
    List<String> names = new ArrayList<>();
    for (List<?> name : alternatives == null ? Collections.<List<?>>emptyList() : alternatives) {
      if (name.get(1) instanceof String) {
        names.add((String) name.get(1));
      }
    }
    return names.isEmpty()
        ? certificate.getSubjectX500Principal().toString()
        : String.join(", ", names);
  }

  /** The status, and what the body says where it is text. */
  private static String words(HttpAnswer answer) {
    StringBuilder words = new StringBuilder("HTTP ").append(answer.getStatusCode());
    if (answer.retryAfter() != null) {
      words.append(", Retry-After ").append(clean(answer.retryAfter()));
    }
    String body = clean(new String(answer.getResponseBody(), StandardCharsets.UTF_8));
    if (answer.isHtml()) {
      words.append(", a web page");
    } else if (!body.isEmpty()) {
      words.append(", ").append(body);
    }
    return words.toString();
  }

  /** One short line of a text that somebody else wrote, perhaps in binary. */
  private static String clean(String text) {
    String line = String.valueOf(text).replaceAll("[\\s\\p{Cntrl}\\uFFFD]+", " ").trim();
    return line.length() <= MAX_WORDS ? line : line.substring(0, MAX_WORDS) + "...";
  }

  private static <T extends Throwable> T find(Throwable thrown, Class<T> type) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
    }
    return null;
  }
}
