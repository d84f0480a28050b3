package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.model.SecretCorpus.Sample;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Puts each secret of a corpus wherever an application can put a text, and looks for it in the
 * bytes that an exporter would send.
 */
class SecretsTest {

  private static final String[] SETTINGS = {
    "otel.spark.conf.allow-list=spark.*,fs.*",
    "otel.spark.sql.text=full",
    "otel.spark.sql.plan=full",
    "otel.spark.tasks=all",
  };

  static Stream<Sample> samples() {
    return SecretCorpus.read().stream().filter(sample -> sample.known() == null);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void noSecretIsSent(Sample sample) throws IOException {
    String sent = sent(sample);
    assertThat(sample.leaked(sent)).as(sample.toString()).isEmpty();
    // The places were reached: what is sent tells of what was taken out.
    assertThat(sent.contains(Redactor.REPLACEMENT)).as(sample.toString()).isTrue();
  }

  /** The list can only grow with a look at it, and what is mended has to leave it. */
  @Test
  void whatCannotBeToldFromOtherTextIsListed() throws IOException {
    List<Sample> known =
        SecretCorpus.read().stream().filter(sample -> sample.known() != null).toList();
    assertThat(known).hasSize(9);
    for (Sample sample : known) {
      assertThat(sample.leaked(sent(sample))).as(sample.toString()).isNotEmpty();
    }
  }

  private static String sent(Sample sample) throws IOException {
    ModelFixture app = ModelFixture.unborn(SETTINGS);
    if (sample.key() == null) {
      everywhere(app, sample.text());
    } else {
      begin(app, "report", Map.of(sample.key(), sample.text()));
      ModelFixture.close(app.model, app.spans, Outcome.exit(0));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (FinishedSpan span : app.spans) {
      TraceRequestMarshaler.create(List.of(span)).writeBinaryTo(bytes);
    }
    return SecretCorpus.latin1(bytes.toByteArray());
  }

  private static void begin(ModelFixture app, String name, Map<String, String> conf) {
    app.model.environment(new Environment("3.5.9", "2.12.18", conf));
    app.model.applicationStart(new ApplicationStart("app-1", null, name, name, ModelFixture.EPOCH));
  }

  private static void everywhere(ModelFixture app, String text) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.note", text);
    conf.put("spark.master", text);
    conf.put("spark.otel.attributes.acme.conf", text);
    conf.put("spark.otel.tracestate", "a=" + text);
    conf.put("spark.driver.extraJavaOptions", "-Xmx1g " + text);
    conf.put(Settings.OUTPUT_RESOURCE, "team=" + URLEncoder.encode(text, StandardCharsets.UTF_8));
    begin(app, text, conf);

    ModelFixture.Sql sql = app.sql(0).described(text).planned(plan(text)).start();
    app.sql(1).described("SELECT 1 /* x */; " + text).start().end(text);
    ModelFixture.Stage stage = app.stage(0, 5).named(text, text + "\n" + text);
    ModelFixture.Job job =
        app.job(0, stage)
            .sql(0)
            .property("spark.job.description", text)
            .property("spark.jobGroup.id", text)
            .property("spark.job.tags", text)
            .property("spark.scheduler.pool", text)
            .property("spark.otel.attributes.acme.note", text)
            .property("traceparent", text)
            .property("tracestate", "a=" + text)
            .start();
    app.job(1).property("callSite.short", text).property("callSite.long", text).start().succeed();
    stage.submit();
    sql.replan(plan("x " + text));
    stage.task(0).launch().end(ModelFixture.failure("java.lang.Error", text));
    stage
        .task(1)
        .launch()
        .end(
            new EndReason(
                EndReason.Kind.ExceptionFailure,
                "java.lang.RuntimeException",
                "outer",
                "java.lang.RuntimeException: outer\n\tat com.acme.A.b(A.java:3)\nCaused by:"
                    + " java.io.IOException: "
                    + text
                    + "\n\tat com.acme.A.c(A.java:4)\n\t... 3 more"));
    stage.task(2).launch().end(python(text));
    stage.task(3).launch().end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, text));
    ModelFixture.Task killed = stage.task(4).launch();
    killed.end(ModelFixture.reason(EndReason.Kind.TaskKilled, text));
    stage.fail("Job aborted due to stage failure: " + text);
    ModelFixture.Stage again = stage.again().submit();
    again.complete();
    job.fail("Job aborted due to stage failure: Task 0: " + text + "\n\tat com.acme.A.b(A.java:3)");
    sql.end(text);
    ModelFixture.close(
        app.model,
        app.spans,
        Outcome.failed(
            "java.lang.Error", text, "java.lang.Error: " + text + "\n\tat com.acme.A.b(A.java:3)"));
  }

  private static PlanNode plan(String text) {
    return ModelFixture.node(
        text, "", ModelFixture.node("Filter", text, ModelFixture.node("Scan", "Scan x " + text)));
  }

  private static EndReason python(String text) {
    return ModelFixture.failure(
        "org.apache.spark.api.python.PythonException",
        "Traceback (most recent call last):\n  File \"/opt/report.py\", line 12, in parse\n    "
            + text.lines().findFirst().orElseThrow()
            + "\nValueError: "
            + text
            + "\n");
  }
}
