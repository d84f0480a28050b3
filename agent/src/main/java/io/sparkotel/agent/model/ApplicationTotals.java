package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.TaskMetric;
import java.io.Serializable;

/** The sums of an application that are said in the log when it ends. */
public final class ApplicationTotals implements Serializable {
  private static final long serialVersionUID = 1;

  public final long jobs;
  public final long stages;
  public final long tasks;
  public final long tasksFailed;
  public final long runTimeMillis;
  public final long recordsRead;
  public final long recordsWritten;

  ApplicationTotals(Totals totals) {
    jobs = totals.jobs();
    stages = totals.stages();
    tasks = totals.tasks();
    tasksFailed = totals.tasksFailed();
    runTimeMillis = totals.sum(TaskMetric.RUN_TIME);
    recordsRead = totals.sum(TaskMetric.INPUT_RECORDS);
    recordsWritten = totals.sum(TaskMetric.OUTPUT_RECORDS);
  }
}
