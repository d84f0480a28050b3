package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantilesTest {

  private static final double[] QUANTILES = {0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.999, 1};

  private static long spark(long[] values, double q) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min((long) (q * values.length), values.length - 1L)];
  }

  private static Quantiles of(long[] values) {
    Quantiles quantiles = new Quantiles();
    for (long value : values) {
      quantiles.add(value);
    }
    return quantiles;
  }

  /** From 0 to the greatest long, as many of each magnitude. */
  private static long[] random(int count, long seed) {
    Random random = new Random(seed);
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = (random.nextLong() & Long.MAX_VALUE) >>> random.nextInt(64);
    }
    return values;
  }

  private static void shuffle(long[] values) {
    Random random = new Random(7);
    for (int i = values.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long value = values[i];
      values[i] = values[j];
      values[j] = value;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4_999, 5_000, 5_001, 9_998, 9_999, 10_000})
  void isExactWhereMostValuesAreZero(int zeros) {
    long[] values = random(10_000, 3);
    Arrays.fill(values, 0, zeros, 0);
    shuffle(values);
    Quantiles quantiles = of(values);
    assertThat(quantiles.isExact()).isTrue();
    for (double q : QUANTILES) {
      assertThat(quantiles.at(q)).as("%s of %s zeros", q, zeros).isEqualTo(spark(values, q));
    }
  }

  @Test
  void zerosAreExactWithTheOthersInAHistogram() {
    long[] values = random(30_000, 5);
    Arrays.fill(values, 0, 15_000, 0);
    shuffle(values);
    Quantiles quantiles = of(values);
    assertThat(quantiles.isExact()).isFalse();
    assertThat(quantiles.at(0)).isZero();
    assertThat(quantiles.at(0.5)).isZero();
    assertThat(quantiles.at(1)).isEqualTo(spark(values, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 16, 17, 99, 100, 101, 1_000, 9_999, 10_000})
  void isExactAsSparkIs(int count) {
    long[] values = random(count, count);
    Quantiles quantiles = of(values);
    assertThat(quantiles.isExact()).isTrue();
    for (double q : QUANTILES) {
      assertThat(quantiles.at(q)).as("%s of %s", q, count).isEqualTo(spark(values, q));
    }
    assertThat(quantiles.max()).isEqualTo(spark(values, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {10_500, 20_000, 50_000})
  void isNearBeyond(int count) {
    long[] values = random(count, count);
    Quantiles quantiles = of(values);
    assertThat(quantiles.isExact()).isFalse();
    for (double q : QUANTILES) {
      long exact = spark(values, q);
      double error = Math.abs((double) quantiles.at(q) - exact);
      assertThat(error).as("%s of %s", q, count).isLessThanOrEqualTo(exact / 64.0);
    }
    assertThat(quantiles.at(0)).isEqualTo(spark(values, 0));
    assertThat(quantiles.at(1)).isEqualTo(spark(values, 1));
  }

  @Test
  void doesNotDependOnTheOrder() {
    long[] values = random(15_000, 3);
    Quantiles quantiles = of(values);
    shuffle(values);
    Quantiles shuffled = of(values);
    Arrays.sort(values);
    Quantiles sorted = of(values);
    for (double q : QUANTILES) {
      assertThat(shuffled.at(q)).isEqualTo(quantiles.at(q)).isEqualTo(sorted.at(q));
    }
  }

  @Test
  void mayBeAskedBetweenValues() {
    Quantiles quantiles = of(new long[] {5, 1});
    assertThat(quantiles.at(0)).isEqualTo(1);
    quantiles.add(0);
    assertThat(quantiles.at(0)).isZero();
    assertThat(quantiles.at(1)).isEqualTo(5);
  }

  @Test
  void holdsExtremes() {
    Quantiles quantiles = new Quantiles();
    assertThat(quantiles.max()).isZero();
    for (int i = 0; i < 20_002; i++) {
      quantiles.add(i % 2 == 0 ? 0 : Long.MAX_VALUE);
    }
    assertThat(quantiles.at(0)).isZero();
    assertThat(quantiles.at(0.25)).isZero();
    assertThat(quantiles.at(0.75)).isEqualTo(Long.MAX_VALUE);
    assertThat(quantiles.at(1)).isEqualTo(Long.MAX_VALUE);
  }

  /** As of what most tasks have none of: nothing is held until one has some. */
  @ParameterizedTest
  @ValueSource(ints = {1, 15, 16, 17, 9_998, 9_999, 10_000, 10_001, 50_000})
  void zerosTakeNoRoom(int zeros) {
    Quantiles quantiles = of(new long[zeros]);
    assertThat(quantiles.stateSize()).isZero();
    assertThat(quantiles.count()).isEqualTo(zeros);
    assertThat(quantiles.max()).isZero();
    assertThat(quantiles.at(0.5)).isZero();
    assertThat(quantiles.at(1)).isZero();

    long[] values = new long[zeros + 3];
    values[zeros] = 7;
    values[zeros + 2] = 9;
    for (long value : new long[] {7, 0, 9}) {
      quantiles.add(value);
    }
    assertThat(quantiles.isExact()).isTrue();
    for (double q : QUANTILES) {
      assertThat(quantiles.at(q)).as("%s of %s", q, zeros).isEqualTo(spark(values, q));
    }
  }
}
