package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** SQL text without the values in it. */
public final class SqlText {

  private static final char MASK = '?';

  private static final Set<String> FIRST_WORDS =
      new HashSet<>(
          Arrays.asList(
              "add",
              "alter",
              "analyze",
              "begin",
              "cache",
              "call",
              "clear",
              "comment",
              "commit",
              "convert",
              "copy",
              "create",
              "declare",
              "delete",
              "desc",
              "describe",
              "drop",
              "execute",
              "explain",
              "export",
              "fetch",
              "from",
              "grant",
              "import",
              "insert",
              "list",
              "load",
              "lock",
              "map",
              "merge",
              "msck",
              "optimize",
              "reduce",
              "refresh",
              "repair",
              "replace",
              "reset",
              "restore",
              "revoke",
              "rollback",
              "select",
              "set",
              "show",
              "table",
              "truncate",
              "uncache",
              "unlock",
              "update",
              "use",
              "vacuum",
              "values",
              "with"));

  private static final int MAX_WORD = 16;

  private SqlText() {}

  /**
   * The text with every literal (strings, numbers, hex and typed literals) as {@code ?} and without
   * comments; hints, identifiers, keywords and placeholders stay. A quote or comment that is not
   * closed ends the text. Null for null.
   */
  public static String mask(String sql) {
    return sql == null ? null : new Masker(sql).run();
  }

