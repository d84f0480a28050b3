package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** The attempts of stages that are open, by {@link StageSpan#key}, and how many of their tasks. */
final class OpenStages {

  /** For each task: without an object made for it. */
  private final LongMap<StageSpan> byKey = new LongMap<>();

  private final TreeMap<Long, StageSpan> inOrder = new TreeMap<>();
  private long tasks;

  /** Null where there is none. */
  StageSpan get(int stageId, int attempt) {
    return byKey.get(key(stageId, attempt));
  }

  void put(StageSpan stage) {
    byKey.putIfAbsent(stage.key(), stage);
    inOrder.put(stage.key(), stage);
  }

  /** Its tasks that are open are so no more. */
  void remove(StageSpan stage) {
    if (byKey.remove(stage.key()) != null) {
      inOrder.remove(stage.key());
      tasks -= stage.openTasks.size();
    }
  }

  /** False for a task that has started before. */
  boolean taskStarted(StageSpan stage, TaskStart start) {
    boolean isNew = stage.taskStarted(start);
    tasks += isNew ? 1 : 0;
    return isNew;
  }

  /** False for the end of a task whose start was not seen. */
  boolean taskEnded(StageSpan stage, TaskEnd end) {
    int before = stage.openTasks.size();
    boolean fits = stage.taskEnded(end);
    tasks -= before - stage.openTasks.size();
    return fits;
  }

  /** Those tasks of it are taken for ended. */
  void forget(StageSpan stage, List<TaskInfo> forgotten) {
    for (TaskInfo task : forgotten) {
      stage.openTasks.remove(task.id);
    }
    tasks -= forgotten.size();
  }

  int size() {
    return byKey.size();
  }

  boolean isEmpty() {
    return byKey.isEmpty();
  }

  long tasks() {
    return tasks;
  }

  /** Those of one stage, in order. */
  Collection<StageSpan> attempts(int stageId) {
    return inOrder.subMap(key(stageId, 0), true, key(stageId, -1), true).values();
  }

  /** By stage id, then attempt: about as they started. As they are now, whatever is closed then. */
  List<StageSpan> inOrder() {
    return new ArrayList<>(inOrder.values());
  }

  static long key(int stageId, int attempt) {
    return ((long) stageId << 32) | (attempt & 0xffffffffL);
  }
}
