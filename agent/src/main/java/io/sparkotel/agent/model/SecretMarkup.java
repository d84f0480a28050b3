package io.sparkotel.agent.model;

/** Secrets in XML, and in pairs that name their key, of one text. */
final class SecretMarkup {

  private static final String CDATA = "<![CDATA[";
  private static final int MAX_MARKUP_CHARS = 128;

  private final String text;
  private final int length;
  private final Redactor rules;
  private final ValueSyntax syntax;
  private final RedactedText redacted;
  private final SecretValues values;

  SecretMarkup(Redactor rules, ValueSyntax syntax, RedactedText redacted, SecretValues values) {
    this.text = redacted.text;
    this.length = text.length();
    this.rules = rules;
    this.syntax = syntax;
    this.redacted = redacted;
    this.values = values;
  }

  /** Replaces the text of an element: {@code <password>x</password>}. */
  int elementOf(int from, int end) {
    if (end >= length || !isElementName(from)) {
      return end;
    }
    int close = end;
    if (ValueSyntax.isSpace(text.charAt(end))) {
      while (close < length && close < end + MAX_MARKUP_CHARS && !isMarkup(text.charAt(close))) {
        close++;
      }
    }
    if (close >= length
        || text.charAt(close) != '>'
        || text.charAt(close - 1) == '/'
        || !rules.isSecret(text, from, end)) {
      return end;
    }
    return elementText(close + 1, end);
  }

  private boolean isElementName(int from) {
    int i = from;
    if (i > 0 && text.charAt(i - 1) == ':') {
      i--;
      while (i > 0 && i > from - MAX_MARKUP_CHARS && ValueSyntax.isWordPart(text.charAt(i - 1))) {
        i--;
      }
    }
    return i > 0 && text.charAt(i - 1) == '<';
  }

  private static boolean isMarkup(char c) {
    return c == '<' || c == '>';
  }

  /**
   * Replaces the text of the element whose start tag ends here; returns {@code none} for no text.
   * Linear in sum: it reads to the next tag only, or what it reads is replaced.
   */
  private int elementText(int from, int none) {
    int start = from;
    while (start < length && text.charAt(start) <= ' ') {
      start++;
    }
    if (text.startsWith(CDATA, start)) {
      int close = text.indexOf("]]>", start);
      return redacted.replace(start + CDATA.length(), close < 0 ? length : close);
    }
    boolean words = false;
    int stop = start;
    while (stop < length && text.charAt(stop) != '<') {
      words |= text.charAt(stop) <= ' ';
      stop++;
    }
    // List<Token> is no element; the end of a text may have been cut off.
    boolean closed = text.startsWith("</", stop) || (stop == length && !words);
    return closed && stop > start ? redacted.replace(start, stop) : none;
  }

  /**
   * Replaces the value of a pair that names its key: {@code name="password" value="x"}, {@code
   * <name>password</name><value>x</value>}, {@code {"name":"password","value":"x"}}.
   */
  int valueOfNamed(int from, int end) {
    int i = end;
    if (text.startsWith("</name>", i)) {
      i += "</name>".length();
    }
    int bound = Math.min(length, i + MAX_MARKUP_CHARS);
    while (i < bound && isBetweenPair(text.charAt(i))) {
      i++;
    }
    if (i == end || !text.regionMatches(true, i, "value", 0, "value".length())) {
      return end;
    }
    if (!isNamed(from) || !rules.isSecret(text, from, end)) {
      return end;
    }
    i += "value".length();
    if (i < length && text.charAt(i) == '>') {
      return elementText(i + 1, end);
    }
    i = syntax.skipSpaces(syntax.skipQuote(i));
    int separator = syntax.separatorEnd(i);
    if (separator == i) {
      return end;
    }
    int value = syntax.skipSpaces(separator);
    int stop = values.replace(value, false, false);
    return stop > value ? stop : end;
  }

  private static boolean isBetweenPair(char c) {
    return c <= ' ' || c == ',' || c == '<' || c == '\\' || ValueSyntax.isQuote(c);
  }

  /** Whether a name or a key says what the word here is. */
  private boolean isNamed(int from) {
    int i = from;
    while (i > 0 && i > from - ValueSyntax.MAX_SPACES && isBeforeName(text.charAt(i - 1))) {
      i--;
    }
    return i < from && (endsWith(i, "name") || endsWith(i, "key"));
  }

  private static boolean isBeforeName(char c) {
    return c <= ' ' || c == '=' || c == ':' || c == '>' || c == '\\' || ValueSyntax.isQuote(c);
  }

  private boolean endsWith(int end, String word) {
    return text.regionMatches(true, end - word.length(), word, 0, word.length());
  }
}
