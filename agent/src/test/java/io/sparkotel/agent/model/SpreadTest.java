package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  private final ModelFixture app = ModelFixture.app("otel.spark.tasks=none");

  private SpanTree run(ModelFixture.Stage stage, long... durations) {
    ModelFixture.Job job = app.job(0, stage).start();
    stage.submit();
    for (int i = 0; i < durations.length; i++) {
      ModelFixture.Task task = app.at(0).stage(0, 0).task(i).on("e" + i).launch();
      app.at(durations[i]);
      task.metrics(TaskMetric.INPUT_BYTES, i, TaskMetric.GC_TIME, 0).succeed();
    }
    stage.complete();
    job.succeed();
    return app.finish();
  }

  private static Object at(SpanTree tree, String key, String quantile) {
    return tree.value("stage 0.0", "spark.stage." + key + "." + quantile);
  }

  @Test
  void tellsQuantilesSkewAndTheSlowest() {
    SpanTree tree = run(app.stage(0, 4), 10, 40, 20, 30);
    assertThat(at(tree, "task_duration_ms", "min")).isEqualTo(10L);
    assertThat(at(tree, "task_duration_ms", "p25")).isEqualTo(20L);
    assertThat(at(tree, "task_duration_ms", "p50")).isEqualTo(30L);
    assertThat(at(tree, "task_duration_ms", "p75")).isEqualTo(40L);
    assertThat(at(tree, "task_duration_ms", "p95")).isEqualTo(40L);
    assertThat(at(tree, "task_duration_ms", "max")).isEqualTo(40L);
    assertThat(at(tree, "task_input_bytes", "min")).isEqualTo(0L);
    assertThat(at(tree, "task_input_bytes", "max")).isEqualTo(3L);
    assertThat(tree.value("stage 0.0", Names.STAGE_SKEW)).isEqualTo(40.0 / 30);
    assertThat(tree.value("stage 0.0", Names.STAGE_SLOWEST_INDEX)).isEqualTo(1L);
    assertThat(tree.value("stage 0.0", Names.STAGE_SLOWEST_EXECUTOR)).isEqualTo("e1");
    assertThat(tree.value("stage 0.0", Names.STAGE_SLOWEST_HOST)).isEqualTo("host-e1");
    assertThat(tree.value("stage 0.0", Names.STAGE_SPREAD_APPROXIMATE)).isNull();
  }

  @Test
  void leavesOutWhatNoTaskHad() {
    SpanTree tree = run(app.stage(0, 2), 10, 20);
    for (String key :
        List.of(
            "task_shuffle_read_bytes",
            "task_shuffle_write_bytes",
            "task_spill_disk_bytes",
            "task_gc_time_ms")) {
      assertThat(at(tree, key, "max")).as(key).isNull();
    }
  }

  @Test
  void breaksATieByTheLowerTask() {
    SpanTree tree = run(app.stage(0, 3), 5, 9, 9);
    assertThat(tree.value("stage 0.0", Names.STAGE_SLOWEST_INDEX)).isEqualTo(1L);
  }

  @Test
  void tellsNoSkewWithoutAMedian() {
    SpanTree tree = run(app.stage(0, 3), 0, 0, 9);
    assertThat(at(tree, "task_duration_ms", "p50")).isEqualTo(0L);
    assertThat(tree.value("stage 0.0", Names.STAGE_SKEW)).isNull();
  }

  @Test
  void countsSuccessfulTasksOnly() {
    ModelFixture.Stage stage = app.stage(0, 2);
    app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task failed = stage.task(0).launch();
    ModelFixture.Task killed = stage.task(1).launch();
    app.at(50);
    failed.end(ModelFixture.failure("java.lang.Error", "x"));
    killed.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "x"));
    stage.complete();
    SpanTree tree = app.finish();
    assertThat(at(tree, "task_duration_ms", "max")).isNull();
    assertThat(tree.value("stage 0.0", Names.STAGE_SLOWEST_INDEX)).isNull();
  }

  @Test
  void flagsWhatIsApproximate() {
    long[] durations = new long[10_001];
    for (int i = 0; i < durations.length; i++) {
      durations[i] = i + 1L;
    }
    SpanTree tree = run(app.stage(0, durations.length), durations);
    assertThat(tree.value("stage 0.0", Names.STAGE_SPREAD_APPROXIMATE)).isEqualTo(true);
    assertThat(at(tree, "task_duration_ms", "min")).isEqualTo(1L);
    assertThat(at(tree, "task_duration_ms", "max")).isEqualTo(10_001L);
    assertThat((Long) at(tree, "task_duration_ms", "p50")).isBetween(5_001L, 5_080L);
  }
}
