package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose trace an application and its actions are in. */
class CallersTest {

  private static final SpanContext CALLER = ModelFixture.CALLER;
  private static final SpanContext OTHER = ModelFixture.OTHER_CALLER;

  private final ModelFixture app = ModelFixture.app();

  /** As the agent records it, and a replay finds it. */
  private static ModelFixture application(String mode, String flags, String state) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.otel.parent", mode);
    conf.put(
        "spark.otel.traceparent",
        "00-" + CALLER.getTraceId() + "-" + CALLER.getSpanId() + "-" + flags);
    conf.put("spark.otel.tracestate", state);
    return ModelFixture.unborn().start("app-1", conf);
  }

  private static ModelFixture application(String mode) {
    return application(mode, "01", null);
  }

  private static String traceId(SpanTree tree, String key) {
    return tree.get(key).getTraceId();
  }

  private static List<SpanContext> links(FinishedSpan span) {
    return span.getLinks().stream().map(LinkData::getSpanContext).toList();
  }

  @Test
  void anApplicationJoinsTheTraceOfItsParent() {
    ModelFixture child = application("child", "01", "vendor=x");
    child.job(0).start();
    SpanTree tree = child.finish();
    FinishedSpan span = tree.get("application");
    assertThat(span.getTraceId()).isEqualTo(CALLER.getTraceId());
    assertThat(span.getParentSpanId()).isEqualTo(CALLER.getSpanId());
    assertThat(span.getLinks()).isEmpty();
    assertThat(traceId(tree, "job 0")).isEqualTo(CALLER.getTraceId());
    for (FinishedSpan each : child.spans) {
      assertThat(each.getSpanContext().getTraceState().get("vendor")).isEqualTo("x");
    }
  }

  @Test
  void anApplicationThatIsLinkedKeepsItsTrace() {
    FinishedSpan plain = ModelFixture.app().finish().get("application");
    ModelFixture linked = application("link", "01", "vendor=x");
    FinishedSpan span = linked.finish().get("application");
    assertThat(span.getSpanContext()).isEqualTo(plain.getSpanContext());
    assertThat(span.getParentSpanContext().isValid()).isFalse();
    assertThat(links(span)).hasSize(1);
    assertThat(links(span).get(0).getSpanId()).isEqualTo(CALLER.getSpanId());
    assertThat(links(span).get(0).getTraceState().get("vendor")).isEqualTo("x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ignore", "Ignore"})
  void anApplicationThatIgnoresItsParent(String mode) {
    FinishedSpan plain = ModelFixture.app().finish().get("application");
    FinishedSpan span = application(mode).finish().get("application");
    assertThat(span.getSpanContext()).isEqualTo(plain.getSpanContext());
    assertThat(span.getParentSpanContext().isValid()).isFalse();
    assertThat(span.getLinks()).isEmpty();
  }

  @Test
  void whatIsNoRecordIsTheSettings() {
    ModelFixture one = ModelFixture.unborn("otel.spark.parent=link");
    one.start(
        "app-1",
        Map.of(
            "spark.otel.parent",
            "what",
            "spark.otel.traceparent",
            "00-" + CALLER.getTraceId() + "-" + CALLER.getSpanId() + "-01"));
    assertThat(links(one.finish().get("application"))).hasSize(1);
  }

  /** Every span of it is in the caller's trace, and under its own id of any trace. */
  @Test
  void aJobJoinsItsCallersTrace() {
    ModelFixture plain = ModelFixture.app();
    oneJob(plain, plain.job(0, plain.stage(0, 1)));
    SpanTree own = plain.finish();
    oneJob(app, app.job(0, app.stage(0, 1)).calledBy(CALLER));
    app.at(20).job(1).start().succeed();
    SpanTree tree = app.finish();

    FinishedSpan job = tree.get("job 0");
    assertThat(job.getParentSpanContext()).isEqualTo(CALLER);
    assertThat(links(job)).containsExactly(tree.get("application").getSpanContext());
    for (String key : List.of("job 0", "stage 0.0", "task 0")) {
      assertThat(traceId(tree, key)).isEqualTo(CALLER.getTraceId());
      assertThat(tree.get(key).getSpanId()).isEqualTo(own.get(key).getSpanId());
    }
    assertThat(tree.draw("job 0"))
        .isEqualTo(
            """
            job 0 'job count at Report.java:31' 0..10 -> application
              stage 0.0 'stage count at Report.java:31' 0..10
                task 0 0..10 Success
            """);
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..20
              job 1 'job' 20..20
            """);
    assertThat(tree.get("application").getSpanContext())
        .isEqualTo(own.get("application").getSpanContext());
    // Whoever called: it is work of the application.
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("application", Names.TASKS_TOTAL)).isEqualTo(1L);
  }

  private static void oneJob(ModelFixture app, ModelFixture.Job job) {
    job.start();
    app.stage(0, 1).submit().run(10).complete();
    job.succeed();
  }

  /** What is nested and complete before the first job waits for it. */
  @Test
  void aQueryTakesTheCallerOfItsFirstJob() {
    ModelFixture.Sql root = app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    assertThat(app.spans).hasSize(1);
    assertThat(app.model.stateSize()).isEqualTo(2);
    ModelFixture.Sql nested = app.sql(2).under(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job first = app.job(0, stage).sql(2).calledBy(CALLER).start();
    assertThat(app.spans).extracting(SpanTree::key).containsExactly("started", "sql 1");
    stage.submit().run(10);
    stage.complete();
    first.succeed();
    app.job(1).sql(0).calledBy(OTHER).start().succeed();
    app.job(2).sql(0).start().succeed();
    nested.succeed();
    root.succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.finish();
    assertThat(tree.get("sql 0").getParentSpanContext()).isEqualTo(CALLER);
    assertThat(tree.draw("sql 0"))
        .isEqualTo(
            """
            sql 0 'sql count at Report.java:31' 0..10 -> application
              sql 1 'sql count at Report.java:31' 0..0
              sql 2 'sql count at Report.java:31' 0..10
                job 0 'job count at Report.java:31' 0..10
                  stage 0.0 'stage count at Report.java:31' 0..10
                    task 0 0..10 Success
              job 1 'job count at Report.java:31' 10..10
              job 2 'job count at Report.java:31' 10..10
            """);
    assertThat(tree.draw()).isEqualTo("application 0..10\n");
  }

  @Test
  void aQueryWhoseFirstJobHasNoCallerStays() {
    ModelFixture.Sql sql = app.sql(0).start();
    app.job(0).sql(0).start().succeed();
    app.job(1).sql(0).calledBy(CALLER).start().succeed();
    sql.succeed();
    assertThat(app.finish().draw())
        .isEqualTo(
            """
            application 0..0
              sql 0 'sql count at Report.java:31' 0..0
                job 0 'job count at Report.java:31' 0..0
                job 1 'job count at Report.java:31' 0..0
            """);
  }

  /** Without a job nobody tells of a caller; and a query cannot hold more than so many. */
  @Test
  void queriesWithoutJobs() {
    app.checks = false;
    ModelFixture.Sql root = app.sql(0).start();
    for (int i = 1; i < Action.MAX_WAITING; i++) {
      app.sql(i).under(0).start().succeed();
    }
    assertThat(app.spans).hasSize(1);
    app.sql(Action.MAX_WAITING).under(0).start().succeed();
    assertThat(app.spans).hasSize(1 + Action.MAX_WAITING);
    app.sql(2_000).under(0).start().succeed();
    assertThat(app.spans).hasSize(2 + Action.MAX_WAITING);
    app.job(0).sql(0).calledBy(CALLER).start().succeed();
    root.succeed();
    ModelFixture.Sql alone = app.sql(3_000).start();
    app.sql(3_001).under(3_000).start().succeed();
    alone.succeed();
    SpanTree tree = app.finish();
    assertThat(app.spans)
        .allSatisfy(s -> assertThat(s.getTraceId()).isNotEqualTo(CALLER.getTraceId()));
    assertThat(tree.get("sql 3001").getParentSpanId()).isEqualTo(tree.get("sql 3000").getSpanId());
  }

  @Test
  void aLinkedActionStaysAndIsNotWaitedFor() {
    ModelFixture linking =
        ModelFixture.app("otel.spark.parent=link", "otel.spark.trace.max-jobs=0");
    linking.sql(0).start();
    linking.sql(1).under(0).start().succeed();
    assertThat(linking.spans).extracting(SpanTree::key).containsExactly("started", "sql 1");
    linking.job(0).sql(0).calledBy(OTHER).start().succeed();
    linking.sql(0).succeed();
    SpanTree tree = linking.finish();
    assertThat(links(tree.get("sql 0"))).containsExactly(OTHER);
    assertThat(links(tree.get("job 0"))).isEmpty();
    assertThat(traceId(tree, "sql 0")).isEqualTo(traceId(tree, "application"));
  }

  @ParameterizedTest
  @CsvSource({"ignore, 01, 0", "child, 00, 0", "link, 00, 0", "child, zz, 1", "ignore, zz, 0"})
  void aCallerThatDoesNotCount(String mode, String flags, long invalid) {
    ModelFixture one = application(mode);
    one.job(0)
        .property("traceparent", "00-" + OTHER.getTraceId() + "-" + OTHER.getSpanId() + "-" + flags)
        .start()
        .succeed();
    SpanTree tree = one.finish();
    assertThat(traceId(tree, "job 0")).isEqualTo(traceId(tree, "application"));
    assertThat(tree.get("job 0").getLinks()).isEmpty();
    assertThat(tree.value("application", Names.TRACEPARENTS_INVALID))
        .isEqualTo(invalid == 0 ? null : invalid);
  }

  @Test
  void theTracestateOfACallerIsOnWhatJoinsIt() {
    app.job(0).calledBy(CALLER).property("tracestate", "vendor=x").start().succeed();
    FinishedSpan job = app.finish().get("job 0");
    assertThat(job.getSpanContext().getTraceState().get("vendor")).isEqualTo("x");
    assertThat(links(job).get(0).getTraceState().isEmpty()).isTrue();
  }

  /** The lowest job's trace, with links into that of the other. */
  @Test
  void aStageOfTwoCallers() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job one = app.job(0, stage).calledBy(CALLER).start();
    ModelFixture.Job two = app.job(1, stage).calledBy(OTHER).start();
    stage.submit().fail("lost");
    one.fail("enough");
    ModelFixture.Stage again = stage.again().submit();
    again.run(1);
    again.complete();
    two.succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(traceId(tree, "stage 0.0")).isEqualTo(CALLER.getTraceId());
    assertThat(links(tree.get("stage 0.0"))).containsExactly(tree.get("job 1").getSpanContext());
    assertThat(traceId(tree, "stage 0.1")).isEqualTo(OTHER.getTraceId());
    assertThat(traceId(tree, "task 0")).isEqualTo(OTHER.getTraceId());
    assertThat(links(tree.get("stage 0.1")))
        .containsExactly(tree.get("stage 0.0").getSpanContext());
  }

  /** What hangs under something that is closed has the application as its parent from then on. */
  @Test
  void latecomersAfterACaller() {
    ModelFixture.Sql sql = app.sql(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(0).calledBy(CALLER).start();
    stage.submit().complete();
    job.succeed();
    sql.succeed();
    app.job(1).sql(0).start().succeed();
    app.job(2).sql(0).calledBy(OTHER).start().succeed();
    app.sql(1).under(0).start().succeed();
    stage.task(0).unseen().end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, "x"));
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    SpanContext application = tree.get("application").getSpanContext();
    for (String key : List.of("job 1", "sql 1", "task 0")) {
      assertThat(tree.get(key).getParentSpanContext()).as(key).isEqualTo(application);
    }
    assertThat(tree.get("job 2").getParentSpanContext()).isEqualTo(OTHER);
  }

  /** Where the closed one will be nobody knows yet, so nothing is put below it. */
  @Test
  void latecomersOfOneThatWaitsForACaller() {
    ModelFixture.Sql root = app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    app.sql(2).under(1).start().succeed();
    app.job(0).sql(1).start().succeed();
    app.job(1).sql(0).calledBy(CALLER).start().succeed();
    root.succeed();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    SpanContext application = tree.get("application").getSpanContext();
    for (String key : List.of("sql 2", "job 0")) {
      assertThat(tree.get(key).getParentSpanContext()).as(key).isEqualTo(application);
    }
    assertThat(traceId(tree, "sql 1")).isEqualTo(CALLER.getTraceId());
  }

  @Test
  void attributesOfTheUserAreOnItsActionsTopJobsAndStages() {
    ModelFixture.Sql sql = app.sql(0).start();
    ModelFixture.Sql nested = app.sql(1).under(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job =
        app.job(0, stage)
            .sql(1)
            .property("spark.otel.attributes.acme.tenant", "t1")
            .property("spark.otel.attributes.acme.password", "hunter2")
            .property("spark.otel.attributes.acme.long", "x".repeat(300))
            .property("spark.otel.attributes.spark.job.id", "7")
            .start();
    stage.submit().run(1);
    stage.complete();
    job.succeed();
    app.job(1).sql(0).property("spark.otel.attributes.acme.tenant", "t2").start().succeed();
    app.job(2).start().succeed();
    nested.succeed();
    sql.succeed();
    SpanTree tree = app.finish();
    for (String key : List.of("sql 0", "job 0", "stage 0.0")) {
      assertThat(tree.value(key, "acme.tenant")).as(key).isEqualTo("t1");
      assertThat(tree.value(key, "acme.password")).as(key).isEqualTo(Redactor.REPLACEMENT);
      assertThat(tree.value(key, "acme.long")).as(key).isEqualTo("x".repeat(256));
      assertThat(tree.value(key, "acme.long_truncated")).as(key).isEqualTo(true);
    }
    assertThat(tree.value("job 1", "acme.tenant")).isEqualTo("t2");
    for (String key : List.of("application", "sql 1", "task 0", "job 2")) {
      assertThat(tree.value(key, "acme.tenant")).as(key).isNull();
    }
    assertThat(tree.value("job 0", Names.JOB_ID)).isEqualTo(0L);
  }

  /** A session of Spark SQL hands the SparkConf on to its jobs. */
  @Test
  void whatTheSparkConfSaysIsOnTheResourceAlone() {
    ModelFixture one =
        ModelFixture.unborn()
            .start(
                "app-1",
                Map.of(
                    "spark.otel.attributes.acme.team", "finance",
                    "spark.otel.attributes.acme.stage", "test"));
    one.job(0)
        .property("spark.otel.attributes.acme.team", "finance")
        .property("spark.otel.attributes.acme.stage", "prod")
        .start()
        .succeed();
    SpanTree tree = one.finish();
    assertThat(tree.value("job 0", "acme.team")).isNull();
    assertThat(tree.value("job 0", "acme.stage")).isEqualTo("prod");
  }
}
