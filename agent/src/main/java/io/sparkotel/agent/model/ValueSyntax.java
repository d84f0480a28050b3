package io.sparkotel.agent.model;

/**
 * Where keys, separators and values of one text end. Every method looks ahead from its argument.
 */
final class ValueSyntax {

  static final int MAX_SPACES = 16;

  private final String text;
  private final int length;

  ValueSyntax(String text) {
    this.text = text;
    this.length = text.length();
  }

  int wordEnd(int from) {
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

  /** The end of {@code = : => -> == := <=> !=}; where it starts if there is none. */
  int separatorEnd(int from) {
    if (text.startsWith("%3", from)
        && from + 2 < length
        && "AaDd".indexOf(text.charAt(from + 2)) >= 0) {
      return from + 3;
    }
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

  int skipSpaces(int from) {
    int end = from;
    while (end < length && end < from + MAX_SPACES && isSpace(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /** Over the closing quote of a quoted key, which may be escaped: {@code \"key\"}. */
  int skipQuote(int from) {
    int end = skipBackslashes(from);
    return end < length && isQuote(text.charAt(end)) ? end + 1 : from;
  }

  int skipBackslashes(int from) {
    int end = from;
    while (end < length && end < from + MAX_SPACES && text.charAt(end) == '\\') {
      end++;
    }
    return end;
  }

  int closingQuote(int open, boolean escaped) {
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

  int closingBracket(int open) {
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

  boolean endsValue(int at, boolean arrow, boolean header) {
    char c = text.charAt(at);
    if (isLineEnd(c)) {
      return true;
    }
    if (isQuote(c) || c == '}') {
      return header || !isInside(at);
    }
    if (header) {
      return false;
    }
    if (c == ',') {
      return startsNext(at + 1);
    }
    if (c == ')' || c == ']') {
      return !isInside(at);
    }
    if (arrow) {
      return false;
    }
    if (c == ';' || c == '&') {
      return startsNext(at + 1);
    }
    return isSpace(c) || (c == '>' && !isInside(at));
  }

  /** Whether a mark has letters on both sides: it is one of a password's then. */
  private boolean isInside(int at) {
    return at > 0
        && at + 1 < length
        && isWordPart(text.charAt(at - 1))
        && isWordPart(text.charAt(at + 1));
  }

  /** Whether another entry follows a comma, say: a password may hold commas. */
  private boolean startsNext(int from) {
    if (from >= length || isSpace(text.charAt(from)) || isLineEnd(text.charAt(from))) {
      return true;
    }
    if (isSeparator(text.charAt(from))) {
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

  private static boolean isSeparator(char c) {
    return c == ',' || c == ';' || c == '&' || c == ')' || c == ']' || c == '}' || isQuote(c);
  }

  /**
   * Where the opening quote of the value is that starts here, behind backslashes or a prefix as in
   * {@code b'x'}; -1 for none.
   */
  int quoteStart(int from) {
    int quote = skipBackslashes(from);
    if (quote == from) {
      while (quote < length && quote < from + 2 && "bBrRuUfFnN".indexOf(text.charAt(quote)) >= 0) {
        quote++;
      }
    }
    return quote < length && isQuote(text.charAt(quote)) ? quote : -1;
  }

  /** Where the first line of YAML's block is, whose mark {@code |} or {@code >} is here. */
  int blockStart(int from) {
    char c = text.charAt(from);
    int i = from + 1;
    if (c != '|' && c != '>') {
      return from;
    }
    while (i < length && i < from + 3 && "+-123456789".indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    i = skipSpaces(i);
    if (i < length && text.charAt(i) == '\r') {
      i++;
    }
    int line = i + 1;
    return line < length && text.charAt(i) == '\n' && isSpace(text.charAt(line))
        ? skipIndentation(line)
        : from;
  }

  /** The end of the lines that are indented like the one that starts here, or deeper. */
  int blockEnd(int from) {
    int indentation = 0;
    while (isSpace(text.charAt(from - indentation - 1))) {
      indentation++;
    }
    int end = lineEnd(from);
    while (end < length) {
      int line = end + 1;
      int start = skipIndentation(line);
      boolean blank = start >= length || isLineEnd(text.charAt(start));
      if (!blank && start - line < indentation) {
        break;
      }
      end = lineEnd(Math.min(start, length));
    }
    return end;
  }

  private int skipIndentation(int from) {
    int end = from;
    while (end < length && isSpace(text.charAt(end))) {
      end++;
    }
    return end;
  }

  int lineEnd(int from) {
    int newline = text.indexOf('\n', from);
    return newline < 0 ? length : newline;
  }

  int tokenEnd(int from) {
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

  static boolean isWordPart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  static boolean isKeyChar(char c) {
    return isWordPart(c) || c == '_' || c == '-' || c == '.' || (c > 0x7f && Character.isLetter(c));
  }

  static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }

  static boolean isQuote(char c) {
    return c == '"' || c == '\'' || c == '`';
  }
}
