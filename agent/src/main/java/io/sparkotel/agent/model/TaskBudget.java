package io.sparkotel.agent.model;

/**
 * How many task spans a trace may hold, so that a back end can still show it. What will come is not
 * known: those that say least leave room for those that say most.
 */
final class TaskBudget {

  /** What a task's span is good for, least first. */
  enum Rank {
    /** One of a small stage: at most a half of the budget. */
    ANY(1, 2),
    /** Of the slowest of its stage, or its end was never seen: at most three quarters. */
    SLOW(3, 4),
    /** Failed, or the winner of a speculation: all. */
    FAILED(1, 1);

    private final int part;
    private final int of;

    Rank(int part, int of) {
      this.part = part;
      this.of = of;
    }

    /** At least one. */
    private long share(long most) {
      return Math.max(1, most / of * part + most % of * part / of);
    }
  }

  private final long maxSpans;
  private final long maxBytes;
  private long spans;
  private long bytes;

  TaskBudget(long maxSpans, long maxBytes) {
    this.maxSpans = maxSpans;
    this.maxBytes = maxBytes;
  }

  static TaskBudget unlimited() {
    return new TaskBudget(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  boolean isSpent() {
    return !hasRoom(Rank.FAILED);
  }

  boolean hasRoom(Rank rank) {
    return spans < rank.share(maxSpans) && bytes < rank.share(maxBytes);
  }

  void spend(int spanBytes) {
    spans++;
    bytes += spanBytes;
  }
}
