package io.sparkotel.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserAttributesTest {

  @Test
  void areFoundByTheirPrefix() {
    Map<String, String> properties = new HashMap<>();
    properties.put("spark.otel.attributes.team", "finance");
    properties.put("spark.otel.attributes.acme/cost-centre_2.b", "17");
    properties.put("spark.otel.attributes.empty", "");
    properties.put("spark.otel.attributes.none", null);
    properties.put("spark.otel.attributes.spark.job.id", "9");
    properties.put("spark.otel.tasks", "all");
    assertThat(UserAttributes.in(properties))
        .containsExactly(Map.entry("acme/cost-centre_2.b", "17"), Map.entry("team", "finance"));
  }

  @Test
  void thoseThatSortFirstAreKept() {
    Map<String, String> properties = new HashMap<>();
    for (int i = 99; i >= 10; i--) {
      properties.put("spark.otel.attributes.k" + i, "v" + i);
    }
    assertThat(UserAttributes.in(properties))
        .hasSize(UserAttributes.MAX)
        .containsEntry("k10", "v10")
        .containsEntry("k41", "v41");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "é",
        "a\n",
        "spark.team",
        "service.name",
        "service.instance.id",
        "host.name",
        "telemetry.sdk.name",
        "error.type",
        "process.pid",
        "team_truncated"
      })
  void illegalKeys(String key) {
    assertThat(UserAttributes.complaint(key)).isNotNull();
    assertThat(UserAttributes.complaint("k".repeat(129))).isNotNull();
    assertThat(UserAttributes.complaint("k".repeat(128))).isNull();
  }
}
