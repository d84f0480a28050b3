package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Case 13: how the program ended. */
class ApplicationSpanTest {

  private final ModelFixture app = ModelFixture.app();

  private void assertEnded(Integer eventCode, Outcome outcome, Long code, StatusCode status) {
    app.at(10).end(eventCode);
    SpanTree tree = app.close(outcome);
    FinishedSpan span = tree.get("application");
    assertThat(tree.value("application", Names.EXIT_CODE)).isEqualTo(code);
    assertThat(span.getStatus().getStatusCode()).isEqualTo(status);
  }

  @Test
  void isUnsetWhereNothingIsKnown() {
    assertEnded(null, Outcome.UNKNOWN, null, StatusCode.UNSET);
  }

  @Test
  void doesNotBelieveTheZeroOfSpark() {
    assertEnded(0, Outcome.UNKNOWN, null, StatusCode.UNSET);
  }

  @Test
  void believesAnotherCodeOfSpark() {
    assertEnded(2, Outcome.UNKNOWN, 2L, StatusCode.ERROR);
  }

  @Test
  void isUnsetAfterExitWithZero() {
    assertEnded(0, Outcome.exit(0), 0L, StatusCode.UNSET);
  }

  @Test
  void isAnErrorAfterExitWithAnother() {
    assertEnded(0, Outcome.exit(3), 3L, StatusCode.ERROR);
    assertThat(app.tree().get("application").getStatus())
        .isEqualTo(StatusData.create(StatusCode.ERROR, "exit code 3"));
    assertThat(app.tree().get("application").getEvents()).isEmpty();
  }

  @Test
  void tellsWhatMainThrew() {
    assertEnded(
        0,
        Outcome.failed(
            "com.acme.Failed", "no input\nat all", "com.acme.Failed\n\tat a.B.c(B.java)"),
        1L,
        StatusCode.ERROR);
    FinishedSpan span = app.tree().get("application");
    assertThat(span.getStatus().getDescription()).isEqualTo("no input");
    assertThat(app.tree().value("application", Names.ERROR_TYPE)).isEqualTo("com.acme.Failed");
    EventData event = span.getEvents().get(0);
    assertThat(app.tree().relative(event.getEpochNanos())).isEqualTo(10);
    assertThat(event.getAttributes().asMap())
        .isEqualTo(
            Map.of(
                Names.EXCEPTION_TYPE.key(), "com.acme.Failed",
                Names.EXCEPTION_MESSAGE.key(), "no input\nat all",
                Names.EXCEPTION_STACKTRACE.key(), "com.acme.Failed\n\tat a.B.c(B.java)"));
  }

  @Test
  void tellsWhatMainThrewWhereTheContextWasNeverStopped() {
    app.at(70).job(0).start();
    SpanTree tree = app.close(Outcome.failed("com.acme.Failed", null, null));
    FinishedSpan span = tree.get("application");
    assertThat(tree.relative(span.getEvents().get(0).getEpochNanos())).isEqualTo(70);
    assertThat(tree.value("application", Names.INCOMPLETE)).isEqualTo(true);
  }

  @Test
  void isIncompleteAfterASignal() {
    assertEnded(0, Outcome.interrupted(), null, StatusCode.UNSET);
    assertThat(app.tree().value("application", Names.INCOMPLETE)).isEqualTo(true);
  }

  @Test
  void isCompleteAfterAnOrdinaryEnd() {
    SpanTree tree = app.at(10).finish();
    assertThat(tree.value("application", Names.INCOMPLETE)).isNull();
    assertThat(tree.get("application").getParentSpanContext().isValid()).isFalse();
    assertThat(tree.get("application").getName()).isEqualTo("spark.application");
  }

  /** Events follow the application's end; what they tell is not lost. */
  @Test
  void endsWhenSparkSaysSo() {
    ModelFixture.Job job = app.job(0).start();
    app.at(10).end(0);
    app.at(12);
    job.fail("Job 0 cancelled because SparkContext was shut down");
    assertThat(app.close(Outcome.UNKNOWN).draw())
        .isEqualTo(
            """
            application 0..10
              job 0 'job' 0..12
            """);
  }

  @Test
  void tellsWhatTheApplicationIs() {
    ModelFixture known =
        ModelFixture.unborn(
                "otel.spark.history-url=http://history/{app_id}/{attempt}",
                "otel.spark.conf.allow-list=spark.sql.*")
            .start(
                "app-7",
                Map.of(
                    "spark.master", "yarn",
                    "spark.submit.deployMode", "cluster",
                    "spark.sql.adaptive.enabled", "true",
                    "spark.executor.memory", "1g",
                    "spark.otel.trace.id", "00"));
    SpanTree tree = known.finish();
    assertThat(tree.value("application", Names.MASTER)).isEqualTo("yarn");
    assertThat(tree.value("application", Names.DEPLOY_MODE)).isEqualTo("cluster");
    assertThat(tree.value("application", Names.SCALA_VERSION)).isEqualTo("2.12.18");
    assertThat(tree.value("application", "spark.conf.spark.sql.adaptive.enabled"))
        .isEqualTo("true");
    assertThat(tree.value("application", "spark.conf.spark.executor.memory")).isNull();
    assertThat(tree.value("application", "spark.conf.spark.otel.trace.id")).isNull();
    assertThat(tree.value("application", Names.HISTORY_URL)).isEqualTo("http://history/app-7/");
    assertThat(tree.value("started", Names.HISTORY_URL)).isEqualTo("http://history/app-7/");
    assertThat(ModelFixture.app().finish().value("application", Names.DEPLOY_MODE))
        .isEqualTo("client");
  }

  @Test
  void countsExecutors() {
    app.executorAdded("1");
    app.executorAdded("2");
    app.executorRemoved("1");
    app.executorRemoved("1");
    app.executorAdded("3");
    app.executorRemoved("never added");
    SpanTree tree = app.finish();
    assertThat(tree.value("application", Names.EXECUTORS_MAX)).isEqualTo(2L);
    assertThat(tree.value("application", Names.EXECUTORS_REMOVED)).isEqualTo(1L);
  }

  @Test
  void reportsOnItself() {
    SpanTree tree = app.finish();
    assertThat(tree.value("application", Names.SPANS_EXPORTED)).isEqualTo(1L);
    assertThat(tree.value("application", Names.SPANS_DROPPED)).isEqualTo(2L);
    assertThat(tree.value("application", Names.EVENTS_DROPPED)).isEqualTo(3L);
    assertThat(tree.value("application", Names.ERRORS)).isEqualTo(4L);
  }
}
