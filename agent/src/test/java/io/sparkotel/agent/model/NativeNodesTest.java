package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static io.sparkotel.agent.model.ModelFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans of Gluten, RAPIDS, Comet and Photon, in the form that these engines give them. */
class NativeNodesTest {

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private static final String FILES =
      " Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1"
          + " paths)[file:/w/t], PartitionFilters: [], PushedFilters: []";

  @ParameterizedTest
  @CsvSource({
    "FileSourceScanExecTransformer parquet default.t, Scan parquet default.t",
    "NativeScan hive default.t, Scan hive default.t",
    "IcebergScanTransformer ice.db.t, BatchScan ice.db.t",
    "BatchScanExecTransformer ice.db.t, BatchScan ice.db.t",
    "ShuffledHashJoinExecTransformer, ShuffledHashJoin",
    "CudfShuffledHashJoinExecTransformer, ShuffledHashJoin",
    "SortMergeJoinExecTransformer(skew=true), SortMergeJoin(skew=true)",
    "VeloxBroadcastNestedLoopJoinExecTransformer, BroadcastNestedLoopJoin",
    "CHBroadcastNestedLoopJoinExecTransformer, BroadcastNestedLoopJoin",
    "CartesianProductExecTransformer, CartesianProduct",
    "ColumnarExchange, Exchange",
    "ColumnarBroadcastExchange, BroadcastExchange",
    "FilterExecTransformer, Filter",
    "WholeStageCodegenTransformer (3), WholeStageCodegen (3)",
    "VeloxColumnarToRow, ColumnarToRow",
    "GpuScan parquet default.t, Scan parquet default.t",
    "GpuBatchScan ice.db.t, BatchScan ice.db.t",
    "GpuShuffledSymmetricHashJoin, ShuffledHashJoin",
    "GpuBroadcastHashJoin, BroadcastHashJoin",
    "GpuColumnarExchange, Exchange",
    "GpuBroadcastExchange, BroadcastExchange",
    "GpuCustomShuffleReader, AQEShuffleRead",
    "Execute GpuInsertIntoHadoopFsRelationCommand, Execute InsertIntoHadoopFsRelationCommand",
    "GpuExecute GpuInsertIntoHiveTable, Execute InsertIntoHiveTable",
    "CometNativeScan parquet default.t, Scan parquet default.t",
    "CometScan parquet default.t, Scan parquet default.t",
    "CometScan [native_iceberg_compat] parquet default.t, Scan parquet default.t",
    "CometIcebergNativeScan, BatchScan",
    "CometHashJoin, ShuffledHashJoin",
    "CometSortMergeJoin, SortMergeJoin",
    "CometExchange, Exchange",
    "CometColumnarExchange, Exchange",
    "PhotonScan parquet main.db.t, Scan parquet main.db.t",
    "PhotonShuffledHashJoin, ShuffledHashJoin",
    "PhotonShuffleExchangeSink, Exchange",
    "PhotonShuffleMapStage, ShuffleMapStage",
    // Spark's own.
    "Scan parquet default.t, Scan parquet default.t",
    "Execute InsertIntoHadoopFsRelationCommand, Execute InsertIntoHadoopFsRelationCommand",
    "ColumnarToRow, ColumnarToRow",
    "HashAggregate, HashAggregate",
    "Gpu, Gpu",
    "Transformer, Transformer"
  })
  void namesAreSparks(String name, String sparks) {
    assertThat(NativeNodes.sparks(name)).isEqualTo(sparks);
  }

  private static SpanTree tree(PlanNode plan, long... values) {
    ModelFixture app = ModelFixture.app();
    app.sql(0).planned(plan).start().driverMetrics(values).succeed();
    return app.finish();
  }

  private static List<Object> found(PlanNode plan, long... values) {
    Object value = tree(plan, values).value("sql 0", Names.FINDINGS);
    return value == null ? List.of() : List.copyOf((List<?>) value);
  }

  private static PlanNode exchange(String name, String partitioning, long size, long rows) {
    return measured(
        name,
        name + " " + partitioning + "(k#1L, 200), ENSURE_REQUIREMENTS, [plan_id=7]",
        new Object[][] {{"data size", size, "size"}, {"shuffle records written", rows, "sum"}});
  }

  private static PlanNode gluten(long size) {
    PlanNode shuffled =
        node(
            "AQEShuffleRead",
            "AQEShuffleRead",
            node(
                "ShuffleQueryStage",
                "ShuffleQueryStage 0",
                exchange("ColumnarExchange", "hashpartitioning", size, 9)));
    return node(
        "InputIteratorTransformer",
        "InputIteratorTransformer[k#1L]",
        node("InputAdapter", "InputAdapter", shuffled));
  }

