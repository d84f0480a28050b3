package io.sparkotel.agent.model;

/** Credentials in the URLs of one text. */
final class SecretUrls {

  private static final int MAX_USER_INFO_CHARS = 2048;

  private final String text;
  private final int length;
  private final RedactedText redacted;

  /** Where the next @ is, from the place where it was last looked for; the length for none. */
  private int nextAt = -1;

  SecretUrls(RedactedText redacted) {
    this.text = redacted.text;
    this.length = text.length();
    this.redacted = redacted;
  }

  boolean isOracleUrl(int from, int end) {
    String scheme = "jdbc:oracle:";
    return text.regionMatches(true, from - scheme.length(), scheme, 0, scheme.length())
        && end > from;
  }

  /** {@code jdbc:oracle:thin:scott/tiger@host}. */
  int oracleUser(int from) {
    if (!hasAt(from)) {
      return from;
    }
    boolean slash = false;
    int at = -1;
    for (int i = from; i < length && i < from + MAX_USER_INFO_CHARS; i++) {
      char c = text.charAt(i);
      if (c == '@' && slash) {
        at = i;
      } else if (c == '@' || c <= ' ' || endsOracleUser(i)) {
        break;
      }
      slash |= c == '/';
    }
    return at < 0 ? from : redacted.replace(from, at);
  }

  /** A quote may be part of it: {@code scott/"tiger"@host}. */
  private boolean endsOracleUser(int at) {
    char c = text.charAt(at);
    if (c == '"') {
      char next = at + 1 < length ? text.charAt(at + 1) : ' ';
      return text.charAt(at - 1) != '/' && next != '/' && next != '@';
    }
    return ValueSyntax.isQuote(c) || c == '?' || c == '(';
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
  int userInfo(int from) {
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
        if (at >= 0 && text.startsWith("://", i)) {
          break;
        }
        colon = true;
        secret |= at < 0;
      } else if (c <= ' ' || (c == ',' && !password) || ValueSyntax.isQuote(c)) {
        break;
      } else if (c == '/' || c == '?' || c == '#') {
        // After a port comes the path; after anything else a password that was not escaped, which
        // may have an @ of its own: another one behind a slash ends it, though a path may have one.
        if (!password || (at >= 0 && c != '/')) {
          break;
        }
      } else if (colon && (c < '0' || c > '9')) {
        password = true;
      }
    }
    if (at > from && secret) {
      return redacted.replace(from, at);
    }
    return from;
  }

  private boolean isWebUrl(int colon) {
    return endsWith(colon, "http") || endsWith(colon, "https");
  }

  private boolean endsWith(int end, String word) {
    return text.regionMatches(true, end - word.length(), word, 0, word.length());
  }
}
