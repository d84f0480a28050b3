package io.sparkotel.agent.model;

/** How the program ended, as far as the driver's JVM could learn it. */
public final class Outcome {

  /** Nothing was learnt: main returned, or nobody can know. */
  public static final Outcome UNKNOWN = new Outcome(null, null, null, null, false);

  final Integer exitCode;
  final String errorType;
  final String errorMessage;
  final String stackTrace;
  final boolean interrupted;

  private Outcome(
      Integer exitCode,
      String errorType,
      String errorMessage,
      String stackTrace,
      boolean interrupted) {
    this.exitCode = exitCode;
    this.errorType = errorType;
    this.errorMessage = errorMessage;
    this.stackTrace = stackTrace;
    this.interrupted = interrupted;
  }

  public static Outcome exit(int code) {
    return new Outcome(code, null, null, null, false);
  }

  /** Main threw: the JVM exits with 1. */
  public static Outcome failed(String errorType, String errorMessage, String stackTrace) {
    return new Outcome(1, errorType, errorMessage, stackTrace, false);
  }

  /** A signal ended the JVM. */
  public static Outcome interrupted() {
    return new Outcome(null, null, null, null, true);
  }
}
