package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Outputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What executions read and write, by every kind of source that there is. */
@Tag("full")
class OutputsIT {

  private static final String DB = "spark_catalog.default.";

  @OnEachSpark
  void filesAndTables(SparkVersion version) {
    boolean spark4 = version.equals(SparkVersion.V4_2_0);
    int parts = spark4 ? 3784 : 3772;
    int copy = spark4 ? 1548 : 1545;
    int half = spark4 ? 1888 : 1882;
    String days =
        "output.format=parquet, output.mode=%s, output.partition_columns=[day],"
            + " output.partitions=%d, output.path=file:RUN/warehouse/days, output.rows=%d,"
            + " output.table=spark_catalog.default.days";
    TracedRun run = run(SparkRun.of(version, Outputs.class), "files", "tables", "rdd");
    assertThat(report(run))
        .containsExactly(
            "parquet: output.bytes="
                + parts
                + ", output.files=4, output.format=parquet, output.mode=errorifexists,"
                + " output.partition_columns=[day], output.partitions=4,"
                + " output.path=file:RUN/data/parts, output.rows=100",
            "json: output.bytes=4135, output.files=1, output.format=json, output.mode=append,"
                + " output.path=file:RUN/data/json, output.rows=100",
            "save: output.format=noop, output.mode=overwrite" + (spark4 ? ", output.rows=100" : ""),
            "sql: output.bytes=290, output.files=1, output.format=csv, output.mode=overwrite,"
                + " output.path=RUN/data/directory, output.rows=100",
            "collectAsList: inputs=[parquet file:RUN/data/parts]",
            "collectAsList: inputs=[json file:RUN/data/json]",
            "collectAsList: inputs=[json file:RUN/data/json]",
            "sql: output.bytes="
                + copy
                + ", output.files=1, output.format=parquet, output.mode=create,"
                + " output.path=file:RUN/warehouse/copy, output.rows=100,"
                + " output.table=spark_catalog.default.copy",
            "sql: output.bytes=" + parts + ", output.files=4, " + days.formatted("append", 4, 100),
            "sql: output.bytes=" + half + ", output.files=2, " + days.formatted("overwrite", 2, 50),
            "sql: output.bytes="
                + copy
                + ", output.files=1, "
                + days.formatted("overwrite", 1, 100),
            "collectAsList: inputs=[parquet spark_catalog.default.days,"
                + " parquet spark_catalog.default.copy]");
    assertThat(
            run.trace().all("job").stream()
                .map(job -> job.attribute("spark.job.output.operation"))
                .filter(Objects::nonNull))
        // Spark records 20 frames, which in 4.2 end earlier.
        .containsExactly("saveAsHadoopFile", spark4 ? "saveAsHadoopFile" : "saveAsSequenceFile");
  }

  @OnEachSpark
  void jdbc(SparkVersion version) {
    SparkRun spark =
        SparkRun.of(version, Outputs.class).classpath(Maven.jar("com.h2database:h2:2.2.224"));
    assertThat(report(run(spark, "jdbc")))
        .containsExactly(
            "save: output.format=jdbc, output.mode=errorifexists, output.table=orders",
            "jdbc: output.format=jdbc, output.mode=append, output.table=orders",
            "collectAsList: inputs=[jdbc orders]",
            "collectAsList: inputs=[jdbc (query)]");
  }

  /** Tables in a Hive metastore of the run's own. */
  @OnEachSpark
  void hive(SparkVersion version) {
    SparkRun spark = SparkRun.of(version, Outputs.class);
    version.hiveJars().forEach(spark::classpath);
    spark.conf("spark.sql.catalogImplementation", "hive");
    String days =
        "sql: output.bytes=%d, output.files=%d, output.format=hive, output.mode=%s,"
            + " output.partition_columns=[day], output.partitions=%d, output.rows=%d,"
            + " output.table=spark_catalog.default.days";
    assertThat(report(run(spark, "hive")))
        .containsExactly(
            "sql: output.bytes=635, output.files=1, output.format=hive, output.mode=create,"
                + " output.rows=100, output.table=default.copy",
            days.formatted(635, 4, "append", 4, 100),
            days.formatted(315, 2, "overwrite", 2, 50),
            // The partition that the statement names is not counted.
            days.formatted(635, 1, "overwrite", 0, 100),
            "collectAsList: inputs=[hive spark_catalog.default.days,"
                + " hive spark_catalog.default.copy]");
  }

