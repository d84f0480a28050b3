package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How much may be open at a time: more than any cluster runs. Beyond it ends are missing, as where
 * Spark's queue dropped events, and a tenth is closed as it stands, the oldest and what is below
 * them. So the time for one event is bounded on average, and what is open at any time.
 */
final class OpenLimits {

  static final int SQLS = 1_000;
  static final int JOBS = 5_000;
  static final int STAGES = 5_000;
  static final int TASKS = 200_000;

  private static final int PART = 10;

  private final OpenSpans open;
  private final Map<Long, SqlSpan> sqls;
  private final Map<Integer, JobSpan> jobs;
  private final OpenStages stages;
  private long closed;

  /**
   * @param sqls in the order of their starts, a nested one after its root
   * @param jobs in the order of their starts
   */
  OpenLimits(
      OpenSpans open, Map<Long, SqlSpan> sqls, Map<Integer, JobSpan> jobs, OpenStages stages) {
    this.open = open;
    this.sqls = sqls;
    this.jobs = jobs;
    this.stages = stages;
  }

  /** How many were closed because there were too many. */
  long closed() {
    return closed;
  }

  void sqlStarted() {
    if (sqls.size() <= SQLS) {
      return;
    }
    Set<SqlSpan> oldest = new HashSet<>();
    List<SqlSpan> nestedLast = new ArrayList<>();
    for (SqlSpan sql : sqls.values()) {
      if (oldest.size() < SQLS / PART || oldest.contains(sql.root)) {
        oldest.add(sql);
        nestedLast.add(sql);
      }
    }
    for (JobSpan job : new ArrayList<>(jobs.values())) {
      if (oldest.contains(job.sql())) {
        close(job);
      }
    }
    Collections.reverse(nestedLast);
    for (SqlSpan sql : nestedLast) {
      // One that has ended is closed with the last of what is below it.
      closed++;
      if (sqls.containsKey(sql.id())) {
        open.close(sql);
      }
    }
  }

  void jobStarted() {
    if (jobs.size() <= JOBS) {
      return;
    }
    List<JobSpan> oldest = new ArrayList<>(JOBS / PART);
    Iterator<JobSpan> all = jobs.values().iterator();
    while (oldest.size() < JOBS / PART) {
      oldest.add(all.next());
    }
    oldest.forEach(this::close);
  }

  private void close(JobSpan job) {
    List<StageSpan> below = new ArrayList<>(job.openStages);
    below.sort(Comparator.comparingLong(StageSpan::key));
    below.forEach(this::close);
    closed++;
    if (jobs.containsKey(job.id())) {
      open.forgetStages(job);
      open.close(job);
    }
  }

  void stageSubmitted() {
    if (stages.size() > STAGES) {
      stages.inOrder().subList(0, STAGES / PART).forEach(this::close);
    }
  }

  private void close(StageSpan stage) {
    closed += 1L + stage.openTasks.size();
    open.close(stage);
  }

  void taskStarted() {
    if (stages.tasks() <= TASKS) {
      return;
    }
    int left = TASKS / PART;
    for (StageSpan stage : stages.inOrder()) {
      List<TaskInfo> oldest = stage.openTasks(left);
      if (!oldest.isEmpty()) {
        closed += oldest.size();
        left -= oldest.size();
        stages.forget(stage, oldest);
        stage.selection.leaveOut(open.closeTasks(stage, oldest));
        open.closeIfDone(stage);
      }
      if (left == 0) {
        return;
      }
    }
  }
}
