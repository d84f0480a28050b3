package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RolloutTest {

  private static final String INCLUDE = "spark.otel.applications.include";
  private static final String EXCLUDE = "spark.otel.applications.exclude";
  private static final String PERCENT = "spark.otel.rollout.percent";

  private static Rollout rollout(String... keysAndValues) {
    ConfigFixture fixture = ConfigFixture.empty();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      fixture.spark(keysAndValues[i], keysAndValues[i + 1]);
    }
    AgentConfig config = fixture.load();
    assertThat(config.problems()).isEmpty();
    return config.rollout();
  }

  private static Set<String> tracedServices(String percent) {
    Rollout rollout = rollout(PERCENT, percent);
    Set<String> traced = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      if (rollout.refusal("any", "any", "service-" + i) == null) {
        traced.add("service-" + i);
      }
    }
    return traced;
  }

  @Test
  void everyApplicationIsTracedByDefault() {
    assertThat(rollout().refusal("", "", "")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "etl-orders, ann, true",
    "nightly etl-orders, ann, true",
    "report, etl-svc, true",
    "report, ann, false",
    "'', '', false"
  })
  void includeNamesApplicationsAndUsers(String name, String user, boolean traced) {
    String refusal = rollout(INCLUDE, "\\betl-").refusal(name, user, name);
    assertThat(refusal)
        .isEqualTo(
            traced
                ? null
                : "otel.spark.applications.include matches neither its name nor its user");
  }

  @ParameterizedTest
  @CsvSource({"etl-test, ann", "etl, test-svc", "test, test"})
  void excludeIsStrongerThanInclude(String name, String user) {
    assertThat(rollout(INCLUDE, "etl", EXCLUDE, "test").refusal(name, user, name))
        .isEqualTo("otel.spark.applications.exclude matches its name or user");
    assertThat(rollout(INCLUDE, "etl", EXCLUDE, "test").refusal("etl", "ann", "etl")).isNull();
  }

  @Test
  void aServiceIsInOrOutWhateverItsRunIsCalled() {
    Rollout half = rollout(PERCENT, "50");
    for (int i = 0; i < 100; i++) {
      String service = "service-" + i;
      assertThat(half.refusal(service + " 2026-01-01", "ann", service))
          .isEqualTo(half.refusal(service + " 2026-01-02", "bob", service))
          .isIn(null, "otel.spark.rollout.percent leaves out service " + service);
    }
  }

  @Test
  void aHigherPercentageKeepsThoseThatWereIn() {
    Set<String> none = tracedServices("0");
    Set<String> few = tracedServices("0.5");
    Set<String> tenth = tracedServices("10");
    Set<String> most = tracedServices("90");
    assertThat(none).isEmpty();
    assertThat(few).hasSizeBetween(20, 90);
    assertThat(tenth).hasSizeBetween(850, 1_150).containsAll(few);
    assertThat(most).hasSizeBetween(8_850, 9_150).containsAll(tenth);
    assertThat(tracedServices("100")).hasSize(10_000).containsAll(most);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "100.1", "NaN", "half", "10%"})
  void aPercentageThatIsNoneIsAProblem(String percent) {
    AgentConfig config = ConfigFixture.empty().spark(PERCENT, percent).load();
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains("otel.spark.rollout.percent=" + percent)
        .contains("legal values: a number from 0 to 100")
        .contains("using 100");
    assertThat(config.rollout().refusal("a", "b", "c")).isNull();
  }

  @Test
  void onlyTheStartOfAnEndlessNameIsSearched() {
    String name = "a".repeat(1_000) + "etl";
    assertThat(rollout(EXCLUDE, "etl").refusal(name, "ann", name)).isNull();
    assertThat(rollout(EXCLUDE, "a$").refusal(name, "ann", name)).isNotNull();
  }
}
