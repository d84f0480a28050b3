package io.sparkotel.agent.event;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The fields of a line as Spark writes nearly all of them: no blanks, plain ASCII without escapes,
 * whole numbers. That is read at a fraction of what a JSON parser costs. Whatever else comes ends
 * the walk: then {@link #isWhole()} is false, what was read is worth nothing, and a parser has to
 * read the line. So this need not know JSON, it must only never take for plain what is not.
 */
final class PlainFields extends EventFields {

  /** Far deeper than what Spark writes. */
  private static final int MAX_DEPTH = 16;

  /** What always fits a long. */
  private static final int MAX_DIGITS = 18;

  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  private final byte[] line;
  private final ByteBuffer words;
  private final int to;
  private int at;
  private int depth = 1;
  private boolean first;
  private boolean failed;
  private FieldOrder field;

  /**
   * @param from in an object, behind the value of one of its fields
   * @param to the line's end
   * @param order of the fields as earlier events of that kind had them
   */
  PlainFields(byte[] line, int from, int to, FieldOrder order) {
    this.line = line;
    this.words = ByteBuffer.wrap(line).order(ByteOrder.LITTLE_ENDIAN);
    this.at = from;
    this.to = to;
    this.field = order;
  }

  /** Whether all of the line was plain, and nothing is behind its object. */
  boolean isWhole() {
    return !failed && depth == 0 && at == to;
  }

  @Override
  boolean next() {
    if (failed) {
      return false;
    }
    int next = peek();
    if (next == '}') {
      at++;
      depth--;
      first = false;
      return false;
    }
    if (!first) {
      if (next != ',') {
        return fail();
      }
      at++;
    }
    first = false;
    FieldOrder expected = field.next();
    if (expected != null && expected.isAt(line, words, at, to)) {
      at += expected.keyLength();
      field = expected;
      return true;
    }
    String name = text();
    if (failed || peek() != ':') {
      return fail();
    }
    at++;
    // The readers compare names with their own, which is quickest where they are the same object.
    field = field.follow(name.intern());
    return true;
  }

  @Override
  String name() {
    return field.name();
  }

  @Override
  void skip() {
    if (peek() != '{') {
      skipFlat();
      return;
    }
    int outer = depth;
    enter();
    while (depth > outer && !failed) {
      if (!next()) {
        continue;
      }
      if (peek() == '{') {
        enter();
      } else {
        skipFlat();
      }
    }
  }

  private void skipFlat() {
    switch (peek()) {
      case '"':
        skipText();
        break;
      case '[':
        skipArray();
        break;
      case 't':
        literal(TRUE);
        break;
      case 'f':
        literal(FALSE);
        break;
      case 'n':
        literal(NULL);
        break;
      default:
        numberOr(0);
    }
  }

  /** Of an array that is read, or may be, a parser has to see all. */
  private void skipArray() {
    if (at + 1 < to && line[at + 1] == ']') {
      at += 2;
      return;
    }
    int end = LineTrimmer.isUnread(field.name()) ? LineTrimmer.arrayEnd(line, at, to) : -1;
    if (end < 0) {
      fail();
    } else {
      at = end;
    }
  }

  @Override
  boolean enter() {
    if (peek() != '{' || depth == MAX_DEPTH) {
      return fail();
    }
    at++;
    depth++;
    first = true;
    return true;
  }

  @Override
  long numberOr(long absent) {
    int i = at;
    boolean negative = i < to && line[i] == '-';
    if (negative) {
      i++;
    }
    int start = i;
    long value = 0;
    while (i < to && line[i] >= '0' && line[i] <= '9') {
      value = 10 * value + line[i] - '0';
      i++;
    }
    int digits = i - start;
    if (digits == 0 || digits > MAX_DIGITS || (digits > 1 && line[start] == '0')) {
      fail();
      return absent;
    }
    at = i;
    return negative ? -value : value;
  }

  @Override
  boolean bool() {
    if (peek() == 't') {
      return literal(TRUE);
    }
    literal(FALSE);
    return false;
  }

  @Override
  String text() {
    int start = at + 1;
    skipText();
    return failed ? null : new String(line, start, at - 1 - start, StandardCharsets.ISO_8859_1);
  }

  private void skipText() {
    if (peek() != '"') {
      fail();
      return;
    }
    int i = at + 1;
    // A byte of a character that is not ASCII is negative.
    while (i < to && line[i] >= ' ' && line[i] != '"' && line[i] != '\\') {
      i++;
    }
    if (i == to || line[i] != '"' || i - at >= LineTrimmer.MAX_STRING_BYTES) {
      fail();
    } else {
      at = i + 1;
    }
  }

  private boolean literal(byte[] text) {
    if (!LineTrimmer.startsWith(line, at, to, text)) {
      return fail();
    }
    at += text.length;
    return true;
  }

  private int peek() {
    return at < to ? line[at] : -1;
  }

  private boolean fail() {
    failed = true;
    return false;
  }
}
