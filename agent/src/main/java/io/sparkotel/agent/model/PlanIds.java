package io.sparkotel.agent.model;

/** What Spark numbers anew in every run, in the text of a plan. */
final class PlanIds {

  private PlanIds() {}

  /**
   * Text without {@code #12L}, {@code [id=#52]}, {@code , [plan_id=42]}, {@code @27fafcca},
   * newlines.
   */
  static String without(String text) {
    StringBuilder out = new StringBuilder(text.length());
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      int end = i;
      if (c == '#') {
        end = exprIdEnd(text, i);
      } else if (c == '@') {
        end = hashEnd(text, i);
      } else if (c == '[') {
        end = planIdEnd(text, i);
        if (end > i) {
          trimSeparator(out);
        }
      }
      if (end > i) {
        i = end;
      } else {
        out.append(c == '\n' || c == '\r' || c == '\t' ? ' ' : c);
        i++;
      }
    }
    int length = out.length();
    while (length > 0 && out.charAt(length - 1) == ' ') {
      length--;
    }
    out.setLength(length);
    return out.toString();
  }

  static int exprIdEnd(String text, int at) {
    char before = at == 0 ? ' ' : text.charAt(at - 1);
    boolean named =
        Character.isLetterOrDigit(before) || before == '_' || ")]`?*%$-'".indexOf(before) >= 0;
    int end = digitsEnd(text, at + 1);
    if (!named || end == at + 1) {
      return at;
    }
    if (end < text.length() && text.charAt(end) == 'L') {
      end++;
    }
    return end < text.length()
            && PlanText.isWordChar(text.charAt(end), false)
            && text.charAt(end) != '-'
        ? at
        : end;
  }

  static int hashEnd(String text, int at) {
    if (at == 0 || !PlanText.isWordChar(text.charAt(at - 1), false)) {
      return at;
    }
    int end = at + 1;
    while (end < text.length() && end < at + 10 && Character.digit(text.charAt(end), 16) >= 0) {
      end++;
    }
    boolean ends = end == text.length() || !PlanText.isWordChar(text.charAt(end), true);
    return ends && end > at + 4 && end <= at + 9 ? end : at;
  }

  private static int planIdEnd(String text, int at) {
    int digits;
    if (text.startsWith("[id=#", at)) {
      digits = at + "[id=#".length();
    } else if (text.startsWith("[plan_id=", at)) {
      digits = at + "[plan_id=".length();
    } else {
      return at;
    }
    int end = digitsEnd(text, digits);
    return end > digits && end < text.length() && text.charAt(end) == ']' ? end + 1 : at;
  }

  static int digitsEnd(String text, int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private static void trimSeparator(StringBuilder out) {
    int length = out.length();
    while (length > 0 && (out.charAt(length - 1) == ' ' || out.charAt(length - 1) == ',')) {
      length--;
    }
    out.setLength(length);
  }
}
