package io.sparkotel.agent.model;

/**
 * A Python exception as found in the message or stack trace of a JVM exception. Where Python
 * chained several, the last is the error and the traceback shows all.
 */
public final class PythonTraceback {

  private static final String HEADER = "Traceback (most recent call last):";

  private final String type;
  private final String message;
  private final String traceback;

  private PythonTraceback(String type, String message, String traceback) {
    this.type = type;
    this.message = message;
    this.traceback = traceback;
  }

  /** The class as Python prints it, such as {@code ValueError} or {@code __main__.MyError}. */
  public String type() {
    return type;
  }

  /** May have several lines; empty where the exception has none. */
  public String message() {
    return message;
  }

  /** From the first {@code Traceback} line to the end of the message, without JVM frames. */
  public String traceback() {
    return traceback;
  }

  /** Null where the text, which may be null, holds no complete Python traceback. */
  public static PythonTraceback parse(String text) {
    if (text == null) {
      return null;
    }
    // JVM exceptions repeat the traceback of their cause; the last one is the innermost.
    int last = text.lastIndexOf(HEADER);
    if (last < 0) {
      return null;
    }
    int end = blockEnd(text, last + HEADER.length());
    int error = errorLine(text, last + HEADER.length(), end);
    if (error < 0) {
      return null;
    }
    int typeEnd = typeEnd(text, error, end);
    if (typeEnd < 0) {
      return null;
    }
    String message = "";
    if (typeEnd < end && text.charAt(typeEnd) == ':') {
      message = text.substring(typeEnd + 1, end).trim();
    }
    int first = blockStart(text, last);
    return new PythonTraceback(text.substring(error, typeEnd), message, text.substring(first, end));
  }

  /** Where the JVM's part starts again, without the blank lines before it. */
  private static int blockEnd(String text, int from) {
    int line = text.indexOf('\n', from);
    while (line >= 0 && !startsJvmPart(text, line + 1)) {
      line = text.indexOf('\n', line + 1);
    }
    int end = line < 0 ? text.length() : line;
    while (end > from && text.charAt(end - 1) <= ' ') {
      end--;
    }
    return end;
  }

  private static boolean startsJvmPart(String text, int line) {
    return startsJvmFrame(text, line)
        || text.startsWith("Caused by: ", line)
        || text.startsWith("Driver stacktrace:", line)
        || text.startsWith("JVM stacktrace:", line)
        // Of the JVM's exception around it, since Spark 4.3.
        || text.startsWith(" SQLSTATE: ", line);
  }

  private static boolean startsJvmFrame(String text, int line) {
    return text.startsWith("\tat ", line) || text.startsWith("\t...", line);
  }

  /** The first traceback of the chain: none of the JVM's lines is between it and the last. */
  private static int blockStart(String text, int last) {
    int line = text.lastIndexOf('\n', last);
    while (line > 0 && !startsJvmFrame(text, line + 1)) {
      line = text.lastIndexOf('\n', line - 1);
    }
    return text.indexOf(HEADER, Math.max(0, line));
  }

  /** The first line after the frames: those are indented. */
  private static int errorLine(String text, int from, int end) {
    int line = text.indexOf('\n', from);
    while (line >= 0 && line + 1 < end) {
      char c = text.charAt(line + 1);
      if (c > ' ') {
        return line + 1;
      }
      line = text.indexOf('\n', line + 1);
    }
    return -1;
  }

  private static int typeEnd(String text, int from, int end) {
    int i = from;
    while (i < end && isTypeChar(text.charAt(i))) {
      i++;
    }
    boolean complete = i == end || text.charAt(i) == ':' || text.charAt(i) == '\n';
    return complete && i > from ? i : -1;
  }

  private static boolean isTypeChar(char c) {
    // A class made in a function is called module.function.<locals>.Name.
    return Character.isJavaIdentifierPart(c) || c == '.' || c == '<' || c == '>';
  }
}
