package io.sparkotel.agent.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * A set of Spark's ids. Spark counts them up, so that they make a few ranges; of more than {@link
 * #MAX_RANGES} the lowest is forgotten.
 */
final class IdRanges {

  static final int MAX_RANGES = 4_096;

  private final TreeMap<Long, Long> lastByFirst = new TreeMap<>();

  /** False where it is in the set. */
  boolean add(long id) {
    Map.Entry<Long, Long> below = lastByFirst.floorEntry(id);
    if (below != null && id <= below.getValue()) {
      return false;
    }
    boolean joinsBelow = below != null && below.getValue() + 1 == id;
    Long lastAbove = id == Long.MAX_VALUE ? null : lastByFirst.remove(id + 1);
    lastByFirst.put(joinsBelow ? below.getKey() : id, lastAbove == null ? id : lastAbove);
    if (lastByFirst.size() > MAX_RANGES) {
      lastByFirst.pollFirstEntry();
    }
    return true;
  }

  boolean contains(long id) {
    Map.Entry<Long, Long> below = lastByFirst.floorEntry(id);
    return below != null && id <= below.getValue();
  }

  int ranges() {
    return lastByFirst.size();
  }
}
