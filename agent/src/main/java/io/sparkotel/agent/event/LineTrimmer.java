package io.sparkotel.agent.event;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Cuts out of a line what nobody reads, so that it is passed over as bytes and never tokenised:
 * accumulables are most of a log, and read of completed stages alone, which are few. A value that
 * is cut leaves an empty one behind; of a string that no span could hold, its beginning.
 *
 * <p>Strings are passed over as a whole: what looks like a key inside one is none.
 */
final class LineTrimmer {

  /** Far more than a span can show; Jackson would hold a longer string several times. */
  static final int MAX_STRING_BYTES = 1 << 20;

  private static final int UNICODE_ESCAPE_BYTES = 6;

  private static final byte[] EVENT = "{\"Event\":\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STAGE_COMPLETED =
      "SparkListenerStageCompleted\"".getBytes(StandardCharsets.US_ASCII);

  /** By their first letter. */
  private static final byte[][][] UNREAD = new byte[128][][];

  private static final byte[][][] UNREAD_OF_STAGES;

  private static final Set<String> UNREAD_NAMES = new HashSet<>();

  static {
    unread("RDD Info");
    unread("Stack Trace");
    unread("Updated Blocks");
    UNREAD_OF_STAGES = UNREAD.clone();
    unread("Accumulables", "Accumulator Updates");
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
    byte[][][] unread = mayCompleteStage(line, from, to) ? UNREAD_OF_STAGES : UNREAD;
    while (at < to) {
      if (line[at] != '"') {
        at++;
        continue;
      }
      int value = unreadValue(unread, line, at, to);
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

  /** True as well of a line that does not begin with the name of its event. */
  private static boolean mayCompleteStage(byte[] line, int from, int to) {
    return !startsWith(line, from, to, EVENT)
        || startsWith(line, from + EVENT.length, to, STAGE_COMPLETED);
  }

  /** Whether nobody reads the value of a field of that name. */
  static boolean isUnread(String name) {
    return UNREAD_NAMES.contains(name);
  }

  /**
   * Behind the array that begins at {@code at}, or -1. Most hold no array and no escape: before the
   * first closing bracket there is then no opening one, and where the number of quotes up to it is
   * even, each string that began has ended. So it is none of a string's, and it is the array's.
   */
  static int arrayEnd(byte[] line, int at, int to) {
    int quotes = 0;
    for (int i = at + 1; i < to; i++) {
      switch (line[i]) {
        case '"':
          quotes++;
          break;
        case ']':
          return (quotes & 1) == 0 ? i + 1 : bracketEnd(line, at, to);
        case '[':
        case '\\':
          return bracketEnd(line, at, to);
        default:
      }
    }
    return -1;
  }

  /** Where the array or object of an unread key begins, or -1. */
  private static int unreadValue(byte[][][] unread, byte[] line, int at, int to) {
    byte[][] keys = at + 1 < to && line[at + 1] >= 0 ? unread[line[at + 1]] : null;
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

  static boolean startsWith(byte[] line, int at, int to, byte[] prefix) {
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

  private static void unread(String... names) {
    byte[][] keys = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      keys[i] = ('"' + names[i] + "\":").getBytes(StandardCharsets.US_ASCII);
    }
    UNREAD[names[0].charAt(0)] = keys;
    Collections.addAll(UNREAD_NAMES, names);
  }
}
