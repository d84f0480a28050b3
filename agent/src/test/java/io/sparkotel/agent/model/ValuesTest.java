package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Clocks that run backwards, texts without end, secrets, and what makes a receiver refuse. */
class ValuesTest {

  private static final long EPOCH = ModelFixture.EPOCH;

  private final ModelFixture app = ModelFixture.app();

  /** Case 15. */
  @Test
  void clampsOddTimes() {
    ModelFixture.Stage stage = app.stage(0, 4);
    ModelFixture.Job job = app.at(100).job(0, stage).start();
    stage.submit();
    ModelFixture.Task never = stage.task(0).launch();
    ModelFixture.Task before = stage.task(1).launch();
    ModelFixture.Task lost = stage.task(2).launch().rawMetrics(null);
    ModelFixture.Task busy = stage.task(3).launch().metrics(TaskMetric.RUN_TIME, 1_000);
    never.endAt(0, EndReason.SUCCESS);
    before.endAt(EPOCH + 90, ModelFixture.failure("java.lang.Error", "x"));
    lost.endAt(0, ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, "gone"));
    app.at(120);
    busy.gettingResult(150).succeed();
    app.at(80);
    stage.complete();
    app.at(70);
    job.succeed();

    SpanTree tree = app.at(200).finish();
    assertThat(tree.draw())
        .isEqualTo(
            """
            application 0..200
              job 0 'job count at Report.java:31' 100..100
                stage 0.0 'stage count at Report.java:31' 100..100
                  task 0 100..100 Success
                  task 1 100..100 ExceptionFailure ERROR: x
                  task 2 100..100 ExecutorLostFailure ERROR: gone
                  task 3 100..120 Success
            """);
    assertThat(tree.value("task 3", Names.TASK_SCHEDULER_DELAY)).isEqualTo(0L);
    assertThat(tree.value("task 3", Names.TASK_GETTING_RESULT_TIME)).isEqualTo(0L);
    assertThat(tree.relative(tree.get("task 2").getEvents().get(0).getEpochNanos())).isEqualTo(100);
    assertThat(tree.value("stage 0.0", "spark.stage.task_duration_ms.max")).isEqualTo(20L);
  }

  @Test
  void startsAStageThatWasNeverSubmittedWhereItCan() {
    ModelFixture.Stage known = app.stage(0, 1);
    app.at(10).job(0, known).start();
    app.at(50);
    known.complete();
    app.at(60).stage(7, 0).complete();
    assertThat(app.finish().draw())
        .isEqualTo(
            """
            application 0..60
              job 0 'job count at Report.java:31' 10..60 incomplete
                stage 0.0 'stage count at Report.java:31' 10..50
              stage 7.0 'stage count at Report.java:31' 60..60
            """);
  }

  /** Case 18. */
  @Test
  void keepsTheLastPlanAndCutsIt() {
    List<PlanNode> many = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      many.add(ModelFixture.node("Filter", "Filter (name = " + TextSamples.EMOJI.repeat(60) + ")"));
    }
    PlanNode last = new PlanNode("Union", "Union last", many, List.of(), null);
    ModelFixture.Sql sql = app.sql(0).planned(ModelFixture.node("Project", "Project first"));
    sql.start();
    sql.replan(ModelFixture.node("Project", "Project second"));
    sql.replan(last).succeed();

    SpanTree tree = app.finish();
    String first = (String) tree.value("sql 0", Names.SQL_PLAN);
    assertThat(first).startsWith("Union last");
    assertThat(tree.value("sql 0", "spark.sql.plan_truncated")).isEqualTo(true);
    int total = 0;
    for (int part = 1; part <= 9; part++) {
      String key = part == 1 ? "spark.sql.plan" : "spark.sql.plan_" + part;
      String text = (String) tree.value("sql 0", key);
      if (text == null) {
        break;
      }
      assertThat(TextSamples.bytes(text)).isBetween(1, 2_000);
      assertThat(text).doesNotContain("first").doesNotContain("second");
      total += TextSamples.bytes(text);
    }
    assertThat(total).isBetween(14_000, 16_384);
  }

  @Test
  void keepsAShortPlanWhole() {
    app.sql(0).start().succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 0", Names.SQL_PLAN)).isEqualTo("Project [a]");
    assertThat(tree.value("sql 0", "spark.sql.plan_truncated")).isNull();
    assertThat(tree.value("sql 0", "spark.sql.plan_2")).isNull();
  }

  @Test
  void showsAsMuchOfSqlAsIsAllowed() {
    String text = "SELECT * FROM people WHERE name = 'ann'";
    PlanNode plan = ModelFixture.node("Filter", "Filter (name = ann)");
    for (String[] expected :
        new String[][] {
          {"masked", "full", "SELECT * FROM people WHERE name = ?", "Filter (name = ann)"},
          {"full", "shape", text, "Filter"},
          {"none", "none", null, null}
        }) {
      ModelFixture one =
          ModelFixture.app(
              "otel.spark.sql.text=" + expected[0], "otel.spark.sql.plan=" + expected[1]);
      one.sql(0).described(text).planned(plan).start().succeed();
      SpanTree tree = one.finish();
      assertThat(tree.value("sql 0", Names.SQL_DESCRIPTION)).isEqualTo(expected[2]);
      assertThat(tree.value("sql 0", Names.SQL_PLAN)).isEqualTo(expected[3]);
    }
  }

  /** Case 19: one secret in every text that Spark or the user can put it into. */
  @Test
  void redactsEverywhere() {
    String secret = "hunter2hunter2";
    String text = "to jdbc:postgresql://db/x?user=ann&password=" + secret;
    ModelFixture leaky =
        ModelFixture.unborn("otel.spark.conf.allow-list=spark.*")
            .start(
                "app-1",
                Map.of(
                    "spark.master", "spark://ann:" + secret + "@host:7077",
                    "spark.my.password", secret,
                    "spark.executor.extraJavaOptions", "-Ddb.password=" + secret));
    ModelFixture.Sql sql = leaky.sql(0).described(text);
    sql.planned(ModelFixture.node("Scan " + text, "Scan " + text)).start();
    ModelFixture.Stage stage = leaky.stage(0, 5).named(text, text);
    ModelFixture.Job job =
        leaky
            .job(0, stage)
            .sql(0)
            .property("spark.jobGroup.id", text)
            .property("spark.job.description", text)
            .property("spark.job.tags", text)
            .property("spark.scheduler.pool", text)
            .property("callSite.short", text)
            .start();
    stage.submit();
    stage.task(0).launch().end(ModelFixture.failure("java.lang.Error", text));
    for (EndReason.Kind kind : List.of(EndReason.Kind.TaskKilled, EndReason.Kind.FetchFailed)) {
      stage.task(1).launch().end(ModelFixture.reason(kind, text));
    }
    stage.task(2).launch().end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, text));
    stage.fail(text);
    ModelFixture.Stage again = stage.again().submit();
    again.complete();
    ModelFixture.Stage orphan = leaky.stage(9, 0).named(text, text).submit();
    orphan.complete();
    job.fail(text);
    sql.end(text);
    leaky.end(0);
    SpanTree tree =
        leaky.close(Outcome.failed("java.lang.Error", text, "x\n\tat a.b.C.d: " + text));

    assertThat(tree.value("job 0", Names.JOB_GROUP)).asString().startsWith("to jdbc");
    assertThat(tree.value("stage 0.1", Names.STAGE_RETRY_REASON)).asString().startsWith("to jdbc");
    assertThat(tree.value("application", "spark.conf.spark.my.password"))
        .isEqualTo(Redactor.REPLACEMENT);
    for (FinishedSpan span : leaky.spans) {
      assertThat(span.getName() + span.getAttributes() + span.getEvents() + span.getStatus())
          .as(SpanTree.key(span))
          .doesNotContain(secret);
    }
  }

  /** Case 20: {@link Declared} holds every text against UTF-8 and its limit. */
  @Test
  void cutsAndMendsEveryText() {
    for (String piece : List.of(TextSamples.EMOJI, TextSamples.LONE_HIGH, TextSamples.LONE_LOW)) {
      String text = "x" + piece.repeat(20_000);
      ModelFixture odd =
          ModelFixture.unborn("otel.spark.conf.allow-list=spark.*")
              .start("app-1", Map.of("spark.some.value", text));
      ModelFixture.Sql sql = odd.sql(0).described(text);
      sql.planned(ModelFixture.node(text, text)).start();
      ModelFixture.Stage stage = odd.stage(0, 2).named(text, text);
      ModelFixture.Job job =
          odd.job(0, stage)
              .sql(0)
              .property("spark.jobGroup.id", text)
              .property("spark.job.description", text)
              .property("spark.job.tags", text)
              .property("spark.scheduler.pool", text)
              .start();
      stage.submit();
      stage.task(0).launch().end(ModelFixture.failure("java.lang.Error", text));
      stage.task(1).launch().end(ModelFixture.reason(EndReason.Kind.TaskKilled, text));
      stage.fail(text);
      job.fail(text);
      sql.end(text);
      odd.end(0);
      SpanTree tree = odd.close(Outcome.failed("java.lang.Error", text, text));
      for (String[] cut :
          new String[][] {
            {"sql 0", "spark.sql.description"},
            {"job 0", "spark.job.group"},
            {"job 0", "spark.job.description"},
            {"stage 0.0", "spark.stage.name"},
            {"stage 0.0", "spark.stage.call_site"},
            {"stage 0.0", "spark.stage.failure_reason"},
            {"task 1", "spark.task.kill_reason"},
            {"application", "spark.conf.spark.some.value"}
          }) {
        String value = (String) tree.value(cut[0], cut[1]);
        assertThat(TextSamples.bytes(value)).as(cut[1]).isBetween(1_990, 2_000);
        assertThat(tree.value(cut[0], cut[1] + "_truncated")).as(cut[1]).isEqualTo(true);
      }
    }
  }

  /** Case 21. */
  @Test
  void needsNoJobProperties() {
    ModelFixture.Stage stage = app.stage(0, 1).named("reduce at Report.java:9", null);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().run(1).complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.get("job 0").getName()).isEqualTo("job reduce at Report.java:9");
    assertThat(tree.value("job 0", Names.SQL_EXECUTION_ID)).isNull();
    assertThat(tree.value("job 0", Names.JOB_GROUP)).isNull();
    assertThat(tree.value("job 0", Names.JOB_TAGS)).isNull();
    assertThat(tree.value("job 0", Names.JOB_CALL_SITE)).isEqualTo("reduce at Report.java:9");
    assertThat(tree.value("stage 0.0", Names.STAGE_CALL_SITE)).isNull();
  }

  @Test
  void tellsWhatTheUserSaidOfAJob() {
    app.job(0)
        .sql(3)
        .property("spark.jobGroup.id", "nightly")
        .property("spark.job.description", "the report")
        .property("spark.job.tags", "a,b")
        .property("spark.scheduler.pool", "fast")
        .start()
        .succeed();
    app.job(1).property("spark.sql.execution.id", "no number").start().succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("job 0", Names.JOB_GROUP)).isEqualTo("nightly");
    assertThat(tree.value("job 0", Names.JOB_DESCRIPTION)).isEqualTo("the report");
    assertThat(tree.value("job 0", Names.JOB_TAGS)).isEqualTo(List.of("a", "b"));
    assertThat(tree.value("job 0", Names.SCHEDULER_POOL)).isEqualTo("fast");
    assertThat(tree.value("job 1", Names.SQL_EXECUTION_ID)).isNull();
  }
}
