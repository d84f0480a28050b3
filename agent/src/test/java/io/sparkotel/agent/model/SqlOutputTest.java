package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What an execution read and wrote; the texts are those that Spark logs. */
class SqlOutputTest {

  private static final String INSERT = "Execute InsertIntoHadoopFsRelationCommand";

  private static Map<String, Object> output(PlanNode plan, String arguments, String... settings) {
    ModelFixture app = ModelFixture.app(settings);
    app.sql(0)
        .planned(plan)
        .calledWith(arguments)
        .start()
        .driverMetrics(1, 100, 2, 2_048, 3, 4, 4, 2)
        .succeed();
    return output(app.finish());
  }

  /** Of the first execution, without what all their names begin with. */
  private static Map<String, Object> output(SpanTree tree) {
    Map<String, Object> output = new TreeMap<>();
    tree.get("sql 0")
        .getAttributes()
        .forEach(
            (key, value) -> {
              if (key.getKey().startsWith("spark.sql.output.")) {
                output.put(key.getKey().substring("spark.sql.output.".length()), value);
              }
            });
    return output;
  }

  private static Map<String, Object> output(String name, String arguments) {
    return output(ModelFixture.node(name, name + " " + arguments), null);
  }

  private static PlanNode insert(String arguments) {
    return ModelFixture.measured(
        INSERT,
        INSERT + " " + arguments,
        new Object[][] {
          {"number of output rows", 1, "sum"},
          {"written output", 2, "size"},
          {"number of written files", 3, "sum"},
          {"number of dynamic part", 4, "sum"}
        },
        ModelFixture.node("WriteFiles", "WriteFiles"));
  }

  @Test
  void filesWithTheirNumbers() {
    assertThat(
            output(
                insert(
                    "file:/data/parts, false, [day#13], Parquet, [__partition_columns=[\"day\"],"
                        + " path=/data/parts], ErrorIfExists, [id, amount, day]"),
                null))
        .isEqualTo(
            Map.of(
                "path",
                "file:/data/parts",
                "format",
                "parquet",
                "mode",
                "errorifexists",
                "partition_columns",
                List.of("day"),
                "rows",
                100L,
                "bytes",
                2_048L,
                "files",
                4L,
                "partitions",
                2L));
  }

  @Test
  void aTableAndPartitionsThatTheStatementNames() {
    assertThat(
            output(
                insert(
                    "file:/w/days, [day=2026-02-01], false, [day#3, hour#4], ORC, [a=b, c],"
                        + " Overwrite, `spark_catalog`.`default`.`days`,"
                        + " org.apache.spark.sql.execution.datasources.CatalogFileIndex(file:/w),"
                        + " [id, day]"),
                null))
        .containsEntry("table", "spark_catalog.default.days")
        .containsEntry("path", "file:/w/days")
        .containsEntry("format", "orc")
        .containsEntry("mode", "overwrite")
        .containsEntry("partition_columns", List.of("day", "hour"));
  }

  /** As Spark 3.1 writes options. */
  @Test
  void optionsAsAMapAndAFormatOfSomebodyElse() {
    assertThat(
            output(
                insert(
                    "file:/tmp/x, false, com.acme.AvroFileFormat@1a2b3c, Map(path -> /tmp/x, a ->"
                        + " b), Append, [_1, _2]"),
                null))
        .containsEntry("format", "avro")
        .containsEntry("mode", "append")
        .doesNotContainKeys("partition_columns", "partitions", "table");
  }

  @Test
  void textThatEndsEarlyTellsWhatItTells() {
    String whole = "file:/w/days, [day=1], false, [day#3], ORC, [a=b], Overwrite, `t`, [id]";
    for (int length = 0; length < whole.length(); length++) {
      assertThat(output(insert(whole.substring(0, length)), null)).containsEntry("rows", 100L);
    }
    assertThat(output(insert(""), null)).doesNotContainKeys("path", "mode", "format", "table");
  }

