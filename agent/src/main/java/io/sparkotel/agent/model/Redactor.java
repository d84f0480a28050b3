package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Takes secrets out of settings and text. What looks like a secret by the built-in rules is always
 * taken out; patterns of the user's only add to them. Immutable; every method is linear in its
 * input, whatever the input and the patterns are.
 */
public final class Redactor {

  /** What stands for a secret: the same text as Spark's own. */
  public static final String REPLACEMENT = "*********(redacted)";

  /** Ends of words that are no keys: error classes and files of stack frames. */
  private static final String[] NOT_KEYS = {
    "exception", "error", ".java", ".scala", ".kt", ".py",
  };

  private static final int MAX_KEY_CHARS = 256;

  /** Spark's defaults of all versions: the built-in rules say the same, without a regex. */
  private static final Set<String> SPARK_DEFAULTS =
      new HashSet<>(
          Arrays.asList(
              "(?i)secret|password",
              "(?i)secret|password|token",
              "(?i)secret|password|token|access[.]key",
              "(?i)secret|password|token|access[.]?key"));

  private final AgentConfig.SqlText quotedSql;
  private final List<Pattern> patterns;
  private final List<String> problems;

  /**
   * @param sparkRegex the value of {@code spark.redaction.regex}; null or empty for Spark's default
   * @param extraRegex a pattern of the platform's; null or empty for none
   */
  public Redactor(String sparkRegex, String extraRegex) {
    this(sparkRegex, extraRegex, AgentConfig.SqlText.MASKED);
  }

  /**
   * @param quotedSql what is shown of statements that messages of errors quote
   */
  Redactor(String sparkRegex, String extraRegex, AgentConfig.SqlText quotedSql) {
    this.quotedSql = quotedSql;
    List<Pattern> compiled = new ArrayList<>(2);
    List<String> found = new ArrayList<>(0);
    for (String regex : new String[] {sparkRegex, extraRegex}) {
      if (regex == null || regex.isEmpty() || SPARK_DEFAULTS.contains(regex)) {
        continue;
      }
      try {
        compiled.add(Pattern.compile(regex));
      } catch (PatternSyntaxException e) {
        found.add("redaction pattern '" + regex + "' is not valid: " + e.getDescription());
      }
    }
    patterns = Collections.unmodifiableList(compiled);
    problems = Collections.unmodifiableList(found);
  }

  /** One line for each pattern that was left out because it is not valid. */
  public List<String> problems() {
    return problems;
  }

  /**
   * The value of a setting as it may be shown: {@link #REPLACEMENT} where the key, or by a pattern
   * of the user's the value, is a secret's; else the value less what {@link #text} takes out.
   */
  public String conf(String key, String value) {
    if (value == null || value.isEmpty()) {
      return value;
    }
    if (key != null && (SecretKeys.isSecret(key, 0, key.length()) || matches(key))) {
      return REPLACEMENT;
    }
    return matches(value) ? REPLACEMENT : text(value);
  }

  /**
   * Text with secrets replaced: values of secret keys ({@code k=v}, {@code k: v}, {@code "k":"v"},
   * {@code k -> v}, {@code k 'v'}, {@code --k v}, {@code <k>v</k>}, {@code name=k value=v}, {@code
   * option("k", "v")}, {@code setK("v")}), what plans and queries compare with their columns,
   * credentials in URLs and on command lines, authorization and cookie headers, and what {@link
   * SecretShapes} knows; and of statements that errors quote what is not to be shown. The same
   * instance where there are none; null for null.
   */
  public String text(String text) {
    if (text == null || isShortWord(text)) {
      return text;
    }
    return new SecretScan(QuotedSql.shown(text, quotedSql), this).run();
  }

  /** Too short for a token and without anything that could be the value of a key. */
  private static boolean isShortWord(String text) {
    if (text.length() >= SecretShapes.MIN_TOKEN_CHARS) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 'a' || c > 'z') {
        return false;
      }
    }
    return true;
  }

  /** Whether what stands behind this word of a text is a secret. */
  boolean isSecret(String text, int from, int to) {
    for (String suffix : NOT_KEYS) {
      if (text.regionMatches(true, to - suffix.length(), suffix, 0, suffix.length())) {
        return false;
      }
    }
    if (SecretKeys.isSecret(text, from, to)) {
      return true;
    }
    return !patterns.isEmpty() && matches(text.substring(Math.max(from, to - MAX_KEY_CHARS), to));
  }

  /** Whether a pattern of the user's finds something. */
  private boolean matches(String text) {
    for (Pattern pattern : patterns) {
      if (finds(pattern, text)) {
        return true;
      }
    }
    return false;
  }

  /** True as well where the pattern needs too long or too deep a search: then nobody can tell. */
  private static boolean finds(Pattern pattern, String text) {
    try {
      return pattern.matcher(new MeteredText(text, 0, text.length(), budget(text))).find();
    } catch (OutOfBudgetException | StackOverflowError e) {
      return true;
    }
  }

  private static int[] budget(String text) {
    return new int[] {10_000 + 100 * Math.min(text.length(), 1_000_000)};
  }

  /** Text that stops a search that reads it too often. */
  private static final class MeteredText implements CharSequence {
    private final String text;
    private final int from;
    private final int to;
    private final int[] left;

    MeteredText(String text, int from, int to, int[] left) {
      this.text = text;
      this.from = from;
      this.to = to;
      this.left = left;
    }

    @Override
    public int length() {
      return to - from;
    }

    @Override
    public char charAt(int index) {
      if (--left[0] < 0) {
        throw new OutOfBudgetException();
      }
      return text.charAt(from + index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new MeteredText(text, from + start, from + end, left);
    }

    @Override
    public String toString() {
      return text.substring(from, to);
    }
  }

  private static final class OutOfBudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfBudgetException() {
      super(null, null, false, false);
    }
  }
}
