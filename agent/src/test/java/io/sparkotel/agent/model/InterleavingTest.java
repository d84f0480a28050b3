package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two listener queues see events of different threads in different orders. */
class InterleavingTest {

  private static final String ID = "-0000-0000-0000-000000000001";

  private static String describe(FinishedSpan span) {
    return span.getSpanContext()
        + " "
        + span.getParentSpanContext()
        + ' '
        + span.getName()
        + ' '
        + span.getStartEpochNanos()
        + ' '
        + span.getEndEpochNanos()
        + ' '
        + span.getStatus()
        + ' '
        + span.getAttributes()
        + ' '
        + span.getEvents()
        + ' '
        + span.getLinks();
  }

  /** What the model makes of the events in that order. */
  static Set<String> outcome(ModelFixture app, List<ModelFixture.Posted> order) {
    List<FinishedSpan> spans = new ArrayList<>();
    TraceModel model = app.newModel(spans::add);
    order.forEach(posted -> posted.event().accept(model));
    ModelFixture.close(model, spans, Outcome.UNKNOWN);
    Set<String> described = new TreeSet<>();
    spans.forEach(span -> described.add(describe(span)));
    assertThat(described).hasSameSizeAs(spans);
    return described;
  }

  /** A random order in which every thread's events keep theirs, and no cause follows its effect. */
  static List<ModelFixture.Posted> legalOrder(ModelFixture app, Random random) {
    Map<String, List<Integer>> threads = new LinkedHashMap<>();
    for (int i = 2; i < app.posted.size(); i++) {
      threads.computeIfAbsent(app.posted.get(i).thread(), t -> new ArrayList<>()).add(i);
    }
    List<ModelFixture.Posted> order = new ArrayList<>(app.posted.subList(0, 2));
    Set<Integer> done = new HashSet<>();
    List<List<Integer>> queues = new ArrayList<>(threads.values());
    while (!queues.isEmpty()) {
      List<Integer> queue = queues.get(random.nextInt(queues.size()));
      int next = queue.get(0);
      if (!done.containsAll(app.posted.get(next).after())) {
        continue;
      }
      // Some threads run ahead for a while.
      queue.remove(0);
      done.add(next);
      order.add(app.posted.get(next));
      queues.removeIf(List::isEmpty);
    }
    return order;
  }