  /**
   * Whether the text starts like a statement, after comments and opening parentheses. A call site
   * ({@code show at Report.java:3}) does not; free text that starts with such a word does.
   */
  public static boolean looksLikeSql(String text) {
    if (text == null) {
      return false;
    }
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c <= ' ' || c == '(' || c == ';') {
        i++;
      } else if (text.startsWith("--", i)) {
        i = lineEnd(text, i);
      } else if (text.startsWith("/*", i)) {
        i = commentEnd(text, i);
      } else {
        break;
      }
    }
    int end = i;
    while (end < text.length() && end - i < MAX_WORD && isLetter(text.charAt(end))) {
      end++;
    }
    if (!FIRST_WORDS.contains(text.substring(i, end).toLowerCase(Locale.ROOT))) {
      return false;
    }
    if (end < text.length() && isWordPart(text.charAt(end))) {
      return false;
    }
    return !isCallSite(text, end);
  }

  private static boolean isCallSite(String text, int from) {
    if (!text.startsWith(" at ", from) || text.indexOf('\n') >= 0) {
      return false;
    }
    int last = text.length() - 1;
    int i = last;
    while (i > from && isDigit(text.charAt(i))) {
      i--;
    }
    return i < last && text.charAt(i) == ':';
  }

  private static int lineEnd(String text, int from) {
    int newline = text.indexOf('\n', from);
    return newline < 0 ? text.length() : newline;
  }

  /** The end of a comment that starts here; comments nest. */
  private static int commentEnd(String text, int from) {
    int depth = 0;
    int i = from;
    while (i < text.length()) {
      if (text.startsWith("/*", i)) {
        depth++;
        i += 2;
      } else if (text.startsWith("*/", i)) {
        depth--;
        i += 2;
        if (depth == 0) {
          return i;
        }
      } else {
        i++;
      }
    }
    return i;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isWordPart(char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c > 0x7f;
  }

  private static final class Masker {
    private final String sql;
    private final int length;
    private final StringBuilder out;

    Masker(String sql) {
      this.sql = sql;
      this.length = sql.length();
      this.out = new StringBuilder(Math.min(length, 4096));
    }

    String run() {
      int i = 0;
      while (i < length) {
        char c = sql.charAt(i);
        if (c == '\'' || c == '"') {
          i = string(i, false);
        } else if (c == '`') {
          i = identifier(i);
        } else if (c == '$') {
          i = dollar(i);
        } else if (sql.startsWith("--", i)) {
          i = lineEnd(sql, i);
          space();
        } else if (sql.startsWith("/*", i) && !sql.startsWith("/*+", i)) {
          i = commentEnd(sql, i);
          space();
        } else if (isDigit(c) || (c == '.' && i + 1 < length && isDigit(sql.charAt(i + 1)))) {
          i = number(i);
        } else if (isWordPart(c)) {
          i = word(i);
        } else {
          out.append(c);
          i++;
        }
      }
      return out.toString().trim();
    }

    private void mask() {
      // 'a''b' and 'a' 'b' without a space between are one value.
      if (out.length() == 0 || out.charAt(out.length() - 1) != MASK) {
        out.append(MASK);
      }
    }

    private void space() {
      if (out.length() > 0 && out.charAt(out.length() - 1) > ' ') {
        out.append(' ');
      }
    }

    private int string(int open, boolean raw) {
      char quote = sql.charAt(open);
      mask();
      int i = open + 1;
      while (i < length) {
        char c = sql.charAt(i);
        if (c == '\\' && !raw) {
          i += 2;
        } else if (c == quote) {
          return i + 1;
        } else {
          i++;
        }
      }
      return length;
    }

    private int identifier(int open) {
      int close = open + 1;
      while (close < length && sql.charAt(close) != '`') {
        // Rather a mistake in the text than a name: what is quoted here may be a value.
        if (sql.charAt(close) == '\'' || sql.charAt(close) == '"') {
          close = length;
        } else {
          close++;
        }
      }
      int end = close < length ? close + 1 : open + 1;
      out.append(sql, open, end);
      return end;
    }

    /** {@code $$...$$} and {@code $tag$...$tag$} are strings, any other dollar is a placeholder. */
    private int dollar(int open) {
      int end = digits(open + 1);
      if (end > open + 1) {
        out.append(sql, open, end);
        return end;
      }
      while (end < length && end - open < 64 && isLetter(sql.charAt(end))) {
        end++;
      }
      if (end >= length || sql.charAt(end) != '$') {
        out.append('$');
        return open + 1;
      }
      String tag = sql.substring(open, end + 1);
      mask();
      int close = sql.indexOf(tag, end + 1);
      return close < 0 ? length : close + tag.length();
    }

    private int word(int from) {
      int end = wordEnd(from);
      char next = end < length ? sql.charAt(end) : ' ';
      if (end - from == 1 && (next == '\'' || next == '"')) {
        char prefix = (char) (sql.charAt(from) | 0x20);
        if (prefix == 'r') {
          return string(end, true);
        }
        if (prefix == 'x' || prefix == 'b' || prefix == 'n' || prefix == 'u') {
          return string(end, false);
        }
      }
      out.append(sql, from, end);
      return end;
    }

    private int wordEnd(int from) {
      int end = from;
      while (end < length && isWordPart(sql.charAt(end))) {
        end++;
      }
      return end;
    }

    /** A number, or an identifier that starts with a digit, which Spark allows. */
    private int number(int from) {
      int end = digits(from);
      if (end < length && sql.charAt(end) == '.') {
        end = digits(end + 1);
      }
      if (end < length && (sql.charAt(end) | 0x20) == 'e') {
        int sign = end + 1;
        if (sign < length && (sql.charAt(sign) == '-' || sql.charAt(sign) == '+')) {
          sign++;
        }
        if (sign < length && isDigit(sql.charAt(sign))) {
          end = digits(sign);
        }
      }
      int wordEnd = wordEnd(end);
      if (isSuffix(end, wordEnd) || isHex(from, wordEnd)) {
        mask();
      } else {
        out.append(sql, from, wordEnd);
      }
      return wordEnd;
    }

    private int digits(int from) {
      int end = from;
      while (end < length && isDigit(sql.charAt(end))) {
        end++;
      }
      return end;
    }

    private boolean isSuffix(int from, int to) {
      if (to - from == 1) {
        return "lsydf".indexOf(sql.charAt(from) | 0x20) >= 0;
      }
      return from == to || (to - from == 2 && sql.regionMatches(true, from, "bd", 0, 2));
    }

    private boolean isHex(int from, int to) {
      if (to - from < 3 || !sql.regionMatches(true, from, "0x", 0, 2)) {
        return false;
      }
      for (int i = from + 2; i < to; i++) {
        if (Character.digit(sql.charAt(i), 16) < 0) {
          return false;
        }
      }
      return true;
    }
  }
}
