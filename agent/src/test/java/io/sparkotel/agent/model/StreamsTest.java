package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streaming queries, their batches, and what runs for them. */
class StreamsTest {

  private static final String QUERY = "11111111-0000-0000-0000-000000000001";
  private static final String RUN = "aaaaaaaa-0000-0000-0000-000000000001";
  private static final String NEXT_RUN = "bbbbbbbb-0000-0000-0000-000000000001";
  private static final String CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String WHOLE = "otel.spark.trace.unit=application";

  private ModelFixture app = ModelFixture.app();

  private static List<SpanContext> links(FinishedSpan span) {
    return span.getLinks().stream().map(LinkData::getSpanContext).toList();
  }

  /** From the trigger to its progress 20 ms later: one job of one task. */
  private static void batch(ModelFixture app, ModelFixture.Stream stream, int id, long began) {
    app.at(began + 2);
    ModelFixture.Sql sql = stream.sql(id, id).start();
    ModelFixture.Stage stage = app.stage(id, 1);
    ModelFixture.Job job = stream.job(id, id, stage).sql(id);
    app.at(began + 3);
    job.start();
    stage.submit().run(10).complete();
    job.succeed();
    app.at(began + 15);
    sql.succeed();
    app.at(began + 20);
    stream.ran(id, began);
  }

