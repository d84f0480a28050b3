package io.sparkotel.agent.event;

import java.util.Arrays;

/** Pairs of an accumulator's id and its value, collected one by one. */
public final class AccumulatorValues {

  private static final long[] NONE = {};

  private long[] pairs = NONE;
  private int length;

  public void add(long id, long value) {
    if (length == pairs.length) {
      pairs = Arrays.copyOf(pairs, Math.max(32, 2 * length));
    }
    pairs[length++] = id;
    pairs[length++] = value;
  }

  /** Ids and values alternate; empty where there are none. */
  public long[] toArray() {
    return length == pairs.length ? pairs : Arrays.copyOf(pairs, length);
  }
}
