package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tree, whatever comes late, twice, never or in an order of its own. */
class LifecycleTest {

  private final ModelFixture app = ModelFixture.app();

  @Test
  void drawsAnOrdinaryApplication() {
    ModelFixture.Sql sql = app.at(10).sql(0).start();
    ModelFixture.Stage map = app.stage(0, 2);
    ModelFixture.Stage result = app.stage(1, 1).reading(0);
    ModelFixture.Job job = app.at(20).job(0, map, result).sql(0).start();
    app.at(30);
    map.submit().run(5).complete();
    app.at(50);
    result.submit().run(5).complete();
    job.succeed();
    app.at(60);
    sql.succeed();
    app.at(100);

    assertThat(app.finish().draw())
        .isEqualTo(
            """
            application 0..100
              sql 0 'sql count at Report.java:31' 10..60
                job 0 'job count at Report.java:31' 20..55
                  stage 0.0 'stage count at Report.java:31' 30..40
                    task 0 30..35 Success
                    task 1 35..40 Success
                  stage 1.0 'stage count at Report.java:31' 50..55
                    task 2 50..55 Success
            """);
  }

  @Test
  void sendsTheMarkerAtOnce() {
    assertThat(app.spans).hasSize(1);
    assertThat(app.spans.get(0).entity()).isEqualTo(Entity.STARTED);
    assertThat(app.spans.get(0).getName()).isEqualTo("spark.application.started");
    SpanTree tree = app.at(5).finish();
    assertThat(app.spans.get(0).getParentSpanId()).isEqualTo(tree.get("application").getSpanId());
  }

