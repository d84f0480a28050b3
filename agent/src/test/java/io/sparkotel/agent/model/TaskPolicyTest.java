package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskPolicyTest {

  private static final EndReason KILLED =
      ModelFixture.reason(EndReason.Kind.TaskKilled, "another attempt succeeded");

  private ModelFixture app = ModelFixture.app();

  private SpanTree runStage(int tasks, long... durations) {
    ModelFixture.Stage stage = app.stage(0, tasks);
    ModelFixture.Job job = app.at(0).job(0, stage).start();
    stage.submit();
    for (int i = 0; i < tasks; i++) {
      ModelFixture.Task task = app.at(0).stage(0, tasks).task(i).launch();
      app.at(durations.length == 0 ? 10 : durations[i]);
      task.succeed();
    }
    stage.complete();
    job.succeed();
    return app.finish();
  }

  private static void assertLeftOut(SpanTree tree, long count) {
    assertThat(tree.value("stage 0.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(count);
    assertThat(tree.value("application", Names.TASKS_NOT_EXPORTED)).isEqualTo(count);
  }

  @Test
  void autoShowsEveryTaskOfASmallStage() {
    SpanTree tree = runStage(100);
    assertThat(tree.keys(Entity.TASK)).hasSize(100);
    assertLeftOut(tree, 0);
  }

  @Test
  void autoShowsTheSlowestOfALargeStage() {
    long[] durations = IntStream.range(0, 101).mapToLong(i -> (i * 37) % 101).toArray();
    SpanTree tree = runStage(101, durations);
    TreeSet<Integer> expected = new TreeSet<>();
    for (int i = 0; i < 101; i++) {
      if (durations[i] >= 81) {
        expected.add(i);
      }
    }
    assertThat(tree.keys(Entity.TASK))
        .containsExactlyElementsOf(expected.stream().map(i -> "task " + i).toList());
    assertThat(expected).hasSize(20);
    assertLeftOut(tree, 81);
    assertThat(tree.value("stage 0.0", Names.TASKS_TOTAL)).isEqualTo(101L);
  }

  @Test
  void autoBreaksTiesByTheLowerId() {
    assertThat(runStage(150).keys(Entity.TASK))
        .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "task " + i).toList());
  }

  @Test
  void autoShowsFailuresAndWinnersOfSpeculationOfALargeStage() {
    ModelFixture.Stage stage = app.stage(0, 200);
    app.job(0, stage).start();
    stage.submit();
    List<ModelFixture.Task> longOnes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      longOnes.add(stage.task(i).launch());
    }
    ModelFixture.Task failed = stage.task(20).launch();
    ModelFixture.Task original = stage.task(21).launch();
    ModelFixture.Task copy = stage.task(21).attempt(1).speculative().launch();
    ModelFixture.Task beaten = stage.task(22).launch();
    ModelFixture.Task winner = stage.task(22).attempt(1).speculative().launch();
    app.at(1);
    failed.end(ModelFixture.failure("java.lang.Error", "x"));
    original.succeed();
    copy.end(KILLED);
    winner.succeed();
    beaten.end(KILLED);
    app.at(100);
    longOnes.forEach(ModelFixture.Task::succeed);
    stage.complete();

    SpanTree tree = app.finish();
    List<String> expected =
        new ArrayList<>(IntStream.range(0, 20).mapToObj(i -> "task " + i).toList());
    expected.add("task " + failed.id());
    expected.add("task " + original.id());
    expected.add("task " + winner.id());
    assertThat(tree.keys(Entity.TASK)).containsExactlyInAnyOrderElementsOf(expected);
    assertLeftOut(tree, 2);
  }

  @ParameterizedTest
  @CsvSource({"all, 3, 0", "auto, 3, 0", "failed, 1, 2", "none, 0, 3"})
  void showsWhatThePolicySays(String policy, int shown, long leftOut) {
    app = ModelFixture.app("otel.spark.tasks=" + policy);
    ModelFixture.Stage stage = app.stage(0, 3);
    app.job(0, stage).start();
    stage.submit();
    stage.task(0).launch().succeed();
    stage.task(1).launch().end(KILLED);
    stage.task(2).launch().end(ModelFixture.failure("java.lang.Error", "x"));
    stage.complete();

    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.TASK)).hasSize(shown);
    assertLeftOut(tree, leftOut);
    assertThat(tree.value("stage 0.0", Names.TASKS_TOTAL)).isEqualTo(3L);
  }

  @Test
  void allMeansAll() {
    app = ModelFixture.app("otel.spark.tasks=all", "otel.spark.trace.max-spans=10");
    SpanTree tree = runStage(2_500);
    assertThat(tree.keys(Entity.TASK)).hasSize(2_500);
    assertLeftOut(tree, 0);
  }

  /** Any task takes a half of it; of the rest the slowest take a half. */
  @Test
  void leavesABudgetOfSpansToTheSlowest() {
    app = ModelFixture.app("otel.spark.trace.max-spans=20");
    long[] durations = IntStream.range(0, 40).mapToLong(i -> i == 12 ? 50 : i).toArray();
    SpanTree tree = runStage(40, durations);
    assertThat(tree.keys(Entity.TASK))
        .containsExactlyInAnyOrder(
            "task 0", "task 1", "task 2", "task 3", "task 4", "task 5", "task 6", "task 7",
            "task 8", "task 9", "task 12", "task 36", "task 37", "task 38", "task 39");
    assertLeftOut(tree, 25);
  }

  /** Whatever came before them. */
  @Test
  void leavesABudgetOfSpansToTheFailed() {
    app = ModelFixture.app("otel.spark.trace.max-spans=8");
    for (int i = 0; i < 3; i++) {
      ModelFixture.Stage stage = app.stage(i, 100);
      ModelFixture.Job job = app.job(i, stage).start();
      stage.submit();
      stage.run(1);
      stage.complete();
      job.succeed();
    }
    ModelFixture.Stage stage = app.stage(3, 5);
    app.job(3, stage).start();
    stage.submit();
    for (int i = 0; i < 3; i++) {
      stage.task(i).launch().end(ModelFixture.failure("java.lang.Error", "x"));
    }
    stage.task(3).launch().succeed();
    stage.complete();

    SpanTree tree = app.finish();
    assertThat(tree.keys(Entity.TASK))
        .containsExactlyInAnyOrder(
            "task 0", "task 1", "task 2", "task 3", "task 4", "task 5", "task 300", "task 301");
    assertThat(tree.value("stage 0.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(94L);
    assertThat(tree.value("stage 1.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(100L);
    assertThat(tree.value("stage 3.0", Names.TASKS_NOT_EXPORTED)).isEqualTo(2L);
    assertThat(tree.value("application", Names.TASKS_NOT_EXPORTED)).isEqualTo(296L);
  }

  @Test
  void stopsAtTheBudgetOfSpansAmongTheSlowest() {
    app = ModelFixture.app("otel.spark.trace.max-spans=4");
    long[] durations = IntStream.range(0, 150).mapToLong(i -> i).toArray();
    SpanTree tree = runStage(150, durations);
    assertThat(tree.keys(Entity.TASK)).containsExactly("task 147", "task 148", "task 149");
    assertLeftOut(tree, 147);
  }

  @Test
  void stopsAtTheBudgetOfBytes() {
    app = ModelFixture.app("otel.spark.trace.max-bytes=8000");
    SpanTree tree = runStage(40);
    int bytes = 0;
    int last = 0;
    for (String key : tree.keys(Entity.TASK)) {
      last = tree.get(key).estimatedBytes();
      bytes += last;
    }
    // Three quarters of it, as nothing failed.
    assertThat(bytes).isGreaterThanOrEqualTo(6_000);
    assertThat(bytes - last).isLessThan(6_000);
    assertLeftOut(tree, 40 - tree.keys(Entity.TASK).size());
  }

  /** What was running when an application was killed is bound by the policy, too. */
  @ParameterizedTest
  @CsvSource({
    "all, 150, 150, 0",
    "auto, 100, 100, 0",
    "auto, 150, 20, 130",
    "failed, 100, 0, 100",
    "none, 100, 0, 100"
  })
  void boundsTheTasksThatNeverEnded(String policy, int tasks, int shown, long leftOut) {
    app = ModelFixture.app("otel.spark.tasks=" + policy);
    ModelFixture.Stage stage = app.stage(0, tasks);
    app.job(0, stage).start();
    stage.submit();
    for (int i = 0; i < tasks; i++) {
      stage.task(i).launch();
    }
    SpanTree tree = app.close(Outcome.UNKNOWN);
    assertThat(tree.keys(Entity.TASK))
        .containsExactlyElementsOf(IntStream.range(0, shown).mapToObj(i -> "task " + i).toList());
    assertLeftOut(tree, leftOut);
  }
}
