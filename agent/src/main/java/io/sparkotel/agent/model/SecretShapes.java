package io.sparkotel.agent.model;

import java.util.Base64;

/**
 * Secrets of one text that show by themselves what they are: keys of AWS, Azure and Google, tokens
 * of GitHub, Slack, Databricks and others, JSON web tokens, private keys in PEM and basic
 * credentials. Calls have to go forward in the text: what was looked at is not looked at again.
 */
final class SecretShapes {

  /** No token is shorter. */
  static final int MIN_TOKEN_CHARS = 15;

  private static final int AWS_KEY_CHARS = 20;
  private static final int GOOGLE_KEY_CHARS = 39;
  private static final int MIN_GITHUB_CHARS = 20;
  private static final int MIN_SLACK_CHARS = 10;
  private static final int MIN_JWT_HEADER_CHARS = 10;

  private static final int DATABRICKS_CHARS = 36;
  private static final int AWS_SECRET_CHARS = 40;
  private static final int AZURE_KEY_CHARS = 86;
  private static final int MIN_BASIC_CHARS = 8;
  private static final int MAX_BASIC_CHARS = 1024;
  private static final int MIN_PREFIXED_CHARS = 16;

  /** Of GitLab, Docker, DigitalOcean, Hugging Face, Vault, npm, PyPI, Stripe, and so on. */
  private static final String[] PREFIXES = {
    "glpat-",
    "dckr_pat_",
    "dop_v1_",
    "hf_",
    "hvs.",
    "npm_",
    "pypi-",
    "rk_live_",
    "sk_live_",
    "sk_test_",
    "sk-ant-",
    "sk-proj-",
    "shpat_",
    "xapp-",
    "ya29.",
    "GOCSPX-",
    "SG.",
  };

  /** {@code -----BEGIN}. */
  private static final String PEM_IN_BASE64 = "LS0tLS1CRUdJTi";

  private static final String PEM_BEGIN = "-----BEGIN ";
  private static final String PEM_END = "-----END ";
  private static final String PEM_DASHES = "-----";
  private static final int MAX_PEM_LABEL_CHARS = 64;

  private final String text;

  /** No JSON web token starts before this. */
  private int noJwtBefore;

  /** Where the next private key is, from where it was last looked for; the length for none. */
  private int nextPrivateKey = -1;

  SecretShapes(String text) {
    this.text = text;
  }

  /** The end of the token that starts at {@code from}, at most {@code limit}; else the start. */
  int tokenEnd(int from, int limit) {
    switch (text.charAt(from)) {
      case 'A':
        return isAwsKey(from, limit)
            ? from + AWS_KEY_CHARS
            : isGoogleKey(from, limit) ? from + GOOGLE_KEY_CHARS : from;
      case 'e':
        return isJwt(from, limit) ? segmentsEnd(from, limit) : from;
      case 'L':
        // Goes on where a word ends.
        return text.startsWith(PEM_IN_BASE64, from) ? base64RunEnd(from) : from;
      case 'd':
        return isDatabricksToken(from, limit) ? segmentsEnd(from, limit) : prefixed(from, limit);
      case 'g':
        return isGithubToken(from, limit) ? segmentsEnd(from, limit) : prefixed(from, limit);
      case 'x':
        return isSlackToken(from, limit) ? segmentsEnd(from, limit) : prefixed(from, limit);
      case 'h':
      case 'n':
      case 'p':
      case 'r':
      case 's':
      case 'y':
      case 'G':
      case 'S':
        return prefixed(from, limit);
      default:
        return from;
    }
  }

  private int prefixed(int from, int limit) {
    for (String prefix : PREFIXES) {
      if (text.startsWith(prefix, from)
          && hasBase64(from + prefix.length(), MIN_PREFIXED_CHARS, limit)) {
        return segmentsEnd(from, limit);
      }
    }
    return from;
  }

  private boolean isDatabricksToken(int from, int limit) {
    int end = from + DATABRICKS_CHARS;
    if (end > limit || !text.startsWith("dapi", from)) {
      return false;
    }
    for (int i = from + "dapi".length(); i < end; i++) {
      if (Character.digit(text.charAt(i), 16) < 0) {
        return false;
      }
    }
    return end == limit || !ValueSyntax.isWordPart(text.charAt(end));
  }

  /** Where the secret key starts that stands behind the id of an AWS key; -1 for none. */
  int awsSecretStart(int keyEnd) {
    int start = keyEnd;
    while (start < text.length()
        && start < keyEnd + 4
        && ":,;|= \t\r\n\"'".indexOf(text.charAt(start)) >= 0) {
      start++;
    }
    int end = start;
    int bound = Math.min(text.length(), start + AWS_SECRET_CHARS + 1);
    while (end < bound && isPlainBase64(text.charAt(end))) {
      end++;
    }
    return start > keyEnd && end - start == AWS_SECRET_CHARS ? start : -1;
  }

  int awsSecretEnd(int start) {
    return start + AWS_SECRET_CHARS;
  }

  /** Where the key of an Azure account starts whose padding is here; -1 for none. */
  int azureKeyStart(int padding) {
    int start = padding - AZURE_KEY_CHARS;
    if (start < 0 || !text.startsWith("==", padding)) {
      return -1;
    }
    for (int i = padding - 1; i >= start; i--) {
      if (!isPlainBase64(text.charAt(i))) {
        return -1;
      }
    }
    return start > 0 && isPlainBase64(text.charAt(start - 1)) ? -1 : start;
  }

