package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sparkotel.scenarios.FailingJob;
import io.sparkotel.scenarios.NoStop;
import io.sparkotel.scenarios.PrintConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What leaves the JVM, how and under whose name, by the standard settings. */
class ExportIT {

  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT_ID = "b7ad6b7169203331";

  @OnEachSpark
  void headersOfTheSparkConfAreSentAndEmptied(SparkVersion version) {
    SparkRun run =
        SparkRun.of(version, PrintConf.class)
            .conf("spark.extraListeners", PrintConf.Environment.class.getName())
            .conf("spark.otel.exporter.otlp.headers", "authorization=Bearer%20s3cr3t,x-team=a-team")
            .conf("spark.otel.exporter.otlp.compression", "gzip");
    TracedRun traced = TracedRun.of(run);

    assertThat(traced.receiver().requests())
        .isNotEmpty()
        .allSatisfy(
            request -> {
              assertThat(request.headers())
                  .containsEntry("authorization", "Bearer s3cr3t")
                  .containsEntry("x-team", "a-team")
                  .containsEntry("content-encoding", "gzip");
              assertThat(request.wireSize()).isLessThan(request.size());
            });
    assertThat(traced.stdout())
        .contains(
            "\nconf: spark.otel.trace.id=" + traced.trace().application().traceId() + "\n",
            "\nenv: spark.otel.trace.id=" + traced.trace().application().traceId() + "\n",
            "\nconf: spark.otel.exporter.otlp.headers=\n",
            "environment: ",
            "spark.otel.exporter.otlp.compression")
        .doesNotContain("s3cr3t", "a-team");
    assertThatTrace(traced.trace())
        .isTree(
            application(
                "spark.application",
                started(),
                job(
                    "job count at PrintConf.java:23",
                    stage("stage count at PrintConf.java:23", task()))));
    assertThat(traced.trace().toString()).doesNotContain("s3cr3t");
  }

  @OnEachSpark
  void namesAndParentOfTheEnvironment(SparkVersion version) {
    SparkRun run =
        SparkRun.of(version, NoStop.class)
            .env("OTEL_SERVICE_NAME", "nightly report")
            .env("OTEL_RESOURCE_ATTRIBUTES", "service.namespace=finance,team=a%2Cb,service.name=no")
            .env("TRACEPARENT", "00-" + TRACE_ID + "-" + PARENT_ID + "-01");
    Trace trace = TracedRun.of(run).trace();

    assertThatTrace(trace)
        .inherits(PARENT_ID)
        .isTree(
            application(
                "spark.application",
                started(),
                job(
                    "job count at NoStop.java:14",
                    stage("stage count at NoStop.java:14", task()))));
    assertThat(trace.application().traceId()).isEqualTo(TRACE_ID);
    assertThat(trace.application().resource())
        .containsEntry("service.name", "nightly report")
        .containsEntry("service.namespace", "finance")
        .containsEntry("team", "a,b")
        .containsEntry("service.instance.id", trace.application().resource().get("spark.app.id"))
        .containsEntry("spark.app.name", "no stop")
        .containsEntry("spark.version", version.version())
        .containsEntry("host.name", "127.0.0.1")
        .containsEntry("telemetry.sdk.language", "java")
        .containsEntry("telemetry.sdk.name", "opentelemetry")
        .containsEntry("telemetry.distro.name", "spark-otel-agent")
        .containsKeys("spark.user", "telemetry.sdk.version", "telemetry.distro.version");
    assertThat(trace.application().scope().getName()).isEqualTo("io.sparkotel");
    assertThat(trace.application().scope().getVersion())
        .isEqualTo(trace.application().resource().get("telemetry.distro.version"));
  }

