package io.sparkotel.agent.model;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.regex.Pattern;

/** Turns what Spark says of a failure into span events. */
final class Failures {

  private static final String EXIT_CODE_MARK = "exit";

  /** Spark's own words for it: an error of the user's may speak of cancelling, too. */
  private static final Pattern CANCELLED =
      Pattern.compile("(?:Job|Stage)(?: \\d+)? cancell?ed\\b", Pattern.CASE_INSENSITIVE);

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

  static EventData event(EndReason reason, long timeMillis, Redactor redactor) {
    PythonTraceback python = PythonTraceback.parse(reason.message);
    if (python != null) {
      return event(python, timeMillis, redactor);
    }
    if (reason.stackTrace == null) {
      // The message of a fetch failure is a stack trace.
      return event(errorType(reason), reason.message, timeMillis, redactor);
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
    int end = message == null ? -1 : message.indexOf("\n\tat ");
    return end < 0
        ? event(type, message, null, timeMillis, redactor)
        : event(type, message.substring(0, end), message, timeMillis, redactor);
  }

  private static EventData event(PythonTraceback python, long timeMillis, Redactor redactor) {
    return event(python.type(), python.message(), python.traceback(), timeMillis, redactor);
  }

  static EventData event(
      String type, String message, String stackTrace, long timeMillis, Redactor redactor) {
    AttributeList.Builder attributes = AttributeList.builder();
    Limits.putText(attributes, Names.EXCEPTION_TYPE, type, Limits.WORD);
    Limits.putText(attributes, Names.EXCEPTION_MESSAGE, redactor.text(message), Limits.MESSAGE);
    if (stackTrace != null) {
      Limits.put(
          attributes,
          Names.EXCEPTION_STACKTRACE,
          StackTraces.shorten(redactor.text(stackTrace), Limits.STACK_TRACE));
    }
    return at(timeMillis, Names.EXCEPTION_EVENT, attributes);
  }

  /** An executor was lost while it ran a task. */
  static EventData executorRemoved(TaskEnd end, Redactor redactor) {
    AttributeList.Builder attributes = AttributeList.builder();
    Limits.putText(attributes, Names.EXECUTOR_ID, end.task.executorId, Limits.WORD);
    Limits.putText(attributes, Names.EXECUTOR_HOST, end.task.host, Limits.WORD);
    Limits.putText(
        attributes,
        Names.EXECUTOR_REMOVED_REASON,
        redactor.text(end.reason.message),
        Limits.MESSAGE);
    attributes.put(Names.EXECUTOR_EXIT_CODE, exitCode(end.reason.message));
    return at(end.task.endTime(), Names.EXECUTOR_REMOVED_EVENT, attributes);
  }

  static EventData resubmitted(TaskEnd end) {
    AttributeList.Builder attributes = AttributeList.builder();
    attributes.put(Names.TASK_ID, end.task.id);
    Limits.putText(attributes, Names.EXECUTOR_ID, end.task.executorId, Limits.WORD);
    return at(end.task.endTime(), Names.TASK_RESUBMITTED_EVENT, attributes);
  }

  /** The number behind "exited with code", "exit code", "exit status" and the like, or null. */
  static Integer exitCode(String reason) {
    if (reason == null) {
      return null;
    }
    String lower = reason.toLowerCase(java.util.Locale.ROOT);
    for (int at = lower.indexOf(EXIT_CODE_MARK);
        at >= 0;
        at = lower.indexOf(EXIT_CODE_MARK, at + 1)) {
      Integer code = numberBehind(lower, at);
      if (code != null) {
        return code;
      }
    }
    return null;
  }

  private static Integer numberBehind(String text, int from) {
    int limit = Math.min(text.length(), from + "exit status (with code) : ".length());
    int digit = from;
    while (digit < limit && !Character.isDigit(text.charAt(digit))) {
      digit++;
    }
    boolean named = text.substring(from, digit).matches("exit(ed)?.{0,10}(code|status)\\W*");
    if (digit == limit || !named) {
      return null;
    }
    int end = digit;
    while (end < text.length() && end - digit < 9 && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return Integer.valueOf(text.substring(digit, end));
  }

  private static EventData at(long timeMillis, String name, AttributeList.Builder attributes) {
    AttributeList built = attributes.build();
    return EventData.create(FinishedSpan.nanos(timeMillis), name, built, built.size());
  }
}