  @Test
  void missedBroadcastsOfEachEngine() {
    String gluten = "ShuffledHashJoinExecTransformer";
    assertThat(
            found(
                node(gluten, gluten + " [k#1L], [k#2L], Inner, BuildRight", gluten(1), gluten(2)),
                1,
                GIB,
                2,
                MIB))
        .containsExactly(
            gluten + " shuffled 1024.0 MiB to join them with the 1024.0 KiB of its right side");

    PlanNode[] rapids = new PlanNode[2];
    for (int i = 0; i < 2; i++) {
      PlanNode exchange = exchange("GpuColumnarExchange", "gpuhashpartitioning", i + 1, 9);
      PlanNode read = node("GpuCustomShuffleReader", "GpuCustomShuffleReader coalesced", exchange);
      rapids[i] = node("GpuShuffleCoalesce", "GpuShuffleCoalesce 1073741824", read);
    }
    String gpu = "GpuShuffledHashJoin";
    assertThat(found(node(gpu, gpu + " [k], [k], Inner, GpuBuildLeft", rapids), 1, MIB, 2, GIB))
        .containsExactly(
            gpu + " shuffled 1024.0 MiB to join them with the 1024.0 KiB of its left side");

    PlanNode[] comet = new PlanNode[2];
    for (int i = 0; i < 2; i++) {
      PlanNode exchange = exchange("CometExchange", "hashpartitioning", i + 1, 9);
      comet[i] = node("CometSort", "CometSort [k#1L], [k#1L ASC NULLS FIRST]", exchange);
    }
    String sorted = "CometSortMergeJoin";
    assertThat(found(node(sorted, sorted + " [k], [k], LeftOuter", comet), 1, GIB, 2, MIB))
        .containsExactly(
            sorted + " shuffled 1024.0 MiB to join them with the 1024.0 KiB of its right side");

    PlanNode[] photon = new PlanNode[2];
    for (int i = 0; i < 2; i++) {
      PlanNode sink = exchange("PhotonShuffleExchangeSink", "hashpartitioning", i + 1, 9);
      PlanNode stage = node("PhotonShuffleMapStage", "PhotonShuffleMapStage", sink);
      photon[i] = node("PhotonShuffleExchangeSource", "PhotonShuffleExchangeSource", stage);
    }
    String hash = "PhotonShuffledHashJoin";
    assertThat(found(node(hash, hash + " [k], [k], Inner, BuildLeft", photon), 1, MIB, 2, GIB))
        .containsExactly(
            hash + " shuffled 1024.0 MiB to join them with the 1024.0 KiB of its left side");
  }

  /** Photon sends what it broadcasts by a shuffle of its own, which is none of the join's. */
  @Test
  void photonsBroadcastIsNoMissedOne() {
    PlanNode streamed = exchange("PhotonShuffleExchangeSink", "hashpartitioning", 1, 9);
    PlanNode sent =
        measured(
            "PhotonShuffleExchangeSink",
            "PhotonShuffleExchangeSink SinglePartition",
            new Object[][] {{"data size", 2, "size"}});
    String join = "PhotonBroadcastHashJoin";
    assertThat(
            found(
                node(join, join + " [k], [k], Inner, BuildRight, false", streamed, sent),
                1,
                GIB,
                2,
                MIB))
        .isEmpty();
  }

  private static PlanNode rows(String name, String metric, long id, PlanNode... children) {
    return measured(name, name, new Object[][] {{metric, id, "sum"}}, children);
  }

  @Test
  void cartesianAndExplodingJoins() {
    String out = "number of output rows";
    PlanNode gluten =
        rows(
            "VeloxBroadcastNestedLoopJoinExecTransformer",
            out,
            3,
            rows("ProjectExecTransformer", out, 1),
            node(
                "InputIteratorTransformer",
                "InputIteratorTransformer",
                node("ColumnarBroadcastExchange", "C", rows("Range", out, 2))));
    assertThat(found(gluten, 1, 50_000, 2, 50_000, 3, 5))
        .containsExactly(
            "VeloxBroadcastNestedLoopJoinExecTransformer compared at least 2,500,000,000 pairs of"
                + " rows");
    PlanNode rapids =
        rows(
            "GpuBroadcastHashJoin",
            "output rows",
            3,
            node("GpuCoalesceBatches", "GpuCoalesceBatches", rows("GpuFilter", "output rows", 1)),
            rows("GpuFilter", "output rows", 2));
    assertThat(found(rapids, 1, 900_000, 2, 9_000, 3, 20_000_000))
        .containsExactly(
            "GpuBroadcastHashJoin made 20,000,000 rows of 900,000 and 9000, 22 times as many");
    PlanNode comet =
        rows(
            "CometHashJoin",
            "Number of rows produced",
            3,
            rows("CometFilter", out, 1),
            rows("CometFilter", out, 2));
    assertThat(found(comet, 1, 900_000, 2, 9_000, 3, 20_000_000))
        .containsExactly(
            "CometHashJoin made 20,000,000 rows of 900,000 and 9000, 22 times as many");
  }

