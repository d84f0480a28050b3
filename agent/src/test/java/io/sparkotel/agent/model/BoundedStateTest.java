package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Case 25: whatever an application does and however long, what is held is bounded. Counted entries,
 * not bytes; each span is made once, whatever was closed early.
 */
class BoundedStateTest {

  private static final int TINY_JOBS = 100_000;
  private static final int QUERIES = 50_000;
  private static final int STAGES = 100_000;
  private static final int TASKS = 1_000_000;
  private static final int EXECUTORS = 10_000;

  /** What is held of traces, and whatever else is the same in any application. */
  private static final long FEW = UnitLinks.MAX + 2 * TraceParts.KEPT + 10;

  private ModelFixture app = ModelFixture.app();
  private final Map<Entity, Long> spans = new EnumMap<>(Entity.class);
  private long mostState;
  private long mostMemory;

  BoundedStateTest() {
    app.checks = false;
  }

  /** Looks how much the model holds, and has the fixture forget what it remembers. */
  private void look() {
    mostState = Math.max(mostState, app.model.stateSize());
    mostMemory = Math.max(mostMemory, app.model.memorySize());
    for (FinishedSpan span : app.spans) {
      spans.merge(span.entity(), 1L, Long::sum);
    }
    app.spans.clear();
    app.forget();
  }

  private long spans(Entity entity) {
    return spans.getOrDefault(entity, 0L);
  }

  /** The end of the application; what is left of it. */
  private FinishedSpan finish() {
    app.model.closeOpen();
    look();
    assertThat(app.model.stateSize()).isZero();
    return app.model.application(Outcome.UNKNOWN, null, List.of());
  }

  private static Long value(FinishedSpan span, Attribute name) {
    return (Long) span.getAttributes().get(name.key());
  }

  @Test
  void manyTinyJobs() {
    for (int i = 0; i < TINY_JOBS; i++) {
      ModelFixture.Stage stage = app.at(10L * i).stage(i, 1);
      ModelFixture.Job job = app.job(i, stage).start();
      stage.submit();
      ModelFixture.Task task = stage.task(0).launch();
      if (i % 10 == 9) {
        look();
      }
      task.succeed();
      stage.complete();
      app.at(10L * i + 5);
      job.succeed();
      assertThat(app.model.stateSize()).isZero();
    }
    assertThat(mostState).isBetween(5L, 10L);
    assertThat(mostMemory).isBetween(BusyTime.MAX_PERIODS / 2L, BusyTime.MAX_PERIODS + FEW);
    FinishedSpan application = finish();
    assertThat(value(application, Names.TASKS_TOTAL)).isEqualTo(TINY_JOBS);
    assertThat(spans(Entity.JOB)).isEqualTo(TINY_JOBS);
    assertThat(spans(Entity.STAGE)).isEqualTo(TINY_JOBS);
    assertThat(spans(Entity.TASK) + value(application, Names.TASKS_NOT_EXPORTED))
        .isEqualTo(TINY_JOBS);
    assertThat(value(application, Names.CLOSED_EARLY)).isNull();
  }

  /** With plans that change, and metrics of which no two follow each other. */
  @Test
  void manyQueries() {
    // What is held of a plan does not depend on what is shown of it, the test's time does.
    app = ModelFixture.app("otel.spark.sql.plan=none");
    app.checks = false;
    for (int i = 0; i < QUERIES; i++) {
      long id = 10L * i;
      ModelFixture.Stage stage = app.stage(i, 1).sqlMetrics(id, 5, id + 2, 7);
      ModelFixture.Sql sql = app.sql(i).planned(plan(id)).start();
      ModelFixture.Job job = app.job(i, stage).sql(i).start();
      sql.replan(plan(id + 4));
      sql.driverMetrics(id + 6, 1);
      stage.submit().run(1).complete();
      job.succeed();
      if (i % 10 == 9) {
        look();
      }
      sql.succeed();
      assertThat(app.model.stateSize()).isZero();
    }
    assertThat(mostState).isBetween(5L, 15L);
    assertThat(mostMemory).isBetween(IdRanges.MAX_RANGES + 0L, IdRanges.MAX_RANGES + FEW);
    assertThat(value(finish(), Names.JOBS_TOTAL)).isEqualTo(QUERIES);
    assertThat(spans(Entity.SQL)).isEqualTo(QUERIES);
  }

