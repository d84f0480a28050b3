package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.event.SqlStart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The groups that are open: operations of servers by what they tell of themselves, and what follows
 * each other in a job group or under the same tags. Nobody tells the end of the latter: it is over
 * once none of its actions ran for {@link #PAUSE}. What is held is bounded. The run of a streaming
 * query has a job group of Spark's, which is none of these.
 */
final class Groups {

  /** The next action of a group that starts later is another occurrence of it, milliseconds. */
  static final long PAUSE = 10_000;

  /** Until an occurrence is over it may still get an action of whose start is told late. */
  private static final long PATIENCE = 2 * PAUSE;

  /** Clients may never close theirs. */
  static final int MAX_OPEN = 1_000;

  private final Units units;
  private final Map<String, GroupSpan> operations = new LinkedHashMap<>();
  private final Map<String, GroupSpan> byJobsKey = new HashMap<>();

  /** Those of the Thrift server that run. */
  private final Map<String, Set<GroupSpan>> byStatement = new HashMap<>();

  private final Map<String, GroupSpan> occurrences = new HashMap<>();

  /** Occurrences none of whose actions runs, and operations that were closed before they ended. */
  private final Map<String, GroupSpan> idle = new LinkedHashMap<>();

  private long closedEarly;

  /** Of servers have a trace of their own. */
  private final boolean withOperations;

  Groups(Units units, boolean withOperations) {
    this.units = units;
    this.withOperations = withOperations;
  }

  /** False where the event is of an operation that is not known, or known already. */
  boolean event(ServerEvent event, long now) {
    if (event.kind == ServerEvent.Kind.OTHER || !withOperations) {
      return true;
    }
    GroupSpan known = operations.get(GroupSpan.key(event));
    if (event.kind == ServerEvent.Kind.STARTED) {
      if (known != null) {
        return false;
      }
      started(event, now);
      return true;
    }
    if (known == null) {
      return false;
    }
    forgetStatement(known);
    known.state(event);
    rememberStatement(known);
    closeIfDone(known, now);
    return true;
  }

  private void started(ServerEvent event, long now) {
    if (operations.size() >= MAX_OPEN) {
      closedEarly++;
      close(leastOfUse(), now);
    }
    GroupSpan operation = new GroupSpan(event, units);
    operations.put(operation.key(), operation);
    if (operation.jobsKey() != null) {
      byJobsKey.put(operation.jobsKey(), operation);
    }
    rememberStatement(operation);
  }

  /** The oldest of which nothing runs, or else the oldest. */
  private GroupSpan leastOfUse() {
    for (GroupSpan operation : operations.values()) {
      if (operation.hasEnded() && operation.isIdle()) {
        return operation;
      }
    }
    return operations.values().iterator().next();
  }

  private void rememberStatement(GroupSpan operation) {
    String statement = operation.runningStatement();
    if (statement != null) {
      byStatement.computeIfAbsent(statement, text -> new HashSet<>(2)).add(operation);
    }
  }

  private void forgetStatement(GroupSpan operation) {
    String statement = operation.runningStatement();
    if (statement != null) {
      byStatement.computeIfPresent(
          statement, (text, all) -> all.remove(operation) && all.isEmpty() ? null : all);
    }
  }

  /** Whether there is one that an execution could run for which starts now. */
  boolean anyOperation() {
    return !operations.isEmpty();
  }

  /** The operation that an execution runs for, where its own event tells it; else null. */
  GroupSpan operation(SqlStart root) {
    return operation(root.jobGroup, root.jobTags);
  }

  /** The operation that it seems to run for until a job of it tells; else null. */
  private GroupSpan probableOperation(SqlStart root) {
    GroupSpan known = operation(root);
    if (known != null || root.tellsJobGroup || root.description == null) {
      return known;
    }
    Set<GroupSpan> running = byStatement.get(ServerEvent.cut(root.description));
    return running == null || running.size() > 1 ? null : running.iterator().next();
  }

  /**
   * What an execution seems to run for, of which that is not yet known: it is not over before. Null
   * where nothing is.
   *
   * @param ofGroups whether it may be of a job group or tags
   */
  GroupSpan hold(SqlStart root, boolean ofGroups) {
    GroupSpan group = probableOperation(root);
    if (group == null && ofGroups && root.tellsJobGroup) {
      String id = occurrenceId(root.jobGroup, root.jobTags);
      GroupSpan open =
          id == null ? null : occurrences.get(GroupSpan.key(occurrenceKind(root.jobGroup), id));
      group = open == null || isOver(open, root.time) ? null : open;
    }
    if (group != null) {
      group.hold();
      idle.remove(group.key(), group);
    }
    return group;
  }

  /** The execution is known to run for it, or for something else. */
  void release(GroupSpan operation) {
    operation.release();
    left(operation, operation.last());
  }

  /** The operation that a job runs for, or null. */
  GroupSpan operation(JobProperties job) {
    return operation(job.group, job.tags);
  }

  private GroupSpan operation(String group, String tags) {
    if (units.streams.isRun(group)) {
      return null;
    }
    GroupSpan known = group == null ? null : byJobsKey.get(group);
    if (known == null && !operations.isEmpty()) {
      known = byJobsKey.get(JobTags.operation(tags));
    }
    return known;
  }

  /** The job group or the tags of an execution without a job, as far as it tells; else null. */
  GroupSpan occurrenceWithoutJob(SqlStart root) {
    return occurrence(root.jobGroup, root.jobTags, "sql " + root.executionId, root.time);
  }

  /**
   * The job group or the tags of an action's first job; null where there are none.
   *
   * @param root the execution that the job runs for, or null
   */
  GroupSpan occurrence(JobStart first, SqlStart root) {
    JobProperties properties = first.properties;
    String action = root == null ? "job " + first.jobId : "sql " + root.executionId;
    long start = root == null ? first.time : Math.min(root.time, first.time);
    String group = JobSpan.isBroadcast(properties.description) ? null : properties.group;
    return occurrence(group, properties.tags, action, start);
  }

  private GroupSpan occurrence(String jobGroup, String jobTags, String action, long start) {
    String id = occurrenceId(jobGroup, jobTags);
    if (id == null) {
      return null;
    }
    GroupSpan.Kind kind = occurrenceKind(jobGroup);
    String key = GroupSpan.key(kind, id);
    GroupSpan known = occurrences.get(key);
    if (known != null && isOver(known, start)) {
      closeOccurrence(key, known, start);
      known = null;
    }
    if (known == null) {
      if (idle.size() >= MAX_OPEN) {
        closeIdle(idle.entrySet().iterator().next(), start);
      }
      known = new GroupSpan(kind, id, action, start, units);
      occurrences.put(key, known);
      idle.put(key, known);
    }
    return known;
  }

  /** The job group, or else the tags of the user's; null where there are none. */
  private String occurrenceId(String jobGroup, String jobTags) {
    if (units.streams.isRun(jobGroup)) {
      return null;
    }
    if (occurrenceKind(jobGroup) == GroupSpan.Kind.JOB_GROUP) {
      return jobGroup;
    }
    List<String> tags = JobTags.users(jobTags);
    tags.sort(null);
    return tags.isEmpty() ? null : String.join(",", tags);
  }

  private static GroupSpan.Kind occurrenceKind(String jobGroup) {
    return jobGroup == null || jobGroup.isEmpty() ? GroupSpan.Kind.TAGS : GroupSpan.Kind.JOB_GROUP;
  }

  private static boolean isOver(GroupSpan occurrence, long start) {
    return occurrence.isIdle() && start > occurrence.last() + PAUSE;
  }

  /** An action of it runs. */
  void entered(GroupSpan group, long start) {
    group.entered(start);
    idle.remove(group.key(), group);
  }

  /** An action of it is complete. */
  void left(GroupSpan group, ActionEnd action) {
    group.left(action);
    left(group, action.end);
  }

  private void left(GroupSpan group, long now) {
    if (group.isOperation()) {
      if (operations.get(group.key()) == group) {
        closeIfDone(group, now);
      }
    } else if (group.isIdle() && occurrences.get(group.key()) == group) {
      idle.put(group.key(), group);
    }
  }

  /** No event of an earlier time follows, but for a little disorder. */
  void advance(long now) {
    if (idle.isEmpty()) {
      return;
    }
    for (Iterator<Map.Entry<String, GroupSpan>> all = idle.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<String, GroupSpan> oldest = all.next();
      if (now <= oldest.getValue().last() + PATIENCE) {
        return;
      }
      all.remove();
      closeIdle(oldest, now);
    }
  }

  private void closeIdle(Map.Entry<String, GroupSpan> entry, long now) {
    if (entry.getValue().isOperation()) {
      close(entry.getValue(), now);
    } else {
      closeOccurrence(entry.getKey(), entry.getValue(), now);
    }
  }

  private void closeIfDone(GroupSpan operation, long now) {
    if (!operation.isDone()) {
      return;
    }
    if (operation.hasEnded()) {
      close(operation, now);
    } else {
      // Another thread may tell how it ended a moment later.
      idle.put(operation.key(), operation);
    }
  }

  private void close(GroupSpan operation, long now) {
    operations.remove(operation.key());
    idle.remove(operation.key());
    byJobsKey.remove(operation.jobsKey(), operation);
    forgetStatement(operation);
    units.accept(operation.build(now, units.links));
  }

  private void closeOccurrence(String key, GroupSpan group, long now) {
    occurrences.remove(key);
    idle.remove(key);
    units.accept(group.build(now, units.links));
  }

  /** No event follows. */
  void closeAll(long now) {
    new ArrayList<>(operations.values()).forEach(operation -> close(operation, now));
    new ArrayList<>(occurrences.entrySet())
        .stream()
            .sorted(Map.Entry.comparingByKey())
            .forEach(entry -> closeOccurrence(entry.getKey(), entry.getValue(), now));
  }

  /** Operations that were given up for others, since clients left too many open. */
  long closedEarly() {
    return closedEarly;
  }

  /** What is held of operations, and of occurrences that may go on: bounded by what runs. */
  int stateSize() {
    int size = byJobsKey.size() + idle.size();
    for (Set<GroupSpan> running : byStatement.values()) {
      size += running.size();
    }
    for (GroupSpan operation : operations.values()) {
      size += operation.stateSize();
    }
    for (GroupSpan occurrence : occurrences.values()) {
      size += occurrence.stateSize();
    }
    return size;
  }
}
