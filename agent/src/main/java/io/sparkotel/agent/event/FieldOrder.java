package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A chain of field names in the order in which events of one kind had them. Spark writes the fields
 * of a kind in one order, and a name that is expected is compared as bytes, at a fraction of what
 * it costs to look it up.
 */
final class FieldOrder {

  /** More than any event has besides free settings, whose number is anybody's. */
  static final int MAX_LENGTH = 1_000;

  private final SerializedString text;
  private final byte[] key;

  /** The key by eight bytes; none of one that is shorter. */
  private final long[] words;

  private final int position;
  private FieldOrder next;

  private FieldOrder(String name, int position) {
    text = new SerializedString(name);
    key = ('"' + name + "\":").getBytes(StandardCharsets.UTF_8);
    words = new long[key.length < Long.BYTES ? 0 : (key.length + Long.BYTES - 1) / Long.BYTES];
    ByteBuffer bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < words.length; i++) {
      words[i] = bytes.getLong(offset(i));
    }
    this.position = position;
  }

  /** The beginning of a chain, before its first name. */
  static FieldOrder start() {
    return new FieldOrder("", 0);
  }

  /** What is expected behind this name, or null. */
  FieldOrder next() {
    return next;
  }

  /** Something else came: that is expected from now on, unless the chain is long enough. */
  FieldOrder follow(String name) {
    FieldOrder behind = new FieldOrder(name, position + 1);
    if (position < MAX_LENGTH) {
      next = behind;
    }
    return behind;
  }

  SerializableString text() {
    return text;
  }

  /**
   * Whether this name stands there as a key, quotes and colon included, without escapes.
   *
   * @param littleEndian the line as a buffer
   */
  boolean isAt(byte[] line, ByteBuffer littleEndian, int at, int to) {
    if (to - at < key.length) {
      return false;
    }
    for (int i = 0; i < words.length; i++) {
      if (littleEndian.getLong(at + offset(i)) != words[i]) {
        return false;
      }
    }
    return words.length > 0 || LineTrimmer.startsWith(line, at, to, key);
  }

  /** Of a word: they cover the key, the last two of them overlap. */
  private int offset(int word) {
    return Math.min(word * Long.BYTES, key.length - Long.BYTES);
  }

  /** In bytes, quotes and colon included. */
  int keyLength() {
    return key.length;
  }

  String name() {
    return text.getValue();
  }
}
