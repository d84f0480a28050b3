package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class IdRangesTest {

  private static final long[] NEAR = {1, 0, 3, 2};

  private final IdRanges ids = new IdRanges();

  @Test
  void isTheSetOfItsIds() {
    Random random = new Random(7);
    Set<Long> expected = new HashSet<>();
    for (int i = 0; i < 3_000; i++) {
      long id = random.nextInt(2_000) - 1_000L;
      assertThat(ids.contains(id)).isEqualTo(expected.contains(id));
      assertThat(ids.add(id)).isEqualTo(expected.add(id));
    }
    for (long id = -1_000; id < 1_000; id++) {
      assertThat(ids.contains(id)).isEqualTo(expected.contains(id));
    }
  }

  @Test
  void idsInARowAreOneRange() {
    for (long id = 0; id < 100_000; id += 2) {
      ids.add(id + 1);
      ids.add(id);
    }
    assertThat(ids.ranges()).isEqualTo(1);
    assertThat(ids.contains(100_000)).isFalse();
  }

  @Test
  void endsOfTheNumbers() {
    assertThat(ids.add(Long.MAX_VALUE)).isTrue();
    assertThat(ids.add(Long.MIN_VALUE)).isTrue();
    assertThat(ids.add(Long.MAX_VALUE)).isFalse();
    assertThat(ids.add(Long.MAX_VALUE - 1)).isTrue();
    assertThat(ids.contains(Long.MIN_VALUE)).isTrue();
    assertThat(ids.contains(0)).isFalse();
    assertThat(ids.ranges()).isEqualTo(2);
  }

  /** The ids of many tasks, some of them out of order, make no objects. */
  @Test
  void asksAndAddsWithoutGarbage() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    fill(0, 10_000);
    long before = threads.getCurrentThreadAllocatedBytes();
    fill(10_000, 200_000);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(ids.ranges()).isEqualTo(1);
    // One object an id would be 16 bytes each.
    assertThat(allocated).isLessThan(200_000);
  }

  private void fill(long first, long end) {
    for (long id = first; id < end; id += 4) {
      for (long next : NEAR) {
        if (ids.contains(id + next) || !ids.add(id + next)) {
          throw new AssertionError(id + next);
        }
      }
    }
  }

  @Test
  void isTheSetOfTheLatestRanges() {
    Random random = new Random(9);
    TreeSet<Long> expected = new TreeSet<>();
    for (long i = 0; i < 20_000; i++) {
      // Never next to each other.
      long id = 10 * (i + random.nextInt(30)) + 3L * random.nextInt(2);
      assertThat(ids.add(id)).isEqualTo(expected.add(id));
      if (expected.size() > IdRanges.MAX_RANGES) {
        expected.pollFirst();
      }
    }
    assertThat(ids.ranges()).isEqualTo(IdRanges.MAX_RANGES);
    for (long id = 0; id < 10 * 20_040; id++) {
      assertThat(ids.contains(id)).isEqualTo(expected.contains(id));
    }
  }

  @Test
  void forgetsTheLowestOfTooMany() {
    for (long id = 0; id < 2 * IdRanges.MAX_RANGES; id++) {
      ids.add(2 * id);
    }
    assertThat(ids.ranges()).isEqualTo(IdRanges.MAX_RANGES);
    assertThat(ids.contains(0)).isFalse();
    assertThat(ids.contains(4L * IdRanges.MAX_RANGES - 2)).isTrue();
    assertThat(ids.contains(2L * IdRanges.MAX_RANGES)).isTrue();
  }
}
