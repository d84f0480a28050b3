package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** The names that secrets go by. */
final class SecretKeys {

  private static final String[] WORDS = {
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "accesskey",
    "apikey",
    "privatekey",
    "accountkey",
    "masterkey",
    "sharedkey",
    "subscriptionkey",
    "clientkeydata",
    "clientprovidedkey",
    "clientprovidedencryptionkey",
    "azuresas",
    "dbpass",
    "keypass",
    "storepass",
    "userpass",
    "rootpass",
    "adminpass",
    "xamzsignature",
    "xgoogsignature",
    "authorization",
  };

  /** Only at the end of a key: encryption.keySizeBits and session_key_count are no secrets. */
  private static final String[] ENDS = {
    "encryptionkey", "encryptionkeylist", "decryptionkey", "sessionkey", "signingkey", "pwd",
  };

  /** Too short or too common for a part of a word: the last word of a key. */
  private static final Set<String> LAST_WORDS =
      new HashSet<>(Arrays.asList("pw", "pass", "sig", "cookie", "creds"));

  /** What a number behind a key with such an end counts or measures. */
  private static final String[] COUNT_ENDS = {
    "tokens",
    "secrets",
    "passwords",
    "credentials",
    "count",
    "size",
    "length",
    "limit",
    "ttl",
    "seconds",
    "millis",
    "expiry",
    "expiration",
    "index",
  };

  /** Ends of a method that takes a secret: {@code setPassword("x")}. */
  private static final String[] METHOD_ENDS = {
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
  };

  private static final String[] GETTERS = {"get", "read", "load", "fetch", "find", "has", "is"};

  private SecretKeys() {}

  /** Separators inside a key say nothing: access.key is accessKey. */
  static boolean isSecret(String text, int start, int to) {
    // -Dpw=x: the letter of the option is none of the key's.
    int from = text.startsWith("-D", start) ? start + 2 : start;
    String key = letters(text, from, to);
    if (key.length() < 2) {
      return false;
    }
    for (String word : WORDS) {
      if (key.contains(word)) {
        return true;
      }
    }
    if (endsWithAny(key, ENDS)) {
      return true;
    }
    int last = to;
    while (last > from && ValueSyntax.isWordPart(text.charAt(last - 1))) {
      last--;
    }
    return LAST_WORDS.contains(text.substring(last, to).toLowerCase(Locale.ROOT))
        || endsInCamelPass(text, last, to);
  }

  /** {@code dbPass}, and not {@code bypass}. */
  private static boolean endsInCamelPass(String text, int from, int to) {
    int pass = to - "Pass".length();
    return pass > from && text.startsWith("Pass", pass) && isLower(text.charAt(pass - 1));
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  /** Whether a number is no secret there: {@code max_tokens}, {@code password_length}. */
  static boolean isCount(String text, int from, int to) {
    return endsWithAny(letters(text, from, to), COUNT_ENDS);
  }

  /** Whether the last part of a name is a method that takes a secret. */
  static boolean takesSecret(String text, int from, int to) {
    int last = to;
    while (last > from && text.charAt(last - 1) != '.') {
      last--;
    }
    String method = letters(text, last, to);
    for (String getter : GETTERS) {
      if (method.startsWith(getter)) {
        return false;
      }
    }
    return endsWithAny(method, METHOD_ENDS);
  }

  private static boolean endsWithAny(String key, String[] ends) {
    for (String end : ends) {
      if (key.endsWith(end)) {
        return true;
      }
    }
    return false;
  }

  private static String letters(String text, int from, int to) {
    StringBuilder letters = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c != '-' && c != '_' && c != '.' && c != ' ') {
        letters.append(c);
      }
    }
    return letters.toString().toLowerCase(Locale.ROOT);
  }
}
