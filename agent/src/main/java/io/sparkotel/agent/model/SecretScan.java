package io.sparkotel.agent.model;

/**
 * One pass over a text, from word to word. Each word looks a bounded way ahead and back; what is
 * replaced is not looked at again.
 */
final class SecretScan {

  private static final int MAX_KEY_CHARS = 256;
  private static final int MIN_BEARER_CHARS = 8;
  private static final int MAX_COUNT_DIGITS = 9;

  private static final String SLACK_HOOKS = "hooks.slack.com";

  private final String text;
  private final int length;
  private final Redactor rules;
  private final SecretShapes shapes;
  private final ValueSyntax syntax;
  private final RedactedText redacted;
  private final SecretValues values;
  private final SecretUrls urls;
  private final SecretMarkup markup;
  private final SecretCommands commands;
  private final SecretExpressions expressions;

  SecretScan(String text, Redactor rules) {
    this.text = text;
    this.length = text.length();
    this.rules = rules;
    shapes = new SecretShapes(text);
    syntax = new ValueSyntax(text);
    redacted = new RedactedText(text, shapes);
    values = new SecretValues(syntax, redacted);
    urls = new SecretUrls(redacted);
    markup = new SecretMarkup(rules, syntax, redacted, values);
    commands = new SecretCommands(syntax, redacted, values);
    expressions = new SecretExpressions(rules, syntax, redacted, values);
  }

  /** The text with its secrets replaced; the same instance where there are none. */
  String run() {
    int i = 0;
    int wordBefore = -1;
    while (i < length) {
      char c = text.charAt(i);
      if (c == ':' && text.startsWith("://", i)) {
        i = urls.userInfo(i + 3);
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
        if (c == '=') {
          azureKey(i);
        }
        commands.between(i);
        i++;
      }
    }
    return redacted.result();
  }

  private void azureKey(int padding) {
    int start = shapes.azureKeyStart(padding);
    if (start >= redacted.written()) {
      redacted.replace(start, padding + 2);
    }
  }

  /** Where to go on: the end of the word, or of the secret that follows it. */
  private int word(int from, int end, int wordBefore) {
    if (shapes.hasPrivateKey(from, end)) {
      return redacted.replace(from, end);
    }
    int stop = scheme(from, end);
    if (stop == end) {
      stop = commands.word(from, end);
    }
    if (stop == end) {
      stop = tokens(from, end);
    }
    if (stop == end) {
      stop = expressions.literals(from, end);
    }
    if (stop == end) {
      stop = valueOf(from, end, wordBefore);
    }
    if (stop == end) {
      stop = expressions.argument(from, end);
    }
    if (stop == end) {
      stop = markup.elementOf(from, end);
    }
    return stop == end ? markup.valueOfNamed(from, end) : stop;
  }

  /** Replaces what a word like {@code Bearer} begins. */
  private int scheme(int from, int end) {
    if (end >= length) {
      return end;
    }
    char next = text.charAt(end);
    if (next == ':' && urls.isOracleUrl(from, end)) {
      int stop = urls.oracleUser(end + 1);
      return stop > end + 1 ? stop : end;
    }
    if (next == '/' && endsWithIn(from, end, SLACK_HOOKS) && text.startsWith("/services/", end)) {
      int start = end + "/services/".length();
      return Math.max(end, redacted.replace(start, syntax.tokenEnd(start)));
    }
    if (!ValueSyntax.isSpace(next)) {
      return end;
    }
    boolean bearer = isWord(from, end, "bearer");
    if (bearer || isWord(from, end, "basic")) {
      int start = syntax.skipSpaces(end);
      int stop = syntax.tokenEnd(start);
      if (bearer ? stop - start >= MIN_BEARER_CHARS : shapes.isBasic(start, stop)) {
        return redacted.replace(start, stop);
      }
    }
    return end;
  }

