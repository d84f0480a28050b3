package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.DStreams;
import io.sparkotel.scenarios.RestoredDStreams;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** DStreams: batches that are good, fail in a job and outside of one, and one that is stopped. */
@Tag("full")
class DStreamsIT {

  private static final String REDUCE = "reduce at DStreams.java:*";
  private static final String COLLECT = "collectAsList at DStreams.java:*";
  private static final String CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String BROKEN = "java.lang.IllegalStateException: a dozen";

  /** What Spark tells to live listeners alone, as docs/streaming.md lists it. */
  private static final Set<String> LIVE_ONLY =
      Set.of(
          "application: spark.streaming.batches.failed",
          "application: spark.streaming.idle_triggers",
          "application: spark.streaming.input_rows",
          "application: spark.streaming.receiver.errors",
          "batch: error.type",
          "batch: events",
          "batch: spark.failure.root_cause",
          "batch: spark.streaming.batch.result",
          "batch: spark.streaming.input_rows",
          "batch: spark.streaming.output.results",
          "batch: spark.streaming.processing_delay_ms",
          "batch: spark.streaming.receiver.errors",
          "batch: spark.streaming.scheduling_delay_ms",
          "batch: spark.streaming.source.rows",
          "batch: spark.streaming.sources",
          "batch: spark.streaming.total_delay_ms",
          "batch: status");

  @OnLongLivedSpark
  void batchesAndTheirOutputOperations(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(streaming(version, DStreams.class).master("local[3]"));
    TracedRun traced = TracedRun.of(run);
    List<Trace> live = traced.traces();
    assertApplication(live.get(0), true);
    assertBatches(live.subList(1, live.size()), true);
    List<String> told = traced.stdout().lines().filter(line -> line.startsWith("batch ")).toList();
    assertThat(live.stream().skip(1).limit(4).map(DStreamsIT::told))
        .containsExactlyElementsOf(told);
    List<String> ids =
        live.stream().skip(1).map(trace -> trace.roots().get(0)).map(DStreamsIT::id).toList();
    assertThat(
            DocQueries.of("streaming.md", "Questions about DStreams")
                .found(traced.receiver().spans(), Map.of("> 10000", ">= 0"), DStreamsIT::id))
        .containsExactly(ids.subList(0, 4), ids.subList(1, 3), ids.subList(1, 3));

    OtlpReceiver replay = EventLogs.replay(run);
    assertApplication(replay.traces().get(0), false);
    assertBatches(replay.traces().subList(1, replay.traces().size()), false);
    assertThat(EventLogs.differences(traced.receiver().spans(), replay.spans()))
        .isEqualTo(LIVE_ONLY);
  }

  /** Its checkpoint brings back the SparkConf, in which the agent wrote of the run before. */
  @OnLongLivedSpark
  void aRestartFromACheckpointIsAnotherTrace(SparkVersion version) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun first = EventLogs.writtenBy(streaming(version, RestoredDStreams.class));
      first.env("TRACEPARENT", CALLER).agent().exportOverHttp(receiver);
      Path input = first.dir().resolve("input");
      Path checkpoint = first.dir().resolve("checkpoint");
      assertThat(first.args(input, checkpoint).run().assertExit(0).stdout()).contains("created");
      SparkRun second = streaming(version, RestoredDStreams.class).args(input, checkpoint);
      second.env("OTEL_SPARK_TRACE_UNIT", "application").agent().exportOverHttp(receiver);
      assertThat(second.run().assertExit(0).stdout()).doesNotContain("created");

