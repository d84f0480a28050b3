package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has a trace of its own. */
class TraceUnitsTest {

  private static final String TWO_JOBS = "otel.spark.trace.max-jobs=2";
  private static final String EACH = "otel.spark.trace.unit=sql";

  private static String trace(SpanTree tree, String key) {
    return tree.get(key).getTraceId();
  }

  private static List<SpanContext> links(FinishedSpan span) {
    return span.getLinks().stream().map(LinkData::getSpanContext).toList();
  }

  private static void job(ModelFixture app, int id) {
    app.job(id).start().succeed();
  }

  /** A query of one job, which has one task. */
  private static void query(ModelFixture app, long sqlId, int jobId) {
    ModelFixture.Sql sql = app.sql(sqlId).start();
    ModelFixture.Stage stage = app.stage(jobId, 1);
    ModelFixture.Job job = app.job(jobId, stage).sql(sqlId).start();
    stage.submit().run(5).complete();
    job.succeed();
    sql.succeed();
  }

  @Test
  void eachQueryAndJobHasATraceOfItsOwn() {
    ModelFixture app = ModelFixture.app(EACH);
    query(app.at(0), 0, 0);
    job(app.at(10), 1);
    ModelFixture.Sql root = app.at(20).sql(1).start();
    app.sql(2).under(1).start().succeed();
    app.at(30);
    root.succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..30 -> sql 0, job 1, sql 1
            sql 0 'sql count at Report.java:31' 0..5 -> application
              job 0 'job count at Report.java:31' 0..5
                stage 0.0 'stage count at Report.java:31' 0..5
                  task 0 0..5 Success
            sql 1 'sql count at Report.java:31' 20..30 -> application
              sql 2 'sql count at Report.java:31' 20..20
            job 1 'job' 10..10 -> application
            """);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(3L);
    assertThat(trace(tree, "sql 0")).isEqualTo("f3e28fc7bd0b24728d061b21c7adda30");
    assertThat(trace(tree, "job 1")).isEqualTo("fc1a0de006bb6d8a03063a0e7f474dee");
  }

  /** Its trace is known from its start where no caller can change it. */
  @Test
  void aQueryOfItsOwnIsNotWaitedForWhereNoCallerIsJoined() {
    ModelFixture app = ModelFixture.app(EACH, "otel.spark.parent=link");
    ModelFixture.Sql root = app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    assertThat(app.spans).extracting(SpanTree::key).containsExactly("started", "sql 1");
    app.sql(2).under(1).start().succeed();
    app.job(0).sql(1).calledBy(ModelFixture.CALLER).start().succeed();
    root.succeed();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(links(tree.get("job 0")))
        .containsExactly(tree.get("application").getSpanContext(), ModelFixture.CALLER);
    // What came after the end of what it ran for is on its own.
    assertThat(tree.draw("sql 2")).startsWith("sql 2 'sql count at Report.java:31' 0..0 -> ");
  }

  @ParameterizedTest
  @ValueSource(strings = {EACH, TWO_JOBS})
  void aCallersTraceIsStronger(String unit) {
    ModelFixture app = ModelFixture.app(unit);
    job(app, 0);
    app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    app.job(2).sql(0).calledBy(ModelFixture.CALLER).start().succeed();
    app.sql(0).succeed();
    app.job(3).calledBy(ModelFixture.OTHER_CALLER).start().succeed();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    String callers = ModelFixture.CALLER.getTraceId();
    assertThat(trace(tree, "sql 0")).isEqualTo(callers);
    assertThat(trace(tree, "sql 1")).isEqualTo(callers);
    assertThat(trace(tree, "job 2")).isEqualTo(callers);
    assertThat(tree.get("job 3").getParentSpanContext()).isEqualTo(ModelFixture.OTHER_CALLER);
    assertThat(tree.keys(Entity.CONTINUED)).isEmpty();
  }

  /** Counted under the lower job, with links into the trace of the other. */
  @ParameterizedTest
  @ValueSource(strings = {EACH, TWO_JOBS})
  void aStageOfTwoTraces(String unit) {
    ModelFixture app = ModelFixture.app(unit);
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job one = app.job(1, stage).start();
    ModelFixture.Job two = app.job(2, stage).start();
    stage.submit().fail("lost");
    one.fail("enough");
    ModelFixture.Stage again = stage.again().submit();
    again.run(1).complete();
    two.succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(trace(tree, "job 1")).isNotEqualTo(trace(tree, "job 2"));
    assertThat(trace(tree, "stage 0.0")).isEqualTo(trace(tree, "job 1"));
    assertThat(links(tree.get("stage 0.0"))).containsExactly(tree.get("job 2").getSpanContext());
    assertThat(trace(tree, "stage 0.1")).isEqualTo(trace(tree, "job 2"));
    assertThat(trace(tree, "task 0")).isEqualTo(trace(tree, "job 2"));
    assertThat(links(tree.get("stage 0.1")))
        .containsExactly(tree.get("stage 0.0").getSpanContext());
  }

  /** Each trace has room for so many tasks, three of four of any kind. */
  @ParameterizedTest
  @ValueSource(strings = {EACH, TWO_JOBS})
  void theRoomForTasksIsThatOfTheTrace(String unit) {
    ModelFixture app = ModelFixture.app(unit, "otel.spark.trace.max-spans=4");
    for (int i = 0; i < 4; i++) {
      ModelFixture.Stage stage = app.stage(i, 2);
      ModelFixture.Job job = app.job(i, stage).start();
      stage.submit().run(1).complete();
      job.succeed();
    }
    SpanTree tree = app.finish();
    Map<String, Integer> tasks = new HashMap<>();
    for (String key : tree.keys(Entity.TASK)) {
      tasks.merge(trace(tree, key), 1, Integer::sum);
    }
    if (unit.equals(EACH)) {
      assertThat(tasks.values()).containsExactly(2, 2, 2, 2);
    } else {
      assertThat(tasks).containsOnlyKeys(trace(tree, "job 0"), trace(tree, "job 2"));
      assertThat(tasks.values()).containsExactly(3, 3);
      assertThat(tree.value("application", Names.TASKS_NOT_EXPORTED)).isEqualTo(2L);
    }
  }

  /** The sixteen that started first, whichever was complete first. */
  @Test
  void linksAreBounded() {
    ModelFixture app = ModelFixture.app(EACH);
    List<ModelFixture.Sql> sqls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sqls.add(app.at(i).sql(i).start());
    }
    List<SpanContext> first = new ArrayList<>();
    for (int i = 39; i >= 0; i--) {
      sqls.get(i).succeed();
    }
    SpanTree tree = app.finish();
    for (int i = 0; i < UnitLinks.MAX; i++) {
      first.add(tree.get("sql " + i).getSpanContext());
    }
    assertThat(links(tree.get("application"))).containsExactlyElementsOf(first);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(40L);
  }

  /** The SparkConf tells how the live run cut its traces, whatever the replay's own settings. */
  @Test
  void aReplayGoesByTheRecord() {
    for (String own : List.of("application", "sql")) {
      ModelFixture app = ModelFixture.unborn("otel.spark.trace.unit=" + own);
      app.start(
          "app-1", Map.of("spark.otel.trace.unit", "SQL", "spark.otel.trace.max-jobs", "what"));
      job(app, 0);
      assertThat(trace(app.finish(), "job 0")).isNotEqualTo(app.spans.get(0).getTraceId());
    }
    ModelFixture app = ModelFixture.unborn(EACH);
    app.start("app-1", Map.of("spark.otel.trace.unit", "auto", "spark.otel.trace.max-jobs", "1"));
    job(app, 0);
    job(app, 1);
    assertThat(app.finish().get("job 1").getParentSpanId())
        .isEqualTo(app.tree().get("continued job 1").getSpanId());
  }
}
