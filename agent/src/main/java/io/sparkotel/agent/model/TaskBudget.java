package io.sparkotel.agent.model;

/** How many task spans a trace may hold, so that a back end can still show it. */
final class TaskBudget {

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
    return spans >= maxSpans || bytes >= maxBytes;
  }

  void spend(int spanBytes) {
    spans++;
    bytes += spanBytes;
  }
}
