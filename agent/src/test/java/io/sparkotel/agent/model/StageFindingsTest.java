package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.failure;
import static io.sparkotel.agent.model.ModelFixture.measured;
import static io.sparkotel.agent.model.ModelFixture.node;
import static io.sparkotel.agent.model.ModelFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What is found in a stage and flagged on its tasks, just over each threshold and just below it.
 */
class StageFindingsTest {

  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private ModelFixture app = ModelFixture.app();
  private SpanTree tree;

  /** One stage of tasks that start together, of these durations, with that metric each. */
  private List<Object> tasks(TaskMetric metric, long[] values, long... durations) {
    app = ModelFixture.app();
    ModelFixture.Stage stage = app.stage(0, durations.length);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    for (int i = 0; i < durations.length; i++) {
      ModelFixture.Task task = app.at(0).stage(0, 0).task(i).on("" + i).launch();
      app.at(durations[i]);
      task.metrics(metric, values[i]).succeed();
    }
    stage.complete();
    job.succeed();
    tree = app.finish();
    return found("stage 0.0");
  }

  /** One stage of one task with these metrics. */
  private List<Object> task(Object... metrics) {
    app = ModelFixture.app();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit().run(10, metrics).complete();
    job.succeed();
    tree = app.finish();
    return found("stage 0.0");
  }

  /** The sentences; of one, its flag is the only one. */
  private List<Object> found(String key) {
    Object sentences = tree.value(key, Names.FINDINGS);
    return sentences == null ? List.of() : List.copyOf((List<?>) sentences);
  }

  private Set<FindingCode> flags(String key) {
    Set<FindingCode> flags = EnumSet.noneOf(FindingCode.class);
    for (FindingCode code : FindingCode.values()) {
      Object flag = tree.value(key, code.attribute());
      if (flag != null) {
        assertThat(flag).isEqualTo(true);
        flags.add(code);
      }
    }
    return flags;
  }

  private void assertNothing() {
    for (String key : List.of("application", "job 0", "stage 0.0", "task 0")) {
      assertThat(found(key)).as(key).isEmpty();
      assertThat(flags(key)).as(key).isEmpty();
    }
  }