  @Test
  void anEndOfAQueryMayComeBeforeTheEndOfItsJob() {
    List<String> drawn = new ArrayList<>();
    for (boolean jobFirst : new boolean[] {true, false}) {
      ModelFixture app = ModelFixture.app();
      ModelFixture.Sql sql = app.sql(0).start();
      ModelFixture.Stage stage = app.stage(0, 1);
      ModelFixture.Job job = app.job(0, stage).sql(0).start();
      stage.submit().run(10, TaskMetric.RUN_TIME, 9).complete();
      if (jobFirst) {
        app.at(11);
        job.fail("broken");
        app.at(12);
        sql.end(null);
      } else {
        app.at(12);
        sql.end(null);
        app.at(11);
        job.fail("broken");
      }
      SpanTree tree = app.at(20).finish();
      drawn.add(tree.draw() + describe(tree.get("sql 0")) + describe(tree.get("application")));
    }
    assertThat(drawn.get(0)).isEqualTo(drawn.get(1)).contains("ERROR: broken");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 25, 500, auto",
    "2, 25, 500, auto",
    "3, 25, 0, application",
    "4, 9, 3, auto",
    "5, 4, 500, sql",
    "6, 9, 2, application"
  })
  void everyLegalOrderGivesTheSameSpans(long seed, int maxSpans, int maxJobs, String unit) {
    Random random = new Random(seed);
    ModelFixture app = randomApplication(random, maxSpans, maxJobs, unit);
    Set<String> expected = outcome(app, app.posted);
    app.checks = false;
    assertThat(expected).hasSizeGreaterThan(30);
    Set<List<ModelFixture.Posted>> orders = new HashSet<>();
    for (int i = 0; i < 60; i++) {
      List<ModelFixture.Posted> order = legalOrder(app, random);
      orders.add(order);
      assertThat(order).hasSameSizeAs(app.posted);
      assertThat(outcome(app, order)).isEqualTo(expected);
    }
    assertThat(orders).hasSizeGreaterThan(50);
  }

  /**
   * Three streaming queries beside each other, with batches that fail, are slow or tell nothing.
   */
  @ParameterizedTest
  @CsvSource({"7, 1, 500, auto", "8, 3, 500, sql", "9, 2, 3, application"})
  void streamsInEveryLegalOrder(long seed, int every, int maxJobs, String unit) {
    Random random = new Random(seed);
    ModelFixture app =
        ModelFixture.app(
            "otel.spark.streaming.every=" + every,
            "otel.spark.trace.max-jobs=" + maxJobs,
            "otel.spark.trace.unit=" + unit);
    for (int i = 0; i < 12; i++) {
      stream(app, random, i / 2, i % 2);
    }
    continuous(app);
    Set<String> expected = outcome(app, app.posted);
    app.checks = false;
    assertThat(expected).hasSizeGreaterThan(20);
    for (int i = 0; i < 60; i++) {
      assertThat(outcome(app, legalOrder(app, random))).isEqualTo(expected);
    }
  }

  /**
   * Batches of DStreams with executions and jobs, some of which fail and some of which are empty.
   */
  @ParameterizedTest
  @CsvSource({"10, 1, 500, auto", "11, 3, 500, sql", "12, 2, 3, application"})
  void dstreamsInEveryLegalOrder(long seed, int every, int maxJobs, String unit) {
    Random random = new Random(seed);
    ModelFixture app =
        ModelFixture.app(
            "otel.spark.streaming.every=" + every,
            "otel.spark.trace.max-jobs=" + maxJobs,
            "otel.spark.trace.unit=" + unit);
    for (int i = 0; i < 12; i++) {
      dstream(app, random, i);
    }
    Set<String> expected = outcome(app, app.posted);
    app.checks = false;
    assertThat(expected).hasSizeGreaterThan(20);
    for (int i = 0; i < 60; i++) {
      assertThat(outcome(app, legalOrder(app, random))).isEqualTo(expected);
    }
  }

  private static void dstream(ModelFixture app, Random random, int number) {
    long due = 100L * number;
    ModelFixture.DStream batch = app.at(due + 1).dstream(due);
    if (random.nextInt(6) == 0) {
      batch.job(100 + number, 0).start().succeed();
      batch.complete(due + 1);
      return;
    }
    ModelFixture.Sql sql = batch.sql(number, 0).start();
    if (random.nextInt(4) > 0) {
      ModelFixture.Stage stage = app.stage(200 + number, 2);
      app.at(due + 2);
      ModelFixture.Job job = batch.job(200 + number, 0, stage).sql(number).start();
      stage.submit().run(1 + random.nextInt(9)).complete();
      app.at(due + 25);
      job.succeed();
    }
    app.at(due + 30);
    sql.end("");
    ModelFixture.Stage stage = app.stage(300 + number, 1);
    ModelFixture.Job job = batch.job(300 + number, 1, stage).start();
    stage.submit().run(1 + random.nextInt(40));
    if (random.nextInt(3) == 0) {
      stage.fail("bad");
      batch.output(1, 9, "java.lang.Error: bad").complete(due + 1);
      job.fail("bad");
    } else {
      stage.complete();
      job.succeed();
      batch.output(1, 9, null).complete(due + 1);
    }
  }

  /** One without batches, whose job ends after it. */
  private static void continuous(ModelFixture app) {
    ModelFixture.Stream stream = app.stream("11111112" + ID, "aaaaaaa2" + ID).start("pulse");
    ModelFixture.Sql sql = stream.sql(50).start();
    ModelFixture.Stage stage = app.stage(50, 1);
    ModelFixture.Job job = stream.job(50, stage).sql(50);
    app.at(1_300);
    job.start();
    stage.submit();
    app.at(1_400);
    sql.succeed();
    stream.end(null);
    app.at(1_500);
    stage.run(1).complete();
    job.fail("cancelled");
  }

  private static void stream(ModelFixture app, Random random, int batch, int query) {
    ModelFixture.Stream stream = app.stream("1111111" + query + ID, "aaaaaaa" + query + ID);
    if (batch == 0) {
      stream.start("orders");
    }
    int number = 2 * batch + query;
    long began = 100L * number;
    app.at(began + 1);
    ModelFixture.Sql sql = stream.sql(number, batch).start();
    boolean hasJob = random.nextInt(4) > 0;
    ModelFixture.Stage stage = app.stage(number, 2);
    app.at(began + 2);
    ModelFixture.Job job = stream.job(number, batch, stage).sql(number);
    if (hasJob) {
      job.start();
      stage.submit().run(1 + random.nextInt(9)).complete();
      app.at(began + 25);
      job.succeed();
    }
    boolean failed = batch == 5 && query == 1;
    app.at(began + 30 + random.nextInt(9));
    sql.end(failed ? "bad" : "");
    app.at(began + 40 + (random.nextInt(3) == 0 ? 50 : 0));
    if (failed) {
      stream.end("java.lang.Error: bad");
    } else if (random.nextInt(5) > 0) {
      stream.ran(batch, began);
    }
  }

  /** Queries with nested ones, shared stages, retries, zombies, late tasks, and what never ends. */
  private static ModelFixture randomApplication(
      Random random, int maxSpans, int maxJobs, String unit) {
    ModelFixture app =
        ModelFixture.app(
            "otel.spark.trace.max-spans=" + maxSpans,
            "otel.spark.trace.max-jobs=" + maxJobs,
            "otel.spark.trace.unit=" + unit,
            "otel.spark.findings.thresholds=skew.time=0,skew.ratio=1,skew.data_ratio=1"
                + ",straggler.time=0,straggler.ratio=1,large_partition.size=0,retries.time=0"
                + ",tiny_tasks.tasks=1,long_filter.length=1,idle_cores.time=0,idle_cores.share=0"
                + ",driver_time.time=0,driver_time.share=0");
    app.executorAdded("1", 2);
    int nextSql = 0;
    int nextStage = 0;
    for (int q = 0; q < 8; q++) {
      long time = q * 200L;
      int root = nextSql++;
      ModelFixture.Sql sql = app.at(time).sql(root).start();
      int runsFor = root;
      ModelFixture.Sql nested = null;
      if (random.nextBoolean()) {
        runsFor = nextSql++;
        nested = app.at(time + 1).sql(runsFor).under(root).start();
        // Complete before the query's first job tells whom it runs for.
        app.sql(nextSql++).under(root).start().succeed();
      }
      app.executorAddedWithLogs("e" + q, 1 + random.nextInt(4));
      ModelFixture.Stage map = app.stage(nextStage++, 3);
      ModelFixture.Stage zombie = app.stage(nextStage++, 1);
      ModelFixture.Stage result = app.stage(nextStage++, 2).reading(nextStage - 3);
      ModelFixture.Job job = app.at(time + 5).job(2 * q, map, zombie, result).sql(runsFor);
      if (random.nextBoolean()) {
        job.calledBy(ModelFixture.CALLER).property("spark.otel.attributes.acme.q", "q" + q);
      }
      job.start();
      // Posted by the thread that asks for it, not by Spark's own.
      ModelFixture.Job empty = app.job(1_000 + q).onThreadOf("user").start();
      app.at(time + random.nextInt(9));
      empty.succeed();
      app.at(time + 5);
      ModelFixture.Job sharing =
          app.job(2 * q + 1, map).calledBy(ModelFixture.OTHER_CALLER).start();
      map.submit();
      zombie.submit();
      map.run(1 + random.nextInt(9), TaskMetric.RUN_TIME, 7, TaskMetric.INPUT_BYTES, q);
      ModelFixture.Task late = map.task(0).attempt(1).speculative().launch();
      map.complete();
      sharing.succeed();
      result.submit();
      ModelFixture.Task failing = result.task(0).on("e" + q).launch();
      app.at(time + 50);
      boolean retry = random.nextBoolean();
      if (retry) {
        failing.end(EndReason.fetchFailed("lost", "e" + q, "host"));
        result.fail("lost");
        result.again().submit().run(3).complete();
      } else {
        failing.end(ModelFixture.failure("java.lang.Error", "bad"));
        result.fail("Task 0 in stage " + (nextStage - 1) + ".0 failed");
      }
      if (q == 7) {
        break;
      }
      if (retry) {
        job.succeed();
      } else {
        job.fail("Job aborted: bad");
      }
      app.at(time + 80);
      late.end(ModelFixture.reason(EndReason.Kind.TaskKilled, "another attempt succeeded"));
      if (nested != null) {
        nested
            .replan(ModelFixture.node("Filter", "Filter " + "a".repeat(q + 1)))
            .end(retry ? "" : "bad");
      }
      app.at(time + 60 + random.nextInt(60));
      sql.end(retry ? "" : "bad");
      app.at(time + 130).executorRemoved("e" + q);
    }
    return app;
  }
}
