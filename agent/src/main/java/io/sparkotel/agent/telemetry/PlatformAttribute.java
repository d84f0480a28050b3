package io.sparkotel.agent.telemetry;

import io.sparkotel.agent.telemetry.Attribute.Cardinality;

/**
 * What names a run on its platform: resource attributes, each absent where nothing tells it. The
 * names are OpenTelemetry's where it has one.
 */
public enum PlatformAttribute {
  AIRFLOW_DAG_ID(
      "airflow.dag_id",
      Cardinality.LOW,
      "Airflow's DAG",
      "`AIRFLOW_CTX_DAG_ID`, `spark.openlineage.parentJobName`, driver label `dag_id`"),
  AIRFLOW_TASK_ID(
      "airflow.task_id",
      Cardinality.LOW,
      "Airflow's task",
      "`AIRFLOW_CTX_TASK_ID`, `spark.openlineage.parentJobName`, driver label `task_id`"),
  AIRFLOW_DAG_RUN_ID(
      "airflow.dag_run_id",
      Cardinality.HIGH,
      "Airflow's run of the DAG",
      "`AIRFLOW_CTX_DAG_RUN_ID`, driver label `run_id`"),
  AIRFLOW_TRY_NUMBER(
      "airflow.try_number",
      Cardinality.LOW,
      "Airflow's attempt at the task",
      "`AIRFLOW_CTX_TRY_NUMBER`, driver label `try_number`"),
  OPENLINEAGE_JOB_NAMESPACE(
      "openlineage.parent.job_namespace",
      Cardinality.LOW,
      "OpenLineage's parent: namespace of its job",
      "`spark.openlineage.parentJobNamespace`"),
  OPENLINEAGE_JOB_NAME(
      "openlineage.parent.job_name",
      Cardinality.LOW,
      "OpenLineage's parent: its job",
      "`spark.openlineage.parentJobName`"),
  OPENLINEAGE_RUN_ID(
      "openlineage.parent.run_id",
      Cardinality.HIGH,
      "OpenLineage's parent: its run",
      "`spark.openlineage.parentRunId`"),
  SPARK_OPERATOR_APP_NAME(
      "sparkoperator.app_name",
      Cardinality.LOW,
      "Name of the SparkApplication of the spark-operator",
      "driver label `sparkoperator.k8s.io/app-name`"),
  K8S_NAMESPACE_NAME(
      "k8s.namespace.name",
      Cardinality.LOW,
      "Kubernetes namespace of the driver",
      "on Kubernetes: `spark.kubernetes.namespace`, `K8S_NAMESPACE_NAME`, `POD_NAMESPACE`"),
  K8S_POD_NAME(
      "k8s.pod.name",
      Cardinality.HIGH,
      "Pod of the driver",
      "on Kubernetes: `spark.kubernetes.driver.pod.name`, `K8S_POD_NAME`, `POD_NAME`, `HOSTNAME`"),
  K8S_NODE_NAME(
      "k8s.node.name",
      Cardinality.HIGH,
      "Node of the driver's pod",
      "on Kubernetes: `K8S_NODE_NAME`, `NODE_NAME`"),
  EMR_CLUSTER_ID(
      "aws.emr.cluster_id",
      Cardinality.HIGH,
      "EMR cluster; on EKS and serverless the virtual one",
      "`EMR_CLUSTER_ID`, `SERVERLESS_EMR_VIRTUAL_CLUSTER_ID`, driver label"
          + " `emr-containers.amazonaws.com/virtual-cluster-id`"),
  EMR_STEP_ID(
      "aws.emr.step_id",
      Cardinality.HIGH,
      "EMR step; on EKS and serverless the job run",
      "`EMR_STEP_ID`, `SERVERLESS_EMR_JOB_ID`, driver label `emr-containers.amazonaws.com/job.id`"),
  DATABRICKS_CLUSTER_ID(
      "databricks.cluster_id",
      Cardinality.HIGH,
      "Databricks cluster",
      "`spark.databricks.clusterUsageTags.clusterId`, `DB_CLUSTER_ID`"),
  DATABRICKS_JOB_ID(
      "databricks.job_id",
      Cardinality.LOW,
      "Databricks job",
      "`spark.databricks.job.id`, a job cluster's name"),
  DATABRICKS_RUN_ID(
      "databricks.run_id",
      Cardinality.HIGH,
      "Run of the Databricks job",
      "`spark.databricks.job.runId`, a job cluster's name"),
  LIVY_SESSION_ID(
      "livy.session_id",
      Cardinality.HIGH,
      "Livy's interactive session",
      "Livy's tag in `spark.yarn.tags`, its name in `spark.app.name`"),
  LIVY_BATCH_ID(
      "livy.batch_id",
      Cardinality.HIGH,
      "Livy's batch",
      "Livy's tag in `spark.yarn.tags`, its name in `spark.app.name`"),
  YARN_QUEUE("yarn.queue", Cardinality.LOW, "YARN queue", "on YARN: `spark.yarn.queue`"),
  YARN_TAGS("yarn.tags", Cardinality.HIGH, "YARN tags, with commas", "on YARN: `spark.yarn.tags`");

  private final String key;
  private final Cardinality cardinality;
  private final String doc;
  private final String sources;

  PlatformAttribute(String key, Cardinality cardinality, String doc, String sources) {
    this.key = key;
    this.cardinality = cardinality;
    this.doc = doc;
    this.sources = sources;
  }

  public String key() {
    return key;
  }

  Cardinality cardinality() {
    return cardinality;
  }

  String doc() {
    return doc;
  }

  /** Where the value is looked for, first to last, in Markdown. */
  String sources() {
    return sources;
  }
}
