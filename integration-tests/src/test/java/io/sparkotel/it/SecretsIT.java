package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What an application is not to tell: looked for in the bytes on the wire and in the log. */
class SecretsIT {

  private static final String SECRET = "s3cr3t";
  private static final String MARK = "*********(redacted)";

  /** Where a secret was: that none is found there has to mean that it was taken out. */
  private static final List<String> PLACES =
      List.of(
          "resource spark.app.name",
          "resource service.name",
          "application spark.conf.spark.ssl.keyPassword",
          "application spark.conf.spark.note",
          "application spark.conf.spark.hadoop.fs.s3a.secret.key",
          "application spark.conf.spark.driver.note",
          "application status",
          "application exception.message",
          "application exception.stacktrace",
          "job spark.job.group",
          "job spark.job.description",
          "job spark.job.call_site",
          "job spark.scheduler.pool",
          "job exception.message",
          "job exception.stacktrace",
          "stage spark.stage.name",
          "stage spark.stage.failure_reason",
          "sql spark.sql.description",
          "sql spark.sql.plan",
          "task exception.message",
          "task exception.stacktrace",
          "task status");

  @OnEachSpark
  void noSecretLeavesTheProcess(SparkVersion version) {
    SparkRun run =
        SparkRun.of(version, Secrets.class)
            .conf("spark.otel.conf.allow-list", "spark.*")
            .conf("spark.otel.sql.text", "full")
            .conf("spark.otel.sql.plan", "full")
            .conf("spark.otel.tasks", "all")
            .conf("spark.otel.resource.attributes", "team=a%20password%3D" + SECRET)
            .conf("spark.otel.exporter.otlp.headers", "x-door=" + SECRET);
    TracedRun traced = TracedRun.of(run, 1);

    List<String> leaks = new ArrayList<>();
    for (OtlpReceiver.Request request : traced.receiver().requests()) {
      assertThat(request.headers()).containsEntry("x-door", SECRET);
      String sent = request.message().toString(StandardCharsets.ISO_8859_1);
      for (int at = sent.indexOf(SECRET); at >= 0; at = sent.indexOf(SECRET, at + 1)) {
        leaks.add(sent.substring(Math.max(0, at - 200), Math.min(sent.length(), at + 40)));
      }
    }
    assertThat(leaks).isEmpty();
    assertThat(AgentLines.of(traced.process())).hasSize(2).noneMatch(l -> l.contains(SECRET));
    assertThat(traced.stdout().lines().filter(line -> line.startsWith("handled: "))).hasSize(4);
    assertThat(marked(traced.trace())).containsAll(PLACES);
  }

  /** The attributes from which something was taken out, with what they belong to. */
  private static Set<String> marked(Trace trace) {
    Set<String> marked = new TreeSet<>();
    for (SpanNode span : trace.spans()) {
      mark(marked, "resource", span.resource());
      mark(marked, span.entity(), span.attributes());
      span.events().forEach(event -> mark(marked, span.entity(), event.attributes()));
      if (span.status().getMessage().contains(MARK)) {
        marked.add(span.entity() + " status");
      }
    }
    return marked;
  }

  private static void mark(Set<String> marked, String owner, Map<String, Object> attributes) {
    attributes.forEach(
        (key, value) -> {
          if (String.valueOf(value).contains(MARK)) {
            marked.add(owner + " " + key);
          }
        });
  }
}
