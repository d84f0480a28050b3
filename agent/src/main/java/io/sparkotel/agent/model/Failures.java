package io.sparkotel.agent.model;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns what Spark says of a failure into span events. */
final class Failures {

  /** Spark's own words for it: an error of the user's may speak of cancelling, too. */
  private static final Pattern CANCELLED =
      Pattern.compile("(?:Job|Stage)(?: \\d+)? cancell?ed\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern STACK_TRACE =
      Pattern.compile("([a-zA-Z_]\\w{0,100}(?:\\.[\\w$]{1,100}){1,30})(?=: |\\n)");

  private Failures() {}

  /** What was stopped on purpose is no error: a cancelled job, a cancelled stage. */
  static boolean isCancellation(String message) {
    if (message == null) {
      return false;
    }
    if (message.startsWith("[SPARK_JOB_CANCELLED]")) {
      return true;
    }
    return CANCELLED.matcher(message).lookingAt();
  }

  /** Class of the error, of a Python failure the Python class; Spark's end reason without one. */
  static String errorType(EndReason reason) {
    PythonTraceback python = PythonTraceback.parse(reason.message);
    if (python != null) {
      return python.type();
    }
    return reason.className == null ? reason.kind.name() : reason.className;
  }

  /**
   * Class of the error where the message is its stack trace, of a Python failure the Python class;
   * null where the message tells none.
   */
  static String errorType(String message) {
    PythonTraceback python = PythonTraceback.parse(message);
    if (python != null) {
      return python.type();
    }
    return message.contains("\n\tat ") ? firstClass(message) : null;
  }

  /** The class in front of a stack trace, or null. */
  static String firstClass(String stackTrace) {
    Matcher trace = STACK_TRACE.matcher(stackTrace);
    return trace.lookingAt() ? trace.group(1) : null;
  }

  /** The failure of a task; of a failed fetch with the executor that did not deliver. */
  static EventData event(EndReason reason, long timeMillis, SpanFactory spans) {
    Redactor redactor = spans.redactor;
    PythonTraceback python = PythonTraceback.parse(reason.message);
    if (python != null) {
      return event(python, timeMillis, redactor);
    }
    if (reason.stackTrace == null) {
      // The message of a fetch failure is a stack trace.
      AttributeList.Builder attributes = attributes(errorType(reason), reason.message, redactor);
      Limits.putText(attributes, Names.EXECUTOR_ID, reason.executorId, Limits.WORD);
      Limits.putText(attributes, Names.EXECUTOR_HOST, reason.host, Limits.WORD);
      spans.executors.put(attributes, reason.executorId, redactor);
      return at(timeMillis, Names.EXCEPTION_EVENT, attributes);
    }
    return event(errorType(reason), reason.message, reason.stackTrace, timeMillis, redactor);
  }

  /**
   * The failure of a job or a SQL execution, whose message may hold a stack trace.
   *
   * @param type class of the error, or null
   */
  static EventData event(String type, String message, long timeMillis, Redactor redactor) {
    PythonTraceback python = PythonTraceback.parse(message);
    if (python != null) {
      return event(python, timeMillis, redactor);
    }
    return at(timeMillis, Names.EXCEPTION_EVENT, attributes(type, message, redactor));
  }

  private static AttributeList.Builder attributes(String type, String message, Redactor redactor) {
    int end = message == null ? -1 : message.indexOf("\n\tat ");
    return end < 0
        ? attributes(type, message, null, redactor)
        : attributes(type, message.substring(0, end), message, redactor);
  }

  private static EventData event(PythonTraceback python, long timeMillis, Redactor redactor) {
    return event(python.type(), python.message(), python.traceback(), timeMillis, redactor);
  }

  static EventData event(
      String type, String message, String stackTrace, long timeMillis, Redactor redactor) {
    return at(timeMillis, Names.EXCEPTION_EVENT, attributes(type, message, stackTrace, redactor));
  }

  private static AttributeList.Builder attributes(
      String type, String message, String stackTrace, Redactor redactor) {
    AttributeList.Builder attributes = AttributeList.builder();
    Limits.putText(attributes, Names.EXCEPTION_TYPE, type, Limits.WORD);
    Limits.putText(attributes, Names.EXCEPTION_MESSAGE, redactor.text(message), Limits.MESSAGE);
    if (stackTrace != null) {
      Limits.put(
          attributes,
          Names.EXCEPTION_STACKTRACE,
          StackTraces.shorten(redactor.text(stackTrace), Limits.STACK_TRACE));
    }
    return attributes;
  }

  /** An executor was lost while it ran a task. */
  static EventData executorRemoved(TaskEnd end, SpanFactory spans) {
    AttributeList.Builder attributes = AttributeList.builder();
    Limits.putText(attributes, Names.EXECUTOR_ID, end.task.executorId, Limits.WORD);
    Limits.putText(attributes, Names.EXECUTOR_HOST, end.task.host, Limits.WORD);
    Limits.putText(
        attributes,
        Names.EXECUTOR_REMOVED_REASON,
        spans.redactor.text(end.reason.message),
        Limits.MESSAGE);
    LossReason reason = LossReason.of(end.reason.message);
    attributes.put(Names.EXECUTOR_LOSS_CAUSE, reason.cause.text());
    attributes.put(Names.EXECUTOR_EXIT_CODE, reason.exitCode);
    spans.executors.put(attributes, end.task.executorId, spans.redactor);
    return at(end.task.endTime(), Names.EXECUTOR_REMOVED_EVENT, attributes);
  }

  static EventData resubmitted(TaskEnd end) {
    AttributeList.Builder attributes = AttributeList.builder();
    attributes.put(Names.TASK_ID, end.task.id);
    Limits.putText(attributes, Names.EXECUTOR_ID, end.task.executorId, Limits.WORD);
    return at(end.task.endTime(), Names.TASK_RESUBMITTED_EVENT, attributes);
  }

  private static EventData at(long timeMillis, String name, AttributeList.Builder attributes) {
    AttributeList built = attributes.build();
    return EventData.create(FinishedSpan.nanos(timeMillis), name, built, built.size());
  }
}
