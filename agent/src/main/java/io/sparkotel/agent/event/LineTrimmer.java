package io.sparkotel.agent.event;

import java.nio.charset.StandardCharsets;

/**
 * Cuts out of a line what nobody reads, so that it is passed over as bytes and never tokenised:
 * accumulables are most of a log. A value that is cut leaves an empty one behind; of a string that
 * no span could hold, its beginning.
 *
 * <p>Strings are passed over as a whole: what looks like a key inside one is none.
 */
final class LineTrimmer {

  /** Far more than a span can show; Jackson would hold a longer string several times. */
  static final int MAX_STRING_BYTES = 1 << 20;

  private static final int UNICODE_ESCAPE_BYTES = 6;

  /** By their first letter. */
  private static final byte[][][] UNREAD = new byte[128][][];

  static {
    UNREAD['A'] = keys("Accumulables", "Accumulator Updates");
    UNREAD['R'] = keys("RDD Info");
    UNREAD['S'] = keys("Stack Trace");
    UNREAD['T'] = keys("Task Executor Metrics");
    UNREAD['U'] = keys("Updated Blocks");
    UNREAD['m'] = keys("metrics", "metadata");
  }

  private LineTrimmer() {}

  /**
   * Trims the bytes {@code from} to {@code to} in place. What is not closed, as in a line that was
   * cut, stays as it is.
   *
   * @return where the trimmed line ends
   */
  static int trim(byte[] line, int from, int to) {
    int kept = from;
    int copied = from;
    int at = from;
    while (at < to) {
      if (line[at] != '"') {
        at++;
        continue;
      }
      int value = unreadValue(line, at, to);
      if (value >= 0) {
        int end = bracketEnd(line, value, to);
        if (end < 0) {
          break;
        }
        kept = move(line, copied, value + 1, kept);
        copied = end - 1;
        at = end;
        continue;
      }
      int end = stringEnd(line, at, to);
      if (end < 0) {
        break;
      }
      if (end - at > MAX_STRING_BYTES) {
        kept = move(line, copied, cut(line, at + 1, at + MAX_STRING_BYTES), kept);
        copied = end - 1;
      }
      at = end;
    }
    return move(line, copied, to, kept);
  }

  /** Where the array or object of an unread key begins, or -1. */
  private static int unreadValue(byte[] line, int at, int to) {
    byte[][] keys = at + 1 < to && line[at + 1] >= 0 ? UNREAD[line[at + 1]] : null;
    if (keys == null) {
      return -1;
    }
    for (byte[] key : keys) {
      int value = at + key.length;
      if (value < to
          && (line[value] == '[' || line[value] == '{')
          && startsWith(line, at, to, key)) {
        return value;
      }
    }
    return -1;
  }

  /** Behind the string that begins at {@code at}, or -1. */
  private static int stringEnd(byte[] line, int at, int to) {
    int i = at + 1;
    while (i < to && line[i] != '"') {
      i += line[i] == '\\' ? 2 : 1;
    }
    return i < to ? i + 1 : -1;
  }

  /** The last place in a string, at most {@code to}, that splits no escape and no character. */
  private static int cut(byte[] line, int from, int to) {
    int last = from;
    for (int i = from; i <= to; ) {
      if ((line[i] & 0xc0) != 0x80) {
        last = i;
      }
      if (line[i] == '\\') {
        i += line[i + 1] == 'u' ? UNICODE_ESCAPE_BYTES : 2;
      } else {
        i++;
      }
    }
    return last;
  }

  /** Behind the array or object that begins at {@code at}, or -1. */
  private static int bracketEnd(byte[] line, int at, int to) {
    int depth = 0;
    int i = at;
    while (i < to) {
      switch (line[i]) {
        case '"':
          i = stringEnd(line, i, to);
          if (i < 0) {
            return -1;
          }
          continue;
        case '[':
        case '{':
          depth++;
          break;
        case ']':
        case '}':
          depth--;
          if (depth == 0) {
            return i + 1;
          }
          break;
        default:
      }
      i++;
    }
    return -1;
  }

  private static int move(byte[] line, int from, int to, int target) {
    if (from != target) {
      System.arraycopy(line, from, line, target, to - from);
    }
    return target + to - from;
  }

  private static boolean startsWith(byte[] line, int at, int to, byte[] prefix) {
    if (to - at < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (line[at + i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[][] keys(String... names) {
    byte[][] keys = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      keys[i] = ('"' + names[i] + "\":").getBytes(StandardCharsets.US_ASCII);
    }
    return keys;
  }
}
