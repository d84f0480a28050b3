package io.sparkotel.agent.model;

/** Values of one text, from their first char on. */
final class SecretValues {

  /** How far behind the end of its line the end of a quoted value is looked for. */
  private static final int MAX_QUOTED_LINES_CHARS = 512;

  private final String text;
  private final int length;
  private final ValueSyntax syntax;
  private final RedactedText redacted;

  SecretValues(ValueSyntax syntax, RedactedText redacted) {
    this.text = redacted.text;
    this.length = text.length();
    this.syntax = syntax;
    this.redacted = redacted;
  }

  /** Replaces the value that starts here; returns where it ended, or its start for no value. */
  int replace(int from, boolean arrow, boolean header) {
    if (from >= length) {
      return from;
    }
    if (text.startsWith(Redactor.REPLACEMENT, from)) {
      return from + Redactor.REPLACEMENT.length();
    }
    int quote = syntax.quoteStart(from);
    if (quote >= 0) {
      return quoted(from, quote);
    }
    char first = text.charAt(from);
    if (first == '[' || first == '(' || first == '{') {
      return redacted.replace(from + 1, syntax.closingBracket(from));
    }
    int block = syntax.blockStart(from);
    if (block > from) {
      return redacted.replace(block, syntax.blockEnd(block));
    }
    int end = from;
    while (end < length) {
      if (opensQuoted(end, header)) {
        boolean escaped = text.charAt(end - 1) == '\\';
        end = syntax.skipBackslashes(syntax.closingQuote(end, escaped));
      } else if (syntax.endsValue(end, arrow, header)) {
        break;
      } else if (opensCall(end)) {
        end = syntax.closingBracket(end);
      }
      end++;
    }
    end = Math.min(end, length);
    return redacted.replace(from, end);
  }

  /** {@code Digest username="x", response="y"}. */
  private boolean opensQuoted(int at, boolean header) {
    return header
        && ValueSyntax.isQuote(text.charAt(at))
        && (text.charAt(at - 1) == '=' || text.startsWith("=\\", at - 2));
  }

  /** {@code SecretStr('x')}. */
  private boolean opensCall(int at) {
    return text.charAt(at) == '(' && at + 1 < length && ValueSyntax.isQuote(text.charAt(at + 1));
  }

  private int quoted(int from, int quote) {
    if (text.startsWith(Redactor.REPLACEMENT, quote + 1)) {
      return quote + 1 + Redactor.REPLACEMENT.length();
    }
    char mark = text.charAt(quote);
    String triple = "" + mark + mark + mark;
    if (mark != '`' && text.startsWith(triple, quote)) {
      int start = quote + triple.length();
      int end = text.indexOf(triple, start);
      return redacted.replace(start, end < 0 ? length : opens(end) ? syntax.lineEnd(start) : end);
    }
    int close = syntax.closingQuote(quote, text.charAt(from) == '\\');
    if (close < length && ValueSyntax.isLineEnd(text.charAt(close))) {
      int bound = Math.min(length, close + MAX_QUOTED_LINES_CHARS);
      int later = close;
      while (later < bound && text.charAt(later) != mark) {
        later++;
      }
      close = later < bound && !opens(later) ? later : close;
    }
    return redacted.replace(quote + 1, close);
  }

  /** Whether a quote begins another value: the one before was cut off. */
  private boolean opens(int quote) {
    int before = quote - 1;
    while (before > quote - ValueSyntax.MAX_SPACES && ValueSyntax.isSpace(text.charAt(before))) {
      before--;
    }
    return "=:,([{".indexOf(text.charAt(before)) >= 0;
  }
}
