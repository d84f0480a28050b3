package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongMapTest {

  private final LongMap<String> map = new LongMap<>();

  private static long[] keys(Map<Long, String> map) {
    return map.keySet().stream().mapToLong(key -> key).toArray();
  }

  @Test
  void isEmptyAtFirst() {
    assertThat(map.isEmpty()).isTrue();
    assertThat(map.get(0)).isNull();
    assertThat(map.remove(0)).isNull();
    assertThat(map.sortedKeys()).isEmpty();
  }

  @Test
  void keepsWhatIsThere() {
    assertThat(map.putIfAbsent(0, "a")).isNull();
    assertThat(map.putIfAbsent(0, "b")).isEqualTo("a");
    assertThat(map.get(0)).isEqualTo("a");
    assertThat(map.size()).isEqualTo(1);
    assertThat(map.remove(0)).isEqualTo("a");
    assertThat(map.isEmpty()).isTrue();
    assertThat(map.putIfAbsent(0, "b")).isNull();
    assertThat(map.get(0)).isEqualTo("b");
  }

  /** As the ids of tasks and of stages are, those of attempts, and any. */
  @ParameterizedTest
  @ValueSource(longs = {1, 1L << 32, (1L << 32) + 1, 0x1_0000_0010L, -1, 1L << 60})
  void isAsAnyOtherMap(long step) {
    Random random = new Random(step);
    TreeMap<Long, String> expected = new TreeMap<>();
    for (int i = 0; i < 100_000; i++) {
      // Grows and gets smaller again, several times.
      boolean growing = i / 10_000 % 2 == 0;
      long key = step * random.nextInt(5_000);
      if (random.nextInt(10) < (growing ? 8 : 2)) {
        String value = "v" + i;
        assertThat(map.putIfAbsent(key, value)).isEqualTo(expected.putIfAbsent(key, value));
      } else {
        assertThat(map.remove(key)).isEqualTo(expected.remove(key));
      }
      long other = step * random.nextInt(5_000);
      assertThat(map.get(other)).isEqualTo(expected.get(other));
      assertThat(map.size()).isEqualTo(expected.size());
    }
    assertThat(map.sortedKeys()).containsExactly(keys(expected));
    expected.keySet().forEach(key -> assertThat(map.remove(key)).isNotNull());
    assertThat(map.isEmpty()).isTrue();
    assertThat(map.sortedKeys()).isEmpty();
  }

  /** A window of ids that moves on, as that of the tasks that run. */
  @Test
  void ofManyThatComeAndGoOnlyThoseThatAreThereAreHeld() {
    for (long key = 0; key < 1_000_000; key++) {
      map.putIfAbsent(key, "v");
      if (key >= 100) {
        map.remove(key - 100);
      }
    }
    assertThat(map.size()).isEqualTo(100);
    assertThat(map.capacity()).isEqualTo(256);
    for (long key = 0; key < 1_000_000; key++) {
      map.putIfAbsent(key, "v");
    }
    assertThat(map.capacity()).isEqualTo(1 << 21);
    for (long key = 0; key < 1_000_000; key++) {
      map.remove(key);
    }
    assertThat(map.capacity()).isEqualTo(16);
  }
}