  @Test
  void commandsThatCreateOrSave() {
    assertThat(
            output(
                "Execute CreateDataSourceTableAsSelectCommand",
                "`spark_catalog`.`default`.`copy`, ErrorIfExists, [id, amount]"))
        .isEqualTo(Map.of("table", "spark_catalog.default.copy", "mode", "create"));
    assertThat(
            output(
                "Execute OptimizedCreateHiveTableAsSelectCommand",
                "[Database: default, TableName: t, InsertIntoHadoopFsRelationCommand]"))
        .isEqualTo(Map.of("table", "default.t", "format", "hive", "mode", "create"));
    assertThat(
            output(
                "Execute InsertIntoHiveTable",
                "`default`.`t`, org.apache.hadoop.hive.ql.io.orc.OrcSerde, [day=None], true,"
                    + " false, [id, day]"))
        .isEqualTo(
            Map.of(
                "table",
                "default.t",
                "format",
                "hive",
                "mode",
                "overwrite",
                "partition_columns",
                List.of("day")));
  }

  @Test
  void commandsThatTheDescriptionAloneTellsOf() {
    PlanNode save =
        ModelFixture.node("Execute SaveIntoDataSourceCommand", "Execute SaveIntoDataSourceCommand");
    assertThat(
            output(
                save,
                "org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider@5b1f29fa,"
                    + " [password=*********(redacted), dbtable=orders, url=*********(redacted)],"
                    + " Append"))
        .isEqualTo(Map.of("table", "orders", "format", "jdbc", "mode", "append"));
    assertThat(
            output(
                save,
                "org.apache.spark.sql.delta.sources.DeltaDataSource@5b1f29fa, Map(path -> /d/t),"
                    + " Overwrite"))
        .isEqualTo(Map.of("path", "/d/t", "format", "delta", "mode", "overwrite"));
    PlanNode directory =
        ModelFixture.node(
            "Execute InsertIntoDataSourceDirCommand", "Execute InsertIntoDataSourceDirCommand");
    assertThat(output(directory, "Storage(Location: /data/directory), csv, true"))
        .isEqualTo(Map.of("path", "/data/directory", "format", "csv", "mode", "overwrite"));
  }

  @Test
  void tablesOfCatalogs() {
    String strategy =
        "org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy$$Lambda@1a2b";
    assertThat(output("AppendData", strategy + ", IcebergWrite(table=ice.db.t, format=PARQUET)"))
        .isEqualTo(Map.of("table", "ice.db.t", "format", "iceberg", "mode", "append"));
    assertThat(
            output(
                "OverwriteByExpression",
                strategy + ", org.apache.spark.sql.execution.datasources.noop.NoopWrite$@452d6fd"))
        .isEqualTo(Map.of("format", "noop", "mode", "overwrite"));
    assertThat(output("ReplaceData", "IcebergWrite(table=ice.db.t, format=PARQUET)"))
        .containsEntry("mode", "rewrite");
  }

  /** Since Spark 4.2 the node has the name of the table. */
  @Test
  void tablesThatTheNodeIsNamedAfter() {
    assertThat(output("OverwriteByExpression noop-table", "NoopWrite"))
        .isEqualTo(Map.of("format", "noop", "mode", "overwrite"));
    assertThat(output("AppendData lake.db.t", "SomeWrite"))
        .isEqualTo(Map.of("table", "lake.db.t", "mode", "append"));
  }

  @Test
  void tablesThatAreCreated() {
    assertThat(
            output(
                "AtomicCreateTableAsSelect",
                "org.apache.spark.sql.delta.catalog.DeltaCatalog@641ab175, default.copy, Project"
                    + " [id#0L], TableSpec(Map(),Some(delta),Map(),None,None,None,false), false"))
        .isEqualTo(Map.of("table", "default.copy", "format", "delta", "mode", "create"));
    assertThat(
            output(
                "ReplaceTableAsSelect",
                "org.apache.iceberg.spark.SparkCatalog@49ea4b65, db.copy, [], Project [id#0L],"
                    + " [provider=iceberg], [], true"))
        .isEqualTo(Map.of("table", "db.copy", "format", "iceberg", "mode", "replace"));
    assertThat(output("CreateTableAsSelect", "Catalog@1")).isEqualTo(Map.of("mode", "create"));
  }

