package io.sparkotel.agent.model;

/**
 * One pass over a text, from word to word. Each word looks ahead a bounded way; what is replaced is
 * not looked at again.
 */
final class SecretScan {

  /** Ends of words before a colon that are no keys: error classes and files of stack frames. */
  private static final String[] NOT_KEYS = {
    "exception", "error", ".java", ".scala", ".kt", ".py",
  };

  private static final String CDATA = "<![CDATA[";

  private static final int MAX_KEY_CHARS = 256;
  private static final int MAX_USER_INFO_CHARS = 2048;
  private static final int MAX_MARKUP_CHARS = 128;

  private final String text;
  private final int length;
  private final Redactor rules;
  private final SecretShapes shapes;
  private final ValueSyntax syntax;
  private StringBuilder out;
  private int copied;

  /** Where the next @ is, from the place where it was last looked for; the length for none. */
  private int nextAt = -1;

  /** Whether the line is a curl command: -u means something else to other programs. */
  private boolean curl;

  SecretScan(String text, Redactor rules) {
    this.text = text;
    this.length = text.length();
    this.rules = rules;
    this.shapes = new SecretShapes(text);
    this.syntax = new ValueSyntax(text);
  }

  /** The text with its secrets replaced; the same instance where there are none. */
  String run() {
    int i = 0;
    int wordBefore = -1;
    while (i < length) {
      char c = text.charAt(i);
      if (c == ':' && text.startsWith("://", i)) {
        i = userInfo(i + 3);
        wordBefore = -1;
      } else if (ValueSyntax.isKeyChar(c)) {
        int end = syntax.wordEnd(i);
        int next = word(i, end, wordBefore);
        wordBefore = next == end ? i : -1;
        i = next;
      } else {
        if (!ValueSyntax.isSpace(c)) {
          wordBefore = -1;
        }
        if (c == '\n' && i > 0 && text.charAt(i - 1) != '\\') {
          curl = false;
        }
        i++;
      }
    }
    return out == null ? text : out.append(text, copied, length).toString();
  }

  /** Where to go on: the end of the word, or of the secret that follows it. */
  private int word(int from, int end, int wordBefore) {
    if (shapes.hasPrivateKey(from, end)) {
      return replace(from, end);
    }
    if (isWord(from, end, "bearer")) {
      int start = syntax.skipSpaces(end);
      int stop = start > end ? syntax.tokenEnd(start) : start;
      if (stop - start >= 8) {
        return replace(start, stop);
      }
    }
    if (end < length && text.charAt(end) == ':' && isOracleUrl(from, end)) {
      return oracleUser(end + 1);
    }
    if (curl && text.charAt(from) == '-') {
      int stop = curlUser(from, end);
      if (stop > end) {
        return stop;
      }
    }
    curl |= isWord(from, end, "curl");
    int stop = tokens(from, end);
    if (stop > end) {
      return stop;
    }
    stop = valueOf(from, end, wordBefore);
    if (stop == end) {
      stop = elementOf(from, end);
    }
    return stop == end ? valueOfNamed(from, end) : stop;
  }

  /** Replaces the value after a secret key; returns its end, or the end of the word for none. */
  private int valueOf(int from, int end, int wordBefore) {
    int start = syntax.skipSpaces(syntax.skipQuote(end));
    int separator = syntax.separatorEnd(start);
    boolean follows = separator > start;
    boolean quoted = start < length && ValueSyntax.isQuote(text.charAt(start)) && start > end;
    boolean option = text.startsWith("--", from) && start > end && start < length;
    if (!(follows || quoted || option) || !isSecret(from, end, wordBefore)) {
      return end;
    }
    boolean arrow = follows && text.charAt(separator - 1) == '>';
    int value = syntax.skipSpaces(follows ? separator : start);
    boolean header =
        endsWithIn(from, end, "authorization") || isCookieHeader(from, end, separator, value);
    int stop = valueEnd(value, arrow, header);
    return stop > value ? stop : end;
  }

