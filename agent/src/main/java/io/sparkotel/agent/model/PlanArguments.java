package io.sparkotel.agent.model;

import java.util.ArrayList;
import java.util.List;

/** The arguments in a plan node's text. */
final class PlanArguments {

  private static final int MAX_ARGUMENTS = 200;

  private PlanArguments() {}

  /** Split at the commas outside of brackets; what is not balanced is in the last one. */
  static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length() && parts.size() < MAX_ARGUMENTS; i++) {
      char c = text.charAt(i);
      if ("([{".indexOf(c) >= 0) {
        depth++;
      } else if (")]}".indexOf(c) >= 0) {
        depth--;
      } else if (c == ',' && depth <= 0 && text.startsWith(" ", i + 1)) {
        parts.add(text.substring(start, i).trim());
        start = i + 1;
      }
    }
    parts.add(text.substring(start).trim());
    return parts;
  }

  /** The elements of {@code [a, b]}; none where it is no list. */
  static List<String> list(String text) {
    boolean list = text.length() > 2 && text.startsWith("[") && text.endsWith("]");
    return list ? split(text.substring(1, text.length() - 1)) : new ArrayList<>();
  }

  /** What is behind {@code key} and before one of the {@code ends}, or null. */
  static String after(String text, String key, String ends) {
    int at = text.indexOf(key);
    if (at < 0) {
      return null;
    }
    int start = at + key.length();
    int end = start;
    while (end < text.length() && ends.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    String value = text.substring(start, end).trim();
    return value.isEmpty() ? null : value;
  }

  /** A name without its quotes: {@code `a`.`b`} is {@code a.b}. */
  static String unquoted(String name) {
    return name.replace("`", "");
  }
}
