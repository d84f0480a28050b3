package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricSumsTest {

  private static final List<String> LEVELS = List.of("stage 0.0", "job 0", "sql 0", "application");

  private final ModelFixture app = ModelFixture.app();
  private final ModelFixture.Sql sql = app.sql(0).start();
  private final ModelFixture.Stage stage = app.stage(0, 2);
  private final ModelFixture.Job job = app.job(0, stage).sql(0).start();

  private SpanTree run(long[]... metrics) {
    stage.submit();
    for (int i = 0; i < metrics.length; i++) {
      stage.task(i).launch().rawMetrics(metrics[i]).succeed();
    }
    stage.complete();
    job.succeed();
    sql.succeed();
    return app.finish();
  }

  /** Every metric has a value of its own, so that none can be taken for another. */
  @Test
  void addsUpEveryMetricOnceAtEveryLevel() {
    long[] first = new long[TaskMetric.COUNT];
    long[] second = new long[TaskMetric.COUNT];
    for (TaskMetric metric : TaskMetric.values()) {
      first[metric.ordinal()] = 1_000_000L * (metric.ordinal() + 1);
      second[metric.ordinal()] = 500_000L;
    }
    SpanTree tree = run(first, second);
    for (TaskMetric metric : TaskMetric.values()) {
      long own = 1_000_000L * (metric.ordinal() + 1);
      boolean nanos = metric.unit() == TaskMetric.Unit.NANOS;
      assertThat(tree.value("task 0", metric.key()))
          .as(metric.key())
          .isEqualTo(nanos ? (Object) (own / 1e6) : (Object) own);
      long sum = metric == TaskMetric.PEAK_EXECUTION_MEMORY ? own : own + 500_000L;
      for (String level : LEVELS) {
        assertThat(tree.value(level, metric.key()))
            .as("%s on %s", metric.key(), level)
            .isEqualTo(nanos ? (Object) (sum / 1e6) : (Object) sum);
      }
    }
  }

  @Test
  void takesTheMaximumOfThePeaks() {
    SpanTree tree =
        run(
            ModelFixture.metrics(TaskMetric.PEAK_EXECUTION_MEMORY, 70),
            ModelFixture.metrics(TaskMetric.PEAK_EXECUTION_MEMORY, 40));
    for (String level : LEVELS) {
      assertThat(tree.value(level, "spark.executor.peak_execution_memory_bytes")).isEqualTo(70L);
    }
  }

  @Test
  void leavesGroupsOfZerosOutOfATaskAndOnlyThere() {
    SpanTree tree = run(ModelFixture.metrics(TaskMetric.INPUT_RECORDS, 3));
    assertThat(tree.value("task 0", "spark.input.records")).isEqualTo(3L);
    assertThat(tree.value("task 0", "spark.input.bytes")).isEqualTo(0L);
    assertThat(tree.value("task 0", "spark.executor.run_time_ms")).isEqualTo(0L);
    for (String key :
        List.of(
            "spark.output.bytes",
            "spark.spill.disk_bytes",
            "spark.shuffle.read.bytes",
            "spark.shuffle.write.records")) {
      assertThat(tree.value("task 0", key)).as(key).isNull();
      for (String level : LEVELS) {
        assertThat(tree.value(level, key)).as("%s on %s", key, level).isEqualTo(0L);
      }
    }
    for (String level : LEVELS) {
      assertThat(tree.value(level, "spark.shuffle.write.time_ms")).isEqualTo(0.0);
      assertThat(tree.value(level, "spark.shuffle.read.merged.remote_blocks")).isEqualTo(0L);
    }
  }

  @Test
  void inventsNoMetricThatTheSparkVersionLacks() {
    SpanTree tree =
        run(
            ModelFixture.metricsBefore34(TaskMetric.SHUFFLE_READ_BYTES, 5),
            ModelFixture.metricsBefore34(TaskMetric.SHUFFLE_READ_BYTES, 6));
    for (String level : List.of("task 0", "stage 0.0", "job 0", "sql 0", "application")) {
      assertThat(tree.value(level, "spark.shuffle.read.remote_requests_time_ms")).isNull();
      assertThat(tree.value(level, "spark.shuffle.read.merged.corrupt_chunks")).isNull();
    }
    assertThat(tree.value("application", "spark.shuffle.read.bytes")).isEqualTo(11L);
  }

  /** Case 14. */
  @Test
  void inventsNoMetricsOfALostTask() {
    stage.submit();
    stage
        .task(0)
        .launch()
        .rawMetrics(null)
        .end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, "gone"));
    stage.complete();
    job.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.TASK_METRICS_MISSING)).isEqualTo(true);
    assertThat(tree.value("task 0", Names.TASK_SCHEDULER_DELAY)).isNull();
    assertThat(tree.value("stage 0.0", Names.TASKS_FAILED)).isEqualTo(1L);
    for (TaskMetric metric : TaskMetric.values()) {
      assertThat(tree.value("task 0", metric.key())).isNull();
      for (String level : LEVELS) {
        assertThat(tree.value(level, metric.key())).as("%s on %s", metric, level).isNull();
      }
    }
  }

  /** Case 14: beside one that did report. */
  @Test
  void addsUpWhatIsThere() {
    SpanTree tree = run(null, ModelFixture.metrics(TaskMetric.RUN_TIME, 6));
    assertThat(tree.value("task 1", Names.TASK_METRICS_MISSING)).isNull();
    assertThat(tree.value("stage 0.0", "spark.executor.run_time_ms")).isEqualTo(6L);
  }

  @Test
  void computesDelaysAsSparkDoes() {
    stage.submit();
    ModelFixture.Task task =
        stage
            .task(0)
            .launch()
            .gettingResult(90)
            .metrics(
                TaskMetric.RUN_TIME, 50,
                TaskMetric.DESERIALIZE_TIME, 7,
                TaskMetric.RESULT_SERIALIZATION_TIME, 3);
    app.at(100);
    task.succeed();
    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.TASK_GETTING_RESULT_TIME)).isEqualTo(10L);
    assertThat(tree.value("task 0", Names.TASK_SCHEDULER_DELAY)).isEqualTo(30L);
  }

  @Test
  void saysTheSumsForTheLog() {
    run(
        ModelFixture.metrics(TaskMetric.RUN_TIME, 6, TaskMetric.INPUT_RECORDS, 10),
        ModelFixture.metrics(TaskMetric.RUN_TIME, 7, TaskMetric.OUTPUT_RECORDS, 4));
    ApplicationTotals totals = app.model.totals();
    assertThat(totals.jobs).isEqualTo(1);
    assertThat(totals.stages).isEqualTo(1);
    assertThat(totals.tasks).isEqualTo(2);
    assertThat(totals.runTimeMillis).isEqualTo(13);
    assertThat(totals.recordsRead).isEqualTo(10);
    assertThat(totals.recordsWritten).isEqualTo(4);
    ApplicationTotals none = ModelFixture.app().model.totals();
    assertThat(none.runTimeMillis).isZero();
  }
}
