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

  @Test
  void stopsAtTheBudgetOfSpans() {
    app = ModelFixture.app("otel.spark.trace.max-spans=10");
    SpanTree tree = runStage(40);
    assertThat(tree.keys(Entity.TASK)).hasSize(10);
    assertLeftOut(tree, 30);
  }

  @Test
  void stopsAtTheBudgetOfSpansAmongTheSlowest() {
    app = ModelFixture.app("otel.spark.trace.max-spans=5");
    long[] durations = IntStream.range(0, 150).mapToLong(i -> i).toArray();
    SpanTree tree = runStage(150, durations);
    assertThat(tree.keys(Entity.TASK))
        .containsExactly("task 145", "task 146", "task 147", "task 148", "task 149");
    assertLeftOut(tree, 145);
  }

  @Test
  void stopsAtTheBudgetOfBytes() {
    app = ModelFixture.app("otel.spark.trace.max-bytes=3000");
    SpanTree tree = runStage(40);
    int bytes = 0;
    int last = 0;
    for (String key : tree.keys(Entity.TASK)) {
      last = tree.get(key).estimatedBytes();
      bytes += last;
    }
    assertThat(bytes).isGreaterThanOrEqualTo(3000);
    assertThat(bytes - last).isLessThan(3000);
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
