package io.sparkotel.agent.event;

/** Makes bytes valid UTF-8 in place: one byte in a message must not cost the event. */
final class Utf8 {

  private static final byte REPLACEMENT = '?';

  private Utf8() {}

  /**
   * Replaces each byte between {@code from} and {@code to} that belongs to no character.
   *
   * @return whether there was one
   */
  static boolean repair(byte[] bytes, int from, int to) {
    boolean repaired = false;
    for (int i = from; i < to; ) {
      int length = characterLength(bytes, i, to);
      if (length == 0) {
        bytes[i++] = REPLACEMENT;
        repaired = true;
      }
      i += length;
    }
    return repaired;
  }

  /** In bytes; 0 where no character begins. */
  private static int characterLength(byte[] bytes, int at, int to) {
    int first = bytes[at] & 0xff;
    if (first < 0x80) {
      return 1;
    }
    int length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || at + length > to) {
      return 0;
    }
    for (int i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xff;
    boolean tooLong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    boolean noCharacter = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    return tooLong || noCharacter ? 0 : length;
  }
}
