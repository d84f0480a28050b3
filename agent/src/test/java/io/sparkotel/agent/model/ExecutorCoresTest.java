package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What there was of executors, on the application and on SQL executions. */
class ExecutorCoresTest {

  private final ModelFixture app =
      ModelFixture.unborn("otel.spark.tasks=all")
          .start("app-1", Map.of("spark.master", "yarn", "spark.executor.memoryOverhead", "1g"));

  private static Object value(SpanTree tree, String span, CostMetric metric) {
    return tree.value(span, metric.attribute());
  }

  private static void assertCores(
      SpanTree tree, String span, Object available, Object used, Object utilization) {
    assertThat(value(tree, span, CostMetric.CORE_TIME)).as(span).isEqualTo(available);
    assertThat(value(tree, span, CostMetric.CORE_TIME_USED)).as(span).isEqualTo(used);
    assertThat(value(tree, span, CostMetric.UTILIZATION)).as(span).isEqualTo(utilization);
  }

  /**
   *
   *
   * <pre>
   *              0    1,000   2,000   3,000   4,000   5,000
   * 1, 4 cores        ├───────────────────────────────
   * 2, 2 cores                ├───────┤
   * sql 0             ├───────┤
   * sql 1                         ├───────────┤  2,500 to 4,500
   * </pre>
   */
  @Test
  void executorsComeAndGo() {
    app.at(1_000).executorAdded("1", 4);
    app.sql(0).start();
    app.at(2_000).sql(0).succeed();
    app.executorAdded("2", 2);
    app.at(2_500);
    ModelFixture.Sql sql = app.sql(1).start();
    ModelFixture.Stage stage = app.stage(0, 2);
    ModelFixture.Job job = app.job(0, stage).sql(1).start();
    stage
        .submit()
        .run(
            100,
            TaskMetric.RUN_TIME,
            700,
            TaskMetric.DESERIALIZE_TIME,
            40,
            TaskMetric.RESULT_SERIALIZATION_TIME,
            10,
            TaskMetric.GC_TIME,
            300)
        .complete();
    job.succeed();
    app.at(3_000).executorRemoved("2");
    app.at(4_500);
    sql.succeed();
    SpanTree tree = app.at(5_000).finish();

    assertCores(tree, "sql 0", 4_000L, 0L, 0.0);
    assertCores(tree, "sql 1", 8_000L + 1_000, 1_500L, 1_500.0 / 9_000);
    assertCores(tree, "application", 16_000L + 2_000, 1_500L, 1_500.0 / 18_000);
    // 2 GiB each.
    assertThat(value(tree, "sql 0", CostMetric.MEMORY_TIME)).isEqualTo(2_048L);
    assertThat(value(tree, "sql 1", CostMetric.MEMORY_TIME)).isEqualTo(2L * 2_048 + 1_024);
    assertThat(value(tree, "application", CostMetric.MEMORY_TIME)).isEqualTo(5L * 2_048);
    assertThat(value(tree, "job 0", CostMetric.CORE_TIME)).isNull();
  }

  @Test
  void anExecutorThatIsToldLateCountsFromItsTimeOn() {
    ModelFixture.Sql sql = app.at(100).sql(0).start();
    app.at(400).executorAdded("1", 1);
    app.at(200).executorAdded("2", 10);
    app.at(300).executorRemoved("2");
    app.at(500);
    sql.succeed();
    assertCores(app.at(600).finish(), "sql 0", 100L + 1_000, 0L, 0.0);
  }

  @Test
  void whereNoExecutorWasToldOfNothingIsKnown() {
    app.sql(0).start();
    app.at(10).sql(0).succeed();
    app.executorAdded("1", 4);
    SpanTree tree = app.at(20).finish();
    assertCores(tree, "sql 0", null, 0L, null);
    assertThat(value(tree, "sql 0", CostMetric.MEMORY_TIME)).isNull();
    assertCores(tree, "application", 40L, 0L, 0.0);

    assertCores(ModelFixture.app().at(20).finish(), "application", null, 0L, null);
  }

  @Test
  void anExecutorWithoutItsCoresMakesThemUnknown() {
    app.executorAdded("1", 4);
    app.executorAdded("2");
    SpanTree tree = app.at(20).finish();
    assertCores(tree, "application", null, 0L, null);
    assertThat(value(tree, "application", CostMetric.MEMORY_TIME)).isNull();
  }

  /** Its ExecutorAdded was dropped. */
  @Test
  void aTaskOfAnExecutorThatWasNeverToldMakesThemUnknown() {
    for (String id : new String[] {"1", "2", "box-7", "box-8"}) {
      ModelFixture one = ModelFixture.app();
      one.executorAdded("1", 4);
      one.executorAdded("box-7", 4);
      one.at(5).executorRemoved("1");
      one.executorRemoved("box-7");
      ModelFixture.Stage stage = one.stage(0, 1);
      ModelFixture.Job job = one.job(0, stage).start();
      stage.submit().task(0).on(id).launch().succeed();
      stage.complete();
      job.succeed();
      boolean told = id.equals("1") || id.equals("box-7");
      assertThat(value(one.at(9).finish(), "application", CostMetric.CORE_TIME))
          .as(id)
          .isEqualTo(told ? 40L : null);
    }
  }

