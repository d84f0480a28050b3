package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Credentials on command lines and in statements that make users, of one text. What an option of
 * one letter means depends on the program.
 */
final class SecretCommands {

  private static final int MAX_USER_CHARS = 256;
  private static final int MAX_PROGRAM_CHARS = 16;
  private static final int MAX_COMMAND_CHARS = 512;
  private static final int MAX_STATEMENT_CHARS = 128;

  /** Makes or changes a user. */
  private static final Pattern USER =
      Pattern.compile("\\b(?:create|alter|grant)\\s[^;]*\\b(?:user|login|role|to)\\s");

  /** All letters of {@link #PASSWORD_OPTIONS}. */
  private static final String OPTIONS = "pPaw";

  /** By program, the letter of the option that takes a password. */
  private static final Map<String, Character> PASSWORD_OPTIONS = passwordOptions();

  /** Programs whose command "login" takes {@code -p}. */
  private static final Set<String> WITH_LOGIN =
      new HashSet<>(Arrays.asList("docker", "podman", "buildah", "skopeo", "helm", "az", "oc"));

  private final String text;
  private final int length;
  private final ValueSyntax syntax;
  private final RedactedText redacted;
  private final SecretValues values;

  /** Whether the line is a curl command: -u means something else to other programs. */
  private boolean curl;

  SecretCommands(ValueSyntax syntax, RedactedText redacted, SecretValues values) {
    this.text = redacted.text;
    this.length = text.length();
    this.syntax = syntax;
    this.redacted = redacted;
    this.values = values;
  }

  private static Map<String, Character> passwordOptions() {
    Map<String, Character> options = new HashMap<>();
    for (String program :
        "beeline mysql mysqldump mysqladmin mariadb sshpass cqlsh mongo mongosh mongodump 7z"
            .split(" ")) {
      options.put(program, 'p');
    }
    for (String program : "sqlcmd bcp isql zip unzip".split(" ")) {
      options.put(program, 'P');
    }
    options.put("redis-cli", 'a');
    options.put("ldapsearch", 'w');
    options.put("ldapmodify", 'w');
    return options;
  }

  /** At a char that is part of no word. */
  void between(int at) {
    if (text.charAt(at) == '\n' && endsCommand(at)) {
      curl = false;
    }
  }

  /** Replaces what this word says is a password; returns its end, or the word's for none. */
  int word(int from, int end) {
    int stop = end;
    if (text.charAt(from) == '-') {
      if (curl) {
        stop = curlUser(from, end);
      }
      return stop == end ? password(from, end) : stop;
    }
    curl |= isWord(from, end, "curl");
    return isWord(from, end, "by") ? identifiedBy(from, end) : end;
  }

  /** Whether no option behind this char belongs to a program before it. */
  private boolean endsCommand(int at) {
    char c = text.charAt(at);
    return c == '|' || c == ';' || (c == '\n' && at > 0 && text.charAt(at - 1) != '\\');
  }

  /** Whether the option with that letter takes a password, by the program before it. */
  private boolean takesPassword(int option, char letter) {
    int bound = Math.max(0, option - MAX_COMMAND_CHARS);
    boolean login = false;
    int end = option;
    while (end > bound && !endsCommand(end - 1)) {
      int start = end;
      while (start > bound && ValueSyntax.isKeyChar(text.charAt(start - 1))) {
        start--;
      }
      if (end - start > 1 && end - start <= MAX_PROGRAM_CHARS && isArgument(end)) {
        String word = text.substring(start, end).toLowerCase(Locale.ROOT);
        Character known = PASSWORD_OPTIONS.get(word);
        if (known != null || WITH_LOGIN.contains(word)) {
          return known == null ? login && letter == 'p' : known == letter;
        }
        login |= word.equals("login");
      }
      end = start == end ? end - 1 : start;
    }
    return false;
  }

  private boolean isArgument(int end) {
    return isBetweenArguments(text.charAt(end));
  }

  /** {@code -p x} and {@code -px}. */
  private int password(int from, int end) {
    char letter = end - from < 2 ? '-' : text.charAt(from + 1);
    if (OPTIONS.indexOf(letter) < 0 || !takesPassword(from, letter)) {
      return end;
    }
    int start = from + 2;
    if (start == end) {
      if (end >= length || !isBetweenArguments(text.charAt(end))) {
        // mysql -p'x' and -p$x: the shell's quotes belong to the argument.
        return end >= length || text.charAt(end) <= ' ' ? end : replaceArgument(end);
      }
      start = skipBetweenArguments(end);
    }
    if (start < length && text.charAt(start) == '-') {
      return end;
    }
    int stop = replaceArgument(start);
    return stop > start ? stop : end;
  }

  private int replaceArgument(int start) {
    if (start >= length) {
      return start;
    }
    if (ValueSyntax.isQuote(text.charAt(start - 1))) {
      return redacted.replace(start, syntax.closingQuote(start - 1, false));
    }
    if (text.startsWith(Redactor.REPLACEMENT, start)) {
      return start + Redactor.REPLACEMENT.length();
    }
    int stop = start;
    while (stop < length && text.charAt(stop) > ' ' && !ValueSyntax.isQuote(text.charAt(stop))) {
      stop++;
    }
    return redacted.replace(start, stop);
  }

  private int skipBetweenArguments(int from) {
    int start = from;
    while (start < length
        && start < from + ValueSyntax.MAX_SPACES
        && isBetweenArguments(text.charAt(start))) {
      start++;
    }
    return start;
  }

  /** A name may be identified by anything: without quotes only where a user is made. */
  private int identifiedBy(int from, int end) {
    int start = syntax.skipSpaces(end);
    if (start == end || start >= length) {
      return end;
    }
    int bound = Math.max(0, from - MAX_STATEMENT_CHARS);
    String before = text.substring(bound, from).toLowerCase(Locale.ROOT);
    int identified = before.lastIndexOf("identified ");
    boolean user = USER.matcher(before).find();
    if (identified <= before.lastIndexOf(';') || !(user || syntax.quoteStart(start) >= 0)) {
      return end;
    }
    int stop = values.replace(start, false, false);
    return stop > start ? stop : end;
  }

  /** Replaces {@code user:pass} after curl's option for it. */
  private int curlUser(int from, int end) {
    int start = end;
    if (text.startsWith("-u", from) && end > from + 2 && end < length && text.charAt(end) == ':') {
      start = from + 2;
    } else if (isCurlUserOption(from, end)) {
      start = skipBetweenArguments(end);
      if (start == end) {
        return end;
      }
    } else {
      return end;
    }
    int colon = start;
    int bound = Math.min(length, start + MAX_USER_CHARS);
    while (colon < bound && text.charAt(colon) != ':') {
      if (text.charAt(colon) <= ' ' || ValueSyntax.isQuote(text.charAt(colon))) {
        return end;
      }
      colon++;
    }
    if (colon == bound || text.startsWith("://", colon)) {
      return end;
    }
    return replaceArgument(start);
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

  private boolean isWord(int from, int end, String word) {
    return end - from == word.length() && startsWith(from, word);
  }

  private boolean startsWith(int from, String word) {
    return text.regionMatches(true, from, word, 0, word.length());
  }
}