  /** Whether that is {@code user:password} in base64. */
  boolean isBasic(int from, int to) {
    if (to - from < MIN_BASIC_CHARS || to - from > MAX_BASIC_CHARS) {
      return false;
    }
    byte[] decoded;
    try {
      decoded = Base64.getDecoder().decode(text.substring(from, to));
    } catch (IllegalArgumentException e) {
      // Not base64, and so no credentials.
      return false;
    }
    boolean colon = false;
    for (byte b : decoded) {
      if (b >= 0 && b < ' ') {
        return false;
      }
      colon |= b == ':';
    }
    return colon;
  }

  private int base64RunEnd(int from) {
    int end = from;
    while (end < text.length() && (isPlainBase64(text.charAt(end)) || text.charAt(end) == '=')) {
      end++;
    }
    return end;
  }

  private static boolean isPlainBase64(char c) {
    return ValueSyntax.isWordPart(c) || c == '+' || c == '/';
  }

  private boolean isAwsKey(int from, int limit) {
    int end = from + AWS_KEY_CHARS;
    if (end > limit || !(text.startsWith("AKIA", from) || text.startsWith("ASIA", from))) {
      return false;
    }
    for (int i = from; i < end; i++) {
      char c = text.charAt(i);
      if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) {
        return false;
      }
    }
    return end == limit || !ValueSyntax.isWordPart(text.charAt(end));
  }

  private boolean isGoogleKey(int from, int limit) {
    int end = from + GOOGLE_KEY_CHARS;
    return text.startsWith("AIza", from)
        && hasBase64(from, GOOGLE_KEY_CHARS, limit)
        && (end == limit || !isBase64(text.charAt(end)));
  }

  private boolean isGithubToken(int from, int limit) {
    int start;
    if (text.startsWith("github_pat_", from)) {
      start = from + "github_pat_".length();
    } else if (text.startsWith("gh", from)
        && from + 4 <= limit
        && "pousr".indexOf(text.charAt(from + 2)) >= 0
        && text.charAt(from + 3) == '_') {
      start = from + 4;
    } else {
      return false;
    }
    return hasBase64(start, MIN_GITHUB_CHARS, limit);
  }

  private boolean isSlackToken(int from, int limit) {
    return text.startsWith("xox", from)
        && from + 5 <= limit
        && "abceoprs".indexOf(text.charAt(from + 3)) >= 0
        && text.charAt(from + 4) == '-'
        && hasBase64(from + 5, MIN_SLACK_CHARS, limit);
  }

  /** Three segments or more, of which all but the first may be empty. */
  private boolean isJwt(int from, int limit) {
    if (from < noJwtBefore || !text.startsWith("eyJ", from)) {
      return false;
    }
    int header = base64End(from, limit);
    int payload = base64End(header + 1, limit);
    boolean dots = payload < limit && text.charAt(header) == '.' && text.charAt(payload) == '.';
    if (!dots || header - from < MIN_JWT_HEADER_CHARS) {
      // Later starts in the same segment are shorter, and miss the same dots.
      noJwtBefore = header;
      return false;
    }
    return true;
  }

  private int base64End(int from, int limit) {
    int end = from;
    while (end < limit && isBase64(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private int segmentsEnd(int from, int limit) {
    int end = from;
    while (end < limit) {
      char c = text.charAt(end);
      boolean dot = c == '.' && end + 1 < limit && isSegmentStart(text.charAt(end + 1));
      if (!dot && !isBase64(c)) {
        break;
      }
      end++;
    }
    return end;
  }

  private static boolean isSegmentStart(char c) {
    return c == '.' || isBase64(c);
  }

  private boolean hasBase64(int from, int count, int limit) {
    return from + count <= limit && base64End(from, from + count) == from + count;
  }

  private static boolean isBase64(char c) {
    return ValueSyntax.isWordPart(c) || c == '_' || c == '-';
  }

  /** Whether a private key in PEM starts in the part of the text. */
  boolean hasPrivateKey(int from, int to) {
    if (nextPrivateKey < from) {
      nextPrivateKey = privateKeyStart(from);
    }
    return nextPrivateKey < to;
  }

  private int privateKeyStart(int from) {
    int start = text.indexOf(PEM_BEGIN, from);
    while (start >= 0 && !labelAt(start + PEM_BEGIN.length()).contains("PRIVATE KEY")) {
      start = text.indexOf(PEM_BEGIN, start + 1);
    }
    return start < 0 ? text.length() : start;
  }

  /**
   * The end of the key that {@link #hasPrivateKey} found: after the line that ends it, or the end
   * of the text.
   */
  int privateKeyEnd() {
    int end = text.indexOf(PEM_END, nextPrivateKey);
    if (end < 0) {
      return text.length();
    }
    int label = end + PEM_END.length();
    int dashes = label + labelAt(label).length();
    return text.startsWith(PEM_DASHES, dashes) ? dashes + PEM_DASHES.length() : dashes;
  }

  /** What stands before the dashes. */
  private String labelAt(int from) {
    String label = text.substring(from, Math.min(text.length(), from + MAX_PEM_LABEL_CHARS));
    int dashes = label.indexOf(PEM_DASHES);
    return dashes < 0 ? label : label.substring(0, dashes);
  }
}
