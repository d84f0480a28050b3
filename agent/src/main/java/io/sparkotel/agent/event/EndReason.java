package io.sparkotel.agent.event;

/** Spark's {@code TaskEndReason}. */
public final class EndReason {

  /** The names are Spark's: they are the values of {@code spark.task.outcome}. */
  public enum Kind {
    Success,
    ExceptionFailure,
    FetchFailed,
    TaskKilled,
    ExecutorLostFailure,
    TaskCommitDenied,
    TaskResultLost,
    Resubmitted,
    UnknownReason;

    /** By Spark's name; what no version that is known wrote is the unknown one. */
    public static Kind of(String name) {
      for (Kind kind : values()) {
        if (kind.name().equals(name)) {
          return kind;
        }
      }
      return UnknownReason;
    }

    /** Killed on purpose: neither a success nor an error. Spark counts both as killed. */
    public boolean isKilled() {
      return this == TaskKilled || this == TaskCommitDenied;
    }

    public boolean isFailure() {
      return this != Success && !isKilled();
    }
  }

  /** The one of all tasks that succeeded. */
  public static final EndReason SUCCESS = new EndReason(Kind.Success, null, null, null);

  /** Of a task of whose end nothing else is known. */
  public static final EndReason UNKNOWN = new EndReason(Kind.UnknownReason, null, null, null);

  public final Kind kind;

  /** Class of the exception, or null; never blank. */
  public final String className;

  /** The exception's message, the reason of a kill, a loss or a failed fetch; or null. */
  public final String message;

  /** The stack trace as text with its causes, or null. */
  public final String stackTrace;

  /** The executor that did not deliver a block, of a failed fetch; or null. */
  public final String executorId;

  /** The host of that executor, or null. */
  public final String host;

  public EndReason(Kind kind, String className, String message, String stackTrace) {
    this(kind, className, message, stackTrace, null, null);
  }

  private EndReason(
      Kind kind,
      String className,
      String message,
      String stackTrace,
      String executorId,
      String host) {
    this.kind = kind;
    this.className = className == null || className.trim().isEmpty() ? null : className;
    this.message = message;
    this.stackTrace = stackTrace;
    this.executorId = executorId;
    this.host = host;
  }

  /**
   * @param executorId of the executor that did not deliver a block, or null where none is known
   */
  public static EndReason fetchFailed(String message, String executorId, String host) {
    return new EndReason(Kind.FetchFailed, null, message, null, executorId, host);
  }
}
