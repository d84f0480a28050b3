package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparkRedactionTest {

  private static final String SPARKS_DEFAULT = "(?i)secret|password|token|access[.]?key";

  /** As Spark looks for it in keys and values. */
  private static boolean hides(String regex, String key) {
    return Pattern.compile(regex).matcher(key).find();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.otel.exporter.otlp.headers",
        "spark.otel.exporter.otlp.traces.headers",
        "otel.exporter.otlp.headers",
        "otel.exporter.otlp.traces.headers"
      })
  void headersAreHiddenWhateverTheApplicationSet(String key) {
    assertThat(hides(SPARKS_DEFAULT, key)).isFalse();
    assertThat(hides(SparkRedaction.widened(null), key)).isTrue();
    assertThat(hides(SparkRedaction.widened("iban|card"), key)).isTrue();
  }

  @Test
  void whatWasHiddenStaysHidden() {
    assertThat(SparkRedaction.widened(null)).startsWith(SPARKS_DEFAULT + "|");
    assertThat(hides(SparkRedaction.widened(null), "my.PASSWORD")).isTrue();
    assertThat(hides(SparkRedaction.widened("iban|card"), "the.iban")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.app.name",
        "spark.otel.exporter.otlp.endpoint",
        "spark.otel.exporter.otlp.protocol",
        "spark.hadoop.http.headers"
      })
  void nothingElseIsHidden(String key) {
    assertThat(hides(SparkRedaction.widened(null), key)).isFalse();
    assertThat(hides(SparkRedaction.widened("iban|card"), key)).isFalse();
  }

  /** A second context is made of the first one's settings. */
  @Test
  void whatIsWideStaysAsItIs() {
    String once = SparkRedaction.widened("iban|card");
    assertThat(SparkRedaction.widened(once)).isEqualTo(once);
  }

  @Test
  void narrowedIsWhatTheApplicationSet() {
    assertThat(SparkRedaction.narrowed(SparkRedaction.widened("iban|card"))).isEqualTo("iban|card");
    assertThat(SparkRedaction.narrowed(SparkRedaction.widened(null))).isEqualTo(SPARKS_DEFAULT);
    assertThat(SparkRedaction.narrowed("iban|card")).isEqualTo("iban|card");
    assertThat(SparkRedaction.narrowed(null)).isNull();
  }
}
