package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.PlatformAttribute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformIdentityTest {

  private final Map<String, String> conf = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();

  private Map<String, String> identity() {
    return PlatformIdentity.of(conf, environment);
  }

  private PlatformIdentityTest conf(String key, String value) {
    conf.put(key, value);
    return this;
  }

  private PlatformIdentityTest env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  private PlatformIdentityTest label(String name, String value) {
    return conf("spark.kubernetes.driver.label." + name, value);
  }

  @Test
  void nothingIsKnownOfALaptop() {
    conf("spark.master", "local[2]").conf("spark.app.name", "report");
    conf("spark.yarn.queue", "root.etl").conf("spark.kubernetes.namespace", "etl");
    env("HOSTNAME", "laptop").env("NODE_NAME", "laptop").env("AIRFLOW_CTX_DAG_ID", " ");
    assertThat(identity()).isEmpty();
  }

  @Test
  void airflowByItsEnvironment() {
    env("AIRFLOW_CTX_DAG_ID", "sales").env("AIRFLOW_CTX_TASK_ID", "load.daily");
    env("AIRFLOW_CTX_DAG_RUN_ID", "scheduled__2026-01-01").env("AIRFLOW_CTX_TRY_NUMBER", "2");
    label("dag_id", "weaker").conf("spark.openlineage.parentJobName", "weaker.too");
    assertThat(identity())
        .containsEntry("airflow.dag_id", "sales")
        .containsEntry("airflow.task_id", "load.daily")
        .containsEntry("airflow.dag_run_id", "scheduled__2026-01-01")
        .containsEntry("airflow.try_number", "2");
  }

  @Test
  void airflowByTheLabelsOfThePod() {
    label("dag_id", "sales")
        .label("task_id", "load")
        .label("run_id", "r1")
        .label("try_number", "1");
    assertThat(identity())
        .containsOnly(
            Map.entry("airflow.dag_id", "sales"),
            Map.entry("airflow.task_id", "load"),
            Map.entry("airflow.dag_run_id", "r1"),
            Map.entry("airflow.try_number", "1"));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "sales.load,       -,         sales,     load",
        "sales.eu.load.it, sales.eu,  sales.eu,  load.it",
        "sales.eu.load,    -,         -,         -",
        "sales.load,       other,     -,         -",
        "sales,            -,         -,         -",
        "sales.,           sales,     -,         -",
        ".load,            -,         -,         -",
      })
  void airflowByOpenLineage(String parent, String root, String dag, String task) {
    conf("spark.openlineage.parentJobName", parent);
    conf("spark.openlineage.parentJobNamespace", "prod");
    conf("spark.openlineage.parentRunId", "01931885-2800-7be7-aa8d-aaa15c337267");
    if (root != null) {
      conf("spark.openlineage.rootParentJobName", root);
    }
    assertThat(identity())
        .containsEntry("openlineage.parent.job_name", parent)
        .containsEntry("openlineage.parent.job_namespace", "prod")
        .containsEntry("openlineage.parent.run_id", "01931885-2800-7be7-aa8d-aaa15c337267");
    assertThat(identity().get("airflow.dag_id")).isEqualTo(dag);
    assertThat(identity().get("airflow.task_id")).isEqualTo(task);
  }

  @Test
  void whatTheSparkConfMakesTheDriversEnvironment() {
    conf("spark.yarn.appMasterEnv.AIRFLOW_CTX_DAG_ID", "sales");
    conf("spark.kubernetes.driverEnv.AIRFLOW_CTX_TASK_ID", "load");
    assertThat(identity())
        .containsOnly(Map.entry("airflow.dag_id", "sales"), Map.entry("airflow.task_id", "load"));
  }

  @Test
  void kubernetesWithTheOperator() {
    conf("spark.master", "k8s://https://10.0.0.1:443").conf("spark.kubernetes.namespace", "etl");
    conf("spark.kubernetes.driver.pod.name", "sales-driver");
    label("sparkoperator.k8s.io/app-name", "sales");
    env("KUBERNETES_SERVICE_HOST", "10.0.0.1").env("HOSTNAME", "cut").env("NODE_NAME", "node-7");
    assertThat(identity())
        .containsOnly(
            Map.entry("k8s.namespace.name", "etl"),
            Map.entry("k8s.pod.name", "sales-driver"),
            Map.entry("k8s.node.name", "node-7"),
            Map.entry("sparkoperator.app_name", "sales"));
  }

  @Test
  void aDriverThatRunsInAnyPod() {
    conf("spark.master", "local[2]");
    env("KUBERNETES_SERVICE_HOST", "10.0.0.1").env("HOSTNAME", "notebook-0");
    env("POD_NAMESPACE", "notebooks").env("K8S_NODE_NAME", "node-1").env("NODE_NAME", "weaker");
    assertThat(identity())
        .containsOnly(
            Map.entry("k8s.namespace.name", "notebooks"),
            Map.entry("k8s.pod.name", "notebook-0"),
            Map.entry("k8s.node.name", "node-1"));
  }

  @Test
  void emr() {
    env("EMR_CLUSTER_ID", "j-1").env("EMR_STEP_ID", "s-1");
    assertThat(identity())
        .containsOnly(Map.entry("aws.emr.cluster_id", "j-1"), Map.entry("aws.emr.step_id", "s-1"));
    environment.clear();
    label("emr-containers.amazonaws.com/virtual-cluster-id", "v1");
    label("emr-containers.amazonaws.com/job.id", "00001");
    assertThat(identity())
        .containsOnly(Map.entry("aws.emr.cluster_id", "v1"), Map.entry("aws.emr.step_id", "00001"));
  }

  @Test
  void databricks() {
    conf("spark.databricks.clusterUsageTags.clusterId", "1009-1");
    conf("spark.databricks.clusterUsageTags.clusterName", "job-12-run-345-main");
    assertThat(identity())
        .containsOnly(
            Map.entry("databricks.cluster_id", "1009-1"),
            Map.entry("databricks.job_id", "12"),
            Map.entry("databricks.run_id", "345"));
    conf("spark.databricks.job.id", "13").conf("spark.databricks.job.runId", "346");
    assertThat(identity())
        .containsEntry("databricks.job_id", "13")
        .containsEntry("databricks.run_id", "346");
    conf.clear();
    conf("spark.databricks.clusterUsageTags.clusterName", "my-job-12-run-345");
    assertThat(identity()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "livy-session-3-AbCdEfGh, livy.session_id, 3",
    "'nightly,livy-batch-17-x', livy.batch_id, 17",
    "livy-session-3, livy.session_id, 3",
  })
  void livy(String tags, String key, String id) {
    assertThat(conf("spark.yarn.tags", tags).identity()).containsOnly(Map.entry(key, id));
    conf.clear();
    conf("spark.app.name", tags.replace("nightly,", ""));
    assertThat(identity()).containsOnly(Map.entry(key, id));
    conf.clear();
    assertThat(conf("spark.app.name", "not-livy-session-3").identity()).isEmpty();
    assertThat(conf("spark.app.name", "livy-session-3x").identity()).isEmpty();
  }

  @Test
  void yarn() {
    conf("spark.master", "yarn")
        .conf("spark.yarn.queue", "root.etl")
        .conf("spark.yarn.tags", "a,b");
    assertThat(identity())
        .containsOnly(Map.entry("yarn.queue", "root.etl"), Map.entry("yarn.tags", "a,b"));
  }

  @Test
  void everyDeclaredAttributeCanBeHad() {
    conf("spark.master", "yarn")
        .conf("spark.yarn.queue", "q")
        .conf("spark.app.name", "livy-batch-1");
    conf("spark.yarn.tags", "livy-session-3-A");
    conf("spark.openlineage.parentJobName", "a.b").conf("spark.openlineage.parentRunId", "r");
    conf("spark.openlineage.parentJobNamespace", "n").label("run_id", "r").label("try_number", "1");
    conf("spark.databricks.clusterUsageTags.clusterId", "c");
    conf("spark.databricks.job.id", "1").conf("spark.databricks.job.runId", "2");
    label("sparkoperator.k8s.io/app-name", "sales");
    env("KUBERNETES_SERVICE_HOST", "h").env("HOSTNAME", "p").env("NODE_NAME", "n");
    env("POD_NAMESPACE", "n").env("EMR_CLUSTER_ID", "c").env("EMR_STEP_ID", "s");
    Set<String> seen = new HashSet<>(identity().keySet());
    conf.remove("spark.yarn.tags");
    seen.addAll(identity().keySet());
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(PlatformAttribute.values()).map(PlatformAttribute::key).toList());
  }

  @Test
  void theServiceIsNamedByATemplate() {
    ConfigFixture fixture =
        ConfigFixture.empty()
            .env("OTEL_SPARK_SERVICE_NAME_TEMPLATE", "etl-{airflow.dag_id}.{airflow.task_id}")
            .env("AIRFLOW_CTX_DAG_ID", "sales");
    AgentConfig half = fixture.load();
    assertThat(half.problems()).isEmpty();
    assertThat(half.serviceNameOf("report 2026-01-01")).isEqualTo("report");
    AgentConfig whole = fixture.env("AIRFLOW_CTX_TASK_ID", "load").load();
    assertThat(whole.serviceNameOf("report")).isEqualTo("etl-sales.load");
    assertThat(whole.serviceNameOf("report", Map.of())).isEqualTo("report");
    assertThat(fixture.env("OTEL_SERVICE_NAME", "ledger").load().serviceNameOf("report"))
        .isEqualTo("ledger");
  }

  @ParameterizedTest
  @CsvSource({
    "'{airflow.dag}', unknown placeholder",
    "'{airflow.dag_id', a placeholder without its }",
    "plain, it has no placeholder",
  })
  void aBrokenTemplateIsAProblem(String template, String complaint) {
    AgentConfig config =
        ConfigFixture.empty().spark("spark.otel.service-name.template", template).load();
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains(template, complaint, "{spark.app.name}, {airflow.dag_id}", "using none");
    assertThat(config.serviceNameOf("report")).isEqualTo("report");
  }

  @Test
  void attributesThatCannotBeAreProblems() {
    ConfigFixture fixture = ConfigFixture.empty().spark("spark.otel.attributes.team", "finance");
    fixture.spark("spark.otel.attributes.spark.user", "x");
    fixture.spark("spark.otel.attributes.a b", "x");
    List<String> expected =
        new ArrayList<>(
            List.of(
                "spark.otel.attributes.a b (SparkConf): a key has letters, digits and . _ - / alone;"
                    + " it is ignored",
                "spark.otel.attributes.spark.user (SparkConf): the agent itself sets this attribute;"
                    + " it is ignored"));
    assertThat(fixture.load().problems()).isEqualTo(expected);
    for (int i = 10; i < 42; i++) {
      fixture.spark("spark.otel.attributes.k" + i, "x");
    }
    expected.add("spark.otel.attributes.team (SparkConf): more than 32 attributes; it is ignored");
    assertThat(fixture.load().problems()).isEqualTo(expected);
    assertThat(fixture.load().sparkKeysToRemove()).isEmpty();
  }
}
