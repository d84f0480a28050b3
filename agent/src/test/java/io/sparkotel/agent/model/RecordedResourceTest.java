package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The resource of a live run, and that of a replay by another JVM, are the same. */
class RecordedResourceTest {

  private final Map<String, String> conf = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();

  private AgentConfig config() {
    return AgentConfig.load(new ConfigSources(conf, null, Map.of(), environment, null));
  }

  private static Map<String, String> resource(AgentConfig config, Map<String, String> properties) {
    Map<String, String> resource = new TreeMap<>();
    Identities.of(
            config,
            new ApplicationStart("app-1", null, "report", "ann", 1),
            new Environment("4.2.0", "2.13", properties))
        .resource()
        .getAttributes()
        .forEach((key, value) -> resource.put(key.getKey(), (String) value));
    return resource;
  }

  private Map<String, String> recorded() {
    AgentConfig config = config();
    Map<String, String> recorded = new HashMap<>(conf);
    recorded.put(
        Settings.OUTPUT_RESOURCE,
        RecordedResource.encode(config, "report", conf, config.platform()));
    return recorded;
  }

  @Test
  void theUserIsStrongerThanTheSettingsAndTheseThanThePlatform() {
    conf.put("spark.otel.attributes.acme.team", "finance");
    conf.put("spark.otel.attributes.acme.both", "user");
    environment.put("OTEL_RESOURCE_ATTRIBUTES", "acme.both=setting,airflow.task_id=setting");
    environment.put("AIRFLOW_CTX_DAG_ID", "sales");
    environment.put("AIRFLOW_CTX_TASK_ID", "load");
    assertThat(resource(config(), recorded()))
        .containsEntry("acme.team", "finance")
        .containsEntry("acme.both", "user")
        .containsEntry("airflow.dag_id", "sales")
        .containsEntry("airflow.task_id", "setting")
        .containsEntry("service.name", "report");
  }

  @Test
  void theReplayHasAnotherEnvironment() {
    environment.put("AIRFLOW_CTX_DAG_ID", "sales");
    environment.put("OTEL_SPARK_SERVICE_NAME_TEMPLATE", "{airflow.dag_id}");
    Map<String, String> recorded = recorded();
    Map<String, String> live = resource(config(), recorded);
    assertThat(live).containsEntry("service.name", "sales");
    environment.put("AIRFLOW_CTX_DAG_ID", "another");
    environment.remove("OTEL_SPARK_SERVICE_NAME_TEMPLATE");
    assertThat(resource(config(), recorded)).isEqualTo(live);
  }

  @Test
  void ofALogWithoutTheAgentTheSparkConfAloneTells() {
    environment.put("AIRFLOW_CTX_DAG_ID", "of the replay");
    environment.put("AIRFLOW_CTX_TASK_ID", "of the replay");
    environment.put("OTEL_SPARK_SERVICE_NAME_TEMPLATE", "{airflow.dag_id}");
    Map<String, String> log =
        Map.of(
            "spark.yarn.appMasterEnv.AIRFLOW_CTX_DAG_ID", "sales",
            "spark.otel.attributes.acme.team", "finance");
    assertThat(resource(config(), log))
        .containsEntry("airflow.dag_id", "sales")
        .containsEntry("acme.team", "finance")
        .containsEntry("service.name", "sales")
        .doesNotContainKey("airflow.task_id");
  }

  /** Spark hides a setting whose value holds such a word. */
  @ParameterizedTest
  @ValueSource(strings = {"", "(?i)night|secret"})
  void namesWithAWordThatSparkRedacts(String regex) {
    if (!regex.isEmpty()) {
      conf.put("spark.redaction.regex", regex);
    }
    environment.put("AIRFLOW_CTX_DAG_ID", "token-of-café");
    environment.put("AIRFLOW_CTX_TASK_ID", "rotate-all-Secrets");
    Map<String, String> recorded = recorded();
    assertThat(
            SparkRedaction.hides(conf.get(SparkRedaction.KEY), recorded.get("spark.otel.resource")))
        .isFalse();
    Map<String, String> resource = resource(config(), recorded);
    assertThat(resource).containsEntry("airflow.dag_id", "token-of-café");
    if (regex.isEmpty()) {
      assertThat(resource).containsEntry("airflow.task_id", "rotate-all-Secrets");
    } else {
      assertThat(resource).doesNotContainKey("airflow.task_id");
    }
  }

  @Test
  void secretsAreLeftOut() {
    conf.put("spark.otel.attributes.acme.password", "hunter2");
    conf.put("spark.otel.attributes.acme.note", "password=hunter2");
    conf.put("spark.redaction.regex", "(?i)iban|report");
    conf.put("spark.otel.attributes.acme.iban", "hunter2");
    Map<String, String> resource = resource(config(), recorded());
    assertThat(resource.toString()).doesNotContain("hunter2");
    assertThat(resource).containsEntry("service.name", Redactor.REPLACEMENT);
  }

  @Test
  void aLongAttributeIsCut() {
    conf.put("spark.otel.attributes.acme.long", "é".repeat(200));
    assertThat(
            Identities.of(
                    config(),
                    new ApplicationStart("app-1", null, "report", "ann", 1),
                    new Environment("4.2.0", "2.13", recorded()))
                .resource()
                .getAttribute(AttributeKey.stringKey("acme.long")))
        .isEqualTo("é".repeat(128));
  }
}