  /** Replaces the value after a secret key; returns its end, or the end of the word for none. */
  private int valueOf(int from, int end, int wordBefore) {
    int key = syntax.skipQuote(end);
    if (key > end && key < length && text.charAt(key) == ']') {
      // environ["PASSWORD"] = x
      key++;
    }
    int start = syntax.skipSpaces(key);
    int separator = syntax.separatorEnd(start);
    boolean follows = separator > start;
    boolean quoted = start < length && ValueSyntax.isQuote(text.charAt(start)) && start > end;
    int argument = follows || quoted ? start : argumentStart(from, end, start);
    if (!(follows || quoted || argument >= 0)) {
      return end;
    }
    int value = syntax.skipSpaces(follows ? separator : argument);
    if (isBasicAuth(from, end, value)) {
      return values.replace(value, false, false);
    }
    if (!isSecret(from, end, wordBefore)
        || isPathBefore(from, end)
        || (isNumber(value) && SecretKeys.isCount(text, from, end))) {
      return end;
    }
    boolean arrow = follows && text.charAt(separator - 1) == '>';
    boolean header =
        endsWithIn(from, end, "authorization") || isCookieHeader(from, end, separator, value);
    int stop = values.replace(value, arrow, header);
    return stop > value ? stop : end;
  }

  /**
   * Where the argument of an option is, on a command line or in a list of arguments, or the
   * password in {@code SET PASSWORD FOR x = y}; -1 for none.
   */
  private int argumentStart(int from, int end, int start) {
    if (start >= length || start == end) {
      return -1;
    }
    if (text.charAt(from) == '-' && end - from > 2) {
      if (text.charAt(start) == ',' && ValueSyntax.isQuote(text.charAt(start - 1))) {
        int value = syntax.skipSpaces(start + 1);
        return syntax.quoteStart(value) >= 0 ? value : -1;
      }
      return ValueSyntax.isSpace(text.charAt(start - 1)) ? start : -1;
    }
    if (text.regionMatches(true, start, "for ", 0, 4) && isWord(from, end, "password")) {
      int bound = Math.min(length, start + MAX_KEY_CHARS);
      for (int i = start; i < bound && !ValueSyntax.isLineEnd(text.charAt(i)); i++) {
        if (text.charAt(i) == '=') {
          return i + 1;
        }
      }
    }
    return -1;
  }

  /** {@code "auth": "dXNlcjpwYXNz"}, as in the settings of Docker and npm. */
  private boolean isBasicAuth(int from, int end, int value) {
    if (!isWord(from, end, "auth") && !isWord(from, end, "_auth")) {
      return false;
    }
    int quote = syntax.quoteStart(value);
    int start = quote < 0 ? value : quote + 1;
    return shapes.isBasic(start, syntax.tokenEnd(start));
  }

  /** {@code /run/secrets/token: permission denied}. */
  private boolean isPathBefore(int from, int end) {
    return from > 1
        && text.charAt(from - 1) == '/'
        && text.charAt(from - 2) != '/'
        && end + 1 < length
        && text.charAt(end) == ':'
        && (text.charAt(end + 1) == ' ' || text.charAt(end + 1) == '/');
  }

  private boolean isNumber(int from) {
    int end = from;
    while (end < length && end <= from + MAX_COUNT_DIGITS && isDigitOrDot(text.charAt(end))) {
      end++;
    }
    return end > from
        && end <= from + MAX_COUNT_DIGITS
        && (end == length || !ValueSyntax.isKeyChar(text.charAt(end)));
  }

  private static boolean isDigitOrDot(char c) {
    return (c >= '0' && c <= '9') || c == '.';
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
    int start = end - word.length();
    return start >= from && text.regionMatches(true, start, word, 0, word.length());
  }

  private boolean isSecret(int from, int end, int wordBefore) {
    // "access key: x": the second word alone says nothing.
    boolean second = wordBefore >= 0 && isWord(from, end, "key");
    return rules.isSecret(text, second ? wordBefore : from, end) || isQuerySignature(from, end);
  }

  /** Of a URL that was signed; elsewhere a signature is one of a method. */
  private boolean isQuerySignature(int from, int end) {
    return from > 0
        && (text.charAt(from - 1) == '?' || text.charAt(from - 1) == '&')
        && isWord(from, end, "signature");
  }

  /** Replaces secrets inside a word that are known by their shape; returns where to go on. */
  private int tokens(int from, int end) {
    int i = from;
    while (i + SecretShapes.MIN_TOKEN_CHARS <= end) {
      int stop =
          i == from || !ValueSyntax.isWordPart(text.charAt(i - 1)) ? shapes.tokenEnd(i, end) : i;
      if (stop == i) {
        i++;
        continue;
      }
      int secret = text.charAt(i) == 'A' ? shapes.awsSecretStart(stop) : -1;
      i = redacted.replace(i, stop);
      if (secret >= 0) {
        i = redacted.replace(secret, shapes.awsSecretEnd(secret));
      }
    }
    return Math.max(i, end);
  }
}
