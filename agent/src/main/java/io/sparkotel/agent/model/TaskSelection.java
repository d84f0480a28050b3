package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which tasks of one stage get a span. {@code auto}: every task of a stage of at most {@link
 * #SMALL_STAGE} tasks; of a larger one, and of a small one once the trace is half full, the failed,
 * the winners of speculation and the {@link #SLOWEST} slowest of the rest.
 */
final class TaskSelection {

  static final int SMALL_STAGE = 100;
  static final int SLOWEST = 20;

  /** Of those with copies beyond it, who wins is not looked at. */
  static final int MAX_SPECULATED = 10_000;

  private static final Comparator<TaskEnd> FASTEST_FIRST =
      Comparator.<TaskEnd>comparingLong(end -> end.task.duration())
          .thenComparing(Comparator.<TaskEnd>comparingLong(end -> end.task.id).reversed());

  private final AgentConfig.TaskPolicy policy;
  private final boolean small;
  private final TaskBudget budget;
  private final Predicate<TaskEnd> export;
  private final PriorityQueue<TaskEnd> slowest = new PriorityQueue<>(FASTEST_FIRST);
  private final Set<Integer> speculated = new HashSet<>();
  private long notExported;

  /**
   * @param stageTasks how many tasks the stage has
   * @param export makes a task's span; false where the trace has no room for it
   */
  TaskSelection(
      AgentConfig.TaskPolicy policy, int stageTasks, TaskBudget budget, Predicate<TaskEnd> export) {
    this.policy = policy;
    this.small = stageTasks <= SMALL_STAGE;
    this.budget = budget;
    this.export = export;
  }

  void started(TaskInfo task) {
    if (task.speculative && speculated.size() < MAX_SPECULATED) {
      speculated.add(task.index);
    }
  }

  void ended(TaskEnd end) {
    if (isChosen(end)) {
      export(end);
      return;
    }
    notExported++;
    if (policy == AgentConfig.TaskPolicy.AUTO) {
      keepIfSlow(end);
    }
  }

  /** Most of a large stage's are not: they cost one comparison. */
  private void keepIfSlow(TaskEnd end) {
    if (slowest.size() == SLOWEST) {
      if (FASTEST_FIRST.compare(end, slowest.peek()) < 0) {
        return;
      }
      slowest.poll();
    }
    slowest.add(end);
  }

  private boolean isChosen(TaskEnd end) {
    switch (policy) {
      case ALL:
        return true;
      case NONE:
        return false;
      case FAILED:
        return end.reason.kind.isFailure();
      default:
        return (small && budget.hasRoom(TaskBudget.Rank.ANY))
            || end.reason.kind.isFailure()
            || (!speculated.isEmpty()
                && end.reason.kind == EndReason.Kind.Success
                && speculated.contains(end.task.index));
    }
  }

  /** How many of the tasks whose end was never seen get a span: those that ran longest first. */
  int openLimit() {
    switch (policy) {
      case ALL:
        return Integer.MAX_VALUE;
      case AUTO:
        return small ? Integer.MAX_VALUE : SLOWEST;
      default:
        return 0;
    }
  }

  /** The stage is complete: exports the slowest, and tells how many tasks have no span. */
  long close() {
    List<TaskEnd> chosen = new ArrayList<>(slowest);
    chosen.sort(FASTEST_FIRST.reversed());
    notExported -= chosen.size();
    for (TaskEnd end : chosen) {
      if (budget.hasRoom(TaskBudget.Rank.SLOW)) {
        export(end);
      } else {
        notExported++;
      }
    }
    slowest.clear();
    return notExported;
  }

  /** So many more have no span. */
  void leaveOut(long tasks) {
    notExported += tasks;
  }

  /** Those held of tasks that have ended, and what tells winners of speculation. */
  int stateSize() {
    return slowest.size() + speculated.size();
  }

  private void export(TaskEnd end) {
    if (!export.test(end)) {
      notExported++;
    }
  }
}
