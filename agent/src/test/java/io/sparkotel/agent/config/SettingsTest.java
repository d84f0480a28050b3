package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SettingsTest {

  @Test
  void noTwoSettingsShareANameInAnySource() {
    assertThat(Settings.all()).extracting(Setting::key).doesNotHaveDuplicates();
    assertThat(Settings.all()).extracting(Setting::environmentName).doesNotHaveDuplicates();
    assertThat(Settings.all())
        .extracting(Setting::sparkName)
        .doesNotHaveDuplicates()
        .doesNotContain(Settings.OUTPUT_TRACE_ID, Settings.OUTPUT_RESOURCE);
  }

  @Test
  void standardKeysMapByOpenTelemetrysRule() {
    assertThat(Settings.ENDPOINT.key()).isEqualTo("otel.exporter.otlp.endpoint");
    assertThat(Settings.ENDPOINT.environmentName()).isEqualTo("OTEL_EXPORTER_OTLP_ENDPOINT");
    assertThat(Settings.ENDPOINT.sparkName()).isEqualTo("spark.otel.exporter.otlp.endpoint");
    assertThat(Settings.HEADERS_FILE.environmentName())
        .isEqualTo("OTEL_EXPORTER_OTLP_HEADERS_FILE");
  }

  @Test
  void ownKeysDropSparkInTheSparkConf() {
    assertThat(Settings.ENABLED.key()).isEqualTo("otel.spark.enabled");
    assertThat(Settings.ENABLED.environmentName()).isEqualTo("OTEL_SPARK_ENABLED");
    assertThat(Settings.ENABLED.sparkName()).isEqualTo("spark.otel.enabled");
    assertThat(Settings.PARENT.sparkName()).isEqualTo("spark.otel.parent");
  }

  @Test
  void everyTracesFormIsTheOneOfItsGeneralKey() {
    assertThat(Settings.all())
        .filteredOn(setting -> setting.key().startsWith("otel.exporter.otlp.traces."))
        .hasSize(8)
        .allSatisfy(
            setting -> {
              assertThat(setting.general().key()).isEqualTo(setting.key().replace(".traces.", "."));
              assertThat(setting.isSecret()).isEqualTo(setting.general().isSecret());
            });
  }

  @Test
  void onlyHeadersAreSecret() {
    assertThat(Settings.all())
        .filteredOn(Setting::isSecret)
        .extracting(Setting::key)
        .containsExactlyInAnyOrder(
            "otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers");
  }
}
