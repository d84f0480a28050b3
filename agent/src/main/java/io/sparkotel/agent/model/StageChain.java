package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The stages that a job waited for, and the longest chain of them by their dependencies: the time
 * of the job if each task had had a core at once. A stage takes as long as its longest task, its
 * attempts one after the other; those that were skipped take no time.
 */
final class StageChain {

  /** Of one attempt of a stage, which several jobs may wait for. */
  static final class LongestTask {
    private long millis;

    /** One that was killed was not waited for. */
    void ended(TaskEnd end) {
      if (!end.reason.kind.isKilled()) {
        millis = Math.max(millis, end.task.duration());
      }
    }
  }

  private static final class Stage {
    final List<LongestTask> attempts = new ArrayList<>(1);
    List<String> parentIds;

    long millis() {
      long sum = 0;
      for (LongestTask attempt : attempts) {
        sum = Totals.sum(sum, attempt.millis);
      }
      return sum;
    }
  }

  /** Null before the first one; by id, which is above those of the stages that it reads from. */
  private TreeMap<Integer, Stage> stages;

  void add(int stageId, List<String> parentIds, LongestTask attempt) {
    if (stages == null) {
      stages = new TreeMap<>();
    }
    Stage stage = stages.computeIfAbsent(stageId, id -> new Stage());
    stage.attempts.add(attempt);
    stage.parentIds = parentIds;
  }

  /** In milliseconds, of the tasks that have ended; forgets the stages. */
  long close() {
    if (stages == null) {
      return 0;
    }
    long longest = 0;
    Map<String, Long> chains = new HashMap<>();
    for (Map.Entry<Integer, Stage> entry : stages.entrySet()) {
      Stage stage = entry.getValue();
      long before = 0;
      if (stage.parentIds != null) {
        for (String parent : stage.parentIds) {
          before = Math.max(before, chains.getOrDefault(parent, 0L));
        }
      }
      long chain = Totals.sum(before, stage.millis());
      chains.put(entry.getKey().toString(), chain);
      longest = Math.max(longest, chain);
    }
    stages = null;
    return longest;
  }
}
