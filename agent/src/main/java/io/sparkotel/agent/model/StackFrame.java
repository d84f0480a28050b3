package io.sparkotel.agent.model;

/**
 * One line of a JVM stack, {@code [module/]class.method(File.java:31)}, with or without a leading
 * {@code at}.
 */
final class StackFrame {

  /** Code that is not the user's. A frame of these is never shown as the place of a call. */
  private static final String[] PLATFORM = {
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "scala.",
    "kotlin.",
    "py4j.",
    "com.databricks.",
    "org.apache.livy.",
    "org.apache.hadoop.",
    "org.apache.hive.",
    "io.sparkotel.agent.",
    "io.sparkotel.bootstrap.",
    "io.sparkotel.shaded.",
  };

  private static final String SPARK = "org.apache.spark.";
  private static final String SPARK_EXAMPLES = "org.apache.spark.examples.";

  private final String className;
  private final String method;
  private final String place;

  private StackFrame(String className, String method, String place) {
    this.className = className;
    this.method = method;
    this.place = place;
  }

  /** Null where the line is no frame. */
  static StackFrame parse(String line) {
    int start = 0;
    int end = line.length();
    while (start < end && line.charAt(start) <= ' ') {
      start++;
    }
    while (end > start && line.charAt(end - 1) <= ' ') {
      end--;
    }
    if (line.startsWith("at ", start)) {
      start += 3;
    }
    int open = line.indexOf('(', start);
    if (open < 0) {
      return null;
    }
    int close = line.indexOf(')', open);
    int slash = line.lastIndexOf('/', open);
    if (slash >= start) {
      start = slash + 1;
    }
    int dot = line.lastIndexOf('.', open - 1);
    if (dot <= start || close < 0 || close > end || dot + 1 == open) {
      return null;
    }
    for (int i = start; i < open; i++) {
      if (line.charAt(i) <= ' ' || line.charAt(i) == ':') {
        return null;
      }
    }
    return new StackFrame(
        line.substring(start, dot), line.substring(dot + 1, open), line.substring(open + 1, close));
  }

  String className() {
    return className;
  }

  String method() {
    return method;
  }

  /** {@code File.java:31}, or null where the frame has no source file. */
  String place() {
    return place.isEmpty() || place.equals("Native Method") || place.equals("Unknown Source")
        ? null
        : place;
  }

  boolean isSpark() {
    return className.startsWith(SPARK) && !className.startsWith(SPARK_EXAMPLES);
  }

  boolean isUser() {
    return origin() == null;
  }

  /** The package that this code which is not the user's is of; null for the user's. */
  String origin() {
    if (isSpark()) {
      return "org.apache.spark";
    }
    for (String prefix : PLATFORM) {
      if (className.startsWith(prefix)) {
        return prefix.substring(0, prefix.length() - 1);
      }
    }
    return null;
  }
}