  /** A catalog, a database or a table may have any name. */
  @Test
  void namesWithBlanks() {
    assertThat(
            output(
                insert(
                    "file:/w/t, false, [day#3], ORC, [a=b], Overwrite,"
                        + " `my cat`.`my db`.`a table`, [id, day]"),
                null))
        .containsEntry("table", "my cat.my db.a table");
    assertThat(
            output(
                "CreateTableAsSelect",
                "Catalog@1, `my db`.`a table`, [], Project [id#0L], [provider=orc], [], true"))
        .containsEntry("table", "my db.a table");
    assertThat(output("AppendData my cat.my db.t", "SomeWrite"))
        .containsEntry("table", "my cat.my db.t");
    assertThat(
            output(
                "AppendDataExecV1",
                "DeltaTableV2(S@e4bb03,file:/w/t,Some(CatalogTable(\nCatalog: my cat\nDatabase: my"
                    + " db\nTable: a table\nType: MANAGED)),None,Map())"))
        .containsEntry("table", "my cat.my db.a table");
  }

  /** Of a table that is created, another execution writes the rows. */
  @Test
  void theNumbersOfANestedExecutionAreThoseOfTheCommand() {
    ModelFixture app = ModelFixture.app();
    String create = "Execute CreateDataSourceTableAsSelectCommand";
    ModelFixture.Sql sql =
        app.sql(0)
            .planned(ModelFixture.node(create, create + " `default`.`copy`, ErrorIfExists, [id]"))
            .start();
    app.sql(1)
        .under(0)
        .planned(insert("file:/w/copy, false, [day#1], Parquet, [a=b], Overwrite, [id, day]"))
        .start()
        .driverMetrics(1, 100, 2, 2_048, 3, 4, 4, 2)
        .succeed();
    sql.succeed();
    assertThat(output(app.finish()))
        .isEqualTo(
            Map.of(
                "table",
                "default.copy",
                "path",
                "file:/w/copy",
                "format",
                "parquet",
                "mode",
                "create",
                "partition_columns",
                List.of("day"),
                "rows",
                100L,
                "bytes",
                2_048L,
                "files",
                4L,
                "partitions",
                2L));
  }

  /** As saveAsTable does: one that only starts others, one that creates, one that writes. */
  @Test
  void whatNestedExecutionsDoIsWhatTheQueryDid() {
    ModelFixture app = ModelFixture.app();
    String create = "Execute CreateDataSourceTableAsSelectCommand";
    ModelFixture.Sql save = app.sql(0).start();
    ModelFixture.Sql table =
        app.sql(1)
            .under(0)
            .planned(ModelFixture.node(create, create + " `default`.`tt`, Overwrite, [id]"))
            .start();
    app.sql(2)
        .under(0)
        .planned(insert("file:/w/tt, false, Parquet, [a=b], Overwrite, [id]"))
        .start()
        .driverMetrics(1, 7, 2, 64, 3, 1)
        .succeed();
    table.succeed();
    save.succeed();
    assertThat(output(app.finish()))
        .containsEntry("table", "default.tt")
        .containsEntry("path", "file:/w/tt")
        .containsEntry("mode", "create")
        .containsEntry("rows", 7L);
  }

  private static final String DELTA_TABLE =
      """
      DeltaTableV2(org.apache.spark.sql.SparkSession@e4bb03,file:/w/days,Some(CatalogTable(
      Catalog: spark_catalog
      Database: default
      Table: days
      Type: MANAGED)),None,Map())\
      """;

  @Test
  void tablesOfDelta() {
    Map<String, Object> days =
        Map.of("table", "spark_catalog.default.days", "path", "file:/w/days", "format", "delta");
    assertThat(output("AppendDataExecV1", DELTA_TABLE + ", Project [id#0L]"))
        .containsAllEntriesOf(days)
        .containsEntry("mode", "append");
    assertThat(
            output(
                "Execute DeltaDynamicPartitionOverwriteCommand",
                "RelationV2[id#333L] spark_catalog.default.days, " + DELTA_TABLE))
        .containsAllEntriesOf(days)
        .containsEntry("mode", "overwrite");
    assertThat(
            output(
                "OverwriteByExpressionExecV1", DELTA_TABLE.replace("Catalog: spark_catalog\n", "")))
        .containsEntry("table", "default.days");
  }

