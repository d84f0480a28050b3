package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Where an application goes on that outgrows a trace. */
class TracePartsTest {

  private static final String TWO_JOBS = "otel.spark.trace.max-jobs=2";

  private static String trace(SpanTree tree, String key) {
    return tree.get(key).getTraceId();
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
  void jobsGoOnInNextTraces() {
    ModelFixture app = ModelFixture.app(TWO_JOBS);
    for (int i = 0; i < 5; i++) {
      job(app.at(10L * i), i);
    }
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(50).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..50 -> continued job 1, continued job 2
              job 0 'job' 0..0
              job 1 'job' 10..10
            continued job 1 'spark.application.continued' 20..20 -> application
              job 2 'job' 20..20
              job 3 'job' 30..30
            continued job 2 'spark.application.continued' 40..40 -> application
              job 4 'job' 40..40
            """);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(2L);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(5L);
    // A replay years later has to find the traces of today: these never change.
    assertThat(trace(tree, "job 2")).isEqualTo("cb35d8654b74a3c1dbb313cf82e2fe28");
    assertThat(tree.get("continued job 1").getSpanId()).isEqualTo("6350712f2d7a9a33");
  }

  /** Its id decides of a query without a job, for no other id of it is known. */
  @Test
  void queriesWithoutAJobGoOnInTracesOfTheirOwn() {
    ModelFixture app = ModelFixture.app(TWO_JOBS);
    for (int i = 0; i < 3; i++) {
      app.at(10L * i).sql(i).start().succeed();
    }
    query(app.at(30), 3, 0);
    app.at(40).sql(4).start();
    app.sql(5).under(4).start().succeed();
    app.sql(4).succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(50).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..50 -> continued sql 1, continued sql 2
              sql 0 'sql count at Report.java:31' 0..0
              sql 1 'sql count at Report.java:31' 10..10
              sql 3 'sql count at Report.java:31' 30..35
                job 0 'job count at Report.java:31' 30..35
                  stage 0.0 'stage count at Report.java:31' 30..35
                    task 0 30..35 Success
            continued sql 1 'spark.application.continued' 20..20 -> application
              sql 2 'sql count at Report.java:31' 20..20
            continued sql 2 'spark.application.continued' 40..40 -> application
              sql 4 'sql count at Report.java:31' 40..40
                sql 5 'sql count at Report.java:31' 40..40
            """);
    assertThat(trace(tree, "sql 2")).isEqualTo("bf03a9aca061758187ccc0ca2fba0f73");
  }

