package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the fuzzer found: events that no Spark posts like this, and logs that were put together. */
class BadEventsTest {

  private final ModelFixture app = ModelFixture.app("otel.spark.tasks=all");

  private void shows(SpanTree tree, long anomalies, String drawn) {
    assertThat(tree.draw()).isEqualTo(drawn);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(anomalies);
    assertThat(app.model.stateSize()).isZero();
    TraceRules.check(app.spans);
  }

  @Test
  void aJobThatStartsTwice() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().run(5);
    job.start();
    stage.complete();
    job.succeed();
    assertThat(app.model.stateSize()).isZero();
    job.start().succeed();
    shows(
        app.finish(),
        3,
        """
        application 0..5
          job 0 'job count at Report.java:31' 0..5
            stage 0.0 'stage count at Report.java:31' 0..5
              task 0 0..5 Success
        """);
  }

  @Test
  void aJobThatEndsTwiceSkipsItsStagesOnce() {
    ModelFixture.Stage open = app.stage(1, 1);
    ModelFixture.Job job = app.job(0, app.stage(0, 1), open).start();
    ModelFixture.Task task = open.submit().task(0).launch();
    app.at(3);
    job.succeed().succeed();
    task.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("job 0", Names.STAGES_SKIPPED)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(1L);
  }

  @Test
  void aStageThatIsSubmittedTwiceKeepsItsTasks() {
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task first = stage.task(0).launch();
    app.at(2);
    first.succeed();
    stage.submit();
    stage.task(1).launch().succeed();
    stage.complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("stage 0.0", Names.TASKS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("job 0", Names.STAGES_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(1L);
  }

  @Test
  void aStageThatIsCompletedTwiceOrBeforeItIsSubmitted() {
    ModelFixture.Stage stage = app.stage(0, 0);
    ModelFixture.Stage early = app.stage(1, 0);
    ModelFixture.Job job = app.job(0, stage, early).start();
    stage.submit().complete().complete();
    early.complete();
    early.submit();
    job.succeed();
    shows(
        app.finish(),
        3,
        """
        application 0..0
          job 0 'job count at Report.java:31' 0..0
            stage 0.0 'stage count at Report.java:31' 0..0
            stage 1.0 'stage count at Report.java:31' 0..0
        """);
  }

  @Test
  void aTaskThatEndsTwiceIsCountedAsSparkCountsItAndShownOnce() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    ModelFixture.Task task = stage.submit().task(0).metrics(TaskMetric.RUN_TIME, 4).launch();
    app.at(6);
    task.succeed().succeed();
    stage.complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.TASK)).containsExactly("task 0");
    assertThat(tree.value("stage 0.0", Names.TASKS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("stage 0.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(1L);
  }

  @Test
  void aTaskThatStartsAfterItsEndIsNotOpen() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    app.at(6);
    task.succeed();
    task.start();
    stage.complete();
    job.succeed();
    assertThat(app.model.stateSize()).isZero();
    shows(
        app.finish(),
        1,
        """
        application 0..6
          job 0 'job count at Report.java:31' 0..6
            stage 0.0 'stage count at Report.java:31' 0..6
              task 0 0..6 Success
        """);
  }

  @Test
  void aTaskOfAStageThatWasNeverSeenIsUnderTheApplication() {
    ModelFixture.Task task = app.stage(3, 1).task(0).unseen();
    app.at(4);
    task.succeed();
    shows(
        app.finish(),
        1,
        """
        application 0..4
          task 0 0..4 Success
        """);
  }

  @Test
  void aJobOfAnExecutionThatWasNeverSeenIsUnderTheApplication() {
    app.sql(7).start().succeed();
    app.job(0).sql(5).start().succeed();
    app.job(1).sql(7).start().succeed();
    shows(
        app.finish(),
        1,
        """
        application 0..0
          sql 7 'sql count at Report.java:31' 0..0
            job 1 'job' 0..0
          job 0 'job' 0..0
        """);
  }

  @Test
  void executionsThatAreEachOthersRoot() {
    app.sql(0).under(1).start();
    app.sql(1).under(0).start();
    app.sql(2).under(2).start().succeed();
    app.at(3);
    shows(
        app.finish(),
        1,
        """
        application 0..3
          sql 0 'sql count at Report.java:31' 0..3 incomplete
            sql 1 'sql count at Report.java:31' 0..3 incomplete
          sql 2 'sql count at Report.java:31' 0..0
        """);
  }

  @Test
  void aNestedExecutionWithALowerIdThanItsRoot() {
    app.sql(5).start();
    app.sql(2).under(5).start();
    app.job(0).sql(2).start().succeed();
    app.sql(5).succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 5", Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(1L);
  }

  @Test
  void anExecutionThatStartsAndEndsTwice() {
    ModelFixture.Sql sql = app.sql(0).start();
    ModelFixture.Job job = app.job(0).sql(0).start();
    app.at(2);
    app.sql(0).start();
    sql.succeed();
    app.at(3);
    sql.end("late");
    job.succeed();
    app.sql(0).start();
    shows(
        app.finish(),
        3,
        """
        application 0..3
          sql 0 'sql count at Report.java:31' 0..2
            job 0 'job count at Report.java:31' 0..3
        """);
  }

  @Test
  void aTimeThatNoSpanCanHoldIsNotTheEndOfTheOthers() {
    app.at(2);
    app.sql(0).start();
    for (long time : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
      ExecutorAdded event = new ExecutorAdded();
      event.time = time;
      event.executorId = Long.toString(time);
      event.cores = 1;
      app.model.executorAdded(event);
    }
    shows(
        app.close(Outcome.UNKNOWN),
        0,
        """
        application 0..2 incomplete
          sql 0 'sql count at Report.java:31' 2..2 incomplete
        """);
  }

  @Test
  void timesAtTheEndsOfTheNumbers() {
    for (long time : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, -1, 0}) {
      ModelFixture one = ModelFixture.app("otel.spark.tasks=all");
      JobStart start = new JobStart(0, time, List.of(), new JobProperties(Map.of()));
      one.model.jobStart(start);
      one.job(0).fail("broken");
      FinishedSpan job = one.finish().get("job 0");
      assertThat(job.getStartEpochNanos())
          .isEqualTo(time > 0 ? FinishedSpan.MAX_MILLIS * 1_000_000 : 0);
      assertThat(job.getEndEpochNanos()).isGreaterThanOrEqualTo(job.getStartEpochNanos());
      TraceRules.check(one.spans);
    }
  }

  @Test
  void aFailureIsNotBeforeTheStartOfItsSpan() {
    app.at(10);
    ModelFixture.Job job = app.job(0).start();
    app.at(4);
    job.fail("broken");
    FinishedSpan span = app.finish().get("job 0");
    assertThat(span.getEvents().get(0).getEpochNanos()).isEqualTo(span.getStartEpochNanos());
  }

  @Test
  void metricsThatAreNegativeOrTooManyForALong() {
    ModelFixture.Stage stage = app.stage(0, 3);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    for (long value : new long[] {-5, 7, -1}) {
      stage
          .task(0)
          .metrics(
              TaskMetric.RUN_TIME,
              value,
              TaskMetric.INPUT_BYTES,
              value < 0 ? Long.MAX_VALUE : 1,
              TaskMetric.DESERIALIZE_CPU_TIME,
              -1)
          .launch()
          .succeed();
    }
    stage.complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.metric(TaskMetric.RUN_TIME))).isEqualTo(0L);
    assertThat(tree.value("task 0", Names.TASK_SCHEDULER_DELAY)).isEqualTo(0L);
    for (String key : List.of("stage 0.0", "job 0", "application")) {
      assertThat(tree.value(key, Names.metric(TaskMetric.RUN_TIME))).isEqualTo(7L);
      assertThat(tree.value(key, Names.metric(TaskMetric.INPUT_BYTES))).isEqualTo(Long.MAX_VALUE);
      assertThat(tree.value(key, Names.metric(TaskMetric.DESERIALIZE_CPU_TIME))).isEqualTo(0.0);
    }
  }

  @Test
  void textThatNoReceiverTakes() {
    String bad = TextSamples.LONE_HIGH + "x".repeat(5_000);
    ModelFixture one = ModelFixture.unborn("otel.spark.history-url=http://h/{app_id}");
    one.start(bad, Map.of("spark.master", bad, "spark.driver.host", bad));
    ModelFixture.Stage stage = one.stage(0, 1);
    one.job(0, stage).start();
    stage.submit().task(0).on(bad).launch().end(ModelFixture.failure(bad, bad));
    one.finish();
    TraceRules.check(one.spans);
  }

  @Test
  void anApplicationWithoutAnIdHasNoPageInTheHistoryServer() {
    ModelFixture one = ModelFixture.unborn("otel.spark.history-url=http://h/{app_id}");
    one.model.applicationStart(new ApplicationStart(null, null, null, null, ModelFixture.EPOCH));
    assertThat(one.finish().value("application", Names.HISTORY_URL)).isNull();
  }
}