  @Test
  void theMemoryOfADriverThatRunsTasksIsNotKnown() {
    ModelFixture local = ModelFixture.app();
    local.executorAdded("driver", 2);
    SpanTree tree = local.at(10).finish();
    assertCores(tree, "application", 20L, 0L, 0.0);
    assertThat(value(tree, "application", CostMetric.MEMORY_TIME)).isNull();
  }

  @Test
  void tasksWithoutMetricsAreNotTasksThatUsedNothing() {
    app.executorAdded("1", 4);
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().task(0).launch().rawMetrics(null).succeed();
    stage.complete();
    job.succeed();
    assertCores(app.at(10).finish(), "application", 40L, null, null);
  }

  @Test
  void tasksOfSeveralCores() {
    ModelFixture wide =
        ModelFixture.unborn()
            .start("app-1", Map.of("spark.master", "yarn", "spark.task.cpus", "3"));
    ResourceProfile profile = new ResourceProfile();
    profile.id = 1;
    profile.executorResource("memory", 3_072);
    profile.executorResource("memoryOverhead", 1_024);
    profile.taskResource("cpus", 2);
    wide.resourceProfile(profile);
    wide.executorAdded("1", 6);
    wide.executorAdded("2", 4, 1);
    ModelFixture.Sql sql = wide.sql(0).start();
    ModelFixture.Stage first = wide.stage(0, 1);
    ModelFixture.Stage second = wide.stage(1, 1).profile(1);
    ModelFixture.Job job = wide.job(0, first, second).sql(0).start();
    first.submit().run(500, TaskMetric.RUN_TIME, 400).complete();
    second.submit().run(500, TaskMetric.RUN_TIME, 100).complete();
    job.succeed();
    sql.succeed();
    SpanTree tree = wide.finish();
    assertCores(tree, "sql 0", 10_000L, 1_400L, 0.14);
    assertCores(tree, "application", 10_000L, 1_400L, 0.14);
    assertThat(value(tree, "sql 0", CostMetric.MEMORY_TIME)).isEqualTo(1_408L + 4_096);
  }

  @Test
  void aProfileThatWasNotToldIsNotKnown() {
    app.executorAdded("1", 2);
    app.executorAdded("2", 2, 7);
    ModelFixture.Stage stage = app.stage(0, 1).profile(7);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().run(10, TaskMetric.RUN_TIME, 4).complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertCores(tree, "application", 40L, null, null);
    assertThat(value(tree, "application", CostMetric.MEMORY_TIME)).isNull();
    assertThat(value(tree, "application", CostMetric.IDEAL_TIME)).isNull();
  }

  @Test
  void clocksThatGoBack() {
    app.at(100).executorAdded("1", 4);
    app.at(50).executorRemoved("1");
    app.executorAdded("2", 1);
    ModelFixture.Sql sql = app.at(150).sql(0).start();
    app.at(120);
    sql.succeed();
    SpanTree tree = app.at(160).finish();
    assertCores(tree, "application", 110L, 0L, 0.0);
    assertCores(tree, "sql 0", 0L, 0L, null);
  }

  @Test
  void timesAndCoresThatNobodyBelieves() {
    for (long[] odd :
        new long[][] {{0, 4}, {-1, 4}, {Long.MAX_VALUE, 4}, {9, -4}, {9, 2_000_000}}) {
      ExecutorCores cores = new ExecutorCores();
      cores.added(added("1", 5, 1));
      assertThat(cores.isKnown(10)).isTrue();
      cores.added(added("2", odd[0], (int) odd[1]));
      cores.removed(Long.MAX_VALUE, "2");
      cores.removed(Long.MIN_VALUE, "1");
      cores.taskStarted(null);
      assertThat(cores.isKnown(10)).isFalse();
      assertThat(cores.coreTime(Long.MIN_VALUE, Long.MAX_VALUE)).isZero();
      assertThat(cores.memoryTime(0, FinishedSpan.MAX_MILLIS)).isNull();
    }
  }

  private static ExecutorAdded added(String id, long time, int cores) {
    ExecutorAdded event = new ExecutorAdded();
    event.executorId = id;
    event.time = time;
    event.cores = cores;
    return event;
  }

  /** Ten thousand, of which ten live at a time; all that is asked is asked of the last ones. */
  @Test
  void manyExecutorsComeAndGo() {
    ExecutorCores cores = new ExecutorCores();
    cores.environment(Map.of("spark.master", "spark://h"));
    for (int i = 1; i <= 10_000; i++) {
      cores.added(added(Integer.toString(i), 100L * i, 4));
      if (i > 10) {
        cores.removed(100L * i + 50, Integer.toString(i - 10));
      }
    }
    assertThat(cores.most()).isEqualTo(11);
    assertThat(cores.removed()).isEqualTo(9_990);
    long end = 1_000_050;
    long ended = 9_990L * 1_050;
    long living = 9L * 10 / 2 * 100 + 10 * 50;
    assertThat(cores.coreTime(0, end)).isEqualTo(4 * (ended + living));
    assertThat(cores.memoryTime(0, end)).isEqualTo((ended + living) * 1_024 / 1_000);
    // Eleven, one of them but half of the time.
    assertThat(cores.coreTime(999_000, 1_000_000)).isEqualTo(4 * (10 * 1_000 + 10 * 50));
    cores.taskStarted("1");
    assertThat(cores.isKnown(end)).isTrue();
  }
}
