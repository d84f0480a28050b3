package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The batches of DStreams, what runs for them, and what only a live run is told of them. */
class DStreamsTest {

  /** What Spark tells to live listeners alone, as docs/streaming.md lists it. */
  private static final Set<String> TOLD =
      Set.of(
          "batch: spark.streaming.batch.result",
          "batch: spark.streaming.input_rows",
          "batch: spark.streaming.output.results",
          "batch: spark.streaming.processing_delay_ms",
          "batch: spark.streaming.scheduling_delay_ms",
          "batch: spark.streaming.source.offsets",
          "batch: spark.streaming.source.rows",
          "batch: spark.streaming.sources",
          "batch: spark.streaming.total_delay_ms",
          "application: spark.streaming.idle_triggers",
          "application: spark.streaming.input_rows");

  private ModelFixture app = ModelFixture.app();

  /** Due at a time, begun 2 ms later: one job of one task, of its first output operation. */
  private static void batch(ModelFixture app, int id, long due) {
    ModelFixture.DStream batch = app.dstream(due);
    ModelFixture.Stage stage = app.stage(id, 1);
    app.at(due + 3);
    ModelFixture.Job job = batch.job(id, 0, stage).start();
    stage.submit().run(10).complete();
    job.succeed();
    app.at(due + 20);
    batch.input(0, 5, null).output(0, 18, null).complete(due + 2);
  }

  /** The spans of the events that a log has. */
  private static List<FinishedSpan> replayed(ModelFixture app) {
    List<FinishedSpan> spans = new ArrayList<>();
    TraceModel model = app.newModel(spans::add);
    for (ModelFixture.Posted posted : app.posted) {
      if (!posted.thread().equals(ModelFixture.DStream.LIVE)) {
        posted.event().accept(model);
      }
    }
    ModelFixture.close(model, spans, Outcome.UNKNOWN);
    TraceRules.check(spans);
    return spans;
  }

  private static Map<String, Object> parts(FinishedSpan span) {
    Map<String, Object> parts = new HashMap<>();
    span.getAttributes().forEach((key, value) -> parts.put(key.getKey(), value));
    parts.put("name", span.getName());
    parts.put("context", span.getSpanContext());
    parts.put("parent", span.getParentSpanContext());
    parts.put("start", span.getStartEpochNanos());
    parts.put("end", span.getEndEpochNanos());
    parts.put("status", span.getStatus());
    parts.put("events", span.getEvents().toString());
    parts.put("links", span.getLinks());
    return parts;
  }

  /** What the live run had and the replay has not, after it is known that they share the rest. */
  private static Set<String> liveOnly(ModelFixture app) {
    Map<String, FinishedSpan> live = new HashMap<>();
    app.spans.forEach(span -> live.put(span.getSpanId(), span));
    List<FinishedSpan> replayed = replayed(app);
    assertThat(replayed).extracting(FinishedSpan::getSpanId).hasSameElementsAs(live.keySet());
    Set<String> differences = new TreeSet<>();
    for (FinishedSpan span : replayed) {
      Map<String, Object> ours = parts(live.get(span.getSpanId()));
      Map<String, Object> others = parts(span);
      assertThat(ours.keySet()).containsAll(others.keySet());
      ours.forEach(
          (key, value) -> {
            if (!value.equals(others.get(key))) {
              differences.add(span.entity().label() + ": " + key);
            }
          });
    }
    return differences;
  }

