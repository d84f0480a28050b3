package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountOverTimeTest {

  private final CountOverTime count = new CountOverTime();

  @Test
  void countsFromEachChangeOn() {
    assertThat(count.until(1_000)).isZero();
    count.change(100, 4);
    count.change(300, 2);
    count.change(300, 1);
    count.change(500, -6);
    assertThat(count.count()).isEqualTo(1);
    assertThat(count.until(99)).isZero();
    assertThat(count.until(100)).isZero();
    assertThat(count.until(101)).isEqualTo(4);
    assertThat(count.until(300)).isEqualTo(800);
    assertThat(count.until(310)).isEqualTo(870);
    assertThat(count.until(500)).isEqualTo(2_200);
    assertThat(count.until(1_000)).isEqualTo(2_700);
  }

  @Test
  void isTheSameInEveryOrder() {
    Random random = new Random(3);
    List<long[]> changes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      long start = random.nextInt(1_000);
      long cores = 1L + random.nextInt(8);
      changes.add(new long[] {start, cores});
      changes.add(new long[] {start + random.nextInt(300), -cores});
    }
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(changes, random);
      CountOverTime any = new CountOverTime();
      changes.forEach(change -> any.change(change[0], change[1]));
      for (long time = 0; time < 1_400; time += 7) {
        long until = time;
        long expected = changes.stream().mapToLong(c -> c[1] * Math.max(0, until - c[0])).sum();
        assertThat(any.until(time)).isEqualTo(expected);
      }
    }
  }

  /** Ten times as many changes as are remembered. */
  @Test
  void whatIsForgottenIsInTheSum() {
    Random random = new Random(5);
    int changes = 10 * CountOverTime.MAX_POINTS;
    long[] exact = new long[changes + 1];
    long held = 0;
    for (int i = 0; i < changes; i++) {
      long change = held == 0 || random.nextBoolean() ? 1L + random.nextInt(9) : -held;
      count.change(10L * i, change);
      held += change;
      exact[i + 1] = exact[i] + 10 * held;
    }
    assertThat(count.until(10L * changes)).isEqualTo(exact[changes]);
    for (int i = changes - CountOverTime.MAX_POINTS / 2; i < changes; i++) {
      assertThat(count.until(10L * i)).isEqualTo(exact[i]);
    }
    long before = 0;
    for (int i = 0; i < changes; i++) {
      long sum = count.until(10L * i);
      assertThat(sum).isBetween(before, exact[changes]);
      before = sum;
    }
  }

  @Test
  void theMostForTheLongestIsANumber() {
    count.change(0, CountOverTime.MAX_COUNT);
    long end = FinishedSpan.MAX_MILLIS;
    assertThat(count.until(end)).isEqualTo(end * CountOverTime.MAX_COUNT).isPositive();
  }
}
