package io.sparkotel.agent.model;

import java.util.Arrays;

/**
 * A set of Spark's ids. Spark counts them up, so that they make a few ranges; of more than {@link
 * #MAX_RANGES} the lowest is forgotten. Asked for each task, it makes no objects.
 */
final class IdRanges {

  static final int MAX_RANGES = 4_096;

  /** The ranges in order, from the index {@link #from} up to {@link #to}; none joins the next. */
  private long[] firsts = new long[2];

  private long[] lasts = new long[2];
  private int from;
  private int to;

  /** False where it is in the set. */
  boolean add(long id) {
    int above = above(id);
    if (above > from && id <= lasts[above - 1]) {
      return false;
    }
    boolean joinsBelow = above > from && lasts[above - 1] + 1 == id;
    boolean joinsAbove = above < to && firsts[above] - 1 == id;
    if (joinsBelow && joinsAbove) {
      lasts[above - 1] = lasts[above];
      move(above + 1, above);
      to--;
    } else if (joinsBelow) {
      lasts[above - 1] = id;
    } else if (joinsAbove) {
      firsts[above] = id;
    } else {
      insert(above, id);
    }
    return true;
  }

  boolean contains(long id) {
    int above = above(id);
    return above > from && id <= lasts[above - 1];
  }

  /** The index of the first range that begins behind it. */
  private int above(long id) {
    // Most are of the last range or follow it.
    if (to == from || id >= firsts[to - 1]) {
      return to;
    }
    int at = Arrays.binarySearch(firsts, from, to, id);
    return at < 0 ? -at - 1 : at + 1;
  }

  private void insert(int at, long id) {
    if (ranges() == MAX_RANGES) {
      if (at == from) {
        // It is the lowest itself.
        return;
      }
      from++;
    }
    int index = at;
    if (to == firsts.length) {
      index -= from;
      makeRoom();
    }
    move(index, index + 1);
    to++;
    firsts[index] = id;
    lasts[index] = id;
  }

  /** Moves the ranges to the front of arrays that are half empty at least. */
  private void makeRoom() {
    int size = ranges();
    int capacity = size > firsts.length / 2 ? 2 * firsts.length : firsts.length;
    firsts = atFront(firsts, capacity);
    lasts = atFront(lasts, capacity);
    from = 0;
    to = size;
  }

  private long[] atFront(long[] values, int capacity) {
    long[] target = capacity == values.length ? values : new long[capacity];
    System.arraycopy(values, from, target, 0, ranges());
    return target;
  }

  private void move(int source, int target) {
    System.arraycopy(firsts, source, firsts, target, to - source);
    System.arraycopy(lasts, source, lasts, target, to - source);
  }

  int ranges() {
    return to - from;
  }
}