  @Test
  void aBatchIsATraceOfItsOwn() {
    batch(app, 0, 10);
    assertThat(app.model.stateSize()).isZero();
    ModelFixture.DStream batch = app.dstream(40);
    app.at(44);
    ModelFixture.Sql sql = batch.sql(0, 0).start();
    ModelFixture.Stage stage = app.stage(1, 1);
    ModelFixture.Job first = batch.job(1, 0, stage).sql(0);
    app.at(45);
    first.start();
    stage.submit().run(5).complete();
    first.succeed();
    app.at(52);
    sql.succeed();
    ModelFixture.Stage second = app.stage(2, 1);
    app.at(53);
    ModelFixture.Job job = batch.job(2, 1, second).start();
    second.submit().run(2).complete();
    job.succeed();
    app.at(57);
    batch.job(3, 1, app.stage(3, 1)).start().succeed();
    assertThat(app.model.stateSize()).isEqualTo(3);
    app.at(60);
    batch
        .input(1, 7, null)
        .input(0, 5, "topic: orders")
        .output(1, 6, null)
        .output(0, 9, null)
        .complete(43);
    assertThat(app.model.stateSize()).isZero();
    app.at(100).job(7).start().succeed();
    SpanTree tree = app.at(110).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..110 -> batch at 10, batch at 40
              job 7 'job' 100..100
            batch at 10 'batch report' 13..23 -> application
              job 0 'job count at Report.java:31' 13..23
                stage 0.0 'stage count at Report.java:31' 13..23
                  task 0 13..23 Success
            batch at 40 'batch report' 44..57 -> application
              sql 0 'sql count at Report.java:31' 44..52
                job 1 'job count at Report.java:31' 45..50
                  stage 1.0 'stage count at Report.java:31' 45..50
                    task 1 45..50 Success
              job 2 'job count at Report.java:31' 53..55
                stage 2.0 'stage count at Report.java:31' 53..55
                  task 2 53..55 Success
              job 3 'job count at Report.java:31' 57..57
            """);
    String key = "batch at 40";
    assertThat(tree.get(key).getTraceId()).isEqualTo("cc6b7a7b6e8bbc8b940ce0f810cc258d");
    assertThat(tree.get(key).getSpanId()).isEqualTo("2d80b9e2055b2b19");
    assertThat(tree.value(key, StreamNames.BATCH_ID)).isEqualTo(ModelFixture.EPOCH + 40);
    assertThat(tree.value(key, StreamNames.BATCH_TIME)).isEqualTo("2023-11-14T22:13:20.040Z");
    assertThat(tree.value(key, StreamNames.BATCH_RESULT)).isEqualTo("succeeded");
    assertThat(tree.value(key, "spark.streaming.scheduling_delay_ms")).isEqualTo(3L);
    assertThat(tree.value(key, "spark.streaming.processing_delay_ms")).isEqualTo(17L);
    assertThat(tree.value(key, "spark.streaming.total_delay_ms")).isEqualTo(20L);
    assertThat(tree.value(key, "spark.streaming.input_rows")).isEqualTo(12L);
    assertThat(tree.value(key, StreamNames.SOURCES))
        .isEqualTo(List.of("input stream 0", "input stream 1"));
    assertThat(tree.value(key, StreamNames.SOURCE_ROWS)).isEqualTo(List.of("5", "7"));
    assertThat(tree.value(key, StreamNames.SOURCE_OFFSETS)).isEqualTo(List.of("topic: orders", ""));
    assertThat(tree.value(key, StreamNames.OUTPUTS))
        .isEqualTo(List.of("0: 1 action in 8 ms", "1: 2 actions in 4 ms"));
    assertThat(tree.value(key, StreamNames.OUTPUT_RESULTS))
        .isEqualTo(
            List.of(
                "0 foreachRDD at Report.java:40: 9 ms", "1 foreachRDD at Report.java:41: 6 ms"));
    assertThat(tree.value(key, Names.JOBS_TOTAL)).isEqualTo(3L);
    assertThat(tree.value("batch at 10", Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(tree.value("batch at 10", StreamNames.SOURCE_OFFSETS)).isNull();
    assertThat(tree.value("sql 0", StreamNames.OUTPUT_ID)).isEqualTo(0L);
    assertThat(tree.value("job 1", StreamNames.OUTPUT_ID)).isEqualTo(0L);
    assertThat(tree.value("job 3", StreamNames.OUTPUT_ID)).isEqualTo(1L);
    assertThat(tree.value("job 7", StreamNames.OUTPUT_ID)).isNull();
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(2L);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(5L);
    assertThat(tree.value("application", "spark.streaming.batches.total")).isEqualTo(2L);
    assertThat(tree.value("application", "spark.streaming.batches.failed")).isEqualTo(0L);
    assertThat(tree.value("application", "spark.streaming.batches.not_exported")).isEqualTo(0L);
    assertThat(tree.value("application", "spark.streaming.input_rows")).isEqualTo(17L);
    assertThat(tree.value("application", "spark.streaming.idle_triggers")).isEqualTo(0L);
    assertThat(liveOnly(app)).isEqualTo(TOLD);
  }

  @Test
  void anOrdinaryApplicationHasNoneOfIt() {
    app.job(0).start().succeed();
    SpanTree tree = app.finish();
    assertThat(tree.get("application").getAttributes().asMap().keySet())
        .noneMatch(key -> key.getKey().startsWith("spark.streaming."));
  }

  /** Spark ends the job after it told the output operation; what failed is the same in a log. */
  @Test
  void anOutputOperationFails() {
    ModelFixture.DStream batch = app.dstream(10);
    ModelFixture.Stage stage = app.stage(0, 1);
    app.at(12);
    ModelFixture.Job job = batch.job(0, 0, stage).start();
    stage.submit();
    stage.task(0).launch().end(ModelFixture.failure("java.lang.Error", "bad record"));
    stage.fail("Job aborted");
    app.at(20);
    batch
        .output(0, 8, "org.apache.spark.SparkException: Job aborted\n\tat com.acme.A.b(A.java:1)")
        .output(1, 2, null);
    batch.job(1, 1, app.stage(1, 1)).start().succeed();
    app.at(22);
    batch.complete(11);
    assertThat(app.model.stateSize()).isPositive();
    app.at(21);
    job.fail("Job aborted due to stage failure: bad record");
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(30).finish();
    TraceRules.check(app.spans);
    String key = "batch at 10";
    assertThat(tree.draw(key))
        .startsWith(
            "batch at 10 'batch report' 12..21 ERROR: Job aborted due to stage failure: bad record"
                + " -> application\n");
    assertThat(tree.value(key, StreamNames.BATCH_RESULT)).isEqualTo("failed");
    assertThat(tree.value(key, Names.ERROR_TYPE)).isEqualTo("java.lang.Error");
    assertThat((String) tree.value(key, Names.FAILURE_ROOT_CAUSE))
        .startsWith("java.lang.Error: bad record");
    assertThat(tree.get(key).getEvents()).isEmpty();
    assertThat(tree.value(key, StreamNames.OUTPUTS))
        .isEqualTo(List.of("0: 1 action in 9 ms, 1 failed", "1: 1 action in 0 ms"));
    assertThat(tree.value(key, StreamNames.OUTPUT_RESULTS))
        .isEqualTo(
            List.of(
                "0 foreachRDD at Report.java:40: 8 ms, failed: org.apache.spark.SparkException: Job"
                    + " aborted",
                "1 foreachRDD at Report.java:41: 2 ms"));
    assertThat(tree.value("application", "spark.streaming.batches.failed")).isEqualTo(1L);
    assertThat(TOLD).containsAll(liveOnly(app));
    assertThat(liveOnly(app)).doesNotContain("batch: spark.streaming.batch.result");
  }

  /** Of which a log knows nothing: in the program's own code. */
  @Test
  void anOutputOperationFailsOutsideOfJobs() {
    String error = "java.lang.IllegalStateException: closed\n\tat com.acme.A.b(A.java:1)";
    app.at(15).dstream(10).input(0, 3, null).output(0, 4, error).complete(11);
    ModelFixture.DStream batch = app.dstream(30);
    app.at(32);
    batch.job(0, 0, app.stage(0, 1)).start().succeed();
    app.at(35);
    batch.output(0, 4, error).complete(31);
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(40).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..40 -> batch at 10, batch at 30
            batch at 10 'batch report' 11..15 ERROR: java.lang.IllegalStateException: closed -> application
            batch at 30 'batch report' 32..32 ERROR: java.lang.IllegalStateException: closed -> application
              job 0 'job count at Report.java:31' 32..32
            """);
    for (String key : List.of("batch at 10", "batch at 30")) {
      assertThat(tree.value(key, StreamNames.BATCH_RESULT)).isEqualTo("failed");
      assertThat(tree.value(key, Names.ERROR_TYPE)).isEqualTo("java.lang.IllegalStateException");
      assertThat(tree.get(key).getEvents()).hasSize(1);
    }
    List<FinishedSpan> replayed = replayed(app);
    assertThat(new SpanTree(replayed, ModelFixture.EPOCH).drawAll())
        .isEqualTo(
            """
            application 0..40 -> batch at 30
            batch at 30 'batch report' 32..32 -> application
              job 0 'job count at Report.java:31' 32..32
            """);
  }

  /** Live it is known that the program went on; a log tells of the job alone. */
  @Test
  void aFailureThatTheProgramCaught() {
    ModelFixture.DStream batch = app.dstream(10);
    batch.job(0, 0, app.stage(0, 1)).start().fail("Job aborted");
    batch.output(0, 4, null).complete(11);
    SpanTree tree = app.at(40).finish();
    assertThat(tree.draw("batch at 10")).startsWith("batch at 10 'batch report' 0..0 -> app");
    assertThat(tree.value("batch at 10", StreamNames.BATCH_RESULT)).isEqualTo("succeeded");
    SpanTree replayed = new SpanTree(replayed(app), ModelFixture.EPOCH);
    assertThat(replayed.draw("batch at 10"))
        .startsWith("batch at 10 'batch report' 0..0 ERROR: Job aborted -> application");
    assertThat(replayed.value("batch at 10", StreamNames.BATCH_RESULT)).isEqualTo("failed");
  }

  /** Without input Spark runs jobs without a stage, or none: that is no batch to look at. */
  @Test
  void emptyBatches() {
    app.dstream(10).input(0, 0, null).output(0, 0, null).complete(10);
    ModelFixture.DStream batch = app.dstream(20);
    batch.job(0, 0).start().succeed();
    batch.job(1, 1).start().succeed();
    batch.input(0, 0, null).complete(20);
    // With something to do at the end alone, all of it is there.
    ModelFixture.DStream full = app.dstream(30);
    full.job(2, 0).start().succeed();
    full.job(3, 1, app.stage(3, 1)).start().succeed();
    full.complete(30);
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(40).finish();
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..40 -> batch at 30
            batch at 30 'batch report' 0..0 -> application
              job 2 'job' 0..0
              job 3 'job count at Report.java:31' 0..0
            """);
    assertThat(tree.value("application", "spark.streaming.idle_triggers")).isEqualTo(2L);
    assertThat(tree.value("application", "spark.streaming.batches.total")).isEqualTo(1L);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(4L);
    assertThat(new SpanTree(replayedWithoutRules(), ModelFixture.EPOCH).drawAll())
        .isEqualTo(tree.drawAll());
  }

  /** Jobs of empty batches have no span. */
  private List<FinishedSpan> replayedWithoutRules() {
    List<FinishedSpan> spans = new ArrayList<>();
    TraceModel model = app.newModel(spans::add);
    app.posted.stream()
        .filter(posted -> !posted.thread().equals(ModelFixture.DStream.LIVE))
        .forEach(posted -> posted.event().accept(model));
    ModelFixture.close(model, spans, Outcome.UNKNOWN);
    return spans;
  }

  /** What is run under a description of the user's has the marks of the batch on its jobs. */
  @Test
  void whatTheUserDescribes() {
    batch(app, 0, 10);
    ModelFixture.DStream batch = app.dstream(40);
    ModelFixture.Sql sql = batch.sql(0, 1).described("mine").start();
    batch.job(1, 1, app.stage(1, 1)).sql(0).property("spark.job.description", "mine").start();
    app.job(1).succeed();
    sql.succeed();
    batch.complete(41);
    // Of nobody that is known.
    app.job(2).property("spark.streaming.internal.batchTime", "soon").start().succeed();
    app.job(3).property("spark.streaming.internal.batchTime", "-1").start().succeed();
    app.job(4)
        .property("spark.job.description", "Streaming job from <a href=\"/streaming/batch/?id=\">")
        .start()
        .succeed();
    SpanTree tree = app.at(50).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll().replaceAll("(?m)^ *(stage|task) .*\\n", ""))
        .isEqualTo(
            """
            application 0..50 -> batch at 10, batch at 40
              job 2 'job' 30..30
              job 3 'job' 30..30
              job 4 'job' 30..30
            batch at 10 'batch report' 13..23 -> application
              job 0 'job count at Report.java:31' 13..23
            batch at 40 'batch report' 30..30 -> application
              sql 0 'sql count at Report.java:31' 30..30
                job 1 'job count at Report.java:31' 30..30
            """);
    assertThat(tree.value("sql 0", StreamNames.OUTPUT_ID)).isEqualTo(1L);
    assertThat(liveOnly(app)).isSubsetOf(TOLD);
  }

  @Test
  void batchesInTheApplicationsTrace() {
    app = ModelFixture.app("otel.spark.trace.unit=application", "otel.spark.trace.max-jobs=2");
    for (int i = 0; i < 3; i++) {
      batch(app, i, 10 + 30L * i);
    }
    SpanTree tree = app.at(110).finish();
    TraceRules.check(app.spans);
    assertThat(tree.drawAll().replaceAll("(?m)^ *(stage|task) .*\\n", ""))
        .isEqualTo(
            """
            application 0..110 -> continued job 1
              batch at 10 'batch report' 13..23
                job 0 'job count at Report.java:31' 13..23
              batch at 40 'batch report' 43..53
                job 1 'job count at Report.java:31' 43..53
            continued job 1 'spark.application.continued' 73..73 -> application
              batch at 70 'batch report' 73..83
                job 2 'job count at Report.java:31' 73..83
            """);
    assertThat(liveOnly(app)).isSubsetOf(TOLD);
  }

  /** Where the user lets several run: a log shows each of them once, with all that is its own. */
  @Test
  void batchesBesideEachOther() {
    ModelFixture.DStream first = app.dstream(10);
    ModelFixture.DStream second = app.dstream(20);
    first.job(0, 0, app.stage(0, 1)).start().succeed();
    app.at(21);
    second.job(1, 0, app.stage(1, 1)).start().succeed();
    app.at(25);
    second.complete(21);
    for (int i = 0; i < DStreams.KEPT - 1; i++) {
      batch(app, 10 + i, 30 + 30L * i);
    }
    app.at(1000);
    first.job(2, 1, app.stage(2, 1)).start().succeed();
    first.complete(11);
    assertThat(app.model.stateSize()).isZero();
    // Nobody waited for it.
    app.at(1010);
    first.job(3, 1, app.stage(3, 1)).start().succeed();
    SpanTree tree = app.at(1100).finish();
    TraceRules.check(app.spans);
    assertThat(tree.draw("batch at 10"))
        .isEqualTo(
            """
            batch at 10 'batch report' 0..1000 -> application
              job 0 'job count at Report.java:31' 0..0
              job 2 'job count at Report.java:31' 1000..1000
              job 3 'job count at Report.java:31' 1010..1010
            """);
    assertThat(tree.value("batch at 10", Names.JOBS_TOTAL)).isEqualTo(2L);
    assertThat(tree.keys(Entity.BATCH)).hasSize(DStreams.KEPT + 1);
    assertThat(replayed(app)).hasSameSizeAs(app.spans);
  }

  /** As in a log: nothing says that a batch is over. */
  @Test
  void batchesOfWhichNothingIsTold() {
    for (int i = 0; i < 40; i++) {
      ModelFixture.Stage stage = app.stage(i, 1);
      ModelFixture.Job job = app.at(10L * i).dstream(10L * i).job(i, 0, stage).start();
      stage.submit().run(5).complete();
      job.succeed();
      assertThat(app.model.stateSize()).isEqualTo(2L * Math.min(i + 1, DStreams.KEPT));
    }
    // Told twice, and of one that is over.
    app.dstream(390).complete(391).complete(391);
    app.dstream(0).complete(1);
    assertThat(app.model.stateSize()).isEqualTo(2L * (DStreams.KEPT - 1));
    SpanTree tree = app.at(500).finish();
    TraceRules.check(app.spans);
    assertThat(app.model.stateSize()).isZero();
    assertThat(tree.keys(Entity.BATCH)).hasSize(40);
    assertThat(tree.draw("batch at 390")).startsWith("batch at 390 'batch report' 390..395 ->");
    assertThat(tree.value("batch at 390", StreamNames.BATCH_RESULT)).isEqualTo("succeeded");
    assertThat(tree.value("batch at 0", StreamNames.BATCH_RESULT)).isNull();
    assertThat(tree.value("application", "spark.streaming.batches.total")).isEqualTo(40L);
    assertThat(tree.value("application", "spark.streaming.idle_triggers")).isEqualTo(0L);
  }

  /** A killed driver tells no end. */
  @Test
  void whatIsOpenAtTheEnd() {
    batch(app, 0, 10);
    ModelFixture.DStream batch = app.at(42).dstream(40);
    batch.sql(0, 0).start();
    app.at(43);
    batch.job(1, 0, app.stage(1, 1)).sql(0).start();
    SpanTree tree = app.at(50).close(Outcome.UNKNOWN);
    assertThat(app.model.stateSize()).isZero();
    assertThat(tree.draw("batch at 40"))
        .isEqualTo(
            """
            batch at 40 'batch report' 42..43 incomplete -> application
              sql 0 'sql count at Report.java:31' 42..43 incomplete
                job 1 'job count at Report.java:31' 43..43 incomplete
            """);
    assertThat(tree.value("batch at 40", StreamNames.BATCH_RESULT)).isNull();
  }

  /** Shown by the next batch, whichever it is, or at the end by the application. */
  @Test
  void errorsOfReceivers() {
    app.at(5)
        .receiverError(
            "SocketReceiver-0",
            "Error receiving data",
            "java.net.ConnectException: refused\n\tat com.acme.A.b(A.java:1)");
    for (int i = 0; i < 11; i++) {
      app.receiverError(null, "again", null);
    }
    batch(app, 0, 10);
    batch(app, 1, 40);
    app.at(70).receiverError("SocketReceiver-0", "last", "");
    SpanTree tree = app.at(80).finish();
    TraceRules.check(app.spans);
    assertThat(tree.value("batch at 10", "spark.streaming.receiver.errors")).isEqualTo(12L);
    assertThat(tree.value("batch at 40", "spark.streaming.receiver.errors")).isNull();
    assertThat(tree.value("application", "spark.streaming.receiver.errors")).isEqualTo(13L);
    List<EventData> events = tree.get("batch at 10").getEvents();
    assertThat(events).hasSize(10);
    assertThat(events.get(0).getAttributes().get(Names.EXCEPTION_TYPE.key()))
        .isEqualTo("java.net.ConnectException");
    assertThat(events.get(0).getAttributes().get(Names.EXCEPTION_MESSAGE.key()))
        .isEqualTo("SocketReceiver-0: Error receiving data");
    assertThat(tree.get("application").getEvents()).hasSize(1);
    assertThat(tree.draw("batch at 10")).doesNotContain("ERROR");
  }

  /** Whose job names a caller is in the caller's trace; the batch is where it is. */
  @Test
  void aCallersTraceIsStronger() {
    ModelFixture.DStream batch = app.dstream(10);
    batch.job(0, 0, app.stage(0, 1)).calledBy(ModelFixture.CALLER).start().succeed();
    batch.complete(11);
    SpanTree tree = app.finish();
    TraceRules.check(app.spans);
    assertThat(tree.get("job 0").getParentSpanContext()).isEqualTo(ModelFixture.CALLER);
    assertThat(tree.draw("batch at 10")).doesNotContain("job 0");
    assertThat(tree.value("batch at 10", Names.JOBS_TOTAL)).isEqualTo(1L);
  }

  /**
   * One in three by a hash of its time, the failed, and what took much longer than those before.
   */
  @Test
  void oneInThree() {
    app = ModelFixture.app("otel.spark.streaming.every=3");
    for (int i = 0; i < 30; i++) {
      batch(app, i, 100L * i);
      assertThat(app.model.stateSize()).isZero();
    }
    ModelFixture.DStream slow = app.dstream(3100);
    ModelFixture.Stage stage = app.stage(31, 1);
    app.at(3100);
    ModelFixture.Job job = slow.job(31, 0, stage).start();
    stage.submit().run(50).complete();
    job.succeed();
    slow.complete(3101);
    ModelFixture.DStream failed = app.at(3200).dstream(3200);
    failed.job(32, 0, app.stage(32, 1)).start().fail("bad");
    failed.output(0, 1, "bad").complete(3201);
    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.BATCH)).contains("batch at 3100", "batch at 3200");
    int shown = tree.keys(Entity.BATCH).size();
    assertThat(shown).isBetween(8, 16);
    assertThat(tree.keys(Entity.JOB)).hasSize(shown);
    assertThat(tree.value("application", "spark.streaming.batches.total")).isEqualTo(32L);
    assertThat(tree.value("application", "spark.streaming.batches.not_exported"))
        .isEqualTo(32L - shown);
    assertThat(tree.value("application", Names.JOBS_TOTAL)).isEqualTo(32L);
    List<FinishedSpan> replayed = replayedWithoutRules();
    assertThat(replayed)
        .extracting(FinishedSpan::getSpanId)
        .hasSameElementsAs(app.spans.stream().map(FinishedSpan::getSpanId).toList());
  }

  /** Live and as in a log, with and without spans, and with empty ones between. */
  @ParameterizedTest
  @CsvSource({"true, 1", "false, 1000"})
  void holdsLittleAfterManyBatches(boolean told, int every) {
    app = ModelFixture.app("otel.spark.streaming.every=" + every);
    app.checks = false;
    long spans = 0;
    long mostState = 0;
    for (int i = 0; i < 100_000; i++) {
      ModelFixture.DStream batch = app.at(100L * i + 1).dstream(100L * i + 1);
      if (i % 4 != 0) {
        ModelFixture.Stage stage = app.stage(i, 1);
        ModelFixture.Job job = batch.job(i, 0, stage).start();
        stage.submit().run(10).complete();
        job.succeed();
      } else {
        batch.job(i, 0).start().succeed();
      }
      if (told) {
        batch.input(0, 1, null).complete(100L * i + 1);
      }
      mostState = Math.max(mostState, app.model.stateSize());
      if (told && app.model.stateSize() != 0) {
        fail("state after batch " + i + ": " + app.model.stateSize());
      }
      spans += app.spans.stream().filter(span -> span.entity() == Entity.BATCH).count();
      app.spans.clear();
      app.forget();
    }
    assertThat(mostState).isLessThanOrEqualTo(told ? 0 : 5L * DStreams.KEPT);
    assertThat(app.model.memorySize()).isLessThan(IdRanges.MAX_RANGES + 1_500L);
    SpanTree tree = app.finish();
    spans += tree.keys(Entity.BATCH).size();
    assertThat(app.model.stateSize()).isZero();
    assertThat(spans).isBetween(75_000L / every / 2, 75_000L / every * 2);
    assertThat(tree.value("application", "spark.streaming.batches.total")).isEqualTo(75_000L);
    assertThat(tree.value("application", "spark.streaming.batches.not_exported"))
        .isEqualTo(75_000 - spans);
    assertThat(tree.value("application", "spark.streaming.idle_triggers"))
        .isEqualTo(told ? 25_000L : null);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(spans);
  }
}