  @Test
  void skew() {
    long[] read = {50 * MIB, 50 * MIB, 50 * MIB, 50 * MIB, 2150 * MIB};
    assertThat(tasks(TaskMetric.SHUFFLE_READ_BYTES, read, 1000, 1000, 1000, 1000, 38_000))
        .containsExactly(
            "task 4 on executor 4 ran 38 times the median (38.0 s, median 1.0 s)"
                + " and read 2.1 GiB of 2.3 GiB: key skew",
            "task 4 on executor 4 read 2.1 GiB of shuffle data");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.SKEW, FindingCode.LARGE_PARTITION);
    assertThat(flags("application")).isEqualTo(flags("stage 0.0"));
    assertThat(flags("task 4")).isEqualTo(flags("stage 0.0"));
    assertThat(flags("task 3")).isEmpty();
    assertThat(flags("job 0")).isEmpty();
  }

  @Test
  void skewOfInputJustOverEachThreshold() {
    long[] twice = {MIB, MIB, 2 * MIB};
    assertThat(tasks(TaskMetric.INPUT_BYTES, twice, 2500, 2500, 12_500))
        .containsExactly(
            "task 2 on executor 2 ran 5.0 times the median (12.5 s, median 2.5 s)"
                + " and read 2.0 MiB of 4.0 MiB: uneven input");
    assertThat(tasks(TaskMetric.INPUT_BYTES, twice, 2500, 2500, 12_499)).isEmpty();
    assertThat(tasks(TaskMetric.INPUT_BYTES, twice, 2000, 2000, 11_999)).isEmpty();
    assertThat(
            tasks(
                TaskMetric.INPUT_BYTES,
                new long[] {2 * MIB, 2 * MIB, 4 * MIB - 1},
                2500,
                2500,
                12_500))
        .isEmpty();
    assertNothing();
  }

  /** A few bytes more are not why a task is slow. */
  @Test
  void littleDataIsNoSkew() {
    long[] little = {KIB, KIB, MIB + KIB - 1};
    assertThat(tasks(TaskMetric.SHUFFLE_READ_BYTES, little, 2500, 2500, 29_999)).isEmpty();
    assertNothing();
    assertThat(tasks(TaskMetric.SHUFFLE_READ_BYTES, little, 2500, 2500, 32_500))
        .containsExactly(
            "task 2 on executor 2 ran 13 times the median (32.5 s, median 2.5 s) and read"
                + " 1025.0 KiB where the median is 1024.0 B: too little to be why");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.STRAGGLER);
    assertThat(flags("task 2")).containsExactly(FindingCode.STRAGGLER);
    little[2]++;
    tasks(TaskMetric.SHUFFLE_READ_BYTES, little, 2500, 2500, 32_500);
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.SKEW);
  }

  @Test
  void straggler() {
    long[] even = {10, 10, 19};
    assertThat(tasks(TaskMetric.INPUT_BYTES, even, 7500, 7500, 37_500))
        .containsExactly(
            "task 2 on executor 2 ran 5.0 times the median (37.5 s, median 7.5 s)"
                + " on no more data than others: a slow executor or host");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.STRAGGLER);
    assertThat(flags("task 2")).containsExactly(FindingCode.STRAGGLER);
    assertThat(tasks(TaskMetric.INPUT_BYTES, even, 7500, 7500, 37_499)).isEmpty();
    assertThat(tasks(TaskMetric.INPUT_BYTES, even, 5000, 5000, 34_999)).isEmpty();
    assertNothing();
  }

  /** Before most tasks have ended nobody knows the median. */
  @Test
  void aSlowTaskThatEndsFirstIsNotFlagged() {
    long[] read = {100, 10, 10, 10, 10};
    assertThat(tasks(TaskMetric.INPUT_BYTES, read, 60_000, 1000, 1000, 1000, 1000)).hasSize(1);
    assertThat(flags("task 0")).isEmpty();
  }

  /** Of a large stage the slowest tasks are exported when it is complete. */
  @Test
  void slowTasksOfALargeStageAreFlagged() {
    long[] durations = new long[TaskSelection.SMALL_STAGE + 1];
    Arrays.fill(durations, 1000);
    durations[0] = 60_000;
    tasks(TaskMetric.INPUT_BYTES, new long[durations.length], durations);
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.STRAGGLER);
    assertThat(flags("task 0")).containsExactly(FindingCode.STRAGGLER);
  }

  @Test
  void spill() {
    assertThat(task(TaskMetric.DISK_SPILLED, GIB, TaskMetric.MEMORY_SPILLED, 3 * GIB))
        .containsExactly(
            "tasks spilled 3.0 GiB of memory, 1024.0 MiB on disk; the most of one task is"
                + " 1024.0 MiB");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.SPILL);
    assertThat(flags("task 0")).containsExactly(FindingCode.SPILL);
    task(TaskMetric.DISK_SPILLED, GIB - 1, TaskMetric.MEMORY_SPILLED, 3 * GIB);
    assertNothing();
  }

  /** The spread of a stage is that of the tasks that succeeded. */
  @Test
  void aTaskThatSpilledAndFailed() {
    app = ModelFixture.app();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    stage
        .task(0)
        .launch()
        .metrics(TaskMetric.DISK_SPILLED, GIB, TaskMetric.MEMORY_SPILLED, 3 * GIB)
        .end(ModelFixture.failure("java.lang.OutOfMemoryError", "heap"));
    stage.run(10).complete();
    job.succeed();
    tree = app.finish();
    assertThat(found("stage 0.0"))
        .containsExactly("tasks spilled 3.0 GiB of memory, 1024.0 MiB on disk");
  }

  @Test
  void gc() {
    assertThat(task(TaskMetric.GC_TIME, 30_000, TaskMetric.RUN_TIME, 150_000))
        .containsExactly("garbage collection took 30.0 s of 2.5 m run time, 20 %");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.GC);
    assertThat(flags("task 0")).containsExactly(FindingCode.GC);
    task(TaskMetric.GC_TIME, 29_999, TaskMetric.RUN_TIME, 100_000);
    assertNothing();
    task(TaskMetric.GC_TIME, 30_000, TaskMetric.RUN_TIME, 150_001);
    assertNothing();
    Object[] deserialized = {
      TaskMetric.GC_TIME, 30_000, TaskMetric.RUN_TIME, 1, TaskMetric.DESERIALIZE_TIME, 150_000
    };
    task(deserialized);
    assertNothing();
    // Tasks that run side by side in a JVM wait for the same collection.
    deserialized[5] = 9_999;
    assertThat(task(deserialized))
        .containsExactly("garbage collection took 30.0 s of 10.0 s run time, 100 %");
  }

  @Test
  void tinyTasks() {
    long[] values = new long[2000];
    long[] durations = new long[2000];
    Arrays.fill(durations, 500);
    assertThat(tasks(TaskMetric.INPUT_BYTES, values, durations))
        .containsExactly("2000 tasks ran with a median of 500 ms: more scheduling than work");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.TINY_TASKS);
    assertThat(flags("task 0")).isEmpty();
    Arrays.fill(durations, 501);
    assertThat(tasks(TaskMetric.INPUT_BYTES, values, durations)).isEmpty();
    durations = Arrays.copyOf(durations, 1999);
    Arrays.fill(durations, 10);
    assertThat(tasks(TaskMetric.INPUT_BYTES, values, durations)).isEmpty();
  }

  @Test
  void largePartition() {
    long large = 2 * GIB;
    assertThat(task(TaskMetric.INPUT_BYTES, large))
        .containsExactly("task 0 on executor 1 read 2.0 GiB of input");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.LARGE_PARTITION);
    assertThat(flags("task 0")).containsExactly(FindingCode.LARGE_PARTITION);
    assertThat(task(TaskMetric.SHUFFLE_READ_BYTES, large))
        .containsExactly("task 0 on executor 1 read 2.0 GiB of shuffle data");
    assertThat(task(TaskMetric.SHUFFLE_WRITE_BYTES, large))
        .containsExactly("task 0 on executor 1 wrote 2.0 GiB of shuffle data");
    assertThat(task(TaskMetric.OUTPUT_BYTES, large))
        .containsExactly("task 0 on executor 1 wrote 2.0 GiB of output");
    task(TaskMetric.INPUT_BYTES, large - 1, TaskMetric.OUTPUT_BYTES, large - 1);
    assertNothing();
  }

  @Test
  void largeResult() {
    assertThat(task(TaskMetric.RESULT_SIZE, 256 * MIB))
        .containsExactly("1 task sent 256.0 MiB of results to the driver");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.LARGE_RESULT);
    assertThat(flags("task 0")).containsExactly(FindingCode.LARGE_RESULT);
    task(TaskMetric.RESULT_SIZE, 256 * MIB - 1);
    assertNothing();
    long[] halves = {128 * MIB, 128 * MIB};
    assertThat(tasks(TaskMetric.RESULT_SIZE, halves, 10, 10))
        .containsExactly("2 tasks sent 256.0 MiB of results to the driver");
    assertThat(flags("task 0")).isEmpty();
  }

  private List<Object> failing(long millis, EndReason reason) {
    app = ModelFixture.app();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch();
    app.at(millis);
    task.rawMetrics(null).end(reason);
    stage.task(0).attempt(1).launch().succeed();
    stage.complete();
    job.succeed();
    tree = app.finish();
    return found("stage 0.0");
  }

  @Test
  void retries() {
    EndReason error = failure("java.lang.Error", "x");
    assertThat(failing(60_000, error))
        .containsExactly("1 of 2 tasks failed, with 1.0 m of task time");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.RETRIES);
    assertThat(flags("task 0")).containsExactly(FindingCode.RETRIES);
    assertThat(flags("task 1")).isEmpty();
    failing(59_999, error);
    assertNothing();
    failing(60_000, reason(EndReason.Kind.TaskKilled, "another attempt succeeded"));
    assertNothing();
  }

  @Test
  void aStageThatRanAgain() {
    for (long millis : new long[] {29_999, 30_000}) {
      app = ModelFixture.app();
      ModelFixture.Stage stage = app.stage(0, 2);
      ModelFixture.Job job = app.job(0, stage).start();
      stage.submit().fail("fetch failed");
      stage.again().submit().run(millis).complete();
      job.succeed();
      tree = app.finish();
      assertThat(found("stage 0.1")).hasSize(millis < 30_000 ? 0 : 1);
    }
    assertThat(found("stage 0.0")).isEmpty();
    assertThat(found("stage 0.1"))
        .containsExactly("a further attempt ran 2 tasks again, 1.0 m of task time");
    assertThat(found("application"))
        .containsExactly(
            "stage 0 attempt 1: a further attempt ran 2 tasks again, 1.0 m of task time");
    assertThat(flags("stage 0.1")).containsExactly(FindingCode.RETRIES);
  }

  @Test
  void executorLost() {
    assertThat(failing(10, reason(EndReason.Kind.ExecutorLostFailure, "heartbeat timed out")))
        .containsExactly("1 task was lost with its executor");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.EXECUTOR_LOST);
    assertThat(flags("task 0")).containsExactly(FindingCode.EXECUTOR_LOST);
    failing(10, reason(EndReason.Kind.TaskKilled, "decommissioned"));
    assertNothing();
  }

  @Test
  void tasksThatHaveToRunAgainAreLostToo() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task task = stage.task(0).launch().succeed();
    task.end(reason(EndReason.Kind.Resubmitted, null));
    stage.task(0).launch().end(reason(EndReason.Kind.ExecutorLostFailure, "x"));
    stage.complete();
    job.succeed();
    tree = app.finish();
    assertThat(found("stage 0.0")).containsExactly("2 tasks were lost with their executors");
  }

  private List<Object> python(Object[][] metrics, long[] told, Object... taskMetrics) {
    PlanNode plan =
        measured("ArrowEvalPython", "ArrowEvalPython [f(a)]", metrics, node("Scan", "Scan [a]"));
    app = ModelFixture.app();
    ModelFixture.Sql sql = app.sql(0).planned(plan).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(0).start();
    stage.submit().run(10, taskMetrics).sqlMetrics(told).complete();
    job.succeed();
    sql.succeed();
    tree = app.finish();
    return found("stage 0.0");
  }

  /** Spark 4.0 and later. */
  @Test
  void pythonTimeThatSparkTells() {
    Object[][] metrics = {
      {"number of output rows", 7, "sum"},
      {"time to run Python workers", 8, "timing"},
      {"time to execute Python code", 9, "nsTiming"}
    };
    Object[] run = {TaskMetric.RUN_TIME, 120_000};
    assertThat(python(metrics, new long[] {7, 1, 8, 60_000}, run))
        .containsExactly("ArrowEvalPython ran Python for 1.0 m of 2.0 m run time, 50 %");
    assertThat(flags("stage 0.0")).containsExactly(FindingCode.PYTHON_TIME);
    assertThat(flags("sql 0")).containsExactly(FindingCode.PYTHON_TIME);
    assertThat(flags("task 0")).isEmpty();
    assertThat(python(metrics, new long[] {7, 1, 8, 59_999}, run)).isEmpty();
    assertThat(python(metrics, new long[] {7, 1, 8, 60_000}, TaskMetric.RUN_TIME, 120_001))
        .isEmpty();
    assertThat(python(metrics, new long[] {7, 1, 8, 90_000, 9, 70_000_000_000L}, run))
        .containsExactly("ArrowEvalPython ran Python for 1.2 m of 2.0 m run time, 58 %");
  }

  /** Before that, by what the JVM did not do itself. */
  @Test
  void pythonTimeThatTheJvmWaited() {
    Object[][] metrics = {{"number of output rows", 7, "sum"}};
    Object[] run = {
      TaskMetric.RUN_TIME,
      120_000,
      TaskMetric.CPU_TIME,
      40_000_000_000L,
      TaskMetric.GC_TIME,
      10_000,
      TaskMetric.SHUFFLE_FETCH_WAIT_TIME,
      10_000
    };
    assertThat(python(metrics, new long[] {7, 1}, run))
        .containsExactly("the JVM waited for ArrowEvalPython 1.0 m of 2.0 m run time, 50 %");
    run[3] = 40_001_000_000L;
    assertThat(python(metrics, new long[] {7, 1}, run)).isEmpty();
    // A stage in which the node did not run.
    assertThat(python(metrics, new long[0], TaskMetric.RUN_TIME, 120_000)).isEmpty();
  }

  @Test
  void whatComesFromSparkIsRedacted() {
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    stage
        .task(0)
        .on("password=hunter2")
        .launch()
        .metrics(TaskMetric.INPUT_BYTES, 2 * GIB)
        .succeed();
    stage.complete();
    job.succeed();
    tree = app.finish();
    assertThat(found("stage 0.0"))
        .singleElement()
        .asString()
        .startsWith("task 0 on executor password=")
        .doesNotContain("hunter2");
  }

  @Test
  void sizesInSentencesHaveSparksRounding() {
    assertThat(FindingText.bytes(2047)).isEqualTo("2047.0 B");
    assertThat(FindingText.bytes(2 * KIB)).isEqualTo("2.0 KiB");
    assertThat(FindingText.ratio(9.94)).isEqualTo("9.9");
    assertThat(FindingText.ratio(37.6)).isEqualTo("38");
  }
}
