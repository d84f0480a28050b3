package io.sparkotel.agent.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Collects every mistake of a configuration as one line each. Secret values never get in. */
final class ConfigProblems {

  private static final int MAX_LINES = 50;
  private static final int MAX_VALUE_CHARS = 200;

  private final List<String> lines = new ArrayList<>();
  private int more;

  /**
   * A value that cannot be used, or not whole.
   *
   * @param source where the value came from, as {@link ConfigSources#describe}
   * @param using what is used instead
   */
  void badValue(Setting<?> setting, String value, String source, String complaint, String using) {
    String legal = setting.type().legal();
    add(
        setting.key()
            + "="
            + show(setting, value)
            + " ("
            + source
            + "): "
            + complaint
            + (legal.isEmpty() ? "" : "; legal values: " + legal)
            + "; using "
            + using);
  }

  /** A value from a source that may not give it. */
  void ignored(Setting<?> setting, String value, String source, String reason) {
    add(
        setting.key()
            + "="
            + show(setting, value)
            + " ("
            + source
            + "): "
            + reason
            + "; the value is ignored");
  }

  /** Anything else. The caller vouches that the line holds no secret. */
  void add(String line) {
    if (lines.size() < MAX_LINES) {
      lines.add(oneLine(line));
    } else {
      more++;
    }
  }

  List<String> lines() {
    List<String> all = new ArrayList<>(lines);
    if (more > 0) {
      all.add("and " + more + " more problems with the configuration");
    }
    return Collections.unmodifiableList(all);
  }

  /** A value as a person may see it. */
  static String show(Setting<?> setting, String value) {
    return setting.isSecret() ? "***" : cut(withoutUserInfo(value));
  }

  static String cut(String value) {
    if (value.length() <= MAX_VALUE_CHARS) {
      return value;
    }
    int end = MAX_VALUE_CHARS;
    if (Character.isHighSurrogate(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(0, end) + "...";
  }

  /** {@code http://user:pass@host/} without the user and the password. */
  private static String withoutUserInfo(String value) {
    int start = value.indexOf("//");
    start = start < 0 ? 0 : start + 2;
    int at = value.lastIndexOf('@');
    return at < start ? value : value.substring(0, start) + "***" + value.substring(at);
  }

  /** A line break in a value must not look like a line of the log. */
  static String oneLine(String line) {
    StringBuilder out = new StringBuilder(line.length());
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      out.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? '?' : c);
    }
    return out.toString();
  }
}
