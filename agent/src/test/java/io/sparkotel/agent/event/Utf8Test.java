package io.sparkotel.agent.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8Test {

  @Test
  void everyCharacterStaysAsItIs() {
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
      if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
        continue;
      }
      byte[] bytes = Character.toString(codePoint).getBytes(UTF_8);
      if (Utf8.repair(bytes, 0, bytes.length)) {
        throw new AssertionError("U+" + Integer.toHexString(codePoint));
      }
    }
  }

  @Test
  void whatIsRepairedIsValidAndTellsThatItWasNot() {
    Random random = new Random(5);
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(8)];
      random.nextBytes(bytes);
      byte[] before = bytes.clone();
      assertThat(Utf8.repair(bytes, 0, bytes.length)).isEqualTo(!isValid(before));
      assertThat(isValid(bytes)).isTrue();
    }
  }

  @Test
  void onlyWhatIsWrongIsReplaced() {
    byte[] bytes = "a\u20acb\ud83d\ude00".getBytes(UTF_8);
    bytes[1] = (byte) 0xff;
    Utf8.repair(bytes, 0, bytes.length);
    assertThat(new String(bytes, UTF_8)).isEqualTo("a???b\ud83d\ude00");
  }

  private static boolean isValid(byte[] bytes) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
