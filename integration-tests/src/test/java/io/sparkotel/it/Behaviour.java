package io.sparkotel.it;

import java.time.Duration;

/**
 * How the receiver answers.
 *
 * @param status HTTP status; by gRPC the status code that stands for it
 * @param retryAfter HTTP header of that name, or null
 * @param delay before the answer
 * @param hang true: read the request and never answer
 * @param rejectedSpans of a partial success, the last ones of the request
 * @param message of a refusal or a partial success
 */
public record Behaviour(
    int status,
    String retryAfter,
    Duration delay,
    boolean hang,
    int rejectedSpans,
    String message) {

  public static Behaviour accept() {
    return new Behaviour(200, null, Duration.ZERO, false, 0, "");
  }

  public static Behaviour refuse(int status) {
    return new Behaviour(status, null, Duration.ZERO, false, 0, "refused by the test");
  }

  /** Takes the request and leaves its sender waiting until the receiver is closed. */
  public static Behaviour neverAnswer() {
    return new Behaviour(200, null, Duration.ZERO, true, 0, "");
  }

  public static Behaviour partialSuccess(int rejectedSpans, String message) {
    return new Behaviour(200, null, Duration.ZERO, false, rejectedSpans, message);
  }

  public Behaviour withRetryAfter(String value) {
    return new Behaviour(status, value, delay, hang, rejectedSpans, message);
  }

  public Behaviour after(Duration wait) {
    return new Behaviour(status, retryAfter, wait, hang, rejectedSpans, message);
  }

  boolean accepts() {
    return status == 200 && !hang;
  }
}
