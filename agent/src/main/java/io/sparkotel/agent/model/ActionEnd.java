package io.sparkotel.agent.model;

/** What came of an action: of its topmost span, an execution or a job outside SQL. */
final class ActionEnd {

  final Totals totals;

  /** Epoch milliseconds. */
  final long start;

  final long end;

  /** Spark told that it ended. */
  final boolean isTold;

  /** It is more than a job without a stage, as Spark runs it where there is no input. */
  final boolean hasRun;

  /** Null where it did not fail. */
  final Failure failure;

  /** Why it failed. */
  static final class Failure {
    final String type;
    private final String message;
    private final FailureDetails details;

    private Failure(String type, String message, FailureDetails details) {
      this.type = type;
      this.message = message;
      this.details = details;
    }

    /** As that of what the action is in: the action has the exception as an event. */
    void put(SpanFactory.Draft above, Redactor redactor) {
      above.error(type, message);
      details.put(above.attributes, redactor);
    }
  }

  /**
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  ActionEnd(SqlSpan sql, long closeTime) {
    totals = sql.totals;
    start = sql.startTime();
    end = sql.endTime(closeTime);
    isTold = sql.isEnded();
    hasRun = true;
    failure =
        sql.hasFailed() ? new Failure(sql.errorType(), sql.failureMessage(), sql.failure()) : null;
  }

  /**
   * @param closeTime the end where Spark told none, epoch milliseconds
   */
  ActionEnd(JobSpan job, long closeTime) {
    totals = job.totals;
    start = job.startTime();
    end = job.endTime(closeTime);
    isTold = job.isEnded();
    hasRun = job.stageIds().length > 0 || !job.isEnded() || job.failed();
    failure =
        job.failed() ? new Failure(job.errorType(), job.failureMessage(), job.failure()) : null;
  }
}
