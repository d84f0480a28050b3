package io.sparkotel.agent.event;

import java.nio.charset.StandardCharsets;

/**
 * Cuts out of a line what nobody reads, so that it is passed over as bytes and never tokenised:
 * accumulables are most of a log. A value that is cut leaves an empty one behind.
 *
 * <p>A key inside a string would have its quotes escaped, so the bytes searched for are always a
 * key's.
 */
final class LineTrimmer {

  private static final byte[] TASK_END = bytes("{\"Event\":\"SparkListenerTaskEnd\"");
  private static final byte[] ACCUMULABLES = bytes("\"Accumulables\":[");
  private static final byte[] AFTER_TASK_INFO = bytes("]},\"Task ");
  private static final byte[][] UNREAD = {
    bytes("\"Accumulables\":"),
    bytes("\"RDD Info\":"),
    bytes("\"Updated Blocks\":"),
    bytes("\"Accumulator Updates\":"),
    bytes("\"Stack Trace\":"),
    bytes("\"metrics\":"),
    bytes("\"metadata\":"),
  };

  private byte[] out = new byte[1 << 16];
  private int length;

  /** The trimmed line, valid until the next call. */
  byte[] buffer() {
    return out;
  }

  int length() {
    return length;
  }

  /** Trims the bytes {@code from} to {@code to} into {@link #buffer()}. */
  void trim(byte[] line, int from, int to) {
    length = 0;
    if (out.length < to - from) {
      out = new byte[Integer.highestOneBit(to - from) << 1];
    }
    if (!startsWith(line, from, to, TASK_END) || !trimTaskEnd(line, from, to)) {
      length = 0;
      trimAny(line, from, to);
    }
  }

  /** Of a task's end: the accumulables are between the task's info and its metrics. */
  private boolean trimTaskEnd(byte[] line, int from, int to) {
    int start = indexOf(line, from, to, ACCUMULABLES);
    if (start < 0) {
      return false;
    }
    int keep = start + ACCUMULABLES.length;
    int resume = lastIndexOf(line, keep, to, AFTER_TASK_INFO);
    if (resume < 0) {
      return false;
    }
    append(line, from, keep);
    append(line, resume, to);
    return true;
  }

  private void trimAny(byte[] line, int from, int to) {
    int copied = from;
    int at = from;
    while (at < to) {
      if (line[at] != '"') {
        at++;
        continue;
      }
      int value = unreadValue(line, at, to);
      if (value < 0) {
        at = stringEnd(line, at, to);
        continue;
      }
      int end = bracketEnd(line, value, to);
      append(line, copied, value + 1);
      out[length++] = (byte) (line[value] == '[' ? ']' : '}');
      at = end;
      copied = end;
    }
    append(line, Math.min(copied, to), to);
  }

  /** Where the array or object of an unread key begins, or -1. */
  private static int unreadValue(byte[] line, int at, int to) {
    for (byte[] key : UNREAD) {
      int value = at + key.length;
      if (value < to
          && (line[value] == '[' || line[value] == '{')
          && startsWith(line, at, to, key)) {
        return value;
      }
    }
    return -1;
  }

  /** Behind the string that begins at {@code at}. */
  private static int stringEnd(byte[] line, int at, int to) {
    int i = at + 1;
    while (i < to && line[i] != '"') {
      i += line[i] == '\\' ? 2 : 1;
    }
    return i + 1;
  }

  /** Behind the array or object that begins at {@code at}. */
  private static int bracketEnd(byte[] line, int at, int to) {
    int depth = 0;
    int i = at;
    while (i < to) {
      switch (line[i]) {
        case '"':
          i = stringEnd(line, i, to);
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
    return to;
  }

  private void append(byte[] line, int from, int to) {
    System.arraycopy(line, from, out, length, to - from);
    length += to - from;
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

  private static int indexOf(byte[] line, int from, int to, byte[] text) {
    for (int at = from; at <= to - text.length; at++) {
      if (line[at] == text[0] && startsWith(line, at, to, text)) {
        return at;
      }
    }
    return -1;
  }

  private static int lastIndexOf(byte[] line, int from, int to, byte[] text) {
    for (int at = to - text.length; at >= from; at--) {
      if (line[at] == text[0] && startsWith(line, at, to, text)) {
        return at;
      }
    }
    return -1;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