      List<SpanNode> applications =
          receiver.spans().stream().filter(span -> span.entity().equals("application")).toList();
      assertThat(applications).hasSize(2);
      assertThat(applications.get(0).traceId()).isEqualTo(CALLER.substring(3, 35));
      assertThat(applications.get(0).resource().get("spark.app.id"))
          .isNotEqualTo(applications.get(1).resource().get("spark.app.id"));
      assertThat(applications.get(1).traceId()).isNotEqualTo(applications.get(0).traceId());
      assertThat(applications.get(1).attribute("spark.trace.units")).isNull();
      assertThat(applications.get(0).attribute("spark.trace.units")).isNotNull();
      for (SpanNode application : applications) {
        assertBatchesOf(application, receiver.spans());
      }
      // The second one writes its log where the first one was told to.
      Set<String> liveOnly = new HashSet<>(LIVE_ONLY);
      // Of the files that a stream reads.
      liveOnly.add("batch: spark.streaming.source.offsets");
      assertThat(EventLogs.differences(receiver.spans(), EventLogs.replay(first).spans()))
          .isSubsetOf(liveOnly);
    }
  }

  /** Links and totals, whatever the run before had. */
  private static void assertBatchesOf(SpanNode application, List<SpanNode> spans) {
    Object id = application.resource().get("spark.app.id");
    List<SpanNode> own =
        spans.stream().filter(span -> span.resource().get("spark.app.id").equals(id)).toList();
    List<SpanNode> batches = own.stream().filter(span -> span.entity().equals("batch")).toList();
    assertThat(batches).isNotEmpty();
    if (application.attribute("spark.trace.units") == null) {
      assertThat(batches).allMatch(batch -> batch.parentId().equals(application.id()));
      assertThat(application.links()).isEmpty();
    } else {
      assertThat(batches).allMatch(batch -> batch.links().get(0).spanId().equals(application.id()));
      assertThat(application.attribute("spark.trace.units")).isEqualTo((long) batches.size());
      assertThat(application.links()).hasSameSizeAs(batches);
    }
    assertThat(application.attribute("spark.streaming.batches.total"))
        .isEqualTo((long) batches.size());
    assertThat(application.attribute("spark.jobs.total"))
        .isEqualTo(own.stream().filter(span -> span.entity().equals("job")).count());
  }

  private static SparkRun streaming(SparkVersion version, Class<?> scenario) {
    SparkRun run = SparkRun.of(version, scenario);
    if (version.equals(SparkVersion.V4_3_0)) {
      // All of a distribution is on its class path.
      return run;
    }
    String module = "org.apache.spark:spark-streaming_" + version.scalaBinary();
    return run.classpath(Maven.jar(module + ":" + version.version()));
  }

  private static void assertApplication(Trace trace, boolean live) {
    SpanPattern application =
        application(
                "spark.application",
                started(),
                job("job *", stage("stage *", task())).without("spark.streaming.output.id"))
            .with("spark.jobs.failed", 2)
            .with("spark.trace.units", 5)
            .with("spark.streaming.batches.total", 5)
            .with("spark.streaming.batches.failed", live ? 2 : 1)
            .with("spark.streaming.batches.not_exported", 0);
    if (live) {
      application
          .with("spark.streaming.input_rows", 8)
          .with("spark.streaming.receiver.errors", 1)
          .has("spark.streaming.idle_triggers");
    }
    for (int i = 0; i < 5; i++) {
      application.linkOutside();
    }
    assertThatTrace(trace).isTree(application);
    if (live) {
      long idle = (Long) trace.application().attribute("spark.streaming.idle_triggers");
      assertThat(idle).isGreaterThanOrEqualTo(2);
    }
  }

  private static void assertBatches(List<Trace> batches, boolean live) {
    assertThat(batches).hasSize(5);
    assertThatTrace(batches.get(0)).isTree(batch(live, 3, reduce()));
    SpanPattern failed =
        batch(
                live,
                2,
                job("job " + REDUCE, failed(stage("stage " + REDUCE, failed(task()))))
                    .failed("*ArithmeticException*")
                    .anyEvents())
            .with("error.type", "java.lang.ArithmeticException")
            .with("spark.failure.root_cause", "java.lang.ArithmeticException: / by zero at *")
            .with("spark.streaming.batch.result", "failed")
            .failed("*ArithmeticException*");
    assertThatTrace(batches.get(1)).isTree(failed);
    SpanPattern outside = batch(live, 1, reduce());
    if (live) {
      outside
          .with("error.type", "java.lang.IllegalStateException")
          .with("spark.streaming.batch.result", "failed")
          .event(
              "exception",
              "exception.type",
              "java.lang.IllegalStateException",
              "exception.message",
              BROKEN)
          .failed(BROKEN);
    }
    assertThatTrace(batches.get(2)).isTree(outside);
    SpanPattern last = batch(live, 2, reduce());
    if (live) {
      last.with("spark.streaming.batch.result", "succeeded")
          .with("spark.streaming.receiver.errors", 1)
          .event("exception", "exception.message", "*: no line*", "exception.stacktrace", "*cut*");
    }
    assertThatTrace(batches.get(3)).isTree(last);
    // Spark tells no more of it.
    assertThatTrace(batches.get(4))
        .isTree(
            new SpanPattern(
                    "batch",
                    "batch dstreams",
                    job("job " + REDUCE, stage("stage " + REDUCE).anyChildren())
                        .with("spark.job.result", "cancelled"))
                .linkOutside()
                .with("spark.jobs.total", 1)
                .without("spark.streaming.batch.result", "spark.streaming.input_rows"));
  }

  private static SpanPattern failed(SpanPattern pattern) {
    return pattern.failed("*/ by zero*").anyEvents();
  }

  private static SpanPattern reduce() {
    return job("job " + REDUCE, stage("stage " + REDUCE, task()));
  }

  /** With that many records; the first output operation runs a job, the second SQL. */
  private static SpanPattern batch(boolean live, int records, SpanPattern first) {
    SpanPattern batch =
        new SpanPattern(
                "batch",
                "batch dstreams",
                first.with("spark.streaming.output.id", 0),
                sql(
                        "sql " + COLLECT,
                        job("job " + COLLECT, stage("stage " + COLLECT, task()))
                            .with("spark.streaming.output.id", 1))
                    .with("spark.streaming.output.id", 1))
            .linkOutside()
            .with("spark.jobs.total", 2)
            .has("spark.streaming.output.operations");
    return live
        ? batch
            .with("spark.streaming.input_rows", records)
            .with("spark.streaming.sources", List.of("input stream 0"))
            .with("spark.streaming.source.rows", List.of(Integer.toString(records)))
        : batch.without("spark.streaming.input_rows", "spark.streaming.sources");
  }

  private static String id(SpanNode batch) {
    return batch.attribute("spark.streaming.batch.id").toString();
  }

  /** As the program prints it, for which it asks Spark. */
  private static String told(Trace trace) {
    SpanNode batch = trace.roots().get(0);
    long time = (Long) batch.attribute("spark.streaming.batch.id");
    assertThat(batch.attribute("spark.streaming.batch.time"))
        .isEqualTo(Instant.ofEpochMilli(time).toString());
    assertThat((List<?>) batch.attribute("spark.streaming.output.results")).hasSize(2);
    return Stream.of("input_rows", "scheduling_delay_ms", "processing_delay_ms", "total_delay_ms")
        .map(key -> " " + batch.attribute("spark.streaming." + key))
        .reduce("batch " + time, String::concat);
  }
}
