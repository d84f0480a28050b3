package io.sparkotel.agent.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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

  private static final String[] SECRET_WORDS = {
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "accesskey",
    "apikey",
    "privatekey",
    "accountkey",
    "authorization",
  };

  private static final Set<String> SECRET_KEYS = new HashSet<>(Arrays.asList("pwd", "pass", "sig"));

  /** Spark's defaults of all versions: the built-in rules say the same, without a regex. */
  private static final Set<String> SPARK_DEFAULTS =
      new HashSet<>(
          Arrays.asList(
              "(?i)secret|password",
              "(?i)secret|password|token",
              "(?i)secret|password|token|access[.]key",
              "(?i)secret|password|token|access[.]?key"));

  /** Ends of words before a colon that are no keys: error classes and files of stack frames. */
  private static final String[] NOT_KEYS = {
    "exception", "error", ".java", ".scala", ".kt", ".py",
  };

  private static final int MAX_KEY_CHARS = 256;
  private static final int MAX_USER_INFO_CHARS = 2048;
  private static final int MAX_SPACES = 16;
  private static final int AWS_KEY_CHARS = 20;

  private final List<Pattern> patterns;
  private final List<String> problems;

  /**
   * @param sparkRegex the value of {@code spark.redaction.regex}; null or empty for Spark's default
   * @param extraRegex a pattern of the platform's; null or empty for none
   */
  public Redactor(String sparkRegex, String extraRegex) {
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
    if (key != null && (isSecretKey(key, 0, key.length()) || matches(key))) {
      return REPLACEMENT;
    }
    return matches(value) ? REPLACEMENT : text(value);
  }

  /**
   * Text with secrets replaced: values of secret keys ({@code k=v}, {@code k: v}, {@code "k":"v"},
   * {@code k -> v}, {@code k 'v'}, {@code --k v}), credentials in URLs, authorization headers,
   * bearer tokens and access key ids. The same instance where there are none; null for null.
   */
  public String text(String text) {
    if (text == null) {
      return null;
    }
    return new Scan(text).run();
  }

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

  /** By the built-in rules. Separators inside a key say nothing: access.key is accessKey. */
  private static boolean isSecretKey(String text, int from, int to) {
    StringBuilder letters = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c != '-' && c != '_' && c != '.' && c != ' ') {
        letters.append(c);
      }
    }
    if (letters.length() < 3) {
      return false;
    }
    String key = letters.toString().toLowerCase(Locale.ROOT);
    for (String word : SECRET_WORDS) {
      if (key.contains(word)) {
        return true;
      }
    }
    int last = to;
    while (last > from && isWordPart(text.charAt(last - 1))) {
      last--;
    }
    return SECRET_KEYS.contains(text.substring(last, to).toLowerCase(Locale.ROOT));
  }

  private static boolean isWordPart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static boolean isKeyChar(char c) {
    return isWordPart(c) || c == '_' || c == '-' || c == '.' || (c > 0x7f && Character.isLetter(c));
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }

  private static boolean isQuote(char c) {
    return c == '"' || c == '\'' || c == '`';
  }

  /**
   * One pass over a text, from word to word. Each word looks ahead a bounded way; what is replaced
   * is not looked at again.
   */
  private final class Scan {
    private final String text;
    private final int length;
    private StringBuilder out;
    private int copied;

    /** Where the next @ is, from the place where it was last looked for; the length for none. */
    private int nextAt = -1;

    Scan(String text) {
      this.text = text;
      this.length = text.length();
    }

    String run() {
      int i = 0;
      int wordBefore = -1;
      while (i < length) {
        char c = text.charAt(i);
        if (c == ':' && text.startsWith("://", i)) {
          i = userInfo(i + 3);
          wordBefore = -1;
        } else if (isKeyChar(c)) {
          int end = wordEnd(i);
          int next = word(i, end, wordBefore);
          wordBefore = next == end ? i : -1;
          i = next;
        } else {
          if (!isSpace(c)) {
            wordBefore = -1;
          }
          i++;
        }
      }
      return out == null ? text : out.append(text, copied, length).toString();
    }

    private int wordEnd(int from) {
      int end = from;
      while (end < length && isKeyChar(text.charAt(end))) {
        end++;
      }
      // In key->value the dash is part of the arrow.
      if (end < length && text.charAt(end) == '>' && text.charAt(end - 1) == '-') {
        end--;
      }
      return Math.max(end, from + 1);
    }

    /** Where to go on: the end of the word, or of the secret that follows it. */
    private int word(int from, int end, int wordBefore) {
      if (isBearer(from, end)) {
        int start = skipSpaces(end);
        int stop = start > end ? tokenEnd(start) : start;
        if (stop - start >= 8) {
          return replace(start, stop);
        }
      }
      if (end < length && text.charAt(end) == ':' && isOracleUrl(from, end)) {
        return oracleUser(end + 1);
      }
      int afterWord = skipQuote(end);
      int start = skipSpaces(afterWord);
      int separator = separatorEnd(start);
      boolean follows = separator > start;
      boolean quoted = start < length && isQuote(text.charAt(start)) && start > end;
      boolean option = text.startsWith("--", from) && start > end && start < length;
      if ((follows || quoted || option) && isSecret(from, end, wordBefore)) {
        boolean arrow = follows && text.charAt(separator - 1) == '>';
        boolean header = isAuthorization(from, end);
        int value = skipSpaces(follows ? separator : start);
        int stop = valueEnd(value, arrow, header);
        if (stop > value) {
          return stop;
        }
      }
      return accessKeys(from, end);
    }

    private boolean isSecret(int from, int end, int wordBefore) {
      int start = from;
      // "access key: x": the second word alone says nothing.
      if (wordBefore >= 0 && end - from == 3 && text.regionMatches(true, from, "key", 0, 3)) {
        start = wordBefore;
      }
      for (String suffix : NOT_KEYS) {
        if (endsWith(end, suffix)) {
          return false;
        }
      }
      if (isSecretKey(text, start, end)) {
        return true;
      }
      if (patterns.isEmpty()) {
        return false;
      }
      return matches(text.substring(Math.max(from, end - MAX_KEY_CHARS), end));
    }

    private boolean isAuthorization(int from, int end) {
      int size = "authorization".length();
      return end - from >= size && text.regionMatches(true, end - size, "authorization", 0, size);
    }

    private boolean isBearer(int from, int end) {
      return end - from == 6 && text.regionMatches(true, from, "bearer", 0, 6);
    }

    private boolean isOracleUrl(int from, int end) {
      String scheme = "jdbc:oracle:";
      return text.regionMatches(true, from - scheme.length(), scheme, 0, scheme.length())
          && end > from;
    }

    /** {@code jdbc:oracle:thin:scott/tiger@host}. */
    private int oracleUser(int from) {
      if (!hasAt(from)) {
        return from;
      }
      int slash = -1;
      for (int i = from; i < length && i < from + MAX_USER_INFO_CHARS; i++) {
        char c = text.charAt(i);
        if (c == '@') {
          return slash < 0 ? i : replace(from, i);
        }
        if (c <= ' ' || isQuote(c) || c == '?') {
          return from;
        }
        if (c == '/') {
          slash = i;
        }
      }
      return from;
    }

    /** Whether user information can end near here: nearly no text has an @, and no URL is read. */
    private boolean hasAt(int from) {
      if (nextAt < from) {
        int found = text.indexOf('@', from);
        nextAt = found < 0 ? length : found;
      }
      return nextAt < Math.min(length, from + MAX_USER_INFO_CHARS);
    }

    /** Replaces {@code user:pass} of {@code ://user:pass@host}; a bare user only for the web. */
    private int userInfo(int from) {
      if (!hasAt(from)) {
        return from;
      }
      boolean secret = isWebUrl(from - 3);
      boolean password = false;
      boolean colon = false;
      int at = -1;
      for (int i = from; i < length && i < from + MAX_USER_INFO_CHARS; i++) {
        char c = text.charAt(i);
        if (c == '@') {
          at = i;
        } else if (c == ':') {
          colon = true;
          secret |= at < 0;
        } else if (c <= ' ' || c == ',' || isQuote(c)) {
          break;
        } else if (c == '/' || c == '?' || c == '#') {
          // After a port comes the path; after anything else a password that was not escaped.
          if (at >= 0 || !password) {
            break;
          }
        } else if (colon && (c < '0' || c > '9')) {
          password = true;
        }
      }
      if (at > from && secret) {
        return replace(from, at);
      }
      return from;
    }

    private boolean isWebUrl(int colon) {
      return endsWith(colon, "http") || endsWith(colon, "https");
    }

    private boolean endsWith(int end, String word) {
      return text.regionMatches(true, end - word.length(), word, 0, word.length());
    }

    /** The end of {@code = : => -> == := <=> !=}; where it starts if there is none. */
    private int separatorEnd(int from) {
      int end = from;
      boolean means = false;
      while (end < length && end < from + 3) {
        char c = text.charAt(end);
        if (c == '=' || c == ':') {
          means = true;
        } else if (c == '>') {
          means |= end > from && text.charAt(end - 1) == '-';
        } else if (c != '-' && c != '<' && c != '!') {
          break;
        } else if (means) {
          // The sign belongs to the value: x=-1.
          break;
        }
        end++;
      }
      return means ? end : from;
    }

    private int skipSpaces(int from) {
      int end = from;
      while (end < length && end < from + MAX_SPACES && isSpace(text.charAt(end))) {
        end++;
      }
      return end;
    }

    /** Over the closing quote of a quoted key, which may be escaped: {@code \"key\"}. */
    private int skipQuote(int from) {
      int end = skipBackslashes(from);
      return end < length && isQuote(text.charAt(end)) ? end + 1 : from;
    }

    private int skipBackslashes(int from) {
      int end = from;
      while (end < length && end < from + MAX_SPACES && text.charAt(end) == '\\') {
        end++;
      }
      return end;
    }

    /** Replaces the value that starts here; returns where it ended, or its start for no value. */
    private int valueEnd(int from, boolean arrow, boolean header) {
      if (from >= length) {
        return from;
      }
      if (text.startsWith(REPLACEMENT, from)) {
        return from + REPLACEMENT.length();
      }
      int quote = skipBackslashes(from);
      if (quote < length && isQuote(text.charAt(quote))) {
        int close = closingQuote(quote, quote > from);
        if (text.startsWith(REPLACEMENT, quote + 1)) {
          return quote + 1 + REPLACEMENT.length();
        }
        return replace(quote + 1, close);
      }
      char first = text.charAt(from);
      if (first == '[' || first == '(' || first == '{') {
        return replace(from + 1, closingBracket(from));
      }
      int end = from;
      while (end < length && !endsValue(end, arrow, header)) {
        end++;
      }
      return replace(from, end);
    }

    private int closingQuote(int open, boolean escaped) {
      char quote = text.charAt(open);
      int i = open + 1;
      while (i < length && !isLineEnd(text.charAt(i))) {
        char c = text.charAt(i);
        if (c == '\\' && !escaped) {
          i += 2;
          continue;
        }
        if (c == quote) {
          if (!escaped && i + 1 < length && text.charAt(i + 1) == quote) {
            i += 2;
            continue;
          }
          return escaped ? beforeBackslashes(i, open) : i;
        }
        i++;
      }
      return Math.min(i, length);
    }

    private int beforeBackslashes(int end, int open) {
      int start = end;
      while (start > open + 1 && text.charAt(start - 1) == '\\') {
        start--;
      }
      return start;
    }

    private int closingBracket(int open) {
      int depth = 0;
      int i = open;
      for (; i < length && !isLineEnd(text.charAt(i)); i++) {
        char c = text.charAt(i);
        if (c == '[' || c == '(' || c == '{') {
          depth++;
        } else if ((c == ']' || c == ')' || c == '}') && --depth == 0) {
          return i;
        }
      }
      return i;
    }

    private boolean endsValue(int at, boolean arrow, boolean header) {
      char c = text.charAt(at);
      if (isLineEnd(c) || isQuote(c) || c == '}') {
        return true;
      }
      if (header) {
        return false;
      }
      if (c == ',') {
        return startsNext(at + 1);
      }
      if (c == ')' || c == ']') {
        return true;
      }
      if (arrow) {
        return false;
      }
      return isSpace(c) || c == ';' || c == '&' || c == '>';
    }

    /** Whether another entry follows a comma: a password may hold commas. */
    private boolean startsNext(int from) {
      if (from >= length || isSpace(text.charAt(from)) || isLineEnd(text.charAt(from))) {
        return true;
      }
      int i = skipQuote(from);
      int bound = Math.min(length, i + 64);
      int start = i;
      while (i < bound && isKeyChar(text.charAt(i))) {
        i++;
      }
      return i > start && separatorEnd(skipQuote(i)) > i;
    }

    private int tokenEnd(int from) {
      int end = from;
      while (end < length) {
        char c = text.charAt(end);
        if (!isKeyChar(c) && c != '+' && c != '/' && c != '=' && c != '~') {
          break;
        }
        end++;
      }
      return end;
    }

    /** Replaces AWS access key ids inside a word; returns its end. */
    private int accessKeys(int from, int end) {
      if (end - from < AWS_KEY_CHARS) {
        return end;
      }
      int i = from;
      while (i + AWS_KEY_CHARS <= end) {
        boolean starts = i == from || !isWordPart(text.charAt(i - 1));
        if (starts && isAccessKey(i, end)) {
          replace(i, i + AWS_KEY_CHARS);
          i += AWS_KEY_CHARS;
        } else {
          i++;
        }
      }
      return end;
    }

    private boolean isAccessKey(int from, int end) {
      if (!text.startsWith("AKIA", from) && !text.startsWith("ASIA", from)) {
        return false;
      }
      for (int i = from; i < from + AWS_KEY_CHARS; i++) {
        char c = text.charAt(i);
        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) {
          return false;
        }
      }
      return from + AWS_KEY_CHARS == end || !isWordPart(text.charAt(from + AWS_KEY_CHARS));
    }

    private int replace(int from, int to) {
      if (to <= from) {
        return from;
      }
      if (out == null) {
        out = new StringBuilder(length + REPLACEMENT.length());
      }
      out.append(text, copied, from).append(REPLACEMENT);
      copied = to;
      return to;
    }
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