  @Test
  void delta() {
    assertDelta(
        SparkVersion.V3_5_9, "io.delta:delta-spark_2.12:3.3.2", "io.delta:delta-storage:3.3.2");
  }

  @Test
  void deltaOnSpark4() {
    assertDelta(
        SparkVersion.V4_2_0, "io.delta:delta-spark_4.2_2.13:4.4.0", "io.delta:delta-storage:4.4.0");
  }

  private static void assertDelta(SparkVersion version, String... jars) {
    SparkRun spark = SparkRun.of(version, Outputs.class);
    for (String jar : jars) {
      spark.classpath(Maven.jar(jar));
    }
    spark.conf("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension");
    spark.conf(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog");
    spark.conf("spark.databricks.delta.snapshotPartitions", "2");
    TracedRun run = run(spark, "delta");
    assertNumbers(run, "delta");
    String copy =
        " output.path=file:RUN/warehouse/copy, output.rows=%d, output.table=" + DB + "copy";
    String days =
        " output.path=file:RUN/warehouse/days, output.rows=%d, output.table=" + DB + "days";
    String marked =
        " output.path=file:RUN/warehouse/marked, output.rows=%d, output.table=" + DB + "marked";
    String saved = " output.path=file:RUN/warehouse/saved";
    String one = "sql: output.files=1, output.format=delta, output.mode=%s,";
    String none = "sql: output.files=0, output.format=delta, output.mode=delete, output.rows=0,";
    assertThat(withoutBytes(run))
        .containsExactly(
            one.formatted("create") + " output.rows=100, output.table=default.copy",
            "sql: output.files=4, output.format=delta, output.mode=append, output.partitions=4,"
                + days.formatted(100),
            "sql: output.files=2, output.format=delta, output.mode=overwrite,"
                + " output.partitions=2,"
                + days.formatted(50),
            "collectAsList: inputs=[delta spark_catalog.default.days,"
                + " delta spark_catalog.default.copy]",
            one.formatted("merge") + copy.formatted(190),
            one.formatted("update") + copy.formatted(190),
            one.formatted("delete") + " output.rows=189, output.table=" + DB + "copy",
            "save: output.files=4, output.format=delta, output.mode=errorifexists,"
                + " output.partitions=4, output.path=RUN/data/delta, output.rows=100",
            "collectAsList: inputs=[delta file:RUN/data/delta]",
            "sql: output.files=4, output.format=delta, output.mode=merge, output.partitions=4,"
                + days.formatted(190),
            one.formatted("delete")
                + " output.partitions=1, output.rows=46, output.table="
                + DB
                + "days",
            none + " output.table=" + DB + "days",
            one.formatted("append") + marked.formatted(100),
            one.formatted("update") + marked.formatted(5),
            none + " output.table=" + DB + "marked",
            one.formatted("merge") + marked.formatted(100),
            one.formatted("overwrite") + marked.formatted(0),
            "saveAsTable: output.files=1, output.format=delta, output.mode=create,"
                + " output.rows=100, output.table=default.saved",
            "save: output.format=delta, output.mode=overwrite, output.path=RUN/data/delta",
            one.formatted("append") + saved + ", output.rows=100, output.table=" + DB + "saved",
            "sql: output.format=delta, output.mode=append,"
                + saved
                + ", output.table="
                + DB
                + "saved");
  }

  /** Its tasks alone tell what they wrote. */
  @Test
  void iceberg() {
    assertIceberg(
        SparkVersion.V3_5_9, "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.2", false);
  }

  /** Its commits tell it, too. */
  @Test
  void icebergOnSpark4() {
    assertIceberg(
        SparkVersion.V4_1_3, "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0", true);
  }

  private static void assertIceberg(SparkVersion version, String jar, boolean commits) {
    SparkRun spark = SparkRun.of(version, Outputs.class).classpath(Maven.jar(jar));
    spark.conf(
        "spark.sql.extensions",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions");
    spark.conf("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog");
    spark.conf("spark.sql.catalog.ice.type", "hadoop");
    spark.conf("spark.sql.catalog.ice.warehouse", spark.dir().resolve("ice"));
    TracedRun run = run(spark, "iceberg");
    assertNumbers(run, "iceberg");
    String days =
        "%soutput.format=iceberg, output.mode=%s, output.rows=%d, output.table=ice.db.days";
    String copy =
        "sql: inputs=[iceberg ice.db.copy], "
            + files(commits, 1)
            + "output.format=iceberg, output.mode=rewrite, output.rows=%d,"
            + " output.table=ice.db.copy";
    assertThat(withoutBytes(run))
        .filteredOn(line -> !line.contains(".snapshots]"))
        .containsExactly(
            // The commit comes after the execution that writes.
            "sql: output.format=iceberg, output.mode=create, output.rows=100,"
                + " output.table=db.copy",
            "sql: " + days.formatted(files(commits, 4), "append", 100),
            "sql: " + days.formatted(files(commits, 2), "overwrite", 50),
            "sql: " + days.formatted(files(commits, 1), "overwrite", 100),
            "collectAsList: inputs=[iceberg ice.db.days, iceberg ice.db.copy]",
            copy.formatted(190),
            copy.formatted(190),
            copy.formatted(189),
            "sql: inputs=[iceberg ice.db.copy], "
                + files(commits, 2)
                + "output.format=iceberg, output.mode=rewrite"
                + (commits ? ", output.rows=7" : ""));
  }

  private static String files(boolean told, int files) {
    return told ? "output.files=" + files + ", " : "";
  }

  /** Live equals replay. */
  private static TracedRun run(SparkRun spark, String... kinds) {
    spark.args(spark.dir().resolve("data")).args((Object[]) kinds);
    TracedRun run = TracedRun.of(EventLogs.writtenBy(spark));
    assertThat(EventLogs.differences(run.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(Set.of());
    return run;
  }

  /** Those of each write are those of the table's own history, as the scenario printed it. */
  private static void assertNumbers(TracedRun run, String format) {
    List<String> history =
        run.stdout().lines().filter(line -> line.startsWith("history: ")).toList();
    List<SpanNode> writes =
        run.trace().all("sql").stream()
            .filter(sql -> format.equals(sql.attribute("spark.sql.output.format")))
            .filter(sql -> sql.attribute("spark.sql.nested") == null)
            .toList();
    assertThat(writes).hasSameSizeAs(history);
    for (int i = 0; i < writes.size(); i++) {
      for (String number : List.of("bytes", "files", "rows")) {
        Object told = writes.get(i).attribute("spark.sql.output." + number);
        if (told != null) {
          assertThat(history.get(i).split(" ")).contains(number + "=" + told);
        }
      }
      assertThat(writes.get(i).attribute("spark.sql.output.rows") == null)
          .isEqualTo(writes.get(i).attribute("spark.sql.output.bytes") == null);
    }
  }

  /** They depend on the order of rows that were shuffled. */
  private static List<String> withoutBytes(TracedRun run) {
    return report(run).stream()
        .map(line -> line.replaceFirst("output\\.bytes=\\d+, ", ""))
        .toList();
  }

  /** What each execution that is nested in none read and wrote, in the order of their ids. */
  private static List<String> report(TracedRun run) {
    List<String> report = new ArrayList<>();
    for (SpanNode sql : run.trace().all("sql")) {
      List<String> found = new ArrayList<>();
      new TreeMap<>(sql.attributes())
          .forEach(
              (key, value) -> {
                if (key.startsWith("spark.sql.output.") || key.equals("spark.sql.inputs")) {
                  found.add(key.substring("spark.sql.".length()) + "=" + value);
                }
              });
      if (!found.isEmpty() && sql.attribute("spark.sql.nested") == null) {
        String label = sql.name().replaceAll("^sql (\\w+) at .*", "$1");
        report.add(
            label + ": " + String.join(", ", found).replaceAll("/[^ ,\\]]*/runs/[^/]+", "RUN"));
      }
    }
    return report;
  }
}