  private static PlanNode plan(long metric) {
    return ModelFixture.measured(
        "Project",
        "Project [a]",
        new Object[][] {{"rows", metric, "sum"}, {"time", metric + 2, "timing"}},
        ModelFixture.measured(
            "CartesianProduct", "CartesianProduct", new Object[][] {{"rows", metric + 1, "sum"}}));
  }

  /** As where the events of their ends were dropped: every second one is nested in the other. */
  @Test
  void queriesThatNeverEnd() {
    int queries = QUERIES / 5;
    for (int i = 0; i < queries; i += 2) {
      app.sql(i).planned(plan(10L * i)).start();
      app.sql(i + 1).under(i).planned(plan(10L * i + 5)).start();
      app.job(i, app.stage(i, 1)).sql(i + 1).start();
      if (i % 50 == 0) {
        look();
      }
    }
    // An execution with the metrics of its plan; of every second one a job with its stage.
    assertThat(mostState).isBetween(OpenLimits.SQLS * 5L, OpenLimits.SQLS * 12L);
    assertThat(mostMemory).isLessThan(IdRanges.MAX_RANGES + FEW);
    FinishedSpan application = finish();
    assertThat(spans(Entity.SQL)).isEqualTo(queries);
    assertThat(spans(Entity.JOB)).isEqualTo(queries / 2);
    assertThat(value(application, Names.JOBS_TOTAL)).isEqualTo(queries / 2);
    long closed = value(application, Names.CLOSED_EARLY);
    assertThat(closed)
        .isBetween((queries - OpenLimits.SQLS) * 3L / 2, (queries - OpenLimits.SQLS * 9 / 10) * 2L);
  }

  @Test
  void streamingQueriesThatNeverEnd() {
    int queries = 5 * Streams.MAX_OPEN;
    for (int i = 0; i < queries; i++) {
      app.at(10L * i);
      ModelFixture.Stream stream = app.stream("query " + i, "run " + i).start("orders");
      app.at(10L * i + 5);
      stream.ran(0, 10L * i);
      look();
    }
    assertThat(mostState).isBetween(Streams.MAX_OPEN + 0L, Streams.MAX_OPEN * 2L);
    assertThat(mostMemory).isLessThan(3L * Streams.MAX_OPEN);
    finish();
    assertThat(spans(Entity.QUERY)).isEqualTo(queries);
    assertThat(spans(Entity.BATCH)).isEqualTo(queries);
  }

  /** Each with a failure, and so soon after each other that all may go on. */
  @Test
  void jobGroupsWithoutEnd() {
    app = ModelFixture.app("otel.spark.trace.unit=group");
    app.checks = false;
    int groups = 10 * Groups.MAX_OPEN;
    for (int i = 0; i < groups; i++) {
      app.job(i).property("spark.jobGroup.id", "cell " + i).start().fail("broken " + i);
      look();
    }
    // Each and its place among the idle ones.
    assertThat(mostState).isBetween(2L * Groups.MAX_OPEN, 2L * Groups.MAX_OPEN + 5);
    assertThat(mostMemory).isLessThan(IdRanges.MAX_RANGES + FEW);
    app.at(2 * Groups.PAUSE + 1);
    app.job(groups).start().succeed();
    assertThat(app.model.stateSize()).isZero();
    finish();
    assertThat(spans(Entity.GROUP)).isEqualTo(groups);
  }

