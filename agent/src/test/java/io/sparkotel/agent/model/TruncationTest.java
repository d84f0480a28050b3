package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.TextSamples.EMOJI;
import static io.sparkotel.agent.model.TextSamples.LONE_HIGH;
import static io.sparkotel.agent.model.TextSamples.LONE_LOW;
import static io.sparkotel.agent.model.TextSamples.bytes;
import static io.sparkotel.agent.model.TextSamples.isValidUtf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TruncationTest {

  @Test
  void whatFitsIsTheSameInstance() {
    String text = new String("Grüße " + EMOJI);
    assertThat(Truncation.toBytes(text, 100).text()).isSameAs(text);
    assertThat(Truncation.toBytes(text, bytes(text)).text()).isSameAs(text);
    assertThat(Truncation.toBytes(text, bytes(text)).isCut()).isFalse();
    assertThat(Truncation.toChars(text, text.length()).text()).isSameAs(text);
    assertThat(Truncation.wellFormed(text)).isSameAs(text);
  }

  @Test
  void nullAndEmpty() {
    assertThat(Truncation.toBytes(null, 5).text()).isNull();
    assertThat(Truncation.toBytes(null, 5).isCut()).isFalse();
    assertThat(Truncation.toBytes("", 0).isCut()).isFalse();
    assertThat(Truncation.toBytes("a", 0).text()).isEmpty();
    assertThat(Truncation.toBytes("a", -1).isCut()).isTrue();
    assertThat(Truncation.wellFormed(null)).isNull();
  }

  @Test
  void cutsBetweenCodePoints() {
    String text = "ab" + EMOJI + "c";
    for (int max = 2; max < 6; max++) {
      assertThat(Truncation.toBytes(text, max).text()).isEqualTo("ab");
    }
    assertThat(Truncation.toBytes(text, 6).text()).isEqualTo("ab" + EMOJI);
    assertThat(Truncation.toBytes(text, 6).isCut()).isTrue();
    assertThat(Truncation.toBytes(text, 7).isCut()).isFalse();
    assertThat(Truncation.toChars(text, 3).text()).isEqualTo("ab");
    assertThat(Truncation.toChars(text, 4).text()).isEqualTo("ab" + EMOJI);
  }

  @Test
  void loneSurrogatesAreReplaced() {
    assertThat(Truncation.wellFormed("a" + LONE_HIGH + "b" + LONE_LOW)).isEqualTo("a\uFFFDb\uFFFD");
    assertThat(Truncation.wellFormed(LONE_HIGH + EMOJI)).isEqualTo("\uFFFD" + EMOJI);
    assertThat(Truncation.wellFormed(LONE_LOW + LONE_HIGH)).isEqualTo("\uFFFD\uFFFD");
    Truncation replaced = Truncation.toBytes(LONE_HIGH, 10);
    assertThat(replaced.text()).isEqualTo("\uFFFD");
    assertThat(replaced.isCut()).isFalse();
  }

  @Test
  void everyLimitOfEveryTextGivesValidUtf8WithinTheLimit() {
    Random random = new Random(1);
    String[] pieces = {"a", "ü", "€", EMOJI, LONE_HIGH, LONE_LOW, "\n"};
    for (int round = 0; round < 60; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 12; i++) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      String whole = Truncation.wellFormed(text.toString());
      for (int max = 0; max <= 50; max++) {
        Truncation cut = Truncation.toBytes(text.toString(), max);
        assertThat(isValidUtf8(cut.text())).isTrue();
        assertThat(bytes(cut.text())).isLessThanOrEqualTo(max);
        assertThat(whole).startsWith(cut.text());
        assertThat(cut.isCut()).isEqualTo(cut.text().length() < whole.length());
        assertThat(Truncation.utf8Length(cut.text())).isEqualTo(bytes(cut.text()));
        Truncation.Split split = Truncation.splitLines(text.toString(), 7, max);
        int total = split.parts().stream().mapToInt(TextSamples::bytes).sum();
        assertThat(total).isLessThanOrEqualTo(max);
        assertThat(split.parts())
            .allSatisfy(
                part -> {
                  assertThat(bytes(part)).isBetween(1, 7);
                  assertThat(isValidUtf8(part)).isTrue();
                });
      }
    }
  }

  @Test
  void splitsAtLines() {
    Truncation.Split split = Truncation.splitLines("aaa\nbbb\nccc\nddd", 8, 100);
    assertThat(split.parts()).containsExactly("aaa\nbbb", "ccc\nddd");
    assertThat(split.isCut()).isFalse();
    assertThat(Truncation.splitLines("aaa", 8, 100).parts()).containsExactly("aaa");
    assertThat(Truncation.splitLines("", 8, 100).parts()).isEmpty();
    assertThat(Truncation.splitLines(null, 8, 100).parts()).isEmpty();
  }

  @Test
  void aLongLineIsCutAndSaidSo() {
    Truncation.Split split = Truncation.splitLines("aaaaaaaaaaaa\nb", 5, 100);
    assertThat(split.parts()).containsExactly("aaaaa", "b");
    assertThat(split.isCut()).isTrue();
  }

  @Test
  void theTotalIsALimit() {
    Truncation.Split split = Truncation.splitLines("aaaa\nbbbb\ncccc", 4, 10);
    assertThat(split.parts()).containsExactly("aaaa", "bbbb", "cc");
    assertThat(split.isCut()).isTrue();
    assertThat(Truncation.splitLines("aaaa\nbbbb", 4, 8).isCut()).isFalse();
    assertThat(Truncation.splitLines("aaaa\nbbbb\nc", 4, 8).isCut()).isTrue();
  }

  @Test
  void aMillionCharsFillTheTotal() {
    Truncation.Split split =
        Truncation.splitLines(TextSamples.million("0123456789012345678\n"), 2000, 16_384);
    assertThat(split.parts()).hasSize(9);
    assertThat(split.parts().subList(0, 8)).allSatisfy(part -> assertThat(part).endsWith("8"));
    assertThat(split.isCut()).isTrue();
  }
}
