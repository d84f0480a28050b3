package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.PlatformAttribute;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which run of which platform a driver is: what schedulers, clusters and services leave in its
 * environment and its SparkConf. Nothing else is asked.
 */
public final class PlatformIdentity {

  private static final String LABEL = "spark.kubernetes.driver.label.";

  /** Bounds what a search reads. */
  private static final int MAX_VALUE = 1_000;

  private final Map<String, String> conf;
  private final Map<String, String> environment;
  private final Map<String, String> found = new TreeMap<>();

  private PlatformIdentity(Map<String, String> conf, Map<String, String> environment) {
    this.conf = conf;
    this.environment = environment;
  }

  /**
   * By the keys of {@link PlatformAttribute}.
   *
   * @param environment the driver's, empty where it is not known
   */
  public static Map<String, String> of(Map<String, String> conf, Map<String, String> environment) {
    PlatformIdentity identity = new PlatformIdentity(conf, environment);
    identity.airflow();
    identity.kubernetes();
    identity.emr();
    identity.databricks();
    identity.livy();
    identity.yarn();
    return Collections.unmodifiableMap(identity.found);
  }

  private void airflow() {
    String job = conf("spark.openlineage.parentJobName");
    put(PlatformAttribute.OPENLINEAGE_JOB_NAME, job);
    put(PlatformAttribute.OPENLINEAGE_JOB_NAMESPACE, conf("spark.openlineage.parentJobNamespace"));
    put(PlatformAttribute.OPENLINEAGE_RUN_ID, conf("spark.openlineage.parentRunId"));
    int dot = endOfDag(job);
    put(
        PlatformAttribute.AIRFLOW_DAG_ID,
        env("AIRFLOW_CTX_DAG_ID"),
        dot < 0 ? null : job.substring(0, dot),
        label("dag_id"));
    put(
        PlatformAttribute.AIRFLOW_TASK_ID,
        env("AIRFLOW_CTX_TASK_ID"),
        dot < 0 ? null : job.substring(dot + 1),
        label("task_id"));
    put(PlatformAttribute.AIRFLOW_DAG_RUN_ID, env("AIRFLOW_CTX_DAG_RUN_ID"), label("run_id"));
    put(PlatformAttribute.AIRFLOW_TRY_NUMBER, env("AIRFLOW_CTX_TRY_NUMBER"), label("try_number"));
  }

  /**
   * Airflow's name of a parent is {@code dag.task}, and both may hold dots: the root's name, where
   * it is there, is the DAG's; else there must be one dot alone.
   *
   * @return the dot between the two, or -1
   */
  private int endOfDag(String job) {
    if (job == null) {
      return -1;
    }
    String root = conf("spark.openlineage.rootParentJobName");
    if (root != null) {
      return job.startsWith(root + ".") && job.length() > root.length() + 1 ? root.length() : -1;
    }
    int dot = job.indexOf('.');
    return dot > 0 && dot < job.length() - 1 && dot == job.lastIndexOf('.') ? dot : -1;
  }

  private void kubernetes() {
    put(PlatformAttribute.SPARK_OPERATOR_APP_NAME, label("sparkoperator.k8s.io/app-name"));
    boolean inPod = environment.containsKey("KUBERNETES_SERVICE_HOST");
    if (!inPod && !isMaster("k8s://")) {
      return;
    }
    put(
        PlatformAttribute.K8S_NAMESPACE_NAME,
        conf("spark.kubernetes.namespace"),
        env("K8S_NAMESPACE_NAME"),
        env("POD_NAMESPACE"));
    put(
        PlatformAttribute.K8S_POD_NAME,
        conf("spark.kubernetes.driver.pod.name"),
        env("K8S_POD_NAME"),
        env("POD_NAME"),
        inPod ? env("HOSTNAME") : null);
    put(PlatformAttribute.K8S_NODE_NAME, env("K8S_NODE_NAME"), env("NODE_NAME"));
  }

  private void emr() {
    put(
        PlatformAttribute.EMR_CLUSTER_ID,
        env("EMR_CLUSTER_ID"),
        env("SERVERLESS_EMR_VIRTUAL_CLUSTER_ID"),
        label("emr-containers.amazonaws.com/virtual-cluster-id"));
    put(
        PlatformAttribute.EMR_STEP_ID,
        env("EMR_STEP_ID"),
        env("SERVERLESS_EMR_JOB_ID"),
        label("emr-containers.amazonaws.com/job.id"));
  }

  private void databricks() {
    put(
        PlatformAttribute.DATABRICKS_CLUSTER_ID,
        conf("spark.databricks.clusterUsageTags.clusterId"),
        env("DB_CLUSTER_ID"));
    Matcher ofJob =
        matcher("job-(\\d+)-run-(\\d+)", conf("spark.databricks.clusterUsageTags.clusterName"));
    put(
        PlatformAttribute.DATABRICKS_JOB_ID,
        conf("spark.databricks.job.id"),
        ofJob == null ? null : ofJob.group(1));
    put(
        PlatformAttribute.DATABRICKS_RUN_ID,
        conf("spark.databricks.job.runId"),
        ofJob == null ? null : ofJob.group(2));
  }

  private void livy() {
    Matcher tag = matcher("livy-(session|batch)-(\\d+)", conf("spark.yarn.tags"));
    if (tag == null) {
      tag = matcher("livy-(session|batch)-(\\d+)", conf("spark.app.name"));
    }
    if (tag != null) {
      boolean session = tag.group(1).equals("session");
      put(
          session ? PlatformAttribute.LIVY_SESSION_ID : PlatformAttribute.LIVY_BATCH_ID,
          tag.group(2));
    }
  }

  private void yarn() {
    if (isMaster("yarn")) {
      put(PlatformAttribute.YARN_QUEUE, conf("spark.yarn.queue"));
      put(PlatformAttribute.YARN_TAGS, conf("spark.yarn.tags"));
    }
  }

  /** At the start of the text, or of an entry of a list; null where it is not there. */
  private static Matcher matcher(String regex, String text) {
    if (text == null || text.length() > MAX_VALUE) {
      return null;
    }
    Matcher matcher = Pattern.compile("(?:^|,)\\s*" + regex + "(?![^-,])").matcher(text);
    return matcher.find() ? matcher : null;
  }

  private boolean isMaster(String prefix) {
    String master = conf("spark.master");
    return master != null && master.startsWith(prefix);
  }

  private String conf(String key) {
    return text(conf.get(key));
  }

  private String label(String name) {
    return conf(LABEL + name);
  }

  /** What the SparkConf makes the environment of a driver in the cluster counts as well. */
  private String env(String name) {
    String value = text(environment.get(name));
    if (value == null) {
      value = conf("spark.yarn.appMasterEnv." + name);
    }
    return value == null ? conf("spark.kubernetes.driverEnv." + name) : value;
  }

  private static String text(String value) {
    return value == null || value.trim().isEmpty() ? null : value.trim();
  }

  /** The first that is there. */
  private void put(PlatformAttribute attribute, String... candidates) {
    for (String candidate : candidates) {
      if (candidate != null) {
        found.put(attribute.key(), candidate);
        return;
      }
    }
  }
}