  /** Of servers, whose clients never close them and say everything twice. */
  @Test
  void operationsThatNeverEnd() {
    int operations = 10 * Groups.MAX_OPEN;
    for (int i = 0; i < operations; i++) {
      app.at(i);
      for (String type : List.of("OperationStarted", "OperationAnalyzed", "OperationAnalyzed")) {
        ServerEvent event =
            ServerEvent.of("org.apache.spark.sql.connect.service.SparkListenerConnect" + type);
        event.operationId = "operation " + i;
        event.group = "tag " + i;
        event.tags = List.of("etl");
        event.time = ModelFixture.EPOCH + i;
        app.model.serverEvent(event);
      }
      app.job(i).property("spark.jobGroup.id", "tag " + i).start().succeed();
      look();
    }
    // Each, its states, its tag and the job tag by which it is found.
    assertThat(mostState).isBetween(5L * Groups.MAX_OPEN, 5L * Groups.MAX_OPEN + 5);
    assertThat(mostMemory).isLessThan(IdRanges.MAX_RANGES + FEW);
    FinishedSpan application = finish();
    assertThat(spans(Entity.GROUP)).isEqualTo(operations);
    assertThat(value(application, Names.GROUPS_CLOSED_EARLY))
        .isEqualTo(operations - Groups.MAX_OPEN);
    assertThat(value(application, Names.JOBS_TOTAL)).isEqualTo(operations);
  }

  /** Nor do their jobs. */
  @Test
  void stagesThatAreNeverCompleted() {
    for (int i = 0; i < STAGES; i++) {
      ModelFixture.Stage stage = app.stage(i, 2);
      app.job(i, stage).start();
      stage.submit();
      stage.task(0).launch().succeed();
      stage.task(1).launch();
      if (i % 2_500 == 0) {
        look();
      }
    }
    assertThat(mostState).isBetween(OpenLimits.STAGES * 5L, OpenLimits.STAGES * 12L);
    // Every second task has a span, of those that have one: a range for each.
    assertThat(mostMemory).isBetween(1_000L, IdRanges.MAX_RANGES + FEW);
    FinishedSpan application = finish();
    assertThat(spans(Entity.STAGE)).isEqualTo(STAGES);
    assertThat(spans(Entity.JOB)).isEqualTo(STAGES);
    assertThat(value(application, Names.STAGES_TOTAL)).isEqualTo(STAGES);
    assertThat(value(application, Names.JOBS_TOTAL)).isEqualTo(STAGES);
    assertThat(value(application, Names.TASKS_SUCCEEDED)).isEqualTo(STAGES);
    // Those whose end was never seen as well.
    assertThat(spans(Entity.TASK) + value(application, Names.TASKS_NOT_EXPORTED))
        .isEqualTo(2 * STAGES);
  }

  @Test
  void stagesThatNoJobNeeds() {
    for (int i = 0; i < STAGES; i++) {
      app.stage(i, 1).submit();
      if (i % 2_500 == 0) {
        look();
      }
    }
    assertThat(mostState).isBetween((long) OpenLimits.STAGES / 2, OpenLimits.STAGES + 10L);
    FinishedSpan application = finish();
    assertThat(spans(Entity.STAGE)).isEqualTo(STAGES);
    assertThat(value(application, Names.STAGES_TOTAL)).isEqualTo(STAGES);
    assertThat(value(application, Names.CLOSED_EARLY))
        .isBetween((long) STAGES - OpenLimits.STAGES, STAGES - OpenLimits.STAGES * 8L / 10);
  }