  @Test
  void rowsThatChangeInDelta() {
    String delta = "Delta[version=1, file:/w/copy]";
    Map<String, Object> copy =
        Map.of("table", "spark_catalog.default.copy", "path", "file:/w/copy", "format", "delta");
    assertThat(
            output(
                "Execute MergeIntoCommand",
                "SubqueryAlias s, SubqueryAlias t, `spark_catalog`.`default`.`copy`, "
                    + delta
                    + ", (id#1L = id#2L)"))
        .containsAllEntriesOf(copy)
        .containsEntry("mode", "merge");
    assertThat(
            output(
                "Execute UpdateCommand",
                delta + ", `spark_catalog`.`default`.`copy`, [id#2894L, 0], (id#2894L < 5)"))
        .containsAllEntriesOf(copy)
        .containsEntry("mode", "update");
    assertThat(
            output(
                "Execute DeleteCommand",
                "org.apache.spark.sql.delta.DeltaLog@52483ae4, `spark_catalog`.`default`.`copy`,"
                    + " (id#4000L = 50)"))
        .isEqualTo(
            Map.of("table", "spark_catalog.default.copy", "format", "delta", "mode", "delete"));
    assertThat(output("Execute UpdateCommand", delta + ", [id#2894L, 0], (id#2894L < 5)"))
        .isEqualTo(Map.of("path", "file:/w/copy", "format", "delta", "mode", "update"));
  }

  @Test
  void aQueryWritesNothing() {
    assertThat(output("Execute CreateViewCommand", "`v`, false")).isEmpty();
    assertThat(output("Project", "[InsertIntoHadoopFsRelationCommand]")).isEmpty();
  }

  @Test
  void shapeShowsNoPathAndNoneShowsNothing() {
    PlanNode plan = insert("file:/data/name=Ann, false, Parquet, [a=b], Append, `t`, [id]");
    assertThat(output(plan, null, "otel.spark.sql.plan=shape"))
        .containsEntry("table", "t")
        .doesNotContainKey("path");
    assertThat(output(plan, null, "otel.spark.sql.plan=none")).isEmpty();
  }

  @Test
  void secretsGo() {
    assertThat(output(insert("s3a://key:s3cr3ts3cr3t@bucket/x, false, CSV, [a=b], Append"), null))
        .extractingByKey("path")
        .asString()
        .doesNotContain("s3cr3t")
        .endsWith("@bucket/x");
  }

  private static Object inputs(String mode, PlanNode... scans) {
    ModelFixture app = ModelFixture.app("otel.spark.sql.plan=" + mode);
    app.sql(0).planned(ModelFixture.node("Union", "Union", scans)).start().succeed();
    return app.finish().value("sql 0", Names.SQL_INPUTS);
  }

