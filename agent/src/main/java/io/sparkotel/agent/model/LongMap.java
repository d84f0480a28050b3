package io.sparkotel.agent.model;

import java.util.Arrays;

/**
 * Values by numbers that are not boxed: a lookup makes no object, and an entry takes some 16 bytes.
 * Open addressing with linear probing; what is removed leaves no trace.
 *
 * @param <V> of the values, none of them null
 */
final class LongMap<V> {

  private static final int MIN_CAPACITY = 16;

  /** Of a map that was large and is not any more, so that it is smaller again. */
  private static final int SPARSE = 8;

  private static final Object[] NONE = {};

  /** A power of two, at least a quarter of them free; none before the first value. */
  private Object[] values = NONE;

  private long[] keys = {};
  private int size;

  int size() {
    return size;
  }

  /** For how many there is room, a quarter of which stays free. */
  int capacity() {
    return values.length;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Null where there is none. */
  @SuppressWarnings("unchecked")
  V get(long key) {
    if (size == 0) {
      return null;
    }
    return (V) values[find(key)];
  }

  /** The value that was there and stays; null where there was none. */
  @SuppressWarnings("unchecked")
  V putIfAbsent(long key, V value) {
    if (4L * (size + 1) > 3L * values.length) {
      resize(Math.max(MIN_CAPACITY, 2 * values.length));
    }
    int at = find(key);
    V before = (V) values[at];
    if (before == null) {
      keys[at] = key;
      values[at] = value;
      size++;
    }
    return before;
  }

  /** What was there, or null. */
  @SuppressWarnings("unchecked")
  V remove(long key) {
    if (size == 0) {
      return null;
    }
    int at = find(key);
    V removed = (V) values[at];
    if (removed != null) {
      size--;
      closeGap(at);
      if (values.length > MIN_CAPACITY && size < values.length / SPARSE) {
        resize(values.length / 2);
      }
    }
    return removed;
  }

  /** From the least on. */
  long[] sortedKeys() {
    long[] sorted = new long[size];
    int count = 0;
    for (int i = 0; i < values.length; i++) {
      if (values[i] != null) {
        sorted[count++] = keys[i];
      }
    }
    Arrays.sort(sorted);
    return sorted;
  }

  /** Moves those up that would not be found behind a gap. */
  private void closeGap(int gap) {
    int mask = values.length - 1;
    int free = gap;
    for (int at = (gap + 1) & mask; values[at] != null; at = (at + 1) & mask) {
      int wanted = slot(keys[at], mask);
      if (((at - wanted) & mask) >= ((at - free) & mask)) {
        keys[free] = keys[at];
        values[free] = values[at];
        free = at;
      }
    }
    values[free] = null;
  }

  /** Where it is, or would be. */
  private int find(long key) {
    int mask = values.length - 1;
    int at = slot(key, mask);
    while (values[at] != null && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /** Spark's ids follow each other, those of stages in the upper half: all bits have to count. */
  private static int slot(long key, int mask) {
    long hash = key * 0x9E3779B97F4A7C15L;
    return (int) (hash >>> 32) & mask;
  }

  private void resize(int capacity) {
    Object[] oldValues = values;
    long[] oldKeys = keys;
    values = new Object[capacity];
    keys = new long[capacity];
    for (int i = 0; i < oldValues.length; i++) {
      if (oldValues[i] != null) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        values[at] = oldValues[i];
      }
    }
  }
}