  /** As behind a load balancer of which one of two collectors is down. */
  @Test
  void everythingArrivesThoughEverySecondRequestFails() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      for (int i = 0; i < 100; i++) {
        receiver.behaveNext(Behaviour.refuse(503), Behaviour.accept());
      }
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, NoStop.class)
              // For slow machines.
              .conf("spark.otel.flush-timeout.dead", 8000)
              .exportOverHttp(receiver)
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 3");
      assertThat(AgentLines.complaints(process))
          .containsExactly("cannot send spans, trying again: HTTP 503", "spans are sent again");
      assertThat(AgentLines.of(process)).last().asString().endsWith("; spans sent 5, dropped 0");
      assertThatTrace(receiver.trace())
          .isTree(
              application(
                  "spark.application",
                  started(),
                  job(
                      "job count at NoStop.java:14",
                      stage("stage count at NoStop.java:14", task()))));
      // The application's span was refused, too.
      List<OtlpReceiver.Request> requests = receiver.requests();
      assertThat(requests.get(requests.size() - 2).accepted()).isZero();
      assertThat(requests.get(requests.size() - 2).spans())
          .extracting(SpanNode::entity)
          .containsExactly("application");
    }
  }

  @Test
  void aParentThatIsNotSampledSendsNothing() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V4_2_0, NoStop.class)
              .env("TRACEPARENT", "00-" + TRACE_ID + "-" + PARENT_ID + "-00")
              .exportOverHttp(receiver)
              .run()
              .assertExit(0);

      assertThat(receiver.requests()).isEmpty();
      assertThat(process.stdout()).isEqualTo("count: 3");
      assertThat(process.stderrLines())
          .singleElement()
          .asString()
          .matches("\\[spark-otel-agent] local-\\d+ is not sampled: nothing is sent");
    }
  }

  /** Without a collector: a file of OTLP JSON, and a tree for people. */
  @Test
  void fileAndConsole() throws IOException {
    SparkRun run = SparkRun.of(SparkVersion.V3_5_9, FailingJob.class);
    Path file = run.dir().resolve("traces.jsonl");
    SparkProcess process =
        run.conf("spark.otel.traces.exporter", "otlp_file,console")
            .conf("spark.otel.export.file", file)
            .agent()
            .run()
            .assertExit(0);

    assertThat(process.stdout()).isEqualTo("handled: org.apache.spark.SparkException\ncount: 4");
    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      JsonNode request = new ObjectMapper().readTree(line);
      for (JsonNode span : request.at("/resourceSpans/0/scopeSpans/0/spans")) {
        assertThat(span.get("traceId").asText()).matches("[0-9a-f]{32}");
        assertThat(span.get("spanId").asText()).matches("[0-9a-f]{16}");
        names.add(span.get("name").asText());
      }
    }
    assertThat(names)
        .containsExactlyInAnyOrder(
            "spark.application.started",
            "task",
            "stage foreach at FailingJob.java:17",
            "job foreach at FailingJob.java:17",
            "task",
            "stage count at FailingJob.java:27",
            "job count at FailingJob.java:27",
            "spark.application")
        .endsWith("spark.application");
    assertThat(process.stderr())
        .containsSubsequence(
            " traces ",
            "traces.jsonl and the console",
            "spark.application",
            "job foreach at FailingJob.java:17",
            "stage foreach at FailingJob.java:17",
            "job count at FailingJob.java:27",
            "stage count at FailingJob.java:27");
  }

  @Test
  void switchedOffByTheSparkConf() {
    assertSilent(
        SparkRun.of(SparkVersion.V3_5_9, NoStop.class).conf("spark.otel.enabled", "false"));
  }

  @Test
  void switchedOffByTheEnvironment() {
    assertSilent(SparkRun.of(SparkVersion.V4_2_0, NoStop.class).env("OTEL_SPARK_ENABLED", "false"));
  }

  private static void assertSilent(SparkRun run) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = run.exportOverHttp(receiver).run().assertExit(0);

      assertThat(receiver.requests()).isEmpty();
      assertThat(receiver.complaints()).isEmpty();
      assertThat(process.stdout()).isEqualTo("count: 3");
      assertThat(process.stderr()).isEmpty();
    }
  }
}