  @Test
  void whatAPlanReads() {
    PlanNode[] scans = {
      scan("Scan parquet spark_catalog.default.sales", "InMemoryFileIndex(1 paths)[file:/w/sales]"),
      scan("Scan json ", "InMemoryFileIndex(1 paths)[file:/data/json]"),
      scan("Scan json ", "InMemoryFileIndex(1 paths)[file:/data/json]"),
      scan("Scan csv ", "InMemoryFileIndex(3 paths)[s3://b/1, s3://b/2, ...]"),
      scan("Scan parquet ", "PreparedDeltaFileIndex(1 paths)[file:/data/delta]"),
      scan("Scan hive default.old", null),
      scan("Scan parquet spark_catalog.my db.t", "InMemoryFileIndex(1 paths)[file:/w/t]"),
      scan("Scan JDBCRelation(\"my db\".\"t\") [numPartitions=1]", null),
      scan("Scan JDBCRelation(orders) [numPartitions=1]", null),
      scan("Scan JDBCRelation((SELECT 1) q) [numPartitions=1]", null),
      scan("Scan ExistingRDD", null),
      scan("Scan OneRowRelation", null),
      ModelFixture.node(
          "BatchScan json file:/data/v2",
          "BatchScan json file:/data/v2[id#1] JsonScan DataFilters: [], Format: json, Location:"
              + " InMemoryFileIndex(1 paths)[file:/da..., PartitionFilters: []"),
      ModelFixture.node(
          "BatchScan ice.db.days[]",
          "BatchScan ice.db.days[id#1L] ice.db.days (branch=null) [filters=, groupedBy=]"),
      ModelFixture.node(
          "BatchScan ice.db.days",
          "BatchScan ice.db.days[id#1L] IcebergCopyOnWriteScan(table=ice.db.days, branch=null)"),
      ModelFixture.node(
          "BatchScan my cat.my db.t",
          "BatchScan my cat.my db.t[id#1L] my cat.my db.t (branch=null) [filters=, groupedBy=]"),
      ModelFixture.node(
          "InMemoryTableScan", "InMemoryTableScan", scan("Scan orc default.cached", null))
    };
    assertThat(inputs("full", scans))
        .isEqualTo(
            List.of(
                "parquet spark_catalog.default.sales",
                "json file:/data/json",
                "csv s3://b/1 (3 paths)",
                "delta file:/data/delta",
                "hive default.old",
                "parquet spark_catalog.my db.t",
                "jdbc \"my db\".\"t\"",
                "jdbc orders",
                "jdbc (query)",
                "json file:/data/v2",
                "iceberg ice.db.days",
                "iceberg my cat.my db.t",
                "orc default.cached"));
    assertThat(inputs("shape", scans))
        .isEqualTo(
            List.of(
                "parquet spark_catalog.default.sales",
                "json",
                "csv",
                "delta",
                "hive default.old",
                "parquet spark_catalog.my db.t",
                "jdbc \"my db\".\"t\"",
                "jdbc orders",
                "jdbc (query)",
                "iceberg ice.db.days",
                "iceberg my cat.my db.t",
                "orc default.cached"));
    assertThat(inputs("none", scans)).isNull();
    assertThat(inputs("full")).isNull();
  }

  /** The node's text has no more than its beginning of a long one. */
  @Test
  void aLongPathIsWhole() {
    String path = "s3://bucket/" + "folder/".repeat(20);
    assertThat(inputs("full", scan("Scan csv ", "InMemoryFileIndex(1 paths)[" + path + "]")))
        .isEqualTo(List.of("csv " + path));
  }

  /** Spark records 20 frames, which may end before the user's call. */
  @Test
  void anRddsOutputIsOnItsJob() {
    ModelFixture app = ModelFixture.app();
    String[] frames = {
      "",
      """
      org.apache.spark.SparkContext.runJob(SparkContext.scala:2446)
      org.apache.spark.rdd.PairRDDFunctions.$anonfun$saveAsHadoopDataset$1(P.scala:1091)
      org.apache.spark.rdd.PairRDDFunctions.saveAsHadoopDataset(P.scala:1089)
      org.apache.spark.rdd.PairRDDFunctions.saveAsHadoopFile(P.scala:1008)""",
      """
      org.apache.spark.rdd.RDD.saveAsTextFile(RDD.scala:1)
      com.acme.App.saveAsBackup(A.java:2)"""
    };
    for (int i = 0; i < frames.length; i++) {
      ModelFixture.Stage stage = app.stage(i, 1).named("runJob at W.scala:83", frames[i]);
      ModelFixture.Job job = app.job(i, stage).start();
      stage.submit().run(10).complete();
      job.succeed();
    }
    SpanTree tree = app.finish();
    assertThat(tree.value("job 0", Names.JOB_OUTPUT_OPERATION)).isNull();
    assertThat(tree.value("job 1", Names.JOB_OUTPUT_OPERATION)).isEqualTo("saveAsHadoopFile");
    assertThat(tree.value("job 2", Names.JOB_OUTPUT_OPERATION)).isEqualTo("saveAsTextFile");
  }

  private static PlanNode scan(String name, String location) {
    return new PlanNode(name, "File" + name, List.of(), List.of(), location);
  }
}