  @Test
  void aBatchIsATraceOfItsOwn() {
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("orders");
    batch(app, stream, 0, 10);
    batch(app, stream, 1, 40);
    assertThat(app.model.stateSize()).isEqualTo(1);
    app.at(100).job(7).start().succeed();
    stream.end(null);
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(110).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..110 -> batch aaaaaaaa/0, batch aaaaaaaa/1
              job 7 'job' 100..100
              query aaaaaaaa 'streaming query orders' 5..60
            batch aaaaaaaa/0 'batch orders' 10..30 -> application, query aaaaaaaa
              sql 0 'sql count at Report.java:31' 12..25
                job 0 'job count at Report.java:31' 13..23
                  stage 0.0 'stage count at Report.java:31' 13..23
                    task 0 13..23 Success
            batch aaaaaaaa/1 'batch orders' 40..60 -> application, query aaaaaaaa
              sql 1 'sql count at Report.java:31' 42..55
                job 1 'job count at Report.java:31' 43..53
                  stage 1.0 'stage count at Report.java:31' 43..53
                    task 1 43..53 Success
            """);
    assertThat(tree.get("batch aaaaaaaa/0").getTraceId())
        .isEqualTo("86a0c8b563efff56b3fb81903eb05bba");
    assertThat(tree.get("batch aaaaaaaa/0").getSpanId()).isEqualTo("ec6fd3693cab1c70");
    assertThat(tree.get("query aaaaaaaa").getParentSpanContext())
        .isEqualTo(tree.get("application").getSpanContext());
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(2L);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(3L);
    assertThat(tree.value("query aaaaaaaa", Names.JOBS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("query aaaaaaaa", Names.TASKS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("batch aaaaaaaa/1", Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("query aaaaaaaa", StreamMetric.BATCHES.attribute())).isEqualTo(2L);
    assertThat(tree.value("query aaaaaaaa", StreamNames.QUERY_RESULT)).isEqualTo("ended");
    for (String key : List.of("query aaaaaaaa", "batch aaaaaaaa/0")) {
      assertThat(tree.value(key, StreamNames.QUERY_NAME)).isEqualTo("orders");
      assertThat(tree.value(key, StreamNames.QUERY_ID)).isEqualTo(QUERY);
      assertThat(tree.value(key, StreamNames.RUN_ID)).isEqualTo(RUN);
    }
  }

  /** Below the query where that is in the same trace. */
  @Test
  void batchesInTheApplicationsTrace() {
    app = ModelFixture.app(WHOLE, "otel.spark.trace.max-jobs=2");
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("orders");
    for (int i = 0; i < 3; i++) {
      batch(app, stream, i, 10 + 30L * i);
    }
    app.at(100);
    stream.end(null);
    SpanTree tree = app.at(110).finish();
    TraceRules.check(app.spans);
    assertThat(tree.keys(Entity.STARTED)).containsExactly("started");
    assertThat(tree.drawAll().replaceAll("(?m)^ *(job|stage|task) .*\\n", ""))
        .isEqualTo(
            """
            application 0..110 -> continued job 1
              query aaaaaaaa 'streaming query orders' 5..90
                batch aaaaaaaa/0 'batch orders' 10..30
                  sql 0 'sql count at Report.java:31' 12..25
                batch aaaaaaaa/1 'batch orders' 40..60
                  sql 1 'sql count at Report.java:31' 42..55
            continued job 1 'spark.application.continued' 73..73 -> application
              batch aaaaaaaa/2 'batch orders' 70..90 -> query aaaaaaaa
                sql 2 'sql count at Report.java:31' 72..85
            """);
  }

  /** Nothing is told of it but the start and the end, and its job is cancelled after that. */
  @Test
  void aQueryInContinuousMode() {
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("pulse");
    ModelFixture.Sql sql = stream.sql(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = stream.job(0, stage).sql(0);
    app.at(10);
    job.start();
    stage.submit();
    app.at(50);
    sql.succeed();
    stream.end(null);
    assertThat(app.model.stateSize()).isPositive();
    app.at(60);
    stage.run(10).complete();
    job.fail("cancelled");
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(110).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..110
              sql 0 'sql count at Report.java:31' 5..50 -> query aaaaaaaa
                job 0 'job count at Report.java:31' 10..70 ERROR: cancelled
                  stage 0.0 'stage count at Report.java:31' 10..70
                    task 0 60..70 Success
              query aaaaaaaa 'streaming query pulse' 5..50
            """);
    String query = "query aaaaaaaa";
    assertThat(tree.value(query, Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value(query, Names.TASKS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value(query, StreamMetric.BATCHES.attribute())).isEqualTo(0L);
    assertThat(tree.value(query, StreamMetric.INPUT_ROWS.attribute())).isNull();
    assertThat(tree.value(query, StreamNames.QUERY_NAME)).isEqualTo("pulse");
    assertThat(tree.value(query, StreamNames.QUERY_RESULT)).isEqualTo("ended");
  }

  /** Sources may be asked for what they have. */
  @Test
  void whatAQueryRunsBeforeItsFirstBatch() {
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("orders");
    app.at(6);
    stream.job(9).start().succeed();
    batch(app, stream, 0, 10);
    stream.end(null);
    SpanTree tree = app.at(110).finish();
    assertThat(links(tree.get("job 9")))
        .containsExactly(tree.get("query aaaaaaaa").getSpanContext());
    assertThat(tree.value("query aaaaaaaa", Names.JOBS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("batch aaaaaaaa/0", Names.JOBS_TOTAL)).isEqualTo(1L);
  }

  /** What {@code foreachBatch} runs may be in a group and under a description of the user's. */
  @Test
  void whatTheUserDescribes() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    stream.sql(0, 4).start();
    app.job(0)
        .property("spark.job.description", "mine")
        .property("spark.jobGroup.id", "mine")
        .property("sql.streaming.queryId", QUERY)
        .property("streaming.sql.batchId", "4")
        .start()
        .succeed();
    app.at(3);
    stream.sql(0, 4).succeed();
    app.at(5);
    stream.ran(4, 0);
    // The sources are asked for the next batch under the id of the last one.
    stream.job(1, 5).property("streaming.sql.batchId", "4").start().succeed();
    app.at(9);
    stream.ran(5, 5);
    // Of a query that nobody knows, or of no batch yet.
    app.job(2)
        .property("sql.streaming.queryId", NEXT_RUN)
        .property("streaming.sql.batchId", "4")
        .start()
        .succeed();
    app.job(3)
        .property(
            "spark.job.description", "\nid = " + QUERY + "\nrunId = " + RUN + "\nbatch = init")
        .start()
        .succeed();
    stream.end(null);
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..9 -> batch aaaaaaaa/4, batch aaaaaaaa/5
              job 2 'job' 9..9
              job 3 'job' 9..9 -> query aaaaaaaa
              query aaaaaaaa 'streaming query orders' 0..9
            batch aaaaaaaa/4 'batch orders' 0..5 -> application, query aaaaaaaa
              sql 0 'sql Project' 0..3
              job 0 'job' 0..0
            batch aaaaaaaa/5 'batch orders' 5..9 -> application, query aaaaaaaa
              job 1 'job' 5..5
            """);
  }

  /** A batch that never told its progress failed with its query, and was there for its job. */
  @Test
  void aQueryThatFails() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    batch(app, stream, 0, 10);
    app.at(42);
    ModelFixture.Sql sql = stream.sql(1, 1).start();
    ModelFixture.Job job = stream.job(1, 1).sql(1);
    app.at(43);
    job.start();
    app.at(47);
    job.fail("Job aborted: bad record");
    app.at(48);
    sql.end("bad record");
    String cause = "java.lang.IllegalArgumentException: bad record 3";
    stream.end(
        "org.apache.spark.SparkException: Job aborted: bad record\n\tat com.acme.A.b(A.java:1)\n"
            + "Caused by: "
            + cause
            + "\n\tat com.acme.A.c(A.java:2)");
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(60).finish();
    TraceRules.check(app.spans);
    assertThat(tree.draw("batch aaaaaaaa/1"))
        .isEqualTo(
            """
            batch aaaaaaaa/1 'batch orders' 42..48 ERROR: org.apache.spark.SparkException: Job aborted: bad record -> application, query aaaaaaaa
              sql 1 'sql Project' 42..48 ERROR: bad record
                job 1 'job Project' 43..47 ERROR: Job aborted: bad record
            """);
    assertThat(tree.draw("query aaaaaaaa"))
        .isEqualTo(
            "query aaaaaaaa 'streaming query orders' 0..48 ERROR:"
                + " org.apache.spark.SparkException: Job aborted: bad record\n");
    for (String key : List.of("batch aaaaaaaa/1", "query aaaaaaaa")) {
      assertThat(tree.value(key, Names.ERROR_TYPE)).isEqualTo("org.apache.spark.SparkException");
      assertThat((String) tree.value(key, Names.FAILURE_ROOT_CAUSE)).startsWith(cause);
      assertThat(tree.get(key).getEvents()).hasSize(1);
    }
    assertThat(tree.value("batch aaaaaaaa/1", StreamNames.BATCH_RESULT)).isEqualTo("failed");
    assertThat(tree.value("query aaaaaaaa", StreamNames.QUERY_RESULT)).isEqualTo("failed");
    assertThat(tree.value("query aaaaaaaa", "spark.streaming.batches.failed")).isEqualTo(1L);
    assertThat(tree.value("query aaaaaaaa", "spark.streaming.batches.total")).isEqualTo(2L);
  }

  /** As of any failure in Python: its class, not that of what carries it. */
  @Test
  void aQueryThatFailsInPython() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    batch(app, stream, 0, 10);
    app.at(42).job(7).start().succeed();
    stream.end(
        """
        org.apache.spark.api.python.PythonException: Traceback (most recent call last):
          File "/jobs/orders.py", line 7, in cents
        ValueError: three

        \tat com.acme.A.b(A.java:1)
        """);
    SpanTree tree = app.at(60).finish();
    assertThat(tree.value("query aaaaaaaa", Names.ERROR_TYPE)).isEqualTo("ValueError");
    EventData event = tree.get("query aaaaaaaa").getEvents().get(0);
    assertThat(event.getAttributes().get(Names.EXCEPTION_TYPE.key())).isEqualTo("ValueError");
    assertThat(event.getAttributes().get(Names.EXCEPTION_MESSAGE.key())).isEqualTo("three");
  }

  @Test
  void aBatchThatIsStoppedWithItsQueryIsNoError() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start(null);
    app.at(10).stream(QUERY, RUN).sql(0, 0).start();
    app.at(20);
    stream.end(null);
    app.at(25);
    stream.sql(0, 0).succeed();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(30).finish();
    assertThat(tree.draw("batch aaaaaaaa/0"))
        .startsWith("batch aaaaaaaa/0 'batch orders' 10..25 -> application");
    assertThat(tree.value("batch aaaaaaaa/0", StreamNames.BATCH_RESULT)).isEqualTo("stopped");
    assertThat(tree.draw("query aaaaaaaa")).startsWith("query aaaaaaaa '").contains(" 0..25\n");
  }

  /** The same query in a new run, from its checkpoint. */
  @Test
  void aRestart() {
    ModelFixture.Stream first = app.stream(QUERY, RUN).start("orders");
    batch(app, first, 0, 10);
    first.end("x");
    ModelFixture.Stream second = app.at(50).stream(QUERY, NEXT_RUN).start("orders");
    app.at(60);
    second.ran(0, 51).end(null);
    // Too late for a run that has its span.
    first.ran(1, 60).end(null);
    first.job(9, 0).start().succeed();
    SpanTree tree = app.at(70).finish();
    TraceRules.check(app.spans);
    assertThat(links(tree.get("query aaaaaaaa")))
        .containsExactly(tree.get("started aaaaaaaa").getSpanContext());
    assertThat(links(tree.get("query bbbbbbbb")))
        .containsExactly(
            tree.get("started bbbbbbbb").getSpanContext(),
            tree.get("query aaaaaaaa").getSpanContext());
    assertThat(tree.get("batch bbbbbbbb/0").getTraceId())
        .isNotEqualTo(tree.get("batch aaaaaaaa/0").getTraceId());
    assertThat(tree.get("job 9").getParentSpanContext())
        .isEqualTo(tree.get("application").getSpanContext());
  }

  /** In another application, of which nothing but the id of the query is the same. */
  @Test
  void aRestartOfTheApplication() {
    app.at(5).stream(QUERY, RUN).start("orders").start("orders");
    assertThat(app.spans).extracting(SpanTree::key).containsExactly("started", "started aaaaaaaa");
    SpanTree first = app.at(9).close(Outcome.UNKNOWN);
    // It has a caller, whose trace is no place for runs of other applications.
    app = ModelFixture.unborn().start("app-2", Map.of("spark.otel.traceparent", CALLER));
    ModelFixture.Stream next = app.at(7).stream(QUERY, NEXT_RUN).start("orders");
    // Of another query, and one of whose start is not told.
    app.stream("22222222-0000-0000-0000-000000000002", "cccccccc").start("pwd=secret").end(null);
    app.stream("33333333-0000-0000-0000-000000000003", "dddddddd").ran(0, 5).end(null);
    next.end(null);
    SpanTree second = app.at(10).finish();
    TraceRules.check(app.spans);
    assertMarker(first, "aaaaaaaa", 5, "streaming query orders started");
    assertMarker(second, "bbbbbbbb", 7, "streaming query orders started");
    assertMarker(second, "cccccccc", 7, "streaming query pwd=*********(redacted) started");
    assertThat(second.get("application").getTraceId()).isEqualTo(CALLER.substring(3, 35));
    String runs = first.get("started aaaaaaaa").getTraceId();
    assertThat(runs).isEqualTo("74c4f00d50b041a8000297f10f1a890e");
    assertThat(second.get("started bbbbbbbb").getTraceId()).isEqualTo(runs);
    assertThat(second.get("started cccccccc").getTraceId()).isNotEqualTo(runs);
    assertThat(second.keys(Entity.STARTED))
        .containsExactlyInAnyOrder("started", "started bbbbbbbb", "started cccccccc");
    assertThat(links(second.get("query dddddddd"))).isEmpty();
    assertThat(second.value("application", Names.TRACE_UNITS)).isEqualTo(1L);
  }

  private static void assertMarker(SpanTree tree, String run, long at, String name) {
    FinishedSpan marker = tree.get("started " + run);
    FinishedSpan query = tree.get("query " + run);
    assertThat(marker.getName()).isEqualTo(name);
    assertThat(marker.getParentSpanContext().isValid()).isFalse();
    assertThat(tree.relative(marker.getStartEpochNanos())).isEqualTo(at);
    assertThat(tree.relative(marker.getEndEpochNanos())).isEqualTo(at);
    assertThat(links(marker))
        .containsExactly(tree.get("application").getSpanContext(), query.getSpanContext());
    assertThat(links(query)).containsExactly(marker.getSpanContext());
    for (Attribute same : List.of(StreamNames.QUERY_ID, StreamNames.RUN_ID)) {
      assertThat(SpanTree.value(marker, same)).isEqualTo(SpanTree.value(query, same));
    }
  }

  /** A killed driver tells no end. */
  @Test
  void whatIsOpenAtTheEnd() {
    app.at(3).stream(QUERY, RUN).start("orders");
    app.at(10).stream(QUERY, RUN).sql(0, 0).start();
    app.at(20).sql(7).start();
    SpanTree tree = app.close(Outcome.UNKNOWN);
    assertThat(app.model.stateSize()).isZero();
    assertThat(tree.draw("batch aaaaaaaa/0"))
        .isEqualTo(
            """
            batch aaaaaaaa/0 'batch orders' 10..20 incomplete -> application, query aaaaaaaa
              sql 0 'sql Project' 10..20 incomplete
            """);
    assertThat(tree.draw("query aaaaaaaa"))
        .isEqualTo("query aaaaaaaa 'streaming query orders' 3..20 incomplete\n");
    assertThat(tree.value("batch aaaaaaaa/0", StreamNames.BATCH_RESULT)).isNull();
    assertThat(tree.value("query aaaaaaaa", StreamNames.QUERY_RESULT)).isNull();
  }

  /** Spark's queues may drop any event. */
  @Test
  void progressThatWasLost() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN);
    app.at(10).stream(QUERY, RUN).sql(0, 0).start().succeed();
    assertThat(app.model.stateSize()).isEqualTo(2);
    app.at(20).stream(QUERY, RUN).sql(1, 1).start().succeed();
    assertThat(app.model.stateSize()).isEqualTo(2);
    // Twice, and one that is too late.
    app.at(30);
    stream.ran(1, 20).ran(1, 20).ran(0, 10);
    app.job(5).start().succeed();
    stream.job(6, 1).start().succeed();
    stream.end(null);
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.draw("batch aaaaaaaa/0")).startsWith("batch aaaaaaaa/0 'batch orders' 10..10");
    assertThat(tree.value("batch aaaaaaaa/0", StreamNames.BATCH_RESULT)).isNull();
    assertThat(tree.value("batch aaaaaaaa/1", StreamNames.BATCH_RESULT)).isEqualTo("succeeded");
    assertThat(tree.get("job 6").getParentSpanContext())
        .isEqualTo(tree.get("batch aaaaaaaa/1").getSpanContext());
    assertThat(tree.draw("query aaaaaaaa"))
        .isEqualTo("query aaaaaaaa 'streaming query orders' 10..30\n");
  }

  /** Every third, the failed, and what took more than twice the average of those before. */
  @Test
  void everyThird() {
    app = ModelFixture.app("otel.spark.streaming.every=3");
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    for (int i = 0; i < 7; i++) {
      batch(app, stream, i, 100L * i);
      assertThat(app.model.stateSize()).isEqualTo(1);
    }
    app.at(702).stream(QUERY, RUN).sql(7, 7).start();
    stream.job(7, 7).sql(7).start().succeed();
    stream.sql(7, 7).succeed();
    assertThat(app.model.stateSize()).isEqualTo(4);
    app.at(770);
    stream.ran(7, 700);
    batch(app, stream, 8, 800);
    app.at(900).stream(QUERY, RUN).sql(10, 10).start();
    stream.sql(10, 10).end("bad");
    stream.end("bad");
    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.BATCH))
        .containsExactly(
            "batch aaaaaaaa/0",
            "batch aaaaaaaa/3",
            "batch aaaaaaaa/6",
            "batch aaaaaaaa/7",
            "batch aaaaaaaa/10");
    assertThat(tree.keys(Entity.SQL)).containsExactly("sql 0", "sql 3", "sql 6", "sql 7", "sql 10");
    assertThat(tree.keys(Entity.JOB)).containsExactly("job 0", "job 3", "job 6", "job 7");
    assertThat(tree.keys(Entity.TASK)).hasSize(3);
    String query = "query aaaaaaaa";
    assertThat(tree.value(query, "spark.streaming.batches.total")).isEqualTo(10L);
    assertThat(tree.value(query, "spark.streaming.batches.not_exported")).isEqualTo(5L);
    assertThat(tree.value(query, Names.JOBS_TOTAL)).isEqualTo(9L);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(5L);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void holdsNothingAfterManyBatches(int every) {
    app = ModelFixture.app("otel.spark.streaming.every=" + every);
    app.checks = false;
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    long batches = 0;
    for (int i = 0; i < 100_000; i++) {
      batch(app, stream, i, 30L * i);
      if (app.model.stateSize() != 1) {
        fail("state after batch " + i + ": " + app.model.stateSize());
      }
      batches += app.spans.stream().filter(span -> span.entity() == Entity.BATCH).count();
      app.spans.clear();
      app.forget();
    }
    assertThat(batches).isEqualTo(100_000 / every);
    stream.end(null);
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.finish();
    assertThat(tree.value("query aaaaaaaa", "spark.streaming.batches.total")).isEqualTo(100_000L);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(100_000L / every);
  }

  /** Whose job names a caller is in the caller's trace; the batch is where it is. */
  @Test
  void aCallersTraceIsStronger() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    app.at(10).stream(QUERY, RUN).sql(0, 0).start();
    stream.job(0, 0).sql(0).calledBy(ModelFixture.CALLER).start().succeed();
    stream.sql(0, 0).succeed();
    app.at(20);
    stream.ran(0, 5).end(null);
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.get("sql 0").getParentSpanContext()).isEqualTo(ModelFixture.CALLER);
    assertThat(tree.draw("batch aaaaaaaa/0")).doesNotContain("sql 0");
    assertThat(tree.value("batch aaaaaaaa/0", Names.JOBS_TOTAL)).isEqualTo(1L);
  }
}
