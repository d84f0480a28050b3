package io.sparkotel.agent.model;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;

/** The span of one task attempt. */
final class TaskSpan {

  private TaskSpan() {}

  /**
   * @param application of the application's own trace
   * @param stage the stage it belongs to, or null where that is not known any more
   * @param orphan true where that stage has no span, or its trace is not known any more
   */
  static FinishedSpan build(SpanFactory application, TaskEnd end, StageSpan stage, boolean orphan) {
    SpanFactory spans = stage == null ? application : stage.spans;
    TaskInfo task = end.task;
    SpanFactory.Draft draft = draft(spans, task, end.stageId, end.stageAttempt, stage);
    if (orphan) {
      draft.parent(spans.application());
    }
    draft.time(task.launchTime, task.finishTime);
    AttributeList.Builder attributes = draft.attributes;
    EndReason reason = end.reason;
    attributes.put(Names.TASK_OUTCOME, reason.kind.name());
    if (reason.kind == EndReason.Kind.TaskKilled) {
      Limits.putText(
          attributes, Names.TASK_KILL_REASON, spans.redactor.text(reason.message), Limits.MESSAGE);
    }
    if (end.metrics == null) {
      attributes.put(Names.TASK_METRICS_MISSING, true);
    } else {
      MetricAttributes.putTask(attributes, end.metrics);
      putDelays(attributes, task, end.metrics);
    }
    ExecutorPeaks.putTask(attributes, end.executorMetrics);
    TaskFindings.put(attributes, end, stage, spans.config.findings());
    if (reason.kind.isFailure()) {
      String description = reason.message == null ? reason.kind.name() : reason.message;
      draft.error(Failures.errorType(reason), description);
      FailureDetails.of(reason).putErrorClass(attributes);
      spans.executors.put(attributes, task.executorId, spans.redactor);
      if (reason.kind == EndReason.Kind.ExecutorLostFailure) {
        draft.event(Failures.executorRemoved(end, spans));
      }
      draft.event(Failures.event(reason, task.endTime(), spans));
    }
    return draft.build();
  }

  /** Of a task whose end was never seen. */
  static FinishedSpan buildOpen(TaskInfo task, StageSpan stage, long closeTime) {
    SpanFactory.Draft draft = draft(stage.spans, task, stage.info.id, stage.info.attempt, stage);
    return draft.time(task.launchTime, closeTime).incomplete(true).build();
  }

  private static SpanFactory.Draft draft(
      SpanFactory spans, TaskInfo task, int stageId, int stageAttempt, StageSpan stage) {
    SpanFactory.Draft draft = spans.draft(Entity.TASK, task.id, 0);
    draft.name("task").parent(spans.stage(stageId, stageAttempt));
    AttributeList.Builder attributes = draft.attributes;
    attributes.put(Names.TASK_ID, task.id);
    attributes.put(Names.TASK_INDEX, task.index);
    attributes.put(Names.TASK_ATTEMPT, task.attempt);
    attributes.put(Names.TASK_PARTITION, task.partition);
    attributes.put(Names.STAGE_ID, stageId);
    attributes.put(Names.STAGE_ATTEMPT, stageAttempt);
    if (stage != null && stage.owner != null) {
      attributes.put(Names.JOB_ID, stage.owner.id());
    }
    Limits.putText(attributes, Names.EXECUTOR_ID, task.executorId, Limits.WORD);
    Limits.putText(attributes, Names.EXECUTOR_HOST, task.host, Limits.WORD);
    Limits.putText(attributes, Names.TASK_LOCALITY, task.locality, Limits.WORD);
    attributes.put(Names.TASK_SPECULATIVE, task.speculative);
    return draft;
  }

  /** As Spark's UI computes them; wall clocks of two machines can make a delay negative. */
  private static void putDelays(AttributeList.Builder attributes, TaskInfo task, long[] metrics) {
    long gettingResult =
        task.gettingResultTime == 0 ? 0 : Math.max(0, task.finishTime - task.gettingResultTime);
    long busy = Totals.sum(gettingResult, known(metrics, TaskMetric.RUN_TIME));
    busy = Totals.sum(busy, known(metrics, TaskMetric.DESERIALIZE_TIME));
    busy = Totals.sum(busy, known(metrics, TaskMetric.RESULT_SERIALIZATION_TIME));
    attributes.put(Names.TASK_SCHEDULER_DELAY, Math.max(0, task.duration() - busy));
    attributes.put(Names.TASK_GETTING_RESULT_TIME, gettingResult);
  }

  private static long known(long[] metrics, TaskMetric metric) {
    return Math.max(0, metrics[metric.ordinal()]);
  }
}
