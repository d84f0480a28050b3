package io.sparkotel.agent.model;

/**
 * Tells which batches of a stream took long: by those before it alone, so that nothing has to wait
 * for those after it. The longest of all is among them.
 */
final class BatchDurations {

  private long sum;
  private long count;
  private long longest = -1;

  /**
   * Of the next batch: longer than any before it, or than twice their average.
   *
   * @param duration milliseconds, not negative
   */
  boolean isSlow(long duration) {
    boolean slow = duration > longest || duration / 2 > sum / count;
    longest = Math.max(longest, duration);
    sum = Totals.sum(sum, duration);
    count++;
    return slow;
  }
}
