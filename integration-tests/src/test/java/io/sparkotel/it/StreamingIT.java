package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.batch;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.query;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sparkotel.scenarios.ContinuousStreaming;
import io.sparkotel.scenarios.KilledStreaming;
import io.sparkotel.scenarios.Streaming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Structured Streaming: queries that are stopped, restarted, fail and end by themselves. */
@Tag("full")
class StreamingIT {

  private static final String AT = "start at Streaming.java:*";
  private static final String ZERO = "1970-01-01T00:00:00.000Z";

  @OnLongLivedSpark
  void queriesAndTheirBatches(SparkVersion version) {
    SparkRun run =
        EventLogs.writtenBy(
            SparkRun.of(version, Streaming.class)
                .conf("spark.eventLog.compress", false)
                .conf("spark.sql.shuffle.partitions", 1)
                .conf("spark.sql.streaming.noDataProgressEventInterval", 0));
    TracedRun traced = TracedRun.of(run.args(run.dir().resolve("stream").toString()));

    assertThat(traced.stdout())
        .contains("batch 0: 3\n", "batch 2: 1\n", "batch 4: 1\n", "restarted: true\n")
        .endsWith("failed: true");
    List<Trace> traces = withoutMarkers(traced.receiver());
    assertThat(traces).hasSize(10);
    assertApplication(traces.get(0));
    // Three rows; then the watermark is known, and what is older leaves the state.
    assertOrders(traces.get(1), 0, 3, ZERO, 3, 3, 0, 0);
    assertOrders(traces.get(2), 1, 0, "1970-01-01T00:01:10.000Z", 1, 0, 2, 0);
    assertOrders(traces.get(3), 2, 2, "1970-01-01T00:01:10.000Z", 2, 1, 0, 1);
    assertOrders(traces.get(4), 3, 0, "1970-01-01T00:01:11.000Z", 2, 0, 0, 0);
    assertOrders(traces.get(5), 4, 1, "1970-01-01T00:01:11.000Z", 3, 1, 0, 0);
    assertOrders(traces.get(6), 5, 0, "1970-01-01T00:01:12.000Z", 3, 0, 0, 0);
    assertBroken(traces.get(7), traces.get(8));
    assertTicks(traces.get(9));
    assertLinks(traces);
    assertMarkers(traced.receiver());
    // One looked for more before the query was stopped, and Spark told of it.
    assertThat(traces.get(0).all("query").get(0).attribute("spark.streaming.idle_triggers"))
        .isInstanceOfSatisfying(Long.class, idle -> assertThat(idle).isPositive());
    new StreamTruth(EventLogs.events(EventLogs.of(run))).assertTold(traced.receiver().spans());
    assertQuestions(traced.receiver().spans());
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEmpty();
  }