  @Test
  void cartesianProductOfPartitions() {
    PlanNode product =
        rows(
            "GpuCartesianProduct",
            "output rows",
            3,
            rows("GpuRange", "output rows", 1),
            rows("GpuRange", "output rows", 2));
    ModelFixture app = ModelFixture.app();
    ModelFixture.Sql sql = app.sql(0).planned(product).start();
    ModelFixture.Stage stage = app.stage(0, 4);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit().run(10).sqlMetrics(1, 400_000, 2, 100_000, 3, 5).complete();
    job.succeed();
    sql.succeed();
    assertThat(app.finish().value("sql 0", Names.FINDINGS))
        .isEqualTo(List.of("GpuCartesianProduct compared at least 10,000,000,000 pairs of rows"));
  }

  @Test
  void scansOfWholeTables() {
    String[] names = {
      "FileSourceScanExecTransformer parquet default.t", "CometNativeScan parquet default.t"
    };
    for (String name : names) {
      PlanNode scan =
          measured(
              name,
              "File" + name + "[a#1]" + FILES,
              new Object[][] {
                {"number of files read", 1, "sum"},
                {"size of files read", 2, "size"},
                {"number of partitions read", 3, "sum"}
              });
      assertThat(found(scan, 1, 10, 2, GIB, 3, 10)).hasSize(1);
    }
    PlanNode gpu =
        measured(
            "GpuScan parquet default.t",
            "GpuFileGpuScan parquet default.t[a#1]" + FILES,
            new Object[][] {
              {"number of files read", 1, "sum"},
              {"size of files read", 2, "size"},
              {"partitions", 3, "sum"}
            });
    assertThat(found(gpu, 1, 10, 2, GIB, 3, 10))
        .containsExactly(
            "GpuScan parquet default.t read all of a table, 10 partitions with 1024.0 MiB,"
                + " without a filter on its partitions");
  }

  /** Comet names the columns of a filter before its condition. */
  @Test
  void longFilters() {
    String condition = "a".repeat(1000);
    for (String start :
        List.of("FilterExecTransformer ", "GpuFilter ", "PhotonFilter ", "CometFilter [x#6], ")) {
      String name = start.substring(0, start.indexOf(' '));
      assertThat(found(node(name, start + condition))).as(start).hasSize(1);
      assertThat(found(node(name, start + condition.substring(1)))).as(start).isEmpty();
    }
  }

  @Test
  void whatTheyRead() {
    PlanNode[] scans = {
      node(
          "FileSourceScanExecTransformer parquet default.gluten",
          "FileFileSourceScanExecTransformer parquet default.gluten[a#1]" + FILES),
      node("DeltaScanTransformer parquet default.delta", "FileDeltaScanTransformer parquet"),
      node("NativeScan hive default.old", "NativeScan hive default.old"),
      node("IcebergScanTransformer ice.db.t", "IcebergScanTransformer ice.db.t[a#1] x"),
      node("GpuScan parquet ", "GpuFileGpuScan parquet [a#1]" + FILES),
      node("GpuBatchScan ice.db.gpu", "GpuBatchScan ice.db.gpu[a#1] ice.db.gpu (branch=null)"),
      node(
          "CometNativeScan parquet default.comet",
          "CometNativeScan parquet default.comet[a#1] Format: CometParquet"),
      node("CometIcebergNativeScan", "CometIcebergNativeScan [a#1], s3://b/m.json, ice.db.t, 3"),
      node(
          "PhotonScan parquet main.db.sales",
          "PhotonScan parquet main.db.sales[a#1] Format: parquet, Location:"
              + " PreparedDeltaFileIndex(1 paths)[s3://b/sales]"),
      node("CometLocalTableScan", "CometLocalTableScan [a#1]")
    };
    assertThat(tree(node("Union", "Union", scans)).value("sql 0", Names.SQL_INPUTS))
        .isEqualTo(
            List.of(
                "parquet default.gluten",
                "delta default.delta",
                "hive default.old",
                "iceberg ice.db.t",
                "parquet file:/w/t",
                "iceberg ice.db.gpu",
                "parquet default.comet",
                "iceberg",
                "delta main.db.sales"));
  }

  @Test
  void whatTheyWrite() {
    String name = "Execute GpuInsertIntoHadoopFsRelationCommand";
    PlanNode write =
        measured(
            name,
            name
                + " file:/w/days, false, [day#13],"
                + " com.nvidia.spark.rapids.GpuParquetFileFormat@1a2b, [path=/w/days], Append,"
                + " `spark_catalog`.`default`.`days`, [id, day]",
            new Object[][] {
              {"number of output rows", 1, "sum"},
              {"written output", 2, "size"},
              {"number of written files", 3, "sum"}
            });
    SpanTree tree = tree(write, 1, 100, 2, 2_048, 3, 4);
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_TABLE)).isEqualTo("spark_catalog.default.days");
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_FORMAT)).isEqualTo("parquet");
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_MODE)).isEqualTo("append");
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_ROWS)).isEqualTo(100L);
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_BYTES)).isEqualTo(2_048L);
    assertThat(tree.value("sql 0", Names.SQL_OUTPUT_FILES)).isEqualTo(4L);
    assertThat(
            tree(node("GpuAppendData", "GpuAppendData IcebergWrite(table=ice.db.t, format=P)"))
                .value("sql 0", Names.SQL_OUTPUT_TABLE))
        .isEqualTo("ice.db.t");
  }
}
