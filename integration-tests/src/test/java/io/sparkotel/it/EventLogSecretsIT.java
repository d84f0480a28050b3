package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.SessionHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The headers of the exporter are credentials: Spark's event log is for many eyes. */
class EventLogSecretsIT {

  /** What a session keeps of its settings goes to the event log with every query. */
  @Test
  void headersOfASessionAreSentAndNotInTheEventLog() throws IOException {
    SparkRun run = withEventLog(SparkRun.of(SparkVersion.V4_2_0, SessionHeaders.class));
    TracedRun traced = TracedRun.of(run);

    assertAllSent(traced, "authorization", "Bearer sesame1");
    assertThat(eventLog(run))
        .contains("\"spark.otel.exporter.otlp.headers\":\"*********(redacted)\"")
        .contains("SparkListenerSQLExecutionStart")
        .doesNotContain("sesame1");
    assertThat(traced.trace().toString()).doesNotContain("sesame1");
  }

  @Test
  void headersOfSystemPropertiesAreSentAndNotInTheEventLog() throws IOException {
    SparkRun run =
        withEventLog(SparkRun.of(SparkVersion.V4_2_0, SessionHeaders.class))
            .jvmFlag("-Dotel.exporter.otlp.traces.headers=x-door=sesame2");
    TracedRun traced = TracedRun.of(run);

    assertAllSent(traced, "x-door", "sesame2");
    assertThat(eventLog(run))
        .contains("\"otel.exporter.otlp.traces.headers\":\"*********(redacted)\"")
        .doesNotContain("sesame1", "sesame2");
  }

  private static SparkRun withEventLog(SparkRun run) throws IOException {
    return run.conf("spark.eventLog.enabled", true)
        .conf("spark.eventLog.compress", false)
        .conf("spark.eventLog.dir", Files.createDirectories(run.dir().resolve("events")).toUri());
  }

  /** Every file of it. */
  private static String eventLog(SparkRun run) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(run.dir().resolve("events"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return all.toString();
  }

  private static void assertAllSent(TracedRun traced, String header, String value) {
    assertThat(traced.receiver().requests())
        .isNotEmpty()
        .allSatisfy(request -> assertThat(request.headers()).containsEntry(header, value));
  }
}