  @Test
  void jobsThatNeverEnd() {
    int jobs = TINY_JOBS / 4;
    for (int i = 0; i < jobs; i++) {
      ModelFixture.Stage stage = app.stage(i, 1);
      app.job(i, stage).start();
      stage.submit().run(1).complete();
      if (i % 2_500 == 0) {
        look();
      }
    }
    assertThat(mostState).isBetween(OpenLimits.JOBS * 3L, OpenLimits.JOBS * 8L);
    FinishedSpan application = finish();
    assertThat(spans(Entity.JOB)).isEqualTo(jobs);
    assertThat(value(application, Names.JOBS_TOTAL)).isEqualTo(jobs);
    assertThat(value(application, Names.TASKS_TOTAL)).isEqualTo(jobs);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void tasksThatNeverEnd(int stages) {
    ModelFixture.Stage[] open = new ModelFixture.Stage[stages];
    for (int i = 0; i < stages; i++) {
      open[i] = app.stage(i, TASKS / stages);
      app.job(i, open[i]).start();
      open[i].submit();
    }
    for (int i = 0; i < TASKS; i++) {
      open[i % stages].task(i / stages).launch();
      if (i % 10_000 == 0) {
        look();
      }
    }
    look();
    assertThat(mostState).isBetween(OpenLimits.TASKS * 9L / 10, OpenLimits.TASKS + 10L * stages);
    assertThat(mostMemory).isLessThan(IdRanges.MAX_RANGES + FEW);
    // Of those that are not held any more, one ends all the same: it is counted.
    app.at(10);
    open[0].task(0).unseen().succeed();
    long forgotten = TASKS - OpenLimits.TASKS;
    FinishedSpan application = finish();
    assertThat(spans(Entity.STAGE)).isEqualTo(stages);
    assertThat(value(application, Names.TASKS_TOTAL)).isEqualTo(1);
    assertThat(value(application, Names.CLOSED_EARLY))
        .isBetween(forgotten, forgotten + OpenLimits.TASKS / 10);
    // The jobs are in two traces at most.
    assertThat(spans(Entity.TASK)).isBetween(20L, 4_000L);
    assertThat(spans(Entity.TASK) + value(application, Names.TASKS_NOT_EXPORTED))
        .isEqualTo(TASKS + 1);
  }

  /** On a cluster that names them by numbers, and on one that has other names. */
  @ParameterizedTest
  @ValueSource(strings = {"", "host-"})
  void executorsThatComeAndGo(String prefix) {
    long[] peaks = new long[ExecutorMetric.COUNT];
    for (int i = 0; i < EXECUTORS; i++) {
      app.at(100L * i);
      app.executorAddedWithLogs(prefix + i, 4);
      peaks[ExecutorMetric.JVM_HEAP.ordinal()] = i;
      app.executorPeaks(prefix + i, 0, peaks.clone());
      app.at(100L * i + 50);
      app.executorRemoved(prefix + i);
      if (i % 100 == 0) {
        look();
      }
    }
    assertThat(mostState).isZero();
    // The links of those that went, the times at which they came and went by cores and by profile.
    long names =
        (long) KnownExecutors.MAX_REMOVED + (prefix.isEmpty() ? 0 : ExecutorCores.MAX_NAMES);
    assertThat(mostMemory)
        .isBetween(names + CountOverTime.MAX_POINTS, names + 2L * CountOverTime.MAX_POINTS + 10);
    app.at(100L * EXECUTORS);
    app.end(0);
    FinishedSpan application = finish();
    assertThat(value(application, Names.EXECUTORS_MAX)).isEqualTo(1);
    assertThat(value(application, Names.EXECUTORS_REMOVED)).isEqualTo(EXECUTORS);
    assertThat(value(application, CostMetric.CORE_TIME.attribute())).isEqualTo(4L * 50 * EXECUTORS);
    assertThat(value(application, ExecutorMetric.JVM_HEAP.attribute())).isEqualTo(EXECUTORS - 1);
  }

  @Test
  void aThousandExecutorsAtOnce() {
    for (int round = 0; round < 10; round++) {
      app.at(1_000L * round);
      for (int i = 0; i < 1_000; i++) {
        app.executorAddedWithLogs(Integer.toString(1_000 * round + i), 1);
      }
      look();
      app.at(1_000L * round + 500);
      for (int i = 0; i < 1_000; i++) {
        app.executorRemoved(Integer.toString(1_000 * round + i));
      }
      look();
    }
    // Twice those that are there, the links of those that went, and a few times.
    assertThat(mostMemory).isBetween(3_000L, 3_100L);
    app.at(10_000);
    app.end(0);
    FinishedSpan application = finish();
    assertThat(value(application, Names.EXECUTORS_MAX)).isEqualTo(1_000);
    assertThat(value(application, CostMetric.CORE_TIME.attribute())).isEqualTo(10L * 1_000 * 500);
  }

  /** Then nothing is said of how many there were, and nothing of what they cost. */
  @Test
  void executorsThatAreNeverRemoved() {
    for (int i = 0; i < 3 * ExecutorCores.MAX_LIVE; i++) {
      app.at(i);
      app.executorAdded(Integer.toString(i), 1, ResourceProfile.DEFAULT_ID);
      if (i % 1_000 == 0) {
        look();
      }
    }
    assertThat(mostMemory)
        .isBetween(
            ExecutorCores.MAX_LIVE + 0L,
            ExecutorCores.MAX_LIVE + 2L * CountOverTime.MAX_POINTS + 10);
    FinishedSpan application = finish();
    assertThat(value(application, Names.EXECUTORS_MAX)).isNull();
    assertThat(value(application, CostMetric.CORE_TIME.attribute())).isNull();
  }

  /** One job, whose stages fail and are attempted again without end. */
  @Test
  void retriesWithoutEnd() {
    int attempts = 20_000;
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).start();
    EndReason lost = EndReason.fetchFailed("gone", "1", "host-1");
    for (int i = 0; i < attempts; i++) {
      app.at(10L * i);
      stage.submit();
      ModelFixture.Task task = stage.task(0).on(Integer.toString(i)).launch();
      app.at(10L * i + 3);
      task.end(lost);
      stage.fail("in stage 0." + i);
      stage = stage.again();
      if (i % 100 == 0) {
        look();
      }
    }
    assertThat(mostState).isBetween(50L, StageChain.MAX_ATTEMPTS + 20L);
    assertThat(mostMemory).isLessThan(IdRanges.MAX_RANGES + FEW);
    job.fail("too many");
    assertThat(app.model.stateSize()).isZero();
    app.end(0);
    FinishedSpan application = finish();
    assertThat(value(application, Names.STAGES_RETRIED)).isEqualTo(attempts - 1);
    // Each attempt waited for the one before it.
    assertThat(value(application, CostMetric.CRITICAL_PATH.attribute())).isEqualTo(3L * attempts);
  }

