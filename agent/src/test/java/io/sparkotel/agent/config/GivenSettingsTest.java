package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GivenSettingsTest {

  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @TempDir Path dir;

  @Test
  void whatCountsOfEverySource() throws IOException {
    Files.writeString(
        dir.resolve(ConfigSources.FILE_NAME),
        """
        otel.spark.locked=otel.spark.sql.text
        otel.spark.sql.text=none
        otel.service.name=of the file
        """);
    ConfigSources sources =
        new ConfigSources(
            Map.of(
                "spark.otel.tasks", "all",
                "spark.otel.sql.text", "full",
                "spark.app.name", "no setting",
                "spark.otel.exporter.otlp.protocol", "smoke"),
            null,
            Map.of("otel.spark.tasks", "none", "otel.exporter.otlp.headers", "x-door=sesame"),
            Map.of(
                "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector:4317",
                "TRACEPARENT", PARENT),
            dir.resolve("agent.jar").toFile());
    AgentConfig here = AgentConfig.load(sources);
    Map<String, String> given = GivenSettings.of(sources, here.parent());
    assertThat(given)
        .containsOnly(
            Map.entry("otel.spark.tasks", "all"),
            Map.entry("otel.spark.sql.text", "none"),
            Map.entry("otel.service.name", "of the file"),
            Map.entry("otel.exporter.otlp.headers", "x-door=sesame"),
            Map.entry("otel.exporter.otlp.protocol", "grpc"),
            Map.entry("otel.exporter.otlp.traces.endpoint", "http://collector:4317"),
            Map.entry("otel.spark.traceparent", PARENT));

    AgentConfig there = AgentConfig.load(new ConfigSources(Map.of(), null, given, Map.of(), null));
    assertThat(there.problems()).isEmpty();
    assertThat(there)
        .usingRecursiveComparison()
        .ignoringFields("problems", "sparkKeysToRemove")
        .isEqualTo(here);
  }

  @Test
  void nothingGivenIsNothing() {
    ConfigSources nothing = new ConfigSources(Map.of(), null, Map.of(), Map.of(), null);
    assertThat(GivenSettings.of(nothing, AgentConfig.load(nothing).parent())).isEmpty();
  }
}
