package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.TwoContexts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A platform decides in the file beside the jar which applications are traced. */
class RolloutIT {

  @TempDir Path temp;

  @Test
  void thePlatformsFilePicksApplications() throws Exception {
    Path jar = Files.copy(Layout.agentJar(), temp.resolve("spark-otel-agent.jar"));
    Files.write(
        temp.resolve("spark-otel-agent.properties"),
        List.of(
            "otel.spark.applications.include=context",
            "otel.spark.applications.exclude=^second",
            "otel.spark.locked=otel.spark.applications.include,otel.spark.applications.exclude"));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, TwoContexts.class)
              .exportOverHttp(receiver)
              .agent(jar, "")
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 3\nrows: 2");
      assertThat(AgentLines.complaints(process))
          .singleElement()
          .asString()
          .matches("\\S+ is not traced: otel.spark.applications.exclude matches its name or user");
      assertThat(receiver.trace().application().resource())
          .containsEntry("service.name", "first context");
    }
  }

  @Test
  void aServiceThatIsNotInTheRolloutIsOneLine() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V4_2_0, TwoContexts.class)
              .exportOverHttp(receiver)
              .env("OTEL_SPARK_ROLLOUT_PERCENT", "0")
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 3\nrows: 2");
      assertThat(AgentLines.of(process))
          .hasSize(2)
          .anyMatch(
              line ->
                  line.endsWith(
                      " is not traced: otel.spark.rollout.percent leaves out service first"
                          + " context"));
      assertThat(receiver.requests()).isEmpty();
    }
  }
}
