package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static io.sparkotel.agent.model.ModelFixture.node;
import static io.sparkotel.agent.model.ModelFixture.reason;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Arrays;

/** Applications in which everything is found that can be found. */
final class Troubles {

  private static final long GIB = 1L << 30;

  private Troubles() {}

  /** For an application with executors of 64 GiB. */
  static void run(ModelFixture app) {
    app.executorAdded("1", 1000);
    app.executorPeaks("1", 0, heap(10 * GIB));
    ModelFixture.Sql sql = app.sql(0).planned(plan()).start();
    sql.driverMetrics(
        1, 1000, 2, GIB, 3, 1000, 4, 1000, 5, 1, 6, GIB, 10, 100 * GIB, 11, GIB, 12, 1_000_000);
    ModelFixture.Stage uneven = app.stage(0, 4);
    ModelFixture.Stage slow = app.stage(1, 4);
    ModelFixture.Stage lost = app.stage(2, 1);
    ModelFixture.Stage tiny = app.stage(3, 2000);
    ModelFixture.Job job = app.job(0, uneven, slow, lost, tiny).sql(0).start();
    Object[] much = {
      TaskMetric.INPUT_BYTES,
      3 * GIB,
      TaskMetric.DISK_SPILLED,
      GIB,
      TaskMetric.RESULT_SIZE,
      GIB,
      TaskMetric.GC_TIME,
      60_000,
      TaskMetric.RUN_TIME,
      200_000
    };
    uneven.submit();
    run(app, 0, uneven, much);
    uneven.sqlMetrics(13, 1).complete();
    slow.submit();
    run(app, 120_000, slow);
    slow.complete();
    lost.submit();
    ModelFixture.Task task = lost.task(0).launch();
    app.at(400_000);
    task.rawMetrics(null).end(reason(EndReason.Kind.ExecutorLostFailure, "lost"));
    lost.complete();
    tiny.submit().run(1).complete();
    job.succeed();
    sql.succeed();
    app.at(1_000_000);
  }

  /** The one thing that contradicts another one. */
  static void nearLimit(ModelFixture app) {
    app.executorAdded("1", 1);
    app.executorPeaks("1", 0, heap(63 * GIB));
  }

  static long[] heap(long bytes) {
    long[] peaks = new long[ExecutorMetric.COUNT];
    Arrays.fill(peaks, TaskMetric.ABSENT);
    peaks[ExecutorMetric.JVM_HEAP.ordinal()] = bytes;
    return peaks;
  }

  /** Three tasks of a second, and one of two minutes with these metrics. */
  private static void run(
      ModelFixture app, long start, ModelFixture.Stage stage, Object... metrics) {
    for (int i = 0; i < 4; i++) {
      app.at(start);
      ModelFixture.Task task = stage.task(i).launch();
      app.at(start + (i < 3 ? 1_000 : 120_000));
      task.metrics(i < 3 ? new Object[0] : metrics).succeed();
    }
  }

  private static PlanNode plan() {
    PlanNode scan =
        measured(
            "Scan parquet sales",
            "FileScan parquet sales[a#1] PartitionFilters: [], PushedFilters: []",
            new Object[][] {
              {"number of files read", 1, "sum"},
              {"size of files read", 2, "size"},
              {"number of partitions read", 3, "sum"}
            });
    PlanNode python =
        measured(
            "BatchEvalPython",
            "BatchEvalPython [f(a)]",
            new Object[][] {{"number of output rows", 13, "sum"}},
            scan);
    PlanNode write =
        measured(
            "Execute InsertIntoHadoopFsRelationCommand",
            "Execute InsertIntoHadoopFsRelationCommand",
            new Object[][] {{"number of written files", 4, "sum"}, {"written output", 5, "size"}},
            python);
    PlanNode broadcast =
        measured(
            "BroadcastExchange",
            "BroadcastExchange",
            new Object[][] {{"data size", 6, "size"}},
            node("Filter", "Filter " + "a".repeat(1000)));
    PlanNode merge =
        node("SortMergeJoin", "SortMergeJoin [a], [b], Inner", exchange(10), exchange(11));
    PlanNode product =
        node(
            "BroadcastNestedLoopJoin",
            "BroadcastNestedLoopJoin",
            rows("Range", 12),
            rows("Range", 12));
    PlanNode exploding =
        measured(
            "BroadcastHashJoin",
            "BroadcastHashJoin",
            new Object[][] {{"number of output rows", 10, "sum"}},
            rows("Range", 12),
            rows("Range", 12));
    return node("Union", "Union", write, broadcast, merge, product, exploding);
  }

  private static PlanNode exchange(long id) {
    return measured("Exchange", "Exchange", new Object[][] {{"data size", id, "size"}});
  }

  private static PlanNode rows(String name, long id) {
    return measured(name, name, new Object[][] {{"number of output rows", id, "sum"}});
  }
}
