package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How much Delta Lake and Iceberg wrote: exactly, or nothing is said. */
class TableWritesTest {

  private static final String TABLE =
      "AppendDataExecV1 DeltaTableV2(S@e4bb03,file:/w/t,Some(CatalogTable(\nDatabase: db\n"
          + "Table: t\nType: MANAGED)),None,Map())";
  private static final PlanNode APPEND = ModelFixture.node("AppendDataExecV1", TABLE);
  private static final PlanNode SOURCE = ModelFixture.node("Range", "Range (0, 100)");

  /** In the order of Spark's map: files, the commit's time, rows, partitions, bytes. */
  private static final long[] WRITTEN = {11, 4, 16, 9, 13, 100, 14, 2, 12, 2_048};

  private final ModelFixture app = ModelFixture.app();
  private int jobs;

  @Test
  void whatANestedExecutionOfDeltaWrites() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, 2_048, 100, 15, WRITTEN);
    insert.succeed();
    assertThat(numbers())
        .isEqualTo(Map.of("rows", 100L, "bytes", 2_048L, "files", 4L, "partitions", 2L));
  }

  /** Tables of which nobody knows whether they have partitions. */
  @Test
  void nothingWrittenIsNoRows() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, 0, 0, 15, 11, 0, 16, 9, 13, 0, 14, 0, 12, 0);
    insert.succeed();
    assertThat(numbers()).isEqualTo(Map.of("rows", 0L, "bytes", 0L, "files", 0L));
  }

  /** Also one that creates its table, and where others are nested that write nothing. */
  @Test
  void aTableOfDeltaThatIsCreated() {
    ModelFixture.Sql create =
        app.sql(0)
            .planned(
                ModelFixture.node(
                    "AtomicCreateTableAsSelect",
                    "AtomicCreateTableAsSelect DeltaCatalog@641ab175, db.t, Project [id#0L],"
                        + " TableSpec(Map(),Some(delta),Map(),None,None,None,false), false"))
            .start();
    String staged = "AppendDataExecV1 DeltaCatalog$StagedDeltaTableV2@2389f546, Project [id#0L]";
    app.sql(1).under(0).planned(ModelFixture.node("AppendDataExecV1", staged)).start().succeed();
    write(2, 2_048, 100, 15, WRITTEN);
    ModelFixture.Sql statistics = app.sql(3).under(0).planned(SOURCE).start();
    statistics.driverMetrics(21, 5, 22, 5, 23, 5, 24, 5, 26, 5).succeed();
    create.succeed();
    assertThat(numbers()).containsEntry("rows", 100L).containsEntry("files", 4L);
  }

  /** As of a condition that its rewriting is a write of its own. */
  @Test
  void severalWritesAreOfNobody() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, 2_048, 100, 15, WRITTEN);
    write(2, 64, 7, 35, 31, 1, 36, 9, 33, 7, 34, 1, 32, 64);
    insert.succeed();
    assertThat(numbers()).isEmpty();
  }

  @Test
  void oneMoreWriteThatIsNotUnderstoodIsOneMore() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, 2_048, 100, 15, WRITTEN);
    write(2, 64, 7, 35);
    insert.succeed();
    assertThat(numbers()).isEmpty();
  }

  @Test
  void numbersThatTheTasksContradict() {
    assertThat(inserted(2_047, 100, 15, WRITTEN)).isEmpty();
  }

  @Test
  void rowsThatTheTasksContradict() {
    assertThat(inserted(2_048, 99, 15, WRITTEN)).isEmpty();
  }

  /** None of the tasks' own is between them. */
  @Test
  void metricsWithoutTheTasks() {
    assertThat(inserted(2_048, 100, 17, WRITTEN)).isEmpty();
  }

  /** Another thread made metrics at the same time. */
  @Test
  void metricsThatWereNotMadeInARow() {
    assertThat(inserted(2_048, 100, 15, 11, 4, 17, 9, 13, 100, 14, 2, 12, 2_048)).isEmpty();
  }

  @Test
  void moreMetricsThanAWriteHas() {
    assertThat(inserted(2_048, 100, 15, 11, 4, 16, 9, 13, 100, 14, 2, 12, 2_048, 17, 1)).isEmpty();
  }

  @Test
  void oneMetricSeveralTimes() {
    assertThat(inserted(2_048, 100, 15, 11, 4, 11, 4, 13, 100, 14, 2, 12, 2_048)).isEmpty();
  }

  @Test
  void metricsThatThePlanNames() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    PlanNode named =
        ModelFixture.measured(
            "Project",
            "Project",
            new Object[][] {},
            ModelFixture.measured("Range", "Range", new Object[][] {{"files", 11, "sum"}}));
    write(named, 1, 2_048, 100, 15, WRITTEN);
    insert.succeed();
    assertThat(numbers()).isEmpty();
  }

  /** What was written is not in the table. */
  @Test
  void aCommitThatFails() {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, 2_048, 100, 15, WRITTEN);
    insert.end("io.delta.exceptions.ConcurrentAppendException: files were added");
    assertThat(numbers()).isEmpty();
  }

  @Test
  void anOtherFormatTakesNothingOfIt() {
    ModelFixture.Sql insert =
        app.sql(0)
            .planned(ModelFixture.node("AppendDataExecV1 other.t", "AppendDataExecV1"))
            .start();
    write(1, 2_048, 100, 15, WRITTEN);
    insert.succeed();
    assertThat(numbers()).isEmpty();
  }

  private static final Object[][] MERGE = {
    {"number of target rows rewritten unmodified", 1, "sum"},
    {"number of inserted rows", 2, "sum"},
    {"number of updated rows", 3, "sum"},
    {"number of deleted rows", 4, "sum"},
    {"number of target bytes added", 5, "sum"},
    {"number of files added to target", 6, "sum"},
    {"number of target partitions to which files were added", 7, "sum"}
  };

  private static PlanNode command(String name, Object[][] metrics) {
    String text = "Execute " + name;
    return ModelFixture.measured(text, text + " Delta[version=1, file:/w/t]", metrics);
  }

  /** Nested writes have no say in it: they may hold what a change data feed keeps. */
  @Test
  void aMergeCountsWhatItCopies() {
    ModelFixture.Sql merge = app.sql(0).planned(command("MergeIntoCommand", MERGE)).start();
    write(1, 2_048, 100, 15, WRITTEN);
    merge.driverMetrics(1, 90, 2, 7, 3, 10, 4, 5, 5, 2_209, 6, 3, 7, 2).succeed();
    assertThat(numbers())
        .isEqualTo(Map.of("rows", 107L, "bytes", 2_209L, "files", 3L, "partitions", 2L));
  }

  @Test
  void aMergeThatFailsChangesNothing() {
    ModelFixture.Sql merge = app.sql(0).planned(command("MergeIntoCommand", MERGE)).start();
    merge.driverMetrics(1, 90, 2, 7, 3, 10, 4, 5, 5, 2_209, 6, 3, 7, 2).end("conflict");
    assertThat(numbers()).isEmpty();
  }

  /** Before Spark 3.4 nobody knows what failed. */
  @Test
  void anEndThatTellsNoOutcome() {
    ModelFixture.Sql merge = app.sql(0).planned(command("MergeIntoCommand", MERGE)).start();
    merge.driverMetrics(1, 90, 2, 7, 3, 10, 4, 5, 5, 2_209, 6, 3, 7, 2).end(null);
    assertThat(numbers()).isEmpty();
  }

  @Test
  void aMergeThatTellsNotAllSaysNotHowManyRows() {
    ModelFixture.Sql merge = app.sql(0).planned(command("MergeIntoCommand", MERGE)).start();
    merge.driverMetrics(1, 90, 2, 7, 5, 2_209, 6, 3, 7, 0).succeed();
    assertThat(numbers()).isEqualTo(Map.of("bytes", 2_209L, "files", 3L));
  }

  @Test
  void updatesAndDeletes() {
    Object[][] update = {
      {"number of rows updated.", 1, "sum"},
      {"number of rows copied.", 2, "sum"},
      {"number of bytes added", 3, "sum"},
      {"number of files added.", 4, "sum"}
    };
    app.sql(0)
        .planned(command("UpdateCommand", update))
        .start()
        .driverMetrics(1, 5, 2, 185, 3, 2_208, 4, 1)
        .succeed();
    assertThat(numbers()).isEqualTo(Map.of("rows", 190L, "bytes", 2_208L, "files", 1L));
  }

  @Test
  void aDeleteWritesWhatStays() {
    Object[][] delete = {
      {"number of rows deleted.", 1, "sum"},
      {"number of rows copied", 2, "sum"},
      {"number of bytes added", 3, "sum"},
      {"number of files added.", 4, "sum"},
      {"number of partitions added", 5, "sum"}
    };
    app.sql(0)
        .planned(command("DeleteCommand", delete))
        .start()
        .driverMetrics(1, 1, 2, 189, 3, 2_205, 4, 1, 5, 1)
        .succeed();
    assertThat(numbers())
        .isEqualTo(Map.of("rows", 189L, "bytes", 2_205L, "files", 1L, "partitions", 1L));
  }

  private static PlanNode iceberg(String name, Object[]... metrics) {
    String write =
        name.equals("WriteDelta")
            ? "org.apache.iceberg.spark.source.SparkPositionDeltaWrite@1a2b3c"
            : "IcebergWrite(table=ice.db.t, format=PARQUET)";
    return ModelFixture.measured(name, name + " " + write, metrics);
  }

  private static final Object[][] COMMIT = {
    {"number of added records", 1, "v2Custom_org.apache.iceberg"},
    {"total size of added files (bytes)", 2, "v2Custom_org.apache.iceberg"},
    {"number of added data files", 3, "v2Custom_org.apache.iceberg"},
    {"number of added delete files", 4, "v2Custom_org.apache.iceberg"},
    {"total number of records", 5, "v2Custom_org.apache.iceberg"}
  };

  @Test
  void whatTheCommitOfIcebergSays() {
    app.sql(0)
        .planned(iceberg("WriteDelta", COMMIT))
        .start()
        .driverMetrics(1, 5, 2, 900, 3, 1, 4, 2, 5, 107)
        .succeed();
    assertThat(numbers()).isEqualTo(Map.of("rows", 5L, "bytes", 900L, "files", 3L));
  }

  /** It leaves out what is 0. */
  @Test
  void aCommitOfIcebergThatOnlyRemoves() {
    app.sql(0).planned(iceberg("ReplaceData", COMMIT)).start().driverMetrics(5, 107).succeed();
    assertThat(numbers()).isEqualTo(Map.of("rows", 0L, "bytes", 0L, "files", 0L));
  }

  @Test
  void whatTheTasksOfIcebergWrote() {
    ModelFixture.Sql append = app.sql(0).planned(iceberg("AppendData")).start();
    tasks(0, 2_048, 100, 15);
    append.succeed();
    assertThat(numbers()).isEqualTo(Map.of("rows", 100L, "bytes", 2_048L));
  }

  /** Its own writers of deletes report nothing, whatever the tasks' file system does. */
  @Test
  void deletesOfIcebergThatNobodyTells() {
    ModelFixture.Sql append = app.sql(0).planned(iceberg("WriteDelta")).start();
    tasks(0, 2_048, 100, 15);
    append.succeed();
    assertThat(numbers()).isEmpty();
  }

  @Test
  void aTaskOfIcebergThatRanAgain() {
    ModelFixture.Sql append = app.sql(0).planned(iceberg("AppendData")).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit();
    EndReason lost = ModelFixture.failure("org.apache.spark.FetchFailed", "result lost");
    stage.task(0).launch().metrics(output(2_048, 100)).end(lost);
    stage.task(0).attempt(1).launch().metrics(output(2_048, 100)).succeed();
    stage.complete();
    job.succeed();
    append.succeed();
    assertThat(numbers()).isEmpty();
  }

  /** Of two tasks, the end of one was not seen. */
  @Test
  void aTaskOfIcebergThatWasLost() {
    ModelFixture.Sql append = app.sql(0).planned(iceberg("AppendData")).start();
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit();
    stage.task(0).launch().metrics(output(2_048, 100)).succeed();
    stage.complete();
    job.succeed();
    append.succeed();
    assertThat(numbers()).isEmpty();
  }

  /** The commit comes after the execution that writes. */
  @Test
  void aTableOfIcebergWhoseCommitFails() {
    String text =
        "AtomicCreateTableAsSelect org.apache.iceberg.spark.SparkCatalog@1a2b3c, db.t, Project"
            + " [id#0L], TableSpec(Map(),Some(iceberg),Map(),None,None,None,false), false";
    for (String error :
        new String[] {"", "org.apache.iceberg.exceptions.CommitFailedException: x"}) {
      ModelFixture other = ModelFixture.app();
      ModelFixture.Sql create =
          other.sql(0).planned(ModelFixture.node("AtomicCreateTableAsSelect", text)).start();
      ModelFixture.Sql nested = other.sql(1).under(0).planned(iceberg("AppendData")).start();
      ModelFixture.Stage stage = other.stage(0, 1);
      ModelFixture.Job job = other.job(0, stage).sql(1).start();
      stage.submit().run(10, output(2_048, 100)).complete();
      job.succeed();
      nested.succeed();
      create.end(error);
      assertThat(numbers(other))
          .isEqualTo(error.isEmpty() ? Map.of("rows", 100L, "bytes", 2_048L) : Map.of());
    }
  }

  @Test
  void writersOfIcebergThatReportNoRows() {
    ModelFixture.Sql append = app.sql(0).planned(iceberg("AppendData")).start();
    tasks(0, 2_048, 0, 15);
    append.succeed();
    assertThat(numbers()).isEmpty();
  }

  private Map<String, Object> inserted(long bytes, long rows, long ofTasks, long... driver) {
    ModelFixture.Sql insert = app.sql(0).planned(APPEND).start();
    write(1, bytes, rows, ofTasks, driver);
    insert.succeed();
    return numbers();
  }

  /** A nested execution in which one task writes; nothing of the driver is none. */
  private void write(long id, long bytes, long rows, long ofTasks, long... driver) {
    write(SOURCE, id, bytes, rows, ofTasks, driver);
  }

  private void write(PlanNode plan, long id, long bytes, long rows, long ofTasks, long... driver) {
    ModelFixture.Sql nested = app.sql(id).under(0).planned(plan).start();
    tasks(id, bytes, rows, ofTasks);
    if (driver.length > 0) {
      nested.driverMetrics(driver);
    }
    nested.succeed();
  }

  private void tasks(long sql, long bytes, long rows, long ofTasks) {
    ModelFixture.Stage stage = app.stage(jobs, 1);
    ModelFixture.Job job = app.job(jobs++, stage).sql(sql).start();
    stage.submit().run(10, output(bytes, rows)).sqlMetrics(ofTasks, 3).complete();
    job.succeed();
  }

  private static Object[] output(long bytes, long rows) {
    return new Object[] {TaskMetric.OUTPUT_BYTES, bytes, TaskMetric.OUTPUT_RECORDS, rows};
  }

  /** Of the first execution. */
  private Map<String, Object> numbers() {
    return numbers(app);
  }

  private static Map<String, Object> numbers(ModelFixture app) {
    Map<String, Object> numbers = new TreeMap<>();
    app.finish()
        .get("sql 0")
        .getAttributes()
        .forEach(
            (key, value) -> {
              if (key.getKey().matches("spark\\.sql\\.output\\.(rows|bytes|files|partitions)")) {
                numbers.put(key.getKey().substring("spark.sql.output.".length()), value);
              }
            });
    return numbers;
  }
}
