package io.sparkotel.agent.model;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line for what a failure came from: the first line of the deepest cause, and the frame of the
 * user's own code where it has one, as {@code java.lang.ArithmeticException: / by zero at
 * com.acme.Report.lambda$main$0(Report.java:31)}.
 */
final class RootCause {

  private static final String CAUSED_BY = "\nCaused by: ";
  private static final String FRAME = "\tat ";

  /** What Spark's scheduler puts before the error of the task that failed a job. */
  private static final Pattern ABORTED =
      Pattern.compile(
          "(?:[\\w.]{1,200}: )?Job aborted due to stage failure: [^\\n]{0,300}?most recent failure:"
              + " Lost task [^\\n]{0,400}?\\): ");

  private static final Pattern PYTHON_FRAME =
      Pattern.compile("^ {2}File \"([^\"\\n]+)\", line (\\d+)(?:, in (\\S+))?", Pattern.MULTILINE);

  /** Where Python tells one exception after the one that it came from. */
  private static final Pattern PYTHON_LINK =
      Pattern.compile("\\n\\n(?:The above exception was the direct|During handling of the above)");

  /** Parts of paths of Python's own files, of packages and of Spark. */
  private static final String[] NOT_THE_USERS = {
    "/site-packages/", "/dist-packages/", "/lib/python", "/pyspark/", "pyspark.zip", "<frozen ",
  };

  /** A longer line leaves room for the frame. */
  private static final int MAX_LINE_BYTES = 1_600;

  private final String line;
  private final String frame;

  private RootCause(String line, String frame) {
    this.line = line;
    this.frame = frame;
  }

  /** Of a task that failed. */
  static RootCause of(EndReason reason) {
    switch (reason.kind) {
      case ExceptionFailure:
        RootCause found = of(reason.stackTrace == null ? reason.message : reason.stackTrace);
        return found != null || reason.className == null
            ? found
            : new RootCause(reason.className, null);
      case FetchFailed:
        // Its frames are those of Spark's and the network's reading of blocks.
        return withKind(reason, StackTraces.rootCauseLine(reason.message));
      default:
        return withKind(reason, firstLine(reason.message));
    }
  }

  private static RootCause withKind(EndReason reason, String line) {
    String kind = reason.kind.name();
    return new RootCause(line == null ? kind : kind + ": " + line, null);
  }

  /**
   * @param text a stack trace, or a message that holds one or is all there is; may be null
   * @return null where it says nothing
   */
  static RootCause of(String text) {
    PythonTraceback python = PythonTraceback.parse(text);
    if (python != null) {
      return of(first(python));
    }
    String line = StackTraces.rootCauseLine(text);
    if (line == null) {
      return null;
    }
    Matcher aborted = ABORTED.matcher(line);
    if (aborted.lookingAt() && aborted.end() < line.length()) {
      line = line.substring(aborted.end());
    }
    return new RootCause(line, userFrame(text));
  }

  void put(AttributeList.Builder attributes, Redactor redactor) {
    Truncation shown = Truncation.toBytes(redactor.text(line), MAX_LINE_BYTES);
    Truncation all = Truncation.toBytes(withFrame(shown.text()), Limits.MESSAGE);
    Limits.put(attributes, Names.FAILURE_ROOT_CAUSE, shown.isCut() ? all.asCut() : all);
  }

  private String withFrame(String text) {
    return frame == null ? text : text + " at " + frame;
  }

  @Override
  public String toString() {
    return withFrame(line);
  }

  /** Of the exceptions of a chain, the one that was raised first. */
  private static PythonTraceback first(PythonTraceback last) {
    Matcher link = PYTHON_LINK.matcher(last.traceback());
    if (!link.find()) {
      return last;
    }
    PythonTraceback first = PythonTraceback.parse(last.traceback().substring(0, link.start()));
    return first == null ? last : first;
  }

  private static RootCause of(PythonTraceback python) {
    String message = firstLine(python.message());
    String line = message == null ? python.type() : python.type() + ": " + message;
    String frame = null;
    Matcher frames = PYTHON_FRAME.matcher(python.traceback());
    while (frames.find()) {
      String file = frames.group(1);
      if (isTheUsers(file)) {
        String place = file.substring(file.lastIndexOf('/') + 1) + ":" + frames.group(2);
        frame = frames.group(3) == null ? place : frames.group(3) + "(" + place + ")";
      }
    }
    return new RootCause(line, frame);
  }

  private static boolean isTheUsers(String file) {
    for (String part : NOT_THE_USERS) {
      if (file.contains(part)) {
        return false;
      }
    }
    return true;
  }

  /** The user's topmost frame of the deepest cause that has one, or null. */
  private static String userFrame(String trace) {
    int end = trace.length();
    while (end > 0) {
      int cause = trace.lastIndexOf(CAUSED_BY, end - 1);
      String frame = userFrame(trace, Math.max(cause, 0), end);
      if (frame != null || cause < 0) {
        return frame;
      }
      end = cause;
    }
    return null;
  }

  private static String userFrame(String trace, int from, int to) {
    int line = trace.indexOf('\n', from);
    while (line >= 0 && line + 1 < to) {
      int next = trace.indexOf('\n', line + 1);
      int lineEnd = next < 0 ? to : Math.min(next, to);
      if (trace.startsWith(FRAME, line + 1)) {
        StackFrame frame = StackFrame.parse(trace.substring(line + 1, lineEnd));
        if (frame != null && frame.isUser() && frame.place() != null) {
          return frame.className() + "." + frame.method() + "(" + frame.place() + ")";
        }
      }
      line = next;
    }
    return null;
  }

  /** The first that is not blank, or null. */
  private static String firstLine(String text) {
    if (text == null) {
      return null;
    }
    String trimmed = text.trim();
    int end = trimmed.indexOf('\n');
    String line = end < 0 ? trimmed : trimmed.substring(0, end).trim();
    return line.isEmpty() ? null : line;
  }
}
