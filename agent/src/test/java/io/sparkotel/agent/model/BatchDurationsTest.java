package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchDurationsTest {

  private final BatchDurations durations = new BatchDurations();

  @Test
  void theLongestSoFarIsSlow() {
    assertThat(durations.isSlow(10)).isTrue();
    assertThat(durations.isSlow(10)).isFalse();
    assertThat(durations.isSlow(11)).isTrue();
    assertThat(durations.isSlow(11)).isFalse();
  }

  @Test
  void soIsMoreThanTwiceTheAverage() {
    assertThat(durations.isSlow(100)).isTrue();
    for (int i = 0; i < 18; i++) {
      assertThat(durations.isSlow(10)).isFalse();
    }
    // The average is 14.
    assertThat(durations.isSlow(29)).isFalse();
    assertThat(durations.isSlow(32)).isTrue();
  }

  @Test
  void whatTakesNoTimeIsNoneAfterTheFirst() {
    assertThat(durations.isSlow(0)).isTrue();
    assertThat(durations.isSlow(0)).isFalse();
    assertThat(durations.isSlow(Long.MAX_VALUE)).isTrue();
  }
}
