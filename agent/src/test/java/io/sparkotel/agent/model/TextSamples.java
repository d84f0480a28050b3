package io.sparkotel.agent.model;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Text that the tests of this package share. */
final class TextSamples {

  static final String EMOJI = "\uD83D\uDE80";
  static final String LONE_HIGH = "\uD83D";
  static final String LONE_LOW = "\uDE80";

  private TextSamples() {}

  /** As many repetitions as make a million chars. */
  static String million(String piece) {
    return piece.repeat(1_000_000 / piece.length());
  }

  static boolean isValidUtf8(String text) {
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