  /** One after the other joins it, and ends. */
  @Test
  void jobsThatJoinAStageThatIsNeverCompleted() {
    ModelFixture.Stage stage = app.stage(0, 1);
    app.job(0, stage).start();
    stage.submit();
    int jobs = 20_000;
    for (int i = 1; i <= jobs; i++) {
      app.job(i, stage).start().succeed();
      if (i % 100 == 0) {
        look();
      }
    }
    assertThat(mostState)
        .isBetween((long) StageSpan.MAX_OTHER_JOBS, StageSpan.MAX_OTHER_JOBS + 20L);
    app.model.closeOpen();
    FinishedSpan closed =
        app.spans.stream()
            .filter(span -> span.entity() == Entity.STAGE)
            .reduce((a, b) -> b)
            .orElseThrow();
    assertThat(closed.getLinks()).hasSize(StageSpan.MAX_OTHER_JOBS);
    assertThat(value(closed, Names.STAGE_JOBS_LEFT_OUT)).isEqualTo(jobs - StageSpan.MAX_OTHER_JOBS);
  }

  /** Every task has a copy. */
  @Test
  void speculationWithoutEnd() {
    ModelFixture.Stage stage = app.stage(0, 100_000);
    app.job(0, stage).start();
    stage.submit();
    for (int i = 0; i < 100_000; i++) {
      ModelFixture.Task task = stage.task(i).launch();
      ModelFixture.Task copy = stage.task(i).attempt(1).speculative().launch();
      copy.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "too late"));
      task.succeed();
      if (i % 1_000 == 0) {
        look();
      }
    }
    assertThat(mostState)
        .isBetween(
            TaskSelection.MAX_SPECULATED + 0L,
            TaskSelection.MAX_SPECULATED + 2L * Quantiles.EXACT_LIMIT);
    FinishedSpan application = finish();
    assertThat(spans(Entity.TASK) + value(application, Names.TASKS_NOT_EXPORTED))
        .isEqualTo(200_000);
  }
}