  /** Kill -9 of the driver: what its log tells, and the run of another driver that goes on. */
  @OnLongLivedSpark
  void aQueryThatWasKilled(SparkVersion version) {
    SparkRun killed = EventLogs.writtenBy(SparkRun.of(version, KilledStreaming.class));
    killed.args(killed.dir().resolve("stream"));
    // Since Spark 4 the stages of a batch are jobs of their own.
    int jobs = version.equals(SparkVersion.V3_5_9) ? 1 : 2;
    List<SpanNode> sent;
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process = killed.exportOverHttp(receiver).start()) {
      process.awaitLine("under way");
      receiver.awaitSpan(span -> span.entity().equals("batch"), Duration.ofMinutes(1));
      process.kill();
      process.waitFor();
      sent = receiver.spans();
    }
    OtlpReceiver replay = EventLogs.replay(killed);
    List<Trace> traces = withoutMarkers(replay);
    assertThat(traces).hasSize(3);
    assertThatTrace(traces.get(0))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    query("streaming query orders")
                        .with("spark.incomplete", true)
                        .with("spark.streaming.batches.total", 2)
                        .with("spark.streaming.batches.failed", 0)
                        .with("spark.streaming.input_rows", 1)
                        .with("spark.jobs.total", 2 * jobs)
                        .without("spark.streaming.query.result"))
                .with("spark.incomplete", true)
                .linkOutside()
                .linkOutside());
    assertThatTrace(traces.get(1)).isTree(counted(0, jobs).without("spark.incomplete"));
    assertThatTrace(traces.get(2))
        .isTree(
            counted(1, jobs)
                .with("spark.incomplete", true)
                .without("spark.streaming.input_rows", "spark.streaming.batch.result"));
    assertThat(EventLogs.comparable(replay.spans()))
        .containsAllEntriesOf(EventLogs.comparable(sent));
    assertThat(sent).extracting(SpanNode::entity).contains("batch").doesNotContain("query");
    assertThat(sent).extracting(SpanNode::name).contains("streaming query orders started");

    SparkRun next = EventLogs.writtenBy(SparkRun.of(version, KilledStreaming.class));
    TracedRun traced = TracedRun.of(next.args(killed.dir().resolve("stream")));
    assertThat(traced.stdout()).isEqualTo("batch 1: 1");
    List<Trace> goneOn = withoutMarkers(traced.receiver());
    assertThat(goneOn).hasSize(2);
    SpanNode before = traces.get(0).one("query", span -> true);
    SpanNode after = goneOn.get(0).one("query", span -> true);
    assertThat(after.attribute("spark.streaming.query.id"))
        .isEqualTo(before.attribute("spark.streaming.query.id"));
    assertThat(after.attribute("spark.streaming.run.id"))
        .isNotEqualTo(before.attribute("spark.streaming.run.id"));
    assertThat(after.attribute("spark.streaming.query.result")).isEqualTo("ended");
    List<SpanNode> runs = new ArrayList<>(sent);
    runs.addAll(traced.receiver().spans());
    runs.removeIf(span -> !span.traceId().equals(after.links().get(0).traceId()));
    Trace markers = new Trace(runs);
    assertRuns(markers, "orders", 2);
    assertMarker(markers, before);
    assertMarker(markers, after);
    assertThatTrace(goneOn.get(1))
        .isTree(
            counted(1, jobs)
                .with("spark.streaming.input_rows", 1)
                .with("spark.streaming.batch.result", "succeeded")
                .without("spark.incomplete"));
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(next).spans()))
        .isEmpty();
  }

  /** Neither is an error: somebody wanted it so. */
  @OnLongLivedSpark
  void aQueryThatIsStoppedWhileABatchRuns(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(SparkRun.of(version, KilledStreaming.class));
    int jobs = version.equals(SparkVersion.V3_5_9) ? 1 : 2;
    TracedRun traced = TracedRun.of(run.args(run.dir().resolve("stream"), "stopped"));
    assertThat(traced.stdout()).isEqualTo("batch 0: 1\nbatch 1: 1\nunder way");
    List<Trace> traces = withoutMarkers(traced.receiver());
    assertThat(traces).hasSize(3);
    assertThat(traces.get(0).application().isError()).isFalse();
    SpanNode query = traces.get(0).one("query", span -> true);
    assertThat(query.isError()).isFalse();
    assertThat(query.attribute("spark.streaming.query.result")).isEqualTo("ended");
    assertThat(query.attribute("spark.streaming.batches.total")).isEqualTo(2L);
    assertThat(query.attribute("spark.streaming.batches.failed")).isEqualTo(0L);
    assertThatTrace(traces.get(1))
        .isTree(counted(0, jobs).with("spark.streaming.batch.result", "succeeded"));
    // What ran for it, Spark says, was interrupted.
    assertThatTrace(traces.get(2))
        .isTree(
            counted(1, jobs, "java.lang.InterruptedException*")
                .with("spark.streaming.batch.result", "stopped")
                .without("spark.incomplete", "spark.streaming.input_rows"));
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEmpty();
  }

  /** Which of them were slow is not known, but those of these ids, and what failed, are there. */
  @Test
  void everyThirdBatch() {
    SparkRun run =
        EventLogs.writtenBy(
            SparkRun.of(SparkVersion.V4_2_0, Streaming.class)
                .conf("spark.otel.streaming.every", 3)
                .conf("spark.sql.shuffle.partitions", 1));
    TracedRun traced = TracedRun.of(run.args(run.dir().resolve("stream").toString()));
    List<SpanNode> spans = traced.receiver().spans();
    List<SpanNode> batches = spans.stream().filter(s -> s.entity().equals("batch")).toList();
    assertThat(batches)
        .extracting(StreamingIT::label)
        .contains(
            "batch orders 0",
            "batch orders 3",
            "batch broken 0",
            "batch broken 1",
            "batch ticks 0");
    long total = 0;
    long left = 0;
    for (SpanNode query : spans) {
      if (query.entity().equals("query")) {
        total += (Long) query.attribute("spark.streaming.batches.total");
        left += (Long) query.attribute("spark.streaming.batches.not_exported");
      }
    }
    assertThat(total).isEqualTo(9);
    // Not every one can be longer than all before it.
    assertThat(left).isEqualTo(total - batches.size()).isPositive();
    OtlpReceiver replay =
        EventLogs.replay(
            EventLogs.of(run),
            run.dir().resolve("replay.txt"),
            Map.of("OTEL_SPARK_STREAMING_EVERY", "3"));
    assertThat(EventLogs.differences(spans, replay.spans())).isEmpty();
  }

  /** Where all is wanted in one trace. */
  @OnEachSpark
  void batchesInTheApplicationsTrace(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(SparkRun.of(version, Streaming.class));
    run.conf("spark.otel.trace.unit", "application").conf("spark.sql.shuffle.partitions", 1);
    TracedRun traced = TracedRun.of(run.args(run.dir().resolve("stream").toString()));
    assertThat(traced.traces()).hasSize(1);
    Trace trace = traced.trace();
    List<String> batches = new ArrayList<>();
    for (SpanNode query : trace.children(trace.application())) {
      trace.children(query).forEach(batch -> batches.add(label(batch)));
    }
    List<String> expected =
        new ArrayList<>(IntStream.range(0, 6).mapToObj(batch -> "batch orders " + batch).toList());
    expected.addAll(List.of("batch broken 0", "batch broken 1", "batch ticks 0"));
    assertThat(batches).isEqualTo(expected);
    assertThat(trace.all("batch")).allMatch(batch -> batch.links().isEmpty());
    assertThat(trace.application().links()).isEmpty();
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEmpty();
  }

  private static SpanPattern counted(int batch, int jobs) {
    return counted(batch, jobs, null);
  }

  private static SpanPattern counted(int batch, int jobs, String failure) {
    String site = "start at KilledStreaming.java:*";
    SpanPattern stages = stage("stage " + site, task()).times(2 / jobs);
    SpanPattern each = job("job " + site, stages).times(jobs);
    SpanPattern all = sql("sql " + site, sql("sql " + site, each));
    return batch("batch orders", failure == null ? all : all.failed(failure).anyEvents())
        .with("spark.streaming.batch.id", batch)
        .with("spark.jobs.total", jobs);
  }

  /** One job whose task never ends; of its epochs Spark tells nothing. */
  @OnLongLivedSpark
  void continuousMode(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(SparkRun.of(version, ContinuousStreaming.class));
    TracedRun traced = TracedRun.of(run.args(run.dir().resolve("stream")));

    assertThat(traced.stdout()).isEqualTo("told: 0");
    List<Trace> traces = withoutMarkers(traced.receiver());
    assertThat(traces).hasSize(1);
    Trace trace = traces.get(0);
    String at = "start at ContinuousStreaming.java:*";
    // Where the task is killed late, it misses the coordinator that is gone.
    SpanPattern stopped =
        trace.one("task", span -> true).isError()
            ? task().failed("Could not find EpochCoordinator-*").anyEvents()
            : task();
    assertThatTrace(trace)
        .isTree(
            application(
                "spark.application",
                started(),
                query("streaming query pulse")
                    .with("spark.streaming.query.result", "ended")
                    .with("spark.streaming.batches.total", 0)
                    .with("spark.streaming.idle_triggers", 0)
                    .with("spark.jobs.total", 1)
                    .with("spark.tasks.total", 1)
                    .without("spark.streaming.input_rows"),
                sql("sql " + at, job("job " + at, stage("stage " + at, stopped)))
                    .linkTo("query", "spark.streaming.query.name", "pulse")));
    SpanNode query = trace.one("query", span -> true);
    SpanNode sql = trace.one("sql", span -> true);
    assertThat(query.startNanos()).isLessThanOrEqualTo(sql.startNanos());
    assertThat(query.endNanos()).isEqualTo(sql.endNanos());
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEmpty();
  }

  /** What the page promises. */
  private static void assertQuestions(List<SpanNode> spans) {
    List<SpanNode> orders =
        spans.stream().filter(span -> label(span).startsWith("batch orders")).toList();
    long longest =
        orders.stream().mapToLong(span -> span.endNanos() - span.startNanos()).max().orElseThrow();
    List<String> slowest = new ArrayList<>();
    List<String> late = new ArrayList<>();
    for (SpanNode span : spans.stream().sorted(SpanNode.IN_ORDER).toList()) {
      if (orders.contains(span) && span.endNanos() - span.startNanos() == longest) {
        slowest.add(label(span));
      }
      if (span.attribute("spark.streaming.input_rows_per_second") instanceof Double arrived
          && span.attribute("spark.streaming.processed_rows_per_second") instanceof Double done
          && arrived > done) {
        late.add(label(span));
      }
    }
    Object id = orders.get(0).attribute("spark.streaming.query.id");
    List<String> all = IntStream.range(0, 6).mapToObj(batch -> "batch orders " + batch).toList();
    List<String> failed = List.of("streaming query broken");
    String run = "streaming query orders started";
    List<String> runs = List.of(run, run);
    assertThat(
            DocQueries.of("streaming.md", "Questions")
                .found(
                    spans,
                    Map.of(
                        "1m",
                        longest / 1_000_000 - 1 + "ms",
                        "8d268dc2-bc9c-4be8-97a9-b135d2943028",
                        id.toString()),
                    StreamingIT::label))
        .containsExactly(
            slowest, late, failed, List.of("batch orders 2"), all, runs, all, failed, runs);
  }

  private static String label(SpanNode span) {
    Object batch = span.attribute("spark.streaming.batch.id");
    return batch == null ? span.name() : span.name() + " " + batch;
  }

  private static void assertApplication(Trace trace) {
    SpanPattern application =
        application(
                "spark.application",
                started(),
                query("streaming query orders")
                    .with("spark.streaming.query.result", "ended")
                    .with("spark.streaming.batches.total", 4)
                    .with("spark.streaming.batches.failed", 0)
                    .with("spark.streaming.batches.not_exported", 0)
                    .with("spark.streaming.input_rows", 5)
                    .with("spark.streaming.rows_dropped_by_watermark", 1)
                    .with("spark.jobs.total", 4),
                query("streaming query orders")
                    .with("spark.streaming.query.result", "ended")
                    .with("spark.streaming.batches.total", 2)
                    .with("spark.streaming.input_rows", 1)
                    .with("spark.streaming.rows_dropped_by_watermark", 0)
                    .linkTo("query", "spark.streaming.batches.total", 4),
                query("streaming query broken")
                    .with("spark.streaming.query.result", "failed")
                    .with("spark.streaming.batches.total", 2)
                    .with("spark.streaming.batches.failed", 1)
                    .with("spark.streaming.input_rows", 2)
                    .with("error.type", "org.apache.spark.SparkException")
                    .with("spark.failure.root_cause", "java.lang.NumberFormatException: *three*")
                    .without("spark.streaming.rows_dropped_by_watermark")
                    .failed("*three*")
                    .anyEvents(),
                query("streaming query ticks")
                    .with("spark.streaming.query.result", "ended")
                    .with("spark.streaming.batches.total", 1)
                    .with("spark.streaming.input_rows", 12))
            .with("spark.jobs.total", 9)
            .with("spark.trace.units", 9);
    for (int i = 0; i < 9; i++) {
      application.linkOutside();
    }
    assertThatTrace(trace).isTree(application);
  }

  private static void assertOrders(
      Trace trace,
      int id,
      int rows,
      String watermark,
      int stateRows,
      int updated,
      int removed,
      int dropped) {
    int from = id / 2 - (rows == 0 ? 0 : 1);
    SpanPattern stages = stage("stage " + AT, task()).times(rows == 0 ? 1 : 2);
    assertThatTrace(trace)
        .isTree(
            batch("batch orders", sql("sql " + AT, sql("sql " + AT, job("job " + AT, stages))))
                .with("spark.streaming.query.name", "orders")
                .with("spark.streaming.batch.id", id)
                .with("spark.streaming.batch.result", "succeeded")
                .with("spark.streaming.input_rows", rows)
                .has("spark.streaming.input_rows_per_second")
                .has("spark.streaming.processed_rows_per_second")
                .with("spark.streaming.watermark", watermark)
                .with("spark.streaming.state.rows", stateRows)
                .with("spark.streaming.state.rows_updated", updated)
                .with("spark.streaming.state.rows_removed", removed)
                .with("spark.streaming.rows_dropped_by_watermark", dropped)
                .has("spark.streaming.state.memory_bytes", "spark.streaming.state.commit_time_ms")
                .with("spark.streaming.sink", "ForeachBatchSink")
                .with(
                    "spark.streaming.source.offsets",
                    List.of(
                        (from < 0 ? "the start" : "{\"logOffset\":" + from + "}")
                            + " to {\"logOffset\":"
                            + id / 2
                            + "}"))
                .with("spark.jobs.total", 1));
    SpanNode root = trace.roots().get(0);
    long millis = (root.endNanos() - root.startNanos()) / 1_000_000;
    assertThat(root.attribute("spark.streaming.trigger_execution_ms")).isEqualTo(millis);
  }

  private static void assertBroken(Trace good, Trace failed) {
    assertThatTrace(good)
        .isTree(
            batch("batch broken", sql("sql " + AT).anyChildren())
                .with("spark.streaming.batch.id", 0)
                .with("spark.streaming.input_rows", 2)
                .with("spark.streaming.output_rows", 2)
                .without("spark.streaming.state.rows", "spark.streaming.watermark"));
    assertThatTrace(failed)
        .isTree(
            batch(
                    "batch broken",
                    sql(
                            "sql " + AT,
                            sql(
                                    "sql " + AT,
                                    job(
                                            "job " + AT,
                                            stage(
                                                    "stage " + AT,
                                                    task().failed("*three*").anyEvents())
                                                .failed("*three*")
                                                .anyEvents())
                                        .failed("*three*")
                                        .anyEvents())
                                .failed("*three*")
                                .anyEvents())
                        .failed("*three*")
                        .anyEvents())
                .with("spark.streaming.batch.id", 1)
                .with("spark.streaming.batch.result", "failed")
                .with("spark.failure.root_cause", "java.lang.NumberFormatException: *three*")
                .without("spark.streaming.input_rows")
                .failed("*three*")
                .anyEvents());
  }

  private static void assertTicks(Trace trace) {
    assertThatTrace(trace)
        .isTree(
            batch("batch ticks", sql("sql " + AT).anyChildren())
                .with("spark.streaming.input_rows", 12)
                .with("spark.streaming.output_rows", 12)
                .with(
                    "spark.streaming.source.offsets",
                    List.of("the start to {\"offset\":12,\"timestamp\":1000}"))
                .with("spark.tasks.total", 2));
  }

  /** Of each batch to the application and its query, and from the application to it. */
  private static void assertLinks(List<Trace> traces) {
    SpanNode application = traces.get(0).application();
    List<String> batches = traces.stream().skip(1).map(trace -> trace.roots().get(0).id()).toList();
    assertThat(application.links())
        .extracting(SpanNode.Link::spanId)
        .containsExactlyElementsOf(batches);
    for (Trace trace : traces.subList(1, traces.size())) {
      SpanNode batch = trace.roots().get(0);
      SpanNode query =
          traces
              .get(0)
              .one(
                  "query",
                  span ->
                      span.attribute("spark.streaming.run.id")
                          .equals(batch.attribute("spark.streaming.run.id")));
      assertThat(batch.links())
          .extracting(SpanNode.Link::spanId)
          .containsExactly(application.id(), query.id());
      assertThat(query.startNanos()).isLessThanOrEqualTo(batch.startNanos());
      assertThat(query.endNanos()).isGreaterThanOrEqualTo(batch.endNanos());
    }
  }

  private static List<Trace> withoutMarkers(OtlpReceiver receiver) {
    return receiver.traces().stream().filter(trace -> !trace.isOfRuns()).toList();
  }

  /** Of each query one trace of all its runs. */
  private static void assertMarkers(OtlpReceiver receiver) {
    List<Trace> traces = receiver.traces().stream().filter(Trace::isOfRuns).toList();
    assertThat(traces).hasSize(3);
    assertRuns(traces.get(0), "orders", 2);
    assertRuns(traces.get(1), "broken", 1);
    assertRuns(traces.get(2), "ticks", 1);
    for (SpanNode span : receiver.spans()) {
      if (span.entity().equals("query")) {
        List<Trace> own =
            traces.stream().filter(t -> t.span(span.links().get(0).spanId()) != null).toList();
        assertThat(own).hasSize(1);
        assertMarker(own.get(0), span);
      }
    }
  }

  /** Nothing but the markers of so many runs, each of them a root. */
  private static void assertRuns(Trace markers, String query, int runs) {
    assertThat(markers.spans()).hasSize(runs).allMatch(span -> span.parentId().isEmpty());
    assertThat(markers.spans())
        .extracting(SpanNode::name)
        .containsOnly("streaming query " + query + " started");
  }

  /** In a trace of such, where the run has its own: each is linked to the other. */
  private static void assertMarker(Trace markers, SpanNode query) {
    SpanNode marker = markers.span(query.links().get(0).spanId());
    assertThat(marker.traceId()).isEqualTo(query.links().get(0).traceId());
    assertThat(marker.startNanos()).isEqualTo(query.startNanos());
    for (String same : List.of("query.name", "query.id", "run.id")) {
      assertThat(marker.attribute("spark.streaming." + same))
          .isEqualTo(query.attribute("spark.streaming." + same))
          .isNotNull();
    }
    assertThat(marker.links())
        .extracting(SpanNode.Link::traceId, SpanNode.Link::spanId)
        .containsExactly(
            tuple(query.traceId(), query.parentId()), tuple(query.traceId(), query.id()));
  }
}
