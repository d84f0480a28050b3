package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallSitesTest {

  private static final String PY4J =
      """
      org.apache.spark.sql.DataFrameWriter.parquet(DataFrameWriter.scala:802)
      java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
      java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke(NativeMethodAccessorImpl.java:77)
      java.base/jdk.internal.reflect.DelegatingMethodAccessorImpl.invoke(DelegatingMethodAccessorImpl.java:43)
      java.base/java.lang.reflect.Method.invoke(Method.java:569)
      py4j.reflection.MethodInvoker.invoke(MethodInvoker.java:244)
      py4j.Gateway.invoke(Gateway.java:282)
      py4j.ClientServerConnection.run(ClientServerConnection.java:106)
      java.base/java.lang.Thread.run(Thread.java:829)
      """;

  private static final String CAPTURED =
      """
      org.apache.spark.sql.execution.SQLExecution$.$anonfun$withThreadLocalCaptured$2(SQLExecution.scala:328)
      java.base/java.util.concurrent.CompletableFuture$AsyncSupply.run(CompletableFuture.java:1768)
      java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)
      java.base/java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:642)
      java.base/java.lang.Thread.run(Thread.java:1583)
      """;

  @ParameterizedTest
  @CsvSource({
    "count at <console>:25,                                count at <console>:25",
    "reduce at SparkPi.scala:38,                           reduce at SparkPi.scala:38",
    "rdd at LinearRegression.scala:912,                    rdd at LinearRegression.scala:912",
    "collect at /app/generate_events.py:49,                collect at generate_events.py:49",
    "collect at /tmp/ab/a at b/nds/nds_power.py:191,       collect at nds_power.py:191",
    "collect at C:\\jobs\\report.py:12,                    collect at report.py:12",
    "foreach$mVc$sp at Main.scala:5,                       foreach at Main.scala:5",
    "count at /tmp/ipykernel_4711/3921847563.py:1,         count at <cell>:1",
    "count at <ipython-input-5-8f2c1a3b4d5e>:1,            count at <cell>:1",
    "show at command-4093812:7,                            show at <cell>:7",
  })
  void shortFormsOfTheUsersCode(String shortForm, String label) {
    assertThat(CallSites.label(shortForm, null)).isEqualTo(label);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " at ",
        "parquet at NativeMethodAccessorImpl.java:0",
        "load at <unknown>:0",
        "processLine at CliDriver.java:336",
        "invoke at DelegatingMethodAccessorImpl.java:43",
        "sql at DirectMethodHandleAccessor.java:103",
        "$anonfun$withThreadLocalCaptured$1 at FutureTask.java:266",
        "$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768",
        "run at ThreadPoolExecutor.java:1149",
        "run at SparkExecuteStatementOperation.scala:228",
        "lambda$main$0 at Report.java:7",
        "select a at b:3",
        "Streaming job from [output operation 0, batch time 12:00:00]",
        "broadcast exchange (runId bb0234e5-4157-49a4-b40c-6d538d9f2ec8)",
        "load at 12:30",
        "\nid = 8d268dc2-bc9c-4be8-97a9-b135d2943028\nrunId = e225d92f\nbatch = 0",
      })
  void shortFormsThatSayNothing(String shortForm) {
    assertThat(CallSites.label(shortForm, null)).isNull();
    assertThat(CallSites.label(shortForm, PY4J)).isNull();
    assertThat(CallSites.label(shortForm, CAPTURED)).isNull();
  }

  @Test
  void theFirstUserFrameOfTheLongForm() {
    String stack =
        """
        org.apache.spark.sql.classic.Dataset.collect(Dataset.scala:1500)
        org.apache.spark.sql.Dataset.count(Dataset.scala:3615)
        scala.collection.immutable.Range.foreach$mVc$sp(Range.scala:158)
        com.acme.Report$.$anonfun$main$1(Report.scala:31)
        com.acme.Report.main(Report.scala:12)
        """;
    assertThat(CallSites.label(null, stack)).isEqualTo("count at Report.scala:31");
    assertThat(CallSites.label("count at NativeMethodAccessorImpl.java:0", stack))
        .isEqualTo("count at Report.scala:31");
    assertThat(CallSites.label("show at Other.java:1", stack)).isEqualTo("show at Other.java:1");
  }

  @Test
  void examplesAndTheReplAreTheUsersCode() {
    assertThat(
            CallSites.label(
                null,
                """
                org.apache.spark.sql.streaming.DataStreamWriter.start(DataStreamWriter.scala:366)
                org.apache.spark.examples.sql.streaming.WordCount$.main(WordCount.scala:86)
                """))
        .isEqualTo("start at WordCount.scala:86");
    assertThat(
            CallSites.label(
                null,
                """
                org.apache.spark.sql.Dataset.show(Dataset.scala:793)
                $line14.$read$$iw$$iw$$iw$$iw.$anonfun$res0$1(<console>:33)
                scala.collection.immutable.Range.foreach$mVc$sp(Range.scala:158)
                """))
        .isEqualTo("show at <console>:33");
  }

  @Test
  void constructorsAndLambdasHaveTheNamesOfTheSource() {
    assertThat(
            CallSites.label(
                null,
                "org.apache.spark.rdd.HadoopRDD.<init>(HadoopRDD.scala:1)\ncom.acme.A.b(A.java:2)"))
        .isEqualTo("HadoopRDD at A.java:2");
    assertThat(CallSites.label(null, "com.acme.Job.lambda$load$7(Job.java:2)"))
        .isEqualTo("load at Job.java:2");
    assertThat(CallSites.label(null, "com.acme.Job.org$acme$Job$$load(Job.scala:2)"))
        .isEqualTo("load at Job.scala:2");
    assertThat(CallSites.label(null, CAPTURED + "com.acme.Pool.submit(Pool.java:9)"))
        .isEqualTo("submit at Pool.java:9");
  }

  @Test
  void framesWithoutASourceArePassedOver() {
    assertThat(
            CallSites.label(
                null, "com.acme.Proxy.x(Unknown Source)\napp//com.acme.Main.run(Main.java:4)"))
        .isEqualTo("run at Main.java:4");
  }

  @Test
  void hostileInput() {
    assertThat(CallSites.label(null, null)).isNull();
    assertThat(CallSites.label("count at " + "x".repeat(1_000_000) + ".java:3", null)).hasSize(120);
    assertThat(CallSites.label(null, TextSamples.million("(\n"))).isNull();
    assertThat(CallSites.label(null, TextSamples.million("a.b("))).isNull();
    assertThat(CallSites.label(TextSamples.million(" at "), TextSamples.million("/"))).isNull();
    assertThat(CallSites.label("count at \uD83D.java:3", null)).isEqualTo("count at \uFFFD.java:3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Execute CreateViewCommand|create view",
        "Execute CreateDataSourceTableAsSelectCommand|create table as select",
        "Execute CreateHiveTableAsSelectCommand|create table as select",
        "Execute OptimizedCreateHiveTableAsSelectCommand|create table as select",
        "AtomicCreateTableAsSelect|create table as select",
        "CreateTableAsSelect|create table as select",
        "AtomicReplaceTableAsSelect|replace table as select",
        "Execute CreateDataSourceTableCommand|create table",
        "CreateTable|create table",
        "Execute ShowTablesCommand|show tables",
        "ShowTables|show tables",
        "Execute InsertIntoHiveTable|insert into table",
        "AppendData|insert into table",
        "OverwriteByExpressionExecV1|insert overwrite table",
        "Execute DropTableCommand|drop table",
        "DropTable|drop table",
        "Execute DropTempViewCommand|drop view",
        "CacheTable|cache table",
        "Execute SetCommand|set",
        "Execute SetNamespaceCommand|use",
        "SetCatalogAndNamespace|use",
        "Execute AnalyzeTableCommand|analyze table",
        "Execute AlterTableAddPartitionCommand|alter table add partition",
        "Execute MergeIntoCommand|merge into",
        "WriteToDataSourceV2|write data source",
        "LocalTableScan|LocalTableScan",
        "CollectLimit|CollectLimit",
        "DeserializeToObject|DeserializeToObject",
        "Scan parquet |Scan parquet",
        "Scan parquet default.sales|Scan parquet",
        "BatchScan file:/tmp/x|BatchScan",
        "Scan JDBCRelation((select 'x' from t) q) [numPartitions=1]|Scan JDBCRelation",
        "WholeStageCodegen (3)|WholeStageCodegen",
        "Subquery subquery#12, [id=#5]|Subquery subquery",
        "CommandResult|CommandResult",
      })
  void planRoots(String name, String label) {
    assertThat(CallSites.planLabel(node(name, name))).isEqualTo(label);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "file:/tmp/e2e/job1, false, Parquet, [path=/tmp/e2e/job1], Overwrite, [id, doubled]|write parquet",
        "file:/home/user/nestedType.parquet, false, Parquet, Map(path -> x), Append|write parquet",
        "file:/tmp/spark-4a9e661e, false, JSON, Map(path -> /t), Overwrite|write json",
        "hdfs://nn/t, [p=1], false, [p#1, q#2], ORC, [path=x], Append|write orc",
        "file:/t, false, org.apache.spark.sql.avro.AvroFileFormat@1f2e, [a=b], Append|write avro",
        "file:/t, false, [a b], Overwrite, [id]|write files",
        "file:/t|write files",
      })
  void fileWritesNameTheirFormat(String arguments, String label) {
    String name = "Execute InsertIntoHadoopFsRelationCommand";
    assertThat(CallSites.planLabel(node(name, name + " " + arguments))).isEqualTo(label);
  }

  @Test
  void dataSourceWritesNameTheirProvider() {
    String name = "Execute SaveIntoDataSourceCommand";
    assertThat(
            CallSites.planLabel(
                node(
                    name,
                    name
                        + " org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider@5f,"
                        + " Map(url -> x)")))
        .isEqualTo("write jdbc");
    assertThat(CallSites.planLabel(node(name, name))).isEqualTo("write data source");
  }

  @Test
  void wrappersArePassedThrough() {
    PlanNode insert =
        node(
            "Execute InsertIntoHadoopFsRelationCommand",
            "Execute InsertIntoHadoopFsRelationCommand file:/t, false, CSV, [path=x], Append");
    PlanNode plan =
        node(
            "AdaptiveSparkPlan",
            "AdaptiveSparkPlan isFinalPlan=true",
            node(
                "ResultQueryStage",
                "ResultQueryStage 0",
                node("WholeStageCodegen (2)", "", node("InputAdapter", "", insert))));
    assertThat(CallSites.planLabel(plan)).isEqualTo("write csv");
    assertThat(
            CallSites.planLabel(node("CommandResult", "", node("Execute ShowTablesCommand", ""))))
        .isEqualTo("show tables");
  }

  @Test
  void hostilePlans() {
    assertThat(CallSites.planLabel(null)).isNull();
    assertThat(CallSites.planLabel(node("", ""))).isNull();
    assertThat(CallSites.planLabel(node("#12 ?", ""))).isNull();
    assertThat(CallSites.planLabel(node("x".repeat(1_000_000), ""))).hasSize(120);
    PlanNode deep = node("InputAdapter", "");
    for (int i = 0; i < 10_000; i++) {
      deep = node("InputAdapter", "", deep);
    }
    assertThat(CallSites.planLabel(deep)).isNull();
  }

  private static PlanNode node(String name, String simpleString, PlanNode... children) {
    return new PlanNode(name, simpleString, List.of(children), List.of(), null);
  }
}
