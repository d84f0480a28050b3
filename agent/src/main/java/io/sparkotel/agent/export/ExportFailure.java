package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import javax.net.ssl.SSLException;

/**
 * Why a request did not deliver its spans. The senders judge, since only they see the answer; the
 * SDK's exporters hand it on as the cause of their own exceptions. The message is one short line.
 */
final class ExportFailure extends Exception {

  private static final long serialVersionUID = 1L;
  private static final int MAX_MESSAGE = 200;

  enum Kind {
    /** Nobody there, or not now: keep the spans and try again later. */
    UNREACHABLE,
    /** The collector lives and asks for patience: keep the spans and try again later. */
    BUSY,
    /** It will never take these spans. */
    REFUSED,
    /** Fewer spans at a time may pass. */
    TOO_LARGE,
    /** The spans arrived, but for some that it did not take. */
    PARTIAL
  }

  private final Kind kind;
  private final long retryAfterMillis;
  private final long rejected;
  private final transient HttpAnswer httpAnswer;
  private final GrpcStatusCode grpcStatus;
  private final String grpcDescription;

  private ExportFailure(Kind kind, String message, long retryAfterMillis, long rejected) {
    this(kind, message, retryAfterMillis, rejected, null, null, null, null);
  }

  private ExportFailure(
      Kind kind,
      String message,
      long retryAfterMillis,
      long rejected,
      Throwable cause,
      HttpAnswer httpAnswer,
      GrpcStatusCode grpcStatus,
      String grpcDescription) {
    super(oneLine(message), cause, false, false);
    this.kind = kind;
    this.retryAfterMillis = retryAfterMillis;
    this.rejected = rejected;
    this.httpAnswer = httpAnswer;
    this.grpcStatus = grpcStatus;
    this.grpcDescription = grpcDescription;
  }

  /** For a status that is not 2xx, and for a web page, which no collector answers. */
  static ExportFailure http(HttpAnswer answer) {
    int status = answer.getStatusCode();
    String text = "HTTP " + status + (answer.isSuccess() ? ", a web page" : "");
    long retryAfter = retryAfterMillis(answer.retryAfter());
    return new ExportFailure(httpKind(status), text, retryAfter, 0, null, answer, null, null);
  }

  static ExportFailure grpc(GrpcStatusCode status, String description) {
    Kind kind = grpcKind(status, description);
    return new ExportFailure(kind, "gRPC " + status, 0, 0, null, null, status, description);
  }

  static ExportFailure network(Throwable cause) {
    String text = networkText(cause);
    return new ExportFailure(Kind.UNREACHABLE, text, 0, 0, cause, null, null, null);
  }

  static ExportFailure timeout() {
    return new ExportFailure(Kind.UNREACHABLE, "timeout", 0, 0);
  }

  static ExportFailure refused(String message) {
    return new ExportFailure(Kind.REFUSED, message, 0, 0);
  }

  static ExportFailure tooLarge(long bytes) {
    return new ExportFailure(Kind.TOO_LARGE, "a request of " + bytes + " bytes", 0, 0);
  }

  /** A success of which {@code rejected} spans are excepted; with 0 it is only a warning. */
  static ExportFailure partial(long rejected, String message) {
    String text = rejected == 0 ? message : rejected + " spans rejected: " + message;
    return new ExportFailure(Kind.PARTIAL, text, 0, rejected);
  }

  /** The failure in the chain of causes; where there is none, a refusal that names the error. */
  static ExportFailure of(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof ExportFailure) {
        return (ExportFailure) t;
      }
    }
    return refused(thrown == null ? "failed without a reason" : describe(thrown));
  }

  Kind kind() {
    return kind;
  }

  /** 0 where the collector asked for no delay. */
  long retryAfterMillis() {
    return retryAfterMillis;
  }

  long rejected() {
    return rejected;
  }

  /** The answer that is no success, or null where there was none over HTTP. */
  HttpAnswer httpAnswer() {
    return httpAnswer;
  }

  /** Null where there was no answer over gRPC. */
  GrpcStatusCode grpcStatus() {
    return grpcStatus;
  }

  /** The collector's own words, or null. */
  String grpcDescription() {
    return grpcDescription;
  }

  /** The class and message of any error in one short line. */
  static String describe(Throwable thrown) {
    String message = thrown.getMessage();
    String name = thrown.getClass().getSimpleName();
    return oneLine(message == null || message.isEmpty() ? name : name + ": " + message);
  }

  private static Kind httpKind(int status) {
    switch (status) {
      case 429:
        return Kind.BUSY;
      case 502:
      case 503:
      case 504:
        return Kind.UNREACHABLE;
      case 413:
        return Kind.TOO_LARGE;
      default:
        return Kind.REFUSED;
    }
  }

  private static Kind grpcKind(GrpcStatusCode status, String description) {
    switch (status) {
      case RESOURCE_EXHAUSTED:
        // gRPC servers answer so both when they are overloaded and when a message is above their
        // limit; only the text tells which.
        return description != null && description.contains("larger than")
            ? Kind.TOO_LARGE
            : Kind.BUSY;
      case ABORTED:
      case OUT_OF_RANGE:
      case DATA_LOSS:
        return Kind.BUSY;
      case CANCELLED:
      case DEADLINE_EXCEEDED:
      case UNAVAILABLE:
        return Kind.UNREACHABLE;
      default:
        return Kind.REFUSED;
    }
  }

  private static long retryAfterMillis(String header) {
    if (header == null) {
      return 0;
    }
    String value = header.trim();
    try {
      if (!value.isEmpty() && value.length() < 10 && value.chars().allMatch(Character::isDigit)) {
        return Long.parseLong(value) * 1000;
      }
      Instant until = DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from);
      return Math.max(0, Duration.between(Instant.now(), until).toMillis());
    } catch (DateTimeParseException e) {
      // The header asks for something that nobody can read: our own backoff serves.
      return 0;
    }
  }

  private static String networkText(Throwable cause) {
    // Of a socket, or of a whole call by gRPC.
    if (cause instanceof InterruptedIOException) {
      return "timeout";
    }
    if (cause instanceof ConnectException) {
      String message = String.valueOf(cause.getMessage());
      return message.contains("refused") ? "connection refused" : message;
    }
    if (cause instanceof UnknownHostException) {
      return "unknown host " + cause.getMessage();
    }
    if (cause instanceof NoRouteToHostException) {
      return "no route to host";
    }
    if (cause instanceof EOFException) {
      return "connection closed";
    }
    if (cause instanceof SSLException) {
      return "TLS: " + cause.getMessage();
    }
    return describe(cause);
  }

  private static String oneLine(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").trim();
    return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + "...";
  }
}
