package io.sparkotel.agent.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The class that Spark gives its errors since 3.3, as {@code [DIVIDE_BY_ZERO]}, with the SQLSTATE
 * where the message has one. Events carry no field for either: they stand in the message.
 */
final class ErrorClass {

  private static final Pattern NAME =
      Pattern.compile("\\[([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?:\\.[A-Z][A-Z0-9_]*)*)] ");

  private static final Pattern SQL_STATE = Pattern.compile("SQLSTATE: ([0-9A-Z]{5})\\b");

  /** Packages whose exceptions have such classes: in anybody else's message it is a word. */
  private static final String[] PACKAGES = {"org.apache.spark.", "pyspark.", "io.delta."};

  /** Longer than any class name of Spark's. */
  private static final int MAX_TYPE_CHARS = 200;

  private final String name;
  private final String sqlState;

  private ErrorClass(String name, String sqlState) {
    this.name = name;
    this.sqlState = sqlState;
  }

  /** Such as {@code UNRESOLVED_COLUMN.WITH_SUGGESTION}. */
  String name() {
    return name;
  }

  /** Five characters, or null. */
  String sqlState() {
    return sqlState;
  }

  /**
   * That of the innermost cause which has one.
   *
   * @param type class of the exception whose message the text begins with; null where Spark itself
   *     made the text
   * @param text a message or a stack trace
   * @return null where there is none
   */
  static ErrorClass of(String type, String text) {
    if (text == null) {
      return null;
    }
    Matcher matcher = NAME.matcher(text);
    String name = null;
    int end = 0;
    for (int at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
      if (isBehindType(type, text, at) && matcher.region(at, text.length()).lookingAt()) {
        name = matcher.group(1);
        end = matcher.end();
      }
    }
    return name == null ? null : new ErrorClass(name, sqlState(text, end));
  }

  private static boolean isBehindType(String type, String text, int at) {
    if (at == 0) {
      return type == null || isSparks(type);
    }
    if (!text.startsWith(": ", at - 2)) {
      return false;
    }
    int end = at - 2;
    int start = end;
    while (start > 0 && end - start < MAX_TYPE_CHARS && isTypeChar(text.charAt(start - 1))) {
      start--;
    }
    return isSparks(text.substring(start, end));
  }

  private static boolean isTypeChar(char c) {
    return Character.isJavaIdentifierPart(c) || c == '.';
  }

  private static boolean isSparks(String type) {
    for (String prefix : PACKAGES) {
      if (type.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  /** In the same message: before the frames begin. */
  private static String sqlState(String text, int from) {
    int end = text.indexOf("\n\tat ", from);
    Matcher matcher = SQL_STATE.matcher(text).region(from, end < 0 ? text.length() : end);
    return matcher.find() ? matcher.group(1) : null;
  }
}
