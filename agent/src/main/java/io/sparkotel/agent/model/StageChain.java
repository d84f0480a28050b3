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

  /** Of one stage, of which the longest task may still get longer. */
  static final int MAX_ATTEMPTS = 100;

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

    /** Of attempts long ago, of which no task runs any more. */
    long earlierMillis;

    void add(LongestTask attempt) {
      if (attempts.size() == MAX_ATTEMPTS) {
        List<LongestTask> earlier = attempts.subList(0, MAX_ATTEMPTS / 2);
        for (LongestTask longest : earlier) {
          earlierMillis = Totals.sum(earlierMillis, longest.millis);
        }
        earlier.clear();
      }
      attempts.add(attempt);
    }

    long millis() {
      long sum = earlierMillis;
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
    stage.add(attempt);
    stage.parentIds = parentIds;
  }

  int stateSize() {
    int size = 0;
    if (stages != null) {
      for (Stage stage : stages.values()) {
        size += stage.attempts.size();
      }
    }
    return size;
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