  /** Replaces the text of an element: {@code <password>x</password>}. */
  private int elementOf(int from, int end) {
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
        || !isSecret(from, end, -1)) {
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
      return replace(start + CDATA.length(), close < 0 ? length : close);
    }
    boolean words = false;
    int stop = start;
    while (stop < length && text.charAt(stop) != '<') {
      words |= text.charAt(stop) <= ' ';
      stop++;
    }
    // List<Token> is no element; the end of a text may have been cut off.
    boolean closed = text.startsWith("</", stop) || (stop == length && !words);
    return closed && stop > start ? replace(start, stop) : none;
  }

  /**
   * Replaces the value of a pair that names its key: {@code name="password" value="x"}, {@code
   * <name>password</name><value>x</value>}, {@code {"name":"password","value":"x"}}.
   */
  private int valueOfNamed(int from, int end) {
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
    if (!isNamed(from) || !isSecret(from, end, -1)) {
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
    int stop = valueEnd(value, false, false);
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

  /** Replaces {@code user:pass} after curl's option for it. */
  private int curlUser(int from, int end) {
    int start = end;
    if (text.startsWith("-u", from) && end > from + 2 && end < length && text.charAt(end) == ':') {
      start = from + 2;
    } else if (isCurlUserOption(from, end)) {
      while (start < length
          && start < end + ValueSyntax.MAX_SPACES
          && isBetweenArguments(text.charAt(start))) {
        start++;
      }
      if (start == end) {
        return end;
      }
    } else {
      return end;
    }
    int colon = start;
    int bound = Math.min(length, start + MAX_KEY_CHARS);
    while (colon < bound && text.charAt(colon) != ':') {
      if (text.charAt(colon) <= ' ' || ValueSyntax.isQuote(text.charAt(colon))) {
        return end;
      }
      colon++;
    }
    if (colon == bound || text.startsWith("://", colon)) {
      return end;
    }
    if (ValueSyntax.isQuote(text.charAt(start - 1))) {
      return replace(start, syntax.closingQuote(start - 1, false));
    }
    int stop = colon + 1;
    while (stop < length && text.charAt(stop) > ' ' && !ValueSyntax.isQuote(text.charAt(stop))) {
      stop++;
    }
    return replace(start, stop);
  }

  private boolean isCurlUserOption(int from, int end) {
    if (text.startsWith("--", from)) {
      return isWord(from, end, "--user") || isWord(from, end, "--proxy-user");
    }
    char last = text.charAt(end - 1);
    return last == 'u' || last == 'U';
  }

  /** Of a command line, or of the list of its arguments. */
  private static boolean isBetweenArguments(char c) {
    return ValueSyntax.isSpace(c) || c == '=' || c == ',' || ValueSyntax.isQuote(c);
  }

  /** A header has all cookies up to the end of the line; {@code struct<cookie:string>} has none. */
  private boolean isCookieHeader(int from, int end, int separator, int value) {
    if (!endsWithIn(from, end, "cookie") || text.charAt(separator - 1) != ':') {
      return false;
    }
    if (value > separator || value >= length) {
      return true;
    }
    int name = value;
    while (name < length
        && name < value + MAX_KEY_CHARS
        && ValueSyntax.isKeyChar(text.charAt(name))) {
      name++;
    }
    return name < length && text.charAt(name) == '=';
  }

  private boolean isWord(int from, int end, String word) {
    return end - from == word.length() && endsWithIn(from, end, word);
  }

  private boolean endsWithIn(int from, int end, String word) {
    return end - from >= word.length() && endsWith(end, word);
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
    if (Redactor.isSecretKey(text, start, end) || isQuerySignature(from, end)) {
      return true;
    }
    return rules.hasPatterns()
        && rules.matches(text.substring(Math.max(from, end - MAX_KEY_CHARS), end));
  }

  /** Of a URL that was signed; elsewhere a signature is one of a method. */
  private boolean isQuerySignature(int from, int end) {
    return from > 0
        && (text.charAt(from - 1) == '?' || text.charAt(from - 1) == '&')
        && isWord(from, end, "signature");
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
      if (c <= ' ' || ValueSyntax.isQuote(c) || c == '?') {
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
      } else if (c <= ' ' || c == ',' || ValueSyntax.isQuote(c)) {
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

  /** Replaces the value that starts here; returns where it ended, or its start for no value. */
  private int valueEnd(int from, boolean arrow, boolean header) {
    if (from >= length) {
      return from;
    }
    if (text.startsWith(Redactor.REPLACEMENT, from)) {
      return from + Redactor.REPLACEMENT.length();
    }
    int quote = syntax.skipBackslashes(from);
    if (quote < length && ValueSyntax.isQuote(text.charAt(quote))) {
      int close = syntax.closingQuote(quote, quote > from);
      if (text.startsWith(Redactor.REPLACEMENT, quote + 1)) {
        return quote + 1 + Redactor.REPLACEMENT.length();
      }
      return replace(quote + 1, close);
    }
    char first = text.charAt(from);
    if (first == '[' || first == '(' || first == '{') {
      return replace(from + 1, syntax.closingBracket(from));
    }
    int end = from;
    while (end < length && !syntax.endsValue(end, arrow, header)) {
      end++;
    }
    return replace(from, end);
  }

  /** Replaces secrets inside a word that are known by their shape; returns where to go on. */
  private int tokens(int from, int end) {
    int i = from;
    while (i + SecretShapes.MIN_TOKEN_CHARS <= end) {
      int stop =
          i == from || !ValueSyntax.isWordPart(text.charAt(i - 1)) ? shapes.tokenEnd(i, end) : i;
      i = stop > i ? replace(i, stop) : i + 1;
    }
    return Math.max(i, end);
  }

  /** Returns where the secret ended: a private key that starts in it goes as a whole. */
  private int replace(int from, int to) {
    if (to <= from) {
      return from;
    }
    if (out == null) {
      out = new StringBuilder(length + Redactor.REPLACEMENT.length());
    }
    out.append(text, copied, from).append(Redactor.REPLACEMENT);
    copied = shapes.hasPrivateKey(from, to) ? Math.max(to, shapes.privateKeyEnd()) : to;
    return copied;
  }
}
