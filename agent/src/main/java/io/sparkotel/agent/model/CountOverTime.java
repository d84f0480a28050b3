package io.sparkotel.agent.model;

import java.util.Arrays;

/**
 * How long how many of something were there: the integral of a count that changes in steps. A
 * change may be told late, after later ones. Of more than {@link #MAX_POINTS} times of changes
 * every second one of the older half is forgotten: between two that are left the count is then
 * taken for even, and what passed between them stays exact.
 */
final class CountOverTime {

  static final int MAX_POINTS = 4_096;

  /** So many for as long as a span can last are as many milliseconds as a long can hold. */
  static final long MAX_COUNT = 1_000_000;

  private long[] times = new long[4];

  /** The integral up to each of the times. */
  private long[] sums = new long[4];

  private int points;
  private long count;

  /** From the last change on. */
  long count() {
    return count;
  }

  /**
   * @param time epoch milliseconds
   * @param change of the count
   */
  void change(long time, long change) {
    int at = points;
    while (at > 0 && times[at - 1] > time) {
      at--;
      sums[at] += change * (times[at] - time);
    }
    if (at == 0 || times[at - 1] != time) {
      insert(at, time, change);
    }
    count += change;
    if (points > MAX_POINTS) {
      thin();
    }
  }

  private void insert(int at, long time, long change) {
    long sum = at == points ? until(time) : between(at, time, change);
    if (points == times.length) {
      times = Arrays.copyOf(times, 2 * points);
      sums = Arrays.copyOf(sums, 2 * points);
    }
    System.arraycopy(times, at, times, at + 1, points - at);
    System.arraycopy(sums, at, sums, at + 1, points - at);
    times[at] = time;
    sums[at] = sum;
    points++;
  }

  /** Before a point that has the change in it already. */
  private long between(int at, long time, long change) {
    if (at == 0) {
      return 0;
    }
    return interpolate(at - 1, sums[at] - change * (times[at] - time), time);
  }

  /** How many times are held. */
  int points() {
    return points;
  }

  private void thin() {
    int kept = 0;
    for (int i = 0; i < points; i++) {
      if (i >= points / 2 || i % 2 == 0) {
        times[kept] = times[i];
        sums[kept] = sums[i];
        kept++;
      }
    }
    points = kept;
  }

  /** The integral up to a time, epoch milliseconds, of the changes told so far. */
  long until(long time) {
    int at = points;
    if (at > 0 && times[at - 1] > time) {
      at = Arrays.binarySearch(times, 0, points, time);
      at = at < 0 ? -at - 1 : at + 1;
    }
    if (at == 0) {
      return 0;
    }
    if (at == points) {
      return sums[at - 1] + count * (time - times[at - 1]);
    }
    return interpolate(at - 1, sums[at], time);
  }

  /** From a point on, up to the next one where the integral is {@code nextSum}. */
  private long interpolate(int at, long nextSum, long time) {
    long length = times[at + 1] - times[at];
    long passed = time - times[at];
    long sum = nextSum - sums[at];
    // Where nothing was forgotten the count is whole, and so the rest is 0.
    double rest = (double) (sum % length) * passed / length;
    return sums[at] + sum / length * passed + (long) rest;
  }
}