  /** Case 1. */
  @Test
  void keepsALateTaskUnderItsStageAndInItsSums() {
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Job job = app.at(10).job(0, stage).start();
    stage.submit();
    ModelFixture.Task first = stage.task(0).launch().metrics(TaskMetric.RUN_TIME, 3);
    ModelFixture.Task late = stage.task(0).launch().metrics(TaskMetric.RUN_TIME, 5);
    app.at(20);
    first.succeed();
    stage.complete();
    app.at(21);
    job.succeed();
    assertThat(app.model.stateSize()).isPositive();
    app.at(30);
    late.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "another attempt succeeded"));
    assertThat(app.model.stateSize()).isZero();

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..30
              job 0 'job count at Report.java:31' 10..21
                stage 0.0 'stage count at Report.java:31' 10..20
                  task 0 10..20 Success
                  task 1 10..30 TaskKilled
            """);
    for (String key : List.of("stage 0.0", "job 0", "application")) {
      assertThat(tree.value(key, "spark.executor.run_time_ms")).as(key).isEqualTo(8L);
      assertThat(tree.value(key, Names.TASKS_TOTAL)).as(key).isEqualTo(2L);
      assertThat(tree.value(key, Names.TASKS_KILLED)).as(key).isEqualTo(1L);
    }
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(0L);
  }

  /** Case 2. */
  @Test
  void takesAResubmittedTaskForAnEventOfItsStage() {
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    app.at(10);
    task.succeed();
    app.at(20);
    task.rawMetrics(null)
        .endAt(ModelFixture.EPOCH + 10, ModelFixture.reason(EndReason.Kind.Resubmitted, null));
    ModelFixture.Task again = stage.task(0).attempt(1).launch();
    ModelFixture.Task other = stage.task(1).launch();
    app.at(30);
    again.succeed();
    other.succeed();
    stage.complete();
    job.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.TASK)).containsExactly("task 0", "task 1", "task 2");
    EventData event = tree.get("stage 0.0").getEvents().get(0);
    assertThat(event.getName()).isEqualTo("spark.task.resubmitted");
    assertThat(tree.relative(event.getEpochNanos())).isEqualTo(10);
    assertThat(event.getAttributes().asMap())
        .isEqualTo(Map.of(Names.TASK_ID.key(), 0L, Names.EXECUTOR_ID.key(), "1"));
    assertThat(tree.get("stage 0.0").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(tree.value("stage 0.0", Names.TASKS_SUCCEEDED)).isEqualTo(3L);
    assertThat(tree.value("stage 0.0", Names.TASKS_FAILED)).isEqualTo(1L);
    assertThat(tree.value("stage 0.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(0L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(0L);
  }

  /** Case 2, where the stage is closed by then. */
  @Test
  void makesNoSecondSpanOfATaskThatIsResubmittedTooLate() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    app.at(10);
    task.succeed();
    stage.complete();
    job.succeed();
    task.end(ModelFixture.reason(EndReason.Kind.Resubmitted, null));

    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.TASK)).containsExactly("task 0");
    assertThat(tree.value("application", Names.TASKS_FAILED)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(1L);
  }

  /** Case 3. */
  @Test
  void showsAJobWithoutPartitions() {
    ModelFixture.Job job =
        app.at(5).job(0).property("callSite.short", "collect at Report.java:7").start();
    app.at(6);
    job.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..6
              job 0 'job collect at Report.java:7' 5..6
            """);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("succeeded");
    assertThat(tree.value("job 0", Names.STAGES_TOTAL)).isEqualTo(0L);
    assertThat(tree.value("application", Names.JOBS_SUCCEEDED)).isEqualTo(1L);
  }

  /** Case 4. */
  @Test
  void showsWhatIsLeftWhereEventsWereDropped() {
    app.at(10).job(8).succeed();
    app.sql(9).succeed();
    app.sql(9).replan(ModelFixture.node("Project", ""));
    ModelFixture.Stage withoutJob = app.stage(3, 1).submit();
    app.at(20);
    withoutJob.task(0).unseen().succeed();
    withoutJob.complete();
    ModelFixture.Stage withoutSubmission = app.stage(4, 0);
    ModelFixture.Job withoutSql = app.at(30).job(1, withoutSubmission).sql(77).start();
    withoutSubmission.complete();
    withoutSql.succeed();
    app.stage(5, 1).complete();

    SpanTree tree = app.at(40).finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..40
              job 1 'job count at Report.java:31' 30..30
                stage 4.0 'stage count at Report.java:31' 30..30
              stage 3.0 'stage count at Report.java:31' 10..20
                task 0 20..20 Success
              stage 5.0 'stage count at Report.java:31' 30..30
            """);
    assertThat(tree.value("job 1", Names.SQL_EXECUTION_ID)).isEqualTo(77L);
    // Two ends, a plan, a stage and a task without start; a job without SQL; two stages at once
    // without submission, of which one had no job.
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(9L);
    assertThat(tree.value("application", Names.STAGES_TOTAL)).isEqualTo(3L);
    assertThat(tree.value("application", Names.TASKS_TOTAL)).isEqualTo(1L);
    assertThat(app.model.stateSize()).isZero();
  }

  @Test
  void countsATaskWhoseStageIsUnknown() {
    ModelFixture.Stage unknown = app.stage(3, 1);
    ModelFixture.Task task = unknown.task(0).launch().metrics(TaskMetric.RUN_TIME, 7);
    app.at(5);
    task.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.draw()).isEqualTo("application 0..5\n");
    assertThat(tree.value("application", "spark.executor.run_time_ms")).isEqualTo(7L);
    assertThat(tree.value("application", Names.TASKS_NOT_EXPORTED)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(2L);
  }

  @Test
  void survivesALogWithoutItsHead() {
    ModelFixture headless = ModelFixture.unborn();
    ModelFixture.Stage stage = headless.stage(0, 1);
    headless.sql(0).start().succeed();
    ModelFixture.Job job = headless.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    task.end(ModelFixture.failure("java.lang.Error", "x"));
    stage.complete();
    job.succeed();
    headless.model.closeOpen();

    assertThat(headless.spans).isEmpty();
    assertThat(
            headless.model.application(
                Outcome.UNKNOWN, new SelfReport(0, 0, 0, 0), Collections.emptyList()))
        .isNull();
    assertThat(headless.model.stateSize()).isZero();
  }

  /** Case 5. */
  @Test
  void closesAZombieWithItsJob() {
    ModelFixture.Stage zombie = app.stage(0, 2);
    ModelFixture.Stage result = app.stage(1, 0);
    ModelFixture.Job job = app.at(10).job(0, zombie, result).start();
    zombie.submit();
    result.submit().complete();
    app.at(1_000).executorAdded("9");
    app.at(20);
    job.succeed();
    assertThat(app.model.stateSize()).isZero();

    SpanTree tree = app.at(2_000).finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..2000
              job 0 'job count at Report.java:31' 10..20
                stage 0.0 'stage count at Report.java:31' 10..20 incomplete
                stage 1.0 'stage count at Report.java:31' 10..10
            """);
    assertThat(tree.value("job 0", Names.STAGES_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("job 0", Names.STAGES_FAILED)).isEqualTo(0L);
  }

  @Test
  void waitsForTheTasksOfAZombie() {
    ModelFixture.Stage zombie = app.stage(0, 1);
    ModelFixture.Job job = app.at(10).job(0, zombie).start();
    zombie.submit();
    ModelFixture.Task task = zombie.task(0).launch();
    app.at(20);
    job.fail("Job 0 cancelled ");
    app.at(30);
    task.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "Stage cancelled"));
    assertThat(app.model.stateSize()).isZero();

    assertThat(app.at(40).finish().draw())
        .isEqualTo(
            """
            application 0..40
              job 0 'job count at Report.java:31' 10..20
                stage 0.0 'stage count at Report.java:31' 10..30 incomplete
                  task 0 10..30 TaskKilled
            """);
  }

  /** A zombie that the last of two jobs leaves behind. */
  @Test
  void closesAZombieOfAnotherJob() {
    ModelFixture.Stage shared = app.stage(0, 1);
    ModelFixture.Job owner = app.job(0, shared).start();
    ModelFixture.Job other = app.job(1, shared).start();
    shared.submit();
    app.at(10);
    owner.succeed();
    assertThat(app.model.stateSize()).isPositive();
    app.at(20);
    other.succeed();
    assertThat(app.model.stateSize()).isZero();
    assertThat(app.at(30).finish().draw())
        .isEqualTo(
            """
            application 0..30
              job 0 'job count at Report.java:31' 0..10
                stage 0.0 'stage count at Report.java:31' 0..20 incomplete -> job 1
              job 1 'job count at Report.java:31' 0..20
            """);
  }

  /** Cases 6 and 7. */
  @Test
  void keepsAJobThatOutlivesItsQueryUnderIt() {
    ModelFixture.Sql sql = app.at(10).sql(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch().metrics(TaskMetric.RUN_TIME, 4);
    app.at(20);
    sql.succeed();
    app.at(30);
    stage.fail("Job 0 cancelled ");
    job.fail("Job 0 cancelled ");
    app.at(40);
    task.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "Stage cancelled"));

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..40
              sql 0 'sql count at Report.java:31' 10..20
                job 0 'job count at Report.java:31' 10..30
                  stage 0.0 'stage count at Report.java:31' 10..30
                    task 0 10..40 TaskKilled
            """);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("cancelled");
    assertThat(tree.value("sql 0", Names.JOBS_FAILED)).isEqualTo(1L);
    assertThat(tree.value("sql 0", "spark.executor.run_time_ms")).isEqualTo(4L);
    assertThat(tree.value("task 0", Names.TASK_KILL_REASON)).isEqualTo("Stage cancelled");
  }

  /** Case 7: the broadcast of a query that timed out starts its job after the query's end. */
  @Test
  void placesAJobThatStartsAfterItsQueryUnderIt() {
    app.sql(0).start().end("Could not execute broadcast in 300 secs");
    app.at(10).job(0).sql(0).start().succeed();
    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..10
              sql 0 'sql count at Report.java:31' 0..0 ERROR: Could not execute broadcast in 300 secs
                job 0 'job' 10..10
            """);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(0L);
  }

  /** Case 8. */
  @Test
  void nestsExecutionsUnderTheirRoot() {
    ModelFixture.Sql root = app.at(10).sql(4).start();
    ModelFixture.Sql nested = app.at(20).sql(5).under(4).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(5).start();
    stage.submit().run(5, TaskMetric.OUTPUT_RECORDS, 100).complete();
    job.succeed();
    nested.succeed();
    ModelFixture.Sql command = app.at(50).sql(6).described("SHOW TABLES").start();
    command.succeed();
    app.at(60);
    root.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..60
              sql 4 'sql count at Report.java:31' 10..60
                sql 5 'sql count at Report.java:31' 20..25
                  job 0 'job count at Report.java:31' 20..25
                    stage 0.0 'stage count at Report.java:31' 20..25
                      task 0 20..25 Success
              sql 6 'sql Project' 50..50
            """);
    assertThat(tree.value("sql 5", Names.SQL_NESTED)).isEqualTo(true);
    assertThat(tree.value("sql 5", Names.SQL_ROOT_ID)).isEqualTo(4L);
    assertThat(tree.value("sql 4", Names.SQL_NESTED)).isNull();
    for (String key : List.of("sql 5", "sql 4", "application")) {
      assertThat(tree.value(key, Names.JOBS_TOTAL)).as(key).isEqualTo(1L);
      assertThat(tree.value(key, "spark.output.records")).as(key).isEqualTo(100L);
    }
    assertThat(tree.value("sql 6", Names.JOBS_TOTAL)).isEqualTo(0L);
  }

  /** Case 9. */
  @Test
  void keepsTasksUnderTheirOwnAttemptOfAStage() {
    ModelFixture.Stage map = app.stage(0, 1);
    ModelFixture.Stage reduce = app.stage(1, 2).reading(0);
    ModelFixture.Job job = app.job(0, map, reduce).start();
    map.submit().run(10).complete();
    reduce.submit();
    ModelFixture.Task lost = reduce.task(0).launch().rawMetrics(null);
    ModelFixture.Task running = reduce.task(1).launch();
    app.at(20);
    lost.end(ModelFixture.reason(EndReason.Kind.FetchFailed, "no shuffle output"));
    reduce.fail("FetchFailed: no shuffle output");
    ModelFixture.Stage mapAgain = map.again();
    app.at(30);
    mapAgain.submit().run(10).complete();
    ModelFixture.Stage reduceAgain = reduce.again();
    app.at(50);
    reduceAgain.submit().run(10).complete();
    app.at(80);
    job.succeed();
    running.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "stage finished"));

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..80
              job 0 'job count at Report.java:31' 0..80
                stage 0.0 'stage count at Report.java:31' 0..10
                  task 0 0..10 Success
                stage 0.1 'stage count at Report.java:31' 30..40 -> stage 0.0
                  task 3 30..40 Success
                stage 1.0 'stage count at Report.java:31' 10..20 ERROR: FetchFailed: no shuffle output
                  task 1 10..20 FetchFailed ERROR: no shuffle output
                  task 2 10..80 TaskKilled
                stage 1.1 'stage count at Report.java:31' 50..70 -> stage 1.0
                  task 4 50..60 Success
                  task 5 60..70 Success
            """);
    assertThat(tree.value("stage 1.1", Names.STAGE_RETRY_REASON))
        .isEqualTo("FetchFailed: no shuffle output");
    assertThat(tree.value("stage 0.1", Names.STAGE_RETRY_REASON))
        .isEqualTo("FetchFailed: no shuffle output");
    assertThat(tree.value("stage 0.0", Names.STAGE_RETRY_REASON)).isNull();
    assertThat(tree.value("job 0", Names.STAGES_TOTAL)).isEqualTo(4L);
    assertThat(tree.value("job 0", Names.STAGES_FAILED)).isEqualTo(1L);
    assertThat(tree.value("job 0", Names.STAGES_RETRIED)).isEqualTo(2L);
    assertThat(tree.value("job 0", Names.STAGES_SKIPPED)).isEqualTo(0L);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("succeeded");
  }

  /** Case 10. */
  @Test
  void takesALostSpeculationForNoError() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task slow = stage.task(0).launch().metrics(TaskMetric.RUN_TIME, 40);
    ModelFixture.Task copy =
        stage.task(0).attempt(1).speculative().on("2").metrics(TaskMetric.RUN_TIME, 10).launch();
    app.at(20);
    copy.succeed();
    slow.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "another attempt succeeded"));
    stage.complete();
    job.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.get("task 0").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(tree.get("task 0").getEvents()).isEmpty();
    assertThat(tree.value("task 1", Names.TASK_SPECULATIVE)).isEqualTo(true);
    assertThat(tree.value("stage 0.0", "spark.executor.run_time_ms")).isEqualTo(50L);
    assertThat(tree.value("stage 0.0", Names.TASKS_SPECULATIVE)).isEqualTo(1L);
    assertThat(tree.value("stage 0.0", Names.TASKS_KILLED)).isEqualTo(1L);
    assertThat(tree.value("stage 0.0", Names.TASKS_FAILED)).isEqualTo(0L);
  }

  /** Case 11. */
  @Test
  void closesWhatIsOpenAtTheLastEvent() {
    app.at(10).sql(0).start();
    app.sql(1).under(0).start();
    ModelFixture.Stage stage = app.stage(0, 2);
    app.job(0, stage).sql(1).start();
    stage.submit();
    app.at(20);
    stage.task(0).launch();
    ModelFixture.Task ended = stage.task(1).launch();
    app.at(30);
    ended.succeed();

    SpanTree tree = app.close(Outcome.UNKNOWN);
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..30 incomplete
              sql 0 'sql count at Report.java:31' 10..30 incomplete
                sql 1 'sql count at Report.java:31' 10..30 incomplete
                  job 0 'job count at Report.java:31' 10..30 incomplete
                    stage 0.0 'stage count at Report.java:31' 10..30 incomplete
                      task 0 20..30 incomplete
                      task 1 20..30 Success
            """);
    assertThat(app.model.stateSize()).isZero();
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isNull();
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("application", Names.JOBS_FAILED)).isEqualTo(0L);
    assertThat(tree.value("application", Names.TASKS_TOTAL)).isEqualTo(1L);
  }

  /** Case 12, as far as it is the model's: a second context has a model of its own. */
  @Test
  void keepsTwoApplicationsApart() {
    ModelFixture other = ModelFixture.unborn().start("app-2", Map.of());
    app.job(0).start();
    other.job(0).start();
    SpanTree first = app.at(10).finish();
    SpanTree second = other.at(20).finish();
    assertThat(first.keys(Entity.APPLICATION)).hasSize(1);
    assertThat(second.keys(Entity.APPLICATION)).hasSize(1);
    assertThat(first.get("job 0").getTraceId()).isNotEqualTo(second.get("job 0").getTraceId());
    assertThat(first.get("job 0").getSpanId()).isNotEqualTo(second.get("job 0").getSpanId());
  }

  @Test
  void countsASecondStartOfTheApplication() {
    app.start("app-3", Map.of("spark.master", "yarn"));
    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.STARTED)).hasSize(1);
    assertThat(tree.value("application", Names.ANOMALIES)).isEqualTo(1L);
    assertThat(tree.value("application", Names.MASTER)).isEqualTo("local[2]");
  }

  @Test
  void closesOnce() {
    app.job(0).start();
    app.model.closeOpen();
    app.model.closeOpen();
    assertThat(app.finish().keys(Entity.JOB)).containsExactly("job 0");
  }

  @Test
  void placesASharedStageUnderTheLowestJob() {
    ModelFixture.Stage shared = app.stage(0, 1);
    ModelFixture.Job second = app.job(2, shared, app.stage(2, 1)).start();
    ModelFixture.Job first = app.job(1, shared, app.stage(1, 1)).start();
    shared.submit();
    ModelFixture.Job joins = app.at(5).job(3, shared).start();
    shared.run(5, TaskMetric.RUN_TIME, 5).complete();
    first.succeed();
    second.succeed();
    joins.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..10
              job 1 'job count at Report.java:31' 0..10
                stage 0.0 'stage count at Report.java:31' 0..10 -> job 2, job 3
                  task 0 5..10 Success
              job 2 'job count at Report.java:31' 0..10
              job 3 'job count at Report.java:31' 5..10
            """);
    assertThat(tree.value("stage 0.0", Names.JOB_ID)).isEqualTo(1L);
    assertThat(tree.value("job 1", Names.STAGES_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("job 2", Names.STAGES_TOTAL)).isEqualTo(0L);
    assertThat(tree.value("job 1", Names.STAGES_SKIPPED)).isEqualTo(1L);
    assertThat(tree.value("job 2", Names.STAGES_SKIPPED)).isEqualTo(1L);
    assertThat(tree.value("job 3", Names.STAGES_SKIPPED)).isEqualTo(0L);
    assertThat(tree.value("application", "spark.executor.run_time_ms")).isEqualTo(5L);
    assertThat(tree.value("application", Names.STAGES_TOTAL)).isEqualTo(1L);
  }

  @Test
  void countsAStageThatRanForAnEarlierJobAsSkipped() {
    ModelFixture.Stage map = app.stage(0, 1);
    ModelFixture.Job first = app.job(0, map).start();
    map.submit().run(1).complete();
    first.succeed();
    ModelFixture.Stage result = app.stage(2, 1);
    ModelFixture.Job second = app.job(1, app.stage(1, 1), result).start();
    result.submit().run(1).complete();
    second.succeed();

    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.STAGE)).containsExactly("stage 0.0", "stage 2.0");
    assertThat(tree.value("job 1", Names.STAGES_SKIPPED)).isEqualTo(1L);
    assertThat(tree.value("job 1", Names.STAGES_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("application", Names.STAGES_SKIPPED)).isEqualTo(1L);
  }
}