  /** All of an action is in the part of its first job. */
  @Test
  void theFirstJobOfAQueryDecides() {
    ModelFixture app = ModelFixture.app(TWO_JOBS);
    job(app, 0);
    ModelFixture.Sql root = app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    assertThat(app.spans).extracting(SpanTree::key).containsExactly("started", "job 0");
    for (int i = 1; i < 4; i++) {
      app.at(10L * i).job(i).sql(0).start().succeed();
    }
    ModelFixture.Sql second = app.at(40).sql(2).start();
    app.sql(3).under(2).start().succeed();
    app.at(50).job(5).sql(2).start().succeed();
    app.at(60).job(4).start().succeed();
    second.succeed();
    root.succeed();
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..60 -> continued job 2
              sql 0 'sql count at Report.java:31' 0..60
                sql 1 'sql count at Report.java:31' 0..0
                job 1 'job count at Report.java:31' 10..10
                job 2 'job count at Report.java:31' 20..20
                job 3 'job count at Report.java:31' 30..30
              job 0 'job' 0..0
            continued job 2 'spark.application.continued' 60..60 -> application
              sql 2 'sql count at Report.java:31' 40..60
                sql 3 'sql count at Report.java:31' 40..40
                job 5 'job count at Report.java:31' 50..50
              job 4 'job' 60..60
            """);
  }

  /** Without the first job of a part nobody knows when it began. */
  @Test
  void aPartWhoseFirstJobWasNotSeenBeginsWithTheApplication() {
    ModelFixture app = ModelFixture.app(TWO_JOBS);
    job(app.at(10), 3);
    assertThat(app.model.stateSize()).isEqualTo(1);
    SpanTree tree = app.at(20).finish();
    assertThat(app.model.stateSize()).isZero();
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..20 -> continued job 1
            continued job 1 'spark.application.continued' 0..0 -> application
              job 3 'job' 10..10
            """);
  }

  /** So many later that nothing is kept of it: the same trace, no second root. */
  @Test
  void anOldPart() {
    ModelFixture app = ModelFixture.app(TWO_JOBS);
    job(app, 2);
    job(app.at(5), 23);
    ModelFixture.Sql old = app.sql(3).start();
    for (int i = 2; i < 13; i++) {
      job(app.at(10L * i), 2 * i);
      app.sql(2L * i).start().succeed();
    }
    app.at(130);
    old.succeed();
    job(app, 3);
    job(app.at(140), 29);
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(trace(tree, "job 3")).isEqualTo(trace(tree, "job 2"));
    assertThat(tree.get("job 3").getParentSpanId())
        .isEqualTo(tree.get("continued job 1").getSpanId());
    assertThat(tree.relative(tree.get("continued job 11").getStartEpochNanos())).isEqualTo(110);
    assertThat(tree.relative(tree.get("continued sql 1").getStartEpochNanos())).isZero();
    assertThat(tree.value("application", Names.TRACE_UNITS))
        .isEqualTo((long) tree.keys(Entity.CONTINUED).size());
  }

  @Test
  void zeroIsNoLimit() {
    ModelFixture app = ModelFixture.app("otel.spark.trace.max-jobs=0", "otel.spark.parent=link");
    app.sql(0).start();
    app.sql(1).under(0).start().succeed();
    // Nothing decides of its trace any more.
    assertThat(app.spans).extracting(SpanTree::key).containsExactly("started", "sql 1");
    app.sql(0).succeed();
    for (int i = 0; i < 2_000; i++) {
      job(app, i);
    }
    SpanTree tree = app.finish();
    assertThat(tree.value("application", Names.TRACE_UNITS)).isNull();
    assertThat(app.spans).allMatch(span -> span.getTraceId().equals(trace(tree, "application")));
  }

  @Test
  void fiveHundredJobsAreATrace() {
    ModelFixture app = ModelFixture.app();
    for (int i = 0; i <= 500; i++) {
      job(app, i);
    }
    SpanTree tree = app.finish();
    assertThat(trace(tree, "job 499")).isEqualTo(trace(tree, "application"));
    assertThat(trace(tree, "job 500")).isEqualTo(trace(tree, "continued job 1"));
  }

  @Test
  void holdsNothingAfterManyParts() {
    ModelFixture app = ModelFixture.app("otel.spark.tasks=none");
    app.checks = false;
    Set<String> traces = new HashSet<>();
    int spans = 0;
    for (int i = 0; i < 100_000; i++) {
      job(app, i);
      if (app.model.stateSize() != 0) {
        fail("state after job " + i + ": " + app.model.stateSize());
      }
      spans += app.spans.size();
      app.spans.forEach(span -> traces.add(span.getTraceId()));
      app.spans.clear();
      app.forget();
    }
    assertThat(spans).isEqualTo(1 + 100_000 + 199);
    assertThat(traces).hasSize(200);
    assertThat(app.finish().value("application", Names.TRACE_UNITS)).isEqualTo(199L);
  }

  /** The same application in other orders of its threads: InterleavingTest has the whole of it. */
  @Test
  void theRootOfAPartIsTheSameInAnyOrder() {
    Set<String> drawn = new TreeSet<>();
    for (boolean late : new boolean[] {false, true}) {
      ModelFixture app = ModelFixture.app(TWO_JOBS);
      if (!late) {
        app.at(10).sql(2).start();
      }
      app.at(11).sql(3).start();
      app.at(12).sql(3).succeed();
      if (late) {
        app.at(10).sql(2).start();
      }
      app.at(20).sql(2).succeed();
      drawn.add(app.at(30).finish().drawAll());
    }
    assertThat(drawn)
        .containsExactly(
            """
            application 0..30 -> continued sql 1
            continued sql 1 'spark.application.continued' 10..10 -> application
              sql 2 'sql count at Report.java:31' 10..20
              sql 3 'sql count at Report.java:31' 11..12
            """);
  }
}
