package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.sparkotel.scenarios.CalledActions;
import io.sparkotel.scenarios.NoStop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers are spans of OpenTelemetry's SDK in this process, handed on by its propagator. */
class CallerIT {

  private static final String ROWS = "count at CalledActions.java:53";
  private static final String QUERY = "collectAsList at CalledActions.java:60";
  private static final String BROKEN = "00-0-0-01";

  private static final SdkTracerProvider SDK =
      SdkTracerProvider.builder().addSpanProcessor(new Started()).build();

  /** Takes note of no span, but lets there be some. */
  private static final class Started implements SpanProcessor {
    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
      return false;
    }
  }

  /** A span of the SDK's, and the texts that name it elsewhere. */
  private record Caller(SpanContext span, String traceparent, String tracestate) {}

  @AfterAll
  static void close() {
    SDK.close();
  }

  private static Caller caller(String name) {
    SpanContext vendors =
        SpanContext.createFromRemoteParent(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.builder().put("vendor", name).build());
    Context parent = Context.root().with(Span.wrap(vendors));
    return carried(SDK.get("test").spanBuilder(name).setParent(parent).startSpan());
  }

  private static Caller newTrace(String name) {
    return carried(SDK.get("test").spanBuilder(name).setNoParent().startSpan());
  }

  private static Caller carried(Span span) {
    Map<String, String> carrier = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.root().with(span), carrier, (to, key, value) -> to.put(key, value));
    span.end();
    return new Caller(span.getSpanContext(), carrier.get("traceparent"), carrier.get("tracestate"));
  }

  private static SpanPattern noStop() {
    return application(
        "spark.application",
        started(),
        job("job count at NoStop.java:14", stage("stage count at NoStop.java:14", task())));
  }

  /** Spans, and those of a replay whose own environment names other callers, are the same. */
  private static void assertReplayed(SparkRun run, List<SpanNode> live) {
    Map<String, String> environment =
        Map.of(
            "TRACEPARENT", newTrace("replay").traceparent(),
            "OTEL_SPARK_PARENT", "ignore",
            "AIRFLOW_CTX_DAG_ID", "replays",
            "OTEL_SPARK_SERVICE_NAME_TEMPLATE", "{airflow.dag_id}");
    List<SpanNode> replayed =
        EventLogs.replay(EventLogs.of(run), run.dir().resolve("replay.txt"), environment).spans();
    assertThat(EventLogs.differences(live, replayed)).isEmpty();
    assertThat(states(replayed)).isEqualTo(states(live));
  }

  private static Map<String, String> states(List<SpanNode> spans) {
    Map<String, String> states = new HashMap<>();
    spans.forEach(span -> states.put(span.id(), span.proto().getTraceState()));
    return states;
  }

  @OnEachSpark
  @Tag("full")
  void anApplicationJoinsTheTraceOfTheEnvironment(SparkVersion version) {
    Caller caller = caller("workflow");
    SparkRun run =
        EventLogs.writtenBy(SparkRun.of(version, NoStop.class))
            .env("TRACEPARENT", caller.traceparent())
            .env("TRACESTATE", caller.tracestate());
    assertJoins(run, caller);
  }

  @OnEachSpark
  @Tag("full")
  void anApplicationJoinsTheTraceOfTheConf(SparkVersion version) {
    Caller caller = caller("workflow");
    SparkRun run =
        EventLogs.writtenBy(SparkRun.of(version, NoStop.class))
            .conf("spark.otel.traceparent", caller.traceparent())
            .conf("spark.otel.tracestate", caller.tracestate())
            .env("TRACEPARENT", newTrace("weaker").traceparent());
    assertJoins(run, caller);
  }

  private static void assertJoins(SparkRun run, Caller caller) {
    Trace trace = TracedRun.of(run).trace();
    assertThatTrace(trace).inherits(caller.span().getSpanId()).isTree(noStop());
    assertThat(trace.application().traceId()).isEqualTo(caller.span().getTraceId());
    assertThat(states(trace.spans()).values()).containsOnly("vendor=workflow");
    assertReplayed(run, trace.spans());
  }

  @OnEachSpark
  @Tag("full")
  void anApplicationIsLinked(SparkVersion version) {
    Caller caller = caller("workflow");
    SparkRun run =
        EventLogs.writtenBy(SparkRun.of(version, NoStop.class))
            .conf("spark.otel.parent", "link")
            .env("TRACEPARENT", caller.traceparent())
            .env("TRACESTATE", caller.tracestate());
    Trace trace = TracedRun.of(run).trace();
    assertThatTrace(trace).isTree(noStop().linkOutside());
    assertThat(trace.application().links()).containsExactly(linkTo(caller));
    assertThat(trace.application().proto().getLinks(0).getTraceState())
        .isEqualTo("vendor=workflow");
    assertThat(states(trace.spans()).values()).containsOnly("");
    assertReplayed(run, trace.spans());
  }

  @OnEachSpark
  @Tag("full")
  void anApplicationIgnoresItsCallers(SparkVersion version) {
    Caller caller = caller("workflow");
    SparkRun run =
        EventLogs.writtenBy(called(version, caller, caller)).conf("spark.otel.parent", "ignore");
    run.env("TRACEPARENT", caller.traceparent());
    Trace trace = TracedRun.of(run).trace();
    assertThat(trace.application().traceId()).isNotEqualTo(caller.span().getTraceId());
    assertThat(trace.spans()).allSatisfy(span -> assertThat(span.links()).isEmpty());
    assertThat(trace.roots()).containsExactly(trace.application());
    assertReplayed(run, trace.spans());
  }

  @Test
  void aBrokenTraceparentIsOneLine() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V4_2_0, NoStop.class)
              .env("TRACEPARENT", BROKEN)
              .exportOverHttp(receiver)
              .run()
              .assertExit(0);
      assertThatTrace(receiver.trace()).isTree(noStop());
      assertThat(TracedRun.agentLines(process))
          .filteredOn(line -> line.contains(BROKEN))
          .singleElement()
          .asString()
          .contains("(environment TRACEPARENT): not a traceparent")
          .endsWith("using no parent");
    }
  }

  private static SparkRun called(SparkVersion version, Caller rows, Caller query) {
    return SparkRun.of(version, CalledActions.class).args(rows.traceparent(), query.traceparent());
  }

  private static SpanNode.Link linkTo(Caller caller) {
    return new SpanNode.Link(caller.span().getTraceId(), caller.span().getSpanId(), Map.of());
  }

  private static SpanPattern rows() {
    return job("job " + ROWS, stage("stage " + ROWS, task().times(2)));
  }

  private static SpanPattern query() {
    return sql("sql " + QUERY, broadcast(), collect());
  }

  private static SpanPattern broadcast() {
    return job("job broadcast exchange", stage("stage broadcast exchange", task()));
  }

  private static SpanPattern collect() {
    return job("job " + QUERY, stage("stage " + QUERY, task().times(2)));
  }

  private static Trace of(List<Trace> traces, String traceId) {
    List<Trace> found =
        traces.stream().filter(t -> t.spans().get(0).traceId().equals(traceId)).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  void actionsJoinTheTracesOfTheirCallers() {
    actionsJoinTheTracesOfTheirCallers(SparkVersion.V4_2_0);
  }

  @Test
  @Tag("full")
  void actionsJoinTheTracesOfTheirCallersOnAnEarlierSpark() {
    actionsJoinTheTracesOfTheirCallers(SparkVersion.V3_5_9);
  }

  /** Each in a trace of its own; what nobody called for is in the application's. */
  private static void actionsJoinTheTracesOfTheirCallers(SparkVersion version) {
    Caller rows = newTrace("rows");
    Caller query = newTrace("query");
    SparkRun run =
        EventLogs.writtenBy(called(version, rows, query))
            .conf("spark.otel.attributes.acme.team", "finance")
            .conf("spark.otel.service-name.template", "{airflow.dag_id}.{airflow.task_id}")
            .env("AIRFLOW_CTX_DAG_ID", "rotate-tokens")
            .env("AIRFLOW_CTX_TASK_ID", "load")
            .env("AIRFLOW_CTX_TRY_NUMBER", "2");
    List<SpanNode> spans;
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      run.exportOverHttp(receiver).run().assertExit(0);
      assertThat(receiver.complaints()).isEmpty();
      spans = receiver.spans();
      List<Trace> traces = receiver.traces();
      assertThat(traces).hasSize(3);
      Trace own = traces.stream().filter(t -> !t.all("application").isEmpty()).toList().get(0);
      assertThatTrace(own)
          .brings("acme.session")
          .isTree(
              application(
                      "spark.application",
                      started(),
                      rows().without("acme.tenant"),
                      query().without("acme.tenant").with("acme.session", "s1"))
                  .with("spark.jobs.total", 6)
                  .with("spark.tasks.total", 10)
                  .without("acme.tenant"));
      SpanNode application = own.application();
      SpanNode.Link toApplication =
          new SpanNode.Link(application.traceId(), application.id(), Map.of());

      Trace ofRows = of(traces, rows.span().getTraceId());
      assertThatTrace(ofRows)
          .inherits(rows.span().getSpanId())
          .brings("acme.tenant")
          .isTree(
              job(
                      "job " + ROWS,
                      stage("stage " + ROWS, task().without("acme.tenant").times(2))
                          .with("acme.tenant", "t1"))
                  .with("acme.tenant", "t1")
                  .linkOutside());
      assertThat(ofRows.roots().get(0).links()).containsExactly(toApplication);

      Trace ofQuery = of(traces, query.span().getTraceId());
      assertThatTrace(ofQuery)
          .inherits(query.span().getSpanId())
          .brings("acme.tenant")
          .isTree(
              sql(
                      "sql " + QUERY,
                      broadcast().with("acme.tenant", "t2"),
                      collect().with("acme.tenant", "t2"))
                  .with("acme.tenant", "t2")
                  .linkOutside());
      assertThat(ofQuery.roots().get(0).links()).containsExactly(toApplication);
    }
    assertThat(spans)
        .allSatisfy(
            span ->
                assertThat(span.resource())
                    .containsEntry("acme.team", "finance")
                    .containsEntry("airflow.dag_id", "rotate-tokens")
                    .containsEntry("airflow.task_id", "load")
                    .containsEntry("airflow.try_number", "2")
                    .containsEntry("service.name", "rotate-tokens.load")
                    .doesNotContainKeys("airflow.dag_run_id", "yarn.queue", "k8s.pod.name"));
    assertReplayed(run, spans);
  }

  @OnEachSpark
  @Tag("full")
  void actionsAreLinked(SparkVersion version) {
    Caller rows = newTrace("rows");
    Caller query = newTrace("query");
    SparkRun run =
        EventLogs.writtenBy(called(version, rows, query)).conf("spark.otel.parent", "link");
    Trace trace = TracedRun.of(run).trace();
    List<SpanNode> linked = trace.spans().stream().filter(s -> !s.links().isEmpty()).toList();
    assertThat(linked).extracting(SpanNode::entity).containsExactlyInAnyOrder("job", "sql");
    for (SpanNode span : linked) {
      assertThat(span.links()).containsExactly(linkTo(span.entity().equals("job") ? rows : query));
      assertThat(span.attribute("acme.tenant"))
          .isEqualTo(span.entity().equals("job") ? "t1" : "t2");
    }
    assertThat(trace.all("job")).hasSize(6);
    assertReplayed(run, trace.spans());
  }
}
