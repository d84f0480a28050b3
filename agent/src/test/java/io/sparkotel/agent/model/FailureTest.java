package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTest {

  private static final String ABORTED =
      "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure:"
          + " Lost task 0.0 in stage 1.0 (TID 0): java.lang.IllegalStateException: bad row";

  private final ModelFixture app = ModelFixture.app();

  @Test
  void tellsAFailureFromTheTaskUpToTheQuery() {
    ModelFixture.Sql sql = app.sql(0).start();
    // Its stages of higher and lower id are given up with the one that failed.
    ModelFixture.Stage lower = app.stage(0, 1);
    ModelFixture.Stage stage = app.stage(1, 1);
    ModelFixture.Stage higher = app.stage(2, 1);
    ModelFixture.Job job = app.job(0, lower, stage, higher, app.stage(3, 1)).sql(0).start();
    lower.submit();
    ModelFixture.Task retried = lower.task(0).launch();
    stage.submit();
    higher.submit();
    ModelFixture.Task task = stage.task(0).launch();
    app.at(10);
    retried.end(ModelFixture.failure("java.io.IOException", "once"));
    task.end(ModelFixture.failure("java.lang.IllegalStateException", "bad row"));
    lower.fail(ABORTED);
    stage.fail(ABORTED);
    higher.fail(ABORTED);
    job.fail(ABORTED);
    sql.end(ABORTED);

    SpanTree tree = app.finish();
    EventData event = tree.get("task 1").getEvents().get(0);
    assertThat(event.getName()).isEqualTo("exception");
    assertThat(event.getAttributes().get(Names.EXCEPTION_TYPE.key()))
        .isEqualTo("java.lang.IllegalStateException");
    assertThat(event.getAttributes().get(Names.EXCEPTION_MESSAGE.key())).isEqualTo("bad row");
    assertThat(event.getAttributes().get(Names.EXCEPTION_STACKTRACE.key()))
        .asString()
        .contains("com.acme.Report.count");
    assertThat(tree.get("task 1").getStatus().getDescription()).isEqualTo("bad row");
    for (String key : List.of("stage 1.0", "job 0", "sql 0")) {
      assertThat(tree.get(key).getStatus().getStatusCode()).as(key).isEqualTo(StatusCode.ERROR);
      assertThat(tree.get(key).getStatus().getDescription()).as(key).isEqualTo(ABORTED);
      assertThat(tree.value(key, Names.ERROR_TYPE))
          .as(key)
          .isEqualTo("java.lang.IllegalStateException");
      assertThat(tree.get(key).getEvents())
          .as(key)
          .extracting(EventData::getName)
          .containsExactly("exception");
    }
    assertThat(tree.value("stage 1.0", Names.STAGE_FAILURE_REASON)).isEqualTo(ABORTED);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("failed");
    assertThat(tree.value("job 0", Names.STAGES_FAILED)).isEqualTo(3L);
    assertThat(tree.value("job 0", Names.STAGES_SKIPPED)).isEqualTo(1L);
    // A failing job that the program handled does not make the application fail.
    assertThat(tree.get("application").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void takesTheErrorOfAQueryFromItsJobBeforeSpark34() {
    ModelFixture.Sql sql = app.sql(0).withoutRoot().start();
    ModelFixture.Job job = app.job(0).sql(0).start();
    sql.end(null);
    job.fail(ABORTED);
    app.sql(1).withoutRoot().start().end(null);

    SpanTree tree = app.finish();
    assertThat(tree.get("sql 0").getStatus().getDescription()).isEqualTo(ABORTED);
    assertThat(tree.get("sql 1").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(tree.value("sql 0", Names.SQL_ROOT_ID)).isNull();
  }

  @Test
  void showsAPythonFailureAsPythonDoes() {
    ModelFixture.Stage stage = app.stage(0, 1);
    app.job(0, stage).start();
    stage.submit();
    String message =
        """
        Traceback (most recent call last):
          File "/opt/report.py", line 12, in parse
            return int(row)
        ValueError: invalid literal
        """;
    stage
        .task(0)
        .launch()
        .end(ModelFixture.failure("org.apache.spark.api.python.PythonException", message));

    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.ERROR_TYPE)).isEqualTo("ValueError");
    EventData event = tree.get("task 0").getEvents().get(0);
    assertThat(event.getAttributes().get(Names.EXCEPTION_TYPE.key())).isEqualTo("ValueError");
    assertThat(event.getAttributes().get(Names.EXCEPTION_STACKTRACE.key()))
        .asString()
        .contains("line 12, in parse")
        .doesNotContain("\tat ");
  }

  @Test
  void tellsALostExecutorOnTheSpansThatItHit() {
    ModelFixture.Stage stage = app.stage(0, 3);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    String lost = "Container from a bad node. Exit status: 137. Killed by external signal";
    EndReason reason = ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, lost);
    ModelFixture.Task first = stage.task(0).on("7").launch().rawMetrics(null);
    ModelFixture.Task second = stage.task(1).on("7").launch().rawMetrics(null);
    app.at(10);
    first.end(reason);
    second.end(reason);
    stage.complete();
    job.succeed();

    SpanTree tree = app.finish();
    for (String key : List.of("task 0", "task 1", "stage 0.0")) {
      List<EventData> events =
          tree.get(key).getEvents().stream()
              .filter(event -> event.getName().equals("spark.executor.removed"))
              .toList();
      assertThat(events).as(key).hasSize(1);
      assertThat(events.get(0).getAttributes().get(Names.EXECUTOR_EXIT_CODE.key())).isEqualTo(137L);
      assertThat(events.get(0).getAttributes().get(Names.EXECUTOR_ID.key())).isEqualTo("7");
      assertThat(events.get(0).getAttributes().get(Names.EXECUTOR_REMOVED_REASON.key()))
          .isEqualTo(lost);
      assertThat(events.get(0).getAttributes().get(Names.EXECUTOR_LOSS_CAUSE.key()))
          .isEqualTo("killed");
    }
    assertThat(tree.value("task 0", Names.ERROR_TYPE)).isEqualTo("ExecutorLostFailure");
    assertThat(tree.get("stage 0.0").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @ParameterizedTest
  @EnumSource(EndReason.Kind.class)
  void tellsHowATaskEnded(EndReason.Kind kind) {
    ModelFixture.Stage stage = app.stage(0, 1);
    app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    if (kind == EndReason.Kind.Resubmitted) {
      task.succeed();
    }
    task.end(ModelFixture.reason(kind, null));
    SpanTree tree = app.finish();

    boolean killed = kind == EndReason.Kind.TaskKilled || kind == EndReason.Kind.TaskCommitDenied;
    boolean failed = !killed && kind != EndReason.Kind.Success;
    assertThat(tree.value("stage 0.0", Names.TASKS_KILLED)).isEqualTo(killed ? 1L : 0L);
    assertThat(tree.value("stage 0.0", Names.TASKS_FAILED)).isEqualTo(failed ? 1L : 0L);
    if (kind != EndReason.Kind.Resubmitted) {
      assertThat(tree.value("task 0", Names.TASK_OUTCOME)).isEqualTo(kind.name());
      assertThat(tree.get("task 0").getStatus().getDescription())
          .isEqualTo(failed ? kind.name() : "");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Job 3 cancelled ",
        "Job 3 cancelled part of cancelled job group nightly",
        "Job 3 cancelled because SparkContext was shut down",
        "[SPARK_JOB_CANCELLED] Job 3 cancelled because Stage 4 was cancelled",
        "Stage cancelled because SparkContext was shut down"
      })
  void takesACancelledJobForNoError(String message) {
    app.job(0).start().fail(message);
    SpanTree tree = app.finish();
    assertThat(tree.get("job 0").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("cancelled");
    assertThat(tree.value("application", Names.JOBS_FAILED)).isEqualTo(1L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times:"
            + " java.lang.IllegalStateException: order 7 was cancelled",
        "Job aborted due to stage failure: the [SPARK_JOB_CANCELLED] of another",
        "cancelled",
        ""
      })
  void takesAnErrorThatSpeaksOfCancellingForAnError(String message) {
    app.job(0).start().fail(message);
    SpanTree tree = app.finish();
    assertThat(tree.get("job 0").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(tree.value("job 0", Names.JOB_RESULT)).isEqualTo("failed");
  }

  /** A stage may be retried for one reason now and for another later. */
  @Test
  void namesTheReasonOfThisRetry() {
    ModelFixture.Stage map = app.stage(0, 1);
    ModelFixture.Stage reduce = app.stage(1, 1).reading(0);
    app.job(0, map, reduce).start();
    map.submit().fail("first");
    ModelFixture.Stage second = map.again().submit().complete();
    reduce.submit().fail("lost output");
    second.again().submit().complete();

    SpanTree tree = app.finish();
    assertThat(tree.value("stage 0.1", Names.STAGE_RETRY_REASON)).isEqualTo("first");
    assertThat(tree.value("stage 0.2", Names.STAGE_RETRY_REASON)).isEqualTo("lost output");
  }
}
