package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import org.junit.jupiter.api.Test;

class SpeedLimitsTest {

  private final ModelFixture app = ModelFixture.app("otel.spark.tasks=all");

  private void assertLimits(SpanTree tree, long driverOnly, long criticalPath, Long ideal) {
    assertThat(tree.value("application", CostMetric.DRIVER_ONLY_TIME.attribute()))
        .isEqualTo(driverOnly);
    assertThat(tree.value("application", CostMetric.CRITICAL_PATH.attribute()))
        .isEqualTo(criticalPath);
    assertThat(tree.value("application", CostMetric.IDEAL_TIME.attribute())).isEqualTo(ideal);
  }

  /** A job of one stage from its start on, whose task runs for so long, and ends at that time. */
  private void job(int id, long start, long taskMillis, long end) {
    ModelFixture.Stage stage = app.at(start).stage(id, 1);
    ModelFixture.Job job = app.job(id, stage).start();
    stage.submit().run(taskMillis, TaskMetric.RUN_TIME, taskMillis).complete();
    app.at(end);
    job.succeed();
  }

  @Test
  void anApplicationWithoutJobsIsItsDriversOnly() {
    app.executorAdded("driver", 4);
    assertLimits(app.at(1_000).finish(), 1_000, 1_000, 1_000L);
    assertLimits(ModelFixture.app().at(1_000).finish(), 1_000, 1_000, null);
  }

  @Test
  void jobsOneAfterTheOther() {
    app.executorAdded("1", 4);
    job(0, 100, 30, 200);
    job(1, 250, 40, 450);
    // Jobs ran for 300 ms and used 70 of 1,200.
    assertLimits(app.at(500).finish(), 200, 270, 200 + 18L);
  }

  /**
   *
   *
   * <pre>
   * job 0   100 ├───────────────────────┤ 500    longest task 80
   * job 1   100 ├─────────┤ 200                  60
   * job 2               300 ├───────────┤ 500    50
   * </pre>
   */
  @Test
  void jobsAtTheSameTime() {
    app.executorAdded("1", 1);
    ModelFixture.Stage[] stages = {app.stage(0, 1), app.stage(1, 1), app.stage(2, 1)};
    app.at(100);
    ModelFixture.Job[] jobs = {app.job(0, stages[0]).start(), app.job(1, stages[1]).start(), null};
    stages[0].submit().run(80, TaskMetric.RUN_TIME, 80).complete();
    app.at(100);
    stages[1].submit().run(60, TaskMetric.RUN_TIME, 60).complete();
    app.at(200);
    jobs[1].succeed();
    app.at(300);
    jobs[2] = app.job(2, stages[2]).start();
    stages[2].submit().run(50, TaskMetric.RUN_TIME, 50).complete();
    app.at(500);
    jobs[0].succeed();
    jobs[2].succeed();
    // Jobs 1 and 2 are the longer chain: 110 ms. The three used 190 of 400 ms.
    assertLimits(app.at(600).finish(), 200, 310, 200 + 190L);
  }

  /** Stage 2 reads from 0 and 1; 3 was skipped. */
  @Test
  void stagesOfAJob() {
    app.executorAdded("1", 1);
    ModelFixture.Stage[] stages = {
      app.stage(0, 2), app.stage(1, 1), app.stage(2, 1).reading(0, 1, 3), app.stage(3, 1)
    };
    ModelFixture.Job job = app.at(100).job(0, stages).start();
    stages[0].submit().run(20).complete();
    app.at(100);
    stages[1].submit().run(90).complete();
    stages[2].submit().run(30).complete();
    app.at(400);
    job.succeed();
    assertLimits(app.at(400).finish(), 100, 100 + 90 + 30, 100L);
  }

  @Test
  void aStageThatIsAttemptedAgainTakesTheTimeOfBoth() {
    app.executorAdded("1", 1);
    ModelFixture.Stage map = app.stage(0, 1);
    ModelFixture.Stage result = app.stage(1, 1).reading(0);
    ModelFixture.Job job = app.job(0, map, result).start();
    map.submit().run(10).complete();
    ModelFixture.Task lost = result.submit().task(0).launch();
    app.at(15);
    lost.end(ModelFixture.reason(EndReason.Kind.FetchFailed, "lost"));
    result.fail("lost");
    map.again().submit().run(20).complete();
    result.again().submit().run(7).complete();
    app.at(100);
    job.succeed();
    assertLimits(app.finish(), 0, 10 + 5 + 20 + 7, 0L);
  }

  /** Both jobs wait for stage 0; the second started when most of its time was over. */
  @Test
  void noJobTakesLongerThanItTook() {
    app.executorAdded("1", 1);
    ModelFixture.Stage shared = app.stage(0, 1);
    ModelFixture.Job first = app.job(0, shared).start();
    ModelFixture.Task task = shared.submit().task(0).launch();
    app.at(95);
    ModelFixture.Job second = app.job(1, shared).start();
    app.at(100);
    task.succeed();
    shared.complete();
    second.succeed();
    first.succeed();
    app.at(105);
    ModelFixture.Stage late = app.stage(1, 1);
    ModelFixture.Job last = app.job(2, late).start();
    ModelFixture.Task zombie = late.submit().task(0).launch();
    app.at(110);
    last.succeed();
    app.at(200);
    zombie.succeed();
    // Of the last job no task had ended by its end.
    assertLimits(app.at(210).finish(), 105, 205, 105L);
  }

  @Test
  void whatHasNoEndLastsToTheEndOfAll() {
    app.executorAdded("1", 1);
    ModelFixture.Stage stage = app.stage(0, 2);
    app.at(100).job(0, stage).start();
    stage.submit().task(0).metrics(TaskMetric.RUN_TIME, 0).launch();
    stage.task(1).launch();
    app.at(150);
    stage.complete();
    assertLimits(app.close(Outcome.UNKNOWN), 100, 100, 100L);
  }

  /** Told to have used more than there was. */
  @Test
  void theIdealIsNoLongerThanWhatWas() {
    app.executorAdded("1", 1);
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.at(10).job(0, stage).start();
    stage.submit().run(20, TaskMetric.RUN_TIME, 9_000).complete();
    job.succeed();
    assertLimits(app.at(40).finish(), 20, 40, 40L);
  }

  /** Cores that are there while no job runs are not those of the jobs. */
  @Test
  void theIdealIsThatOnTheCoresOfTheJobs() {
    app.executorAdded("1", 4);
    app.at(50).executorAdded("2", 96);
    app.at(90).executorRemoved("2");
    job(0, 100, 60, 200);
    assertLimits(app.at(200).finish(), 100, 160, 100 + 15L);
  }

  @Test
  void clocksThatGoBack() {
    app.executorAdded("1", 1);
    job(0, 100, 50, 90);
    job(1, 80, 10, 120);
    assertLimits(app.at(200).finish(), 160, 170, 200L);
  }
}
