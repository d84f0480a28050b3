package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Driver, cores and memory, just over each threshold and just below it. */
class ApplicationFindingsTest {

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long HOUR = 3_600_000;

  private ModelFixture app = ModelFixture.app();
  private SpanTree tree;

  private List<Object> found(String key) {
    Object sentences = tree.value(key, Names.FINDINGS);
    return sentences == null ? List.of() : List.copyOf((List<?>) sentences);
  }

  /** A job for a time, and nothing for another time. */
  private List<Object> driver(long busy, long alone) {
    app = ModelFixture.app();
    app.executorAdded("1", 1);
    ModelFixture.Job job = app.job(0).start();
    app.at(busy);
    job.succeed();
    tree = app.at(busy + alone).finish();
    return found("application");
  }

  @Test
  void driverTime() {
    assertThat(driver(300_000, 300_000)).containsExactly("no job ran in 5.0 m of 10.0 m, 50 %");
    assertThat(tree.value("application", FindingCode.DRIVER_TIME.attribute())).isEqualTo(true);
    assertThat(driver(0, 299_999)).isEmpty();
    assertThat(driver(300_001, 300_000)).isEmpty();
    assertThat(tree.value("application", FindingCode.DRIVER_TIME.attribute())).isNull();
  }

  /** What waits in a queue, or has given its executors back, costs nothing. */
  @Test
  void driverTimeIsThatInWhichExecutorsWait() {
    app.at(HOUR);
    app.executorAdded("1", 4);
    ModelFixture.Job job = app.job(0).start();
    app.at(HOUR + 60_000);
    job.succeed();
    app.executorRemoved("1");
    tree = app.at(2 * HOUR).finish();
    assertThat(found("application")).isEmpty();
    app = ModelFixture.app();
    tree = app.at(HOUR).finish();
    assertThat(found("application")).isEmpty();
  }

  /** Tasks that run, or whose ends were lost, use cores all the same. */
  @Test
  void coresOfTasksThatWereNotToldOfAreNotIdle() {
    app.executorAdded("1", 4);
    ModelFixture.Stage stage = app.stage(0, 4);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().task(0).launch().metrics(TaskMetric.RUN_TIME, 5).succeed();
    app.at(2 * HOUR);
    stage.complete();
    job.succeed();
    tree = app.finish();
    assertThat(found("stage 0.0")).isEmpty();

    app = ModelFixture.app();
    app.executorAdded("1", 4);
    app.job(0, app.stage(0, 4)).start();
    app.stage(0, 4).submit().task(0).launch();
    app.at(2 * HOUR);
    app.executorAdded("2", 4);
    tree = app.close(Outcome.UNKNOWN);
    assertThat(found("stage 0.0")).isEmpty();
    assertThat(found("application")).isEmpty();
  }

  /** A stage of two tasks of these run times while an executor had four cores for half an hour. */
  private void stage(long run, boolean beside) {
    app = ModelFixture.app();
    app.executorAdded("1", 4);
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Stage other = app.stage(1, 0);
    ModelFixture.Job job = app.job(0, stage, other).start();
    stage.submit();
    if (beside) {
      other.submit().complete();
    }
    ModelFixture.Task first = stage.task(0).launch();
    ModelFixture.Task second = stage.task(1).launch();
    app.at(HOUR / 2);
    first.metrics(TaskMetric.RUN_TIME, run).succeed();
    second.metrics(TaskMetric.RUN_TIME, run).succeed();
    stage.complete();
    job.succeed();
    tree = app.finish();
  }

  @Test
  void idleCoresOfAStage() {
    stage(HOUR / 2, false);
    String used = "2 tasks on 4 cores used 1.00 h of 2.00 h core time, 50 %";
    assertThat(found("stage 0.0")).containsExactly(used);
    assertThat(found("application"))
        .containsExactly("stage 0: " + used, "tasks used 1.00 h of 2.00 h core time, 50 %");
    assertThat(tree.value("stage 0.0", FindingCode.IDLE_CORES.attribute())).isEqualTo(true);
    stage(HOUR / 2 + 1, false);
    assertThat(found("stage 0.0")).isEmpty();
    assertThat(found("application")).isEmpty();
  }

  /** The other one could have used the cores. */
  @Test
  void stagesBesideEachOtherAreNotBlamed() {
    stage(HOUR / 2, true);
    assertThat(found("stage 0.0")).isEmpty();
    assertThat(found("stage 1.0")).isEmpty();
    assertThat(found("application")).containsExactly("tasks used 1.00 h of 2.00 h core time, 50 %");
  }

  @Test
  void idleCoresAreNotGuessed() {
    app.executorAdded("1");
    app.at(10 * HOUR);
    ModelFixture.Job job = app.job(0, app.stage(0, 1)).start();
    app.stage(0, 1).submit().run(9 * HOUR).complete();
    job.succeed();
    tree = app.finish();
    assertThat(tree.value("application", FindingCode.IDLE_CORES.attribute())).isNull();
    assertThat(found("stage 0.0")).isEmpty();
  }

  private List<Object> memory(String heap, int executors, long peak) {
    return memory(heap, executors, peak, 300_000);
  }

  /** Of an application that ran a job for that time. */
  private List<Object> memory(String heap, int executors, long peak, long millis) {
    app =
        ModelFixture.unborn()
            .start("app-1", Map.of("spark.master", "yarn", "spark.executor.memory", heap));
    for (int i = 0; i < executors; i++) {
      app.executorAdded("e" + i, 1);
    }
    app.executorPeaks("e1", 0, Troubles.heap(peak));
    ModelFixture.Job job = app.job(0).start();
    app.at(millis);
    job.succeed();
    tree = app.finish();
    return found("application");
  }

  @Test
  void memoryUnused() {
    assertThat(memory("10g", 6, 7 * GIB))
        .containsExactly(
            "no executor used more than 7.0 GiB of its 10.0 GiB heap, 18.0 GiB unused on 6"
                + " executors");
    assertThat(tree.value("application", FindingCode.MEMORY_UNUSED.attribute())).isEqualTo(true);
    assertThat(memory("10g", 6, 7 * GIB + MIB)).isEmpty();
    assertThat(memory("10g", 4, 6 * GIB)).hasSize(1);
    assertThat(memory("10g", 4, 6 * GIB + 1)).isEmpty();
    assertThat(memory("10g", 6, 0)).isEmpty();
    assertThat(memory("10g", 6, GIB, 299_999)).isEmpty();
  }

  /** Its memory is that of the driver's JVM, whatever the settings say. */
  @Test
  void aDriverThatRunsTheTasksHasNoKnownHeap() {
    app.executorAdded("driver", 4);
    app.executorPeaks("driver", 0, Troubles.heap(1));
    ModelFixture.Job job = app.job(0).start();
    app.at(300_000);
    job.succeed();
    tree = app.finish();
    assertThat(found("application")).isEmpty();
  }

  @Test
  void memoryNearLimit() {
    assertThat(memory("20g", 2, 19 * GIB))
        .containsExactly("executor e1 used 19.0 GiB of its 20.0 GiB heap, 95 %");
    assertThat(tree.value("application", FindingCode.MEMORY_NEAR_LIMIT.attribute()))
        .isEqualTo(true);
    assertThat(memory("20g", 2, 19 * GIB - 1)).isEmpty();
    assertThat(memory("2g", 2, 2 * GIB)).hasSize(1);
    assertThat(memory("2047m", 2, 2047 * MIB)).isEmpty();
  }
}
