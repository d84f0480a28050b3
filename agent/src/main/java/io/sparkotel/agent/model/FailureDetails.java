package io.sparkotel.agent.model;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;

/** What a failure's text tells beyond its message: Spark's error class, and what it came from. */
final class FailureDetails {

  private final ErrorClass errorClass;
  private final RootCause rootCause;

  private FailureDetails(ErrorClass errorClass, RootCause rootCause) {
    this.errorClass = errorClass;
    this.rootCause = rootCause;
  }

  /** Of a task. */
  static FailureDetails of(EndReason reason) {
    ErrorClass inTrace = ErrorClass.of(reason.className, reason.stackTrace);
    String type = reason.className == null ? "" : reason.className;
    return new FailureDetails(
        inTrace == null ? ErrorClass.of(type, reason.message) : inTrace, RootCause.of(reason));
  }

  /**
   * Of a job, a SQL execution or the application.
   *
   * @param text Spark's own message, or a stack trace
   * @param task the failure of the task that it came from, or null
   */
  static FailureDetails of(String text, FailureDetails task) {
    ErrorClass own = ErrorClass.of(null, text);
    if (task == null) {
      return new FailureDetails(own, RootCause.of(text));
    }
    return new FailureDetails(
        own == null ? task.errorClass : own,
        task.rootCause == null ? RootCause.of(text) : task.rootCause);
  }

  /** Spark's, or null. */
  String errorClass() {
    return errorClass == null ? null : errorClass.name();
  }

  void putErrorClass(AttributeList.Builder attributes) {
    if (errorClass != null) {
      Limits.putText(attributes, Names.ERROR_CLASS, errorClass.name(), Limits.WORD);
      attributes.put(Names.ERROR_SQL_STATE, errorClass.sqlState());
    }
  }

  void put(AttributeList.Builder attributes, Redactor redactor) {
    putErrorClass(attributes);
    if (rootCause != null) {
      rootCause.put(attributes, redactor);
    }
  }
}
