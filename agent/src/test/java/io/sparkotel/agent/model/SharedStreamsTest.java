package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streaming queries beside what else is asked of a notebook or a server. */
class SharedStreamsTest {

  private static final String QUERY = "11111111-0000-0000-0000-000000000001";
  private static final String RUN = "aaaaaaaa-0000-0000-0000-000000000001";
  private static final String NEXT_RUN = "bbbbbbbb-0000-0000-0000-000000000001";
  private static final String OPERATION =
      "SparkConnect_OperationTag_User_ann_Session_5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10_Operation_op";
  private static final Map<String, String> NOTEBOOK =
      Map.of("spark.repl.class.uri", "spark://a:1/classes");

  private ModelFixture app;
  private boolean tellsGroups;

  /** Tells its job group where the version of Spark does. */
  private ModelFixture.Sql sql(ModelFixture.Sql sql, String group) {
    return tellsGroups ? sql.inGroup(group) : sql;
  }

  private ModelFixture.Job job(int id, String group) {
    return app.job(id).property("spark.jobGroup.id", group);
  }

  /** What a user runs in {@code foreachBatch}, under a name and in a group of their own. */
  private ModelFixture.Job job(int id, String group, int batch) {
    return job(id, group)
        .property("spark.job.description", "mine")
        .property("sql.streaming.queryId", QUERY)
        .property("streaming.sql.batchId", Integer.toString(batch));
  }

  private SpanTree finish(long at) {
    assertThat(app.model.anomalies()).isZero();
    assertThat(app.model.stateSize()).isZero();
    SpanTree tree = app.at(at).finish();
    TraceRules.check(app.spans);
    return tree;
  }

  @ParameterizedTest
  @CsvSource({
    "auto, child, false",
    "auto, link, true",
    "group, link, false",
    "group, child, true",
  })
  void aQueryInANotebook(String unit, String callers, boolean from41) {
    tellsGroups = from41;
    app =
        ModelFixture.unborn("otel.spark.trace.unit=" + unit, "otel.spark.parent=" + callers)
            .start("app-1", NOTEBOOK);
    ModelFixture.Sql cell = sql(app.sql(0), "cell").start();
    job(0, "cell").property("spark.job.description", "read").sql(0).start().succeed();
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("orders");
    job(1, RUN).property("spark.job.description", "orders\nbatch = init").start().succeed();
    ModelFixture.Sql sources = sql(app.sql(1), RUN).start();

    app.at(10);
    ModelFixture.Sql batch = sql(stream.sql(2, 0), RUN).start();
    ModelFixture.Sql ofRun = sql(app.sql(3), RUN).described("mine").start();
    ModelFixture.Sql ofGroup = sql(app.sql(4), "mine").described("mine").start();
    ModelFixture.Sql other = sql(app.sql(5), "cell").start();
    app.at(20);
    stream.job(2, 0).sql(2).start().succeed();
    job(3, RUN, 0).sql(3).start().succeed();
    job(4, "mine", 0).sql(4).start().succeed();
    job(5, "cell").property("spark.job.description", "show").sql(5).start().succeed();
    job(6, "mine", 0).start().succeed();
    app.at(30);
    List.of(cell, sources, batch, ofRun, ofGroup, other).forEach(ModelFixture.Sql::succeed);
    stream.ran(0, 8);
    stream.end(null);

    // Which shows that the cell is over.
    app.at(60_000).job(7).start().succeed();
    SpanTree tree = finish(60_000);
    assertThat(tree.drawAll().replaceAll("(?m)^ +job [0-5] .*\\n", ""))
        .isEqualTo(
            """
            application 0..60000 -> group cell from 0, sql 1, job 1, batch aaaaaaaa/0, job 7
              query aaaaaaaa 'streaming query orders' 5..30
            sql 1 'sql count at Report.java:31' 5..30 -> application
            job 1 'job' 5..5 -> application
            job 7 'job' 60000..60000 -> application
            batch aaaaaaaa/0 'batch orders' 8..30 -> application, query aaaaaaaa
              sql 2 'sql Project' 10..30
              sql 3 'sql Project' 10..30
              sql 4 'sql Project' 10..30
              job 6 'job' 20..20
            group cell from 0 'group cell' 0..30 -> application
              sql 0 'sql count at Report.java:31' 0..30
              sql 5 'sql count at Report.java:31' 10..30
            """);
    assertThat(tree.value("group cell from 0", Names.GROUP_DESCRIPTION)).isEqualTo("read");
    assertThat(tree.value("group cell from 0", Names.JOBS_TOTAL)).isEqualTo(2L);
    assertThat(tree.value("batch aaaaaaaa/0", Names.JOBS_TOTAL)).isEqualTo(4L);
  }

  /** The threads of a query, of a cell and of Spark's scheduler tell of theirs in any order. */
  @ParameterizedTest
  @CsvSource({"child, false", "child, true", "link, false", "link, true"})
  void inWhateverOrderTheyAreTold(String callers, boolean from41) {
    tellsGroups = from41;
    app = ModelFixture.unborn("otel.spark.parent=" + callers).start("app-1", NOTEBOOK);
    ModelFixture.Sql cell = sql(app.sql(0), "cell").start();
    ModelFixture.Stream stream = app.at(5).stream(QUERY, RUN).start("orders");
    ModelFixture.Sql sources = sql(stream.sql(1, 0).described("sources"), RUN).start();
    app.at(6);
    sources.succeed();
    app.at(10);
    ModelFixture.Sql batch = sql(stream.sql(2, 0), RUN).start();
    ModelFixture.Sql ofRun = sql(stream.sql(3, 0).described("mine"), RUN).start();
    app.at(11);
    ModelFixture.Sql ofGroup = sql(stream.sql(4, 0).described("mine"), "mine").start();
    app.at(20);
    job(0, "cell").property("spark.job.description", "read").sql(0).start().succeed();
    stream.job(2, 0, app.stage(2, 1)).sql(2).start().succeed();
    job(3, RUN, 0).sql(3).start().fail("broken");
    job(4, "mine", 0).sql(4).start().succeed();
    app.at(30);
    List.of(ofRun, batch, ofGroup, cell).forEach(ModelFixture.Sql::succeed);
    app.at(35);
    stream.ran(0, 8);
    stream.end(null);
    Set<String> expected = InterleavingTest.outcome(app, app.posted);
    assertThat(expected).hasSize(15);
    Random random = new Random(1);
    Set<List<ModelFixture.Posted>> orders = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      List<ModelFixture.Posted> order = InterleavingTest.legalOrder(app, random);
      assertThat(InterleavingTest.outcome(app, order))
          .containsExactlyInAnyOrderElementsOf(expected);
      orders.add(order);
    }
    assertThat(orders).hasSizeGreaterThan(150);
  }

  /** Queries, cells, operations and callers at once, with events that fit nothing. */
  @ParameterizedTest
  @CsvSource({"1, group, link", "2, auto, child", "3, sql, link", "4, application, child"})
  void anySequenceKeepsTheRulesAndLeavesNothing(int seed, String unit, String callers) {
    Random random = new Random(seed);
    String[] types = {"OperationStarted", "OperationFinished", "OperationClosed"};
    String[] groups = {null, RUN, "cell", "op"};
    for (int run = 0; run < 100; run++) {
      app =
          ModelFixture.unborn("otel.spark.trace.unit=" + unit, "otel.spark.parent=" + callers)
              .start("app-1", NOTEBOOK);
      for (int step = 0; step < 60; step++) {
        app.at(random.nextInt(60_000));
        int id = random.nextInt(8);
        ModelFixture.Stream stream = app.stream(QUERY, random.nextBoolean() ? RUN : NEXT_RUN);
        String group = groups[random.nextInt(groups.length)];
        ModelFixture.Job job = random.nextBoolean() ? stream.job(id, id) : app.job(id);
        job.property("spark.jobGroup.id", group).property("spark.job.tags", OPERATION);
        ModelFixture.Sql sql = random.nextBoolean() ? stream.sql(id, id) : app.sql(id);
        switch (random.nextInt(9)) {
          case 0 -> job.start();
          case 1 -> job.sql(id).calledBy(ModelFixture.CALLER).start();
          case 2 -> job.sql(id).start();
          case 3 -> job.succeed();
          case 4 -> sql.inGroup(group).tagged(OPERATION).start();
          case 5 -> sql.end("broken");
          case 6 -> stream.ran(id, 0);
          case 7 -> {
            if (random.nextInt(4) == 0) {
              stream.end(random.nextBoolean() ? "broken" : null);
            } else {
              stream.start("orders");
            }
          }
          default -> operation(random.nextInt(60_000), types[random.nextInt(types.length)]);
        }
      }
      ModelFixture.close(app.model, app.spans, Outcome.UNKNOWN);
      TraceRules.check(app.spans);
      assertThat(app.model.stateSize()).as("seed %d, run %d", seed, run).isZero();
    }
  }

  /** The thread of a query has the tags of the operation that started it. */
  @ParameterizedTest
  @ValueSource(strings = {"child", "link", "ignore"})
  void aQueryOfAConnectServer(String callers) {
    app = ModelFixture.app("otel.spark.parent=" + callers);
    operation(10, "OperationStarted");
    ModelFixture.Stream stream = app.at(11).stream(QUERY, RUN).start("orders");
    app.at(12);
    ModelFixture.Sql batch = stream.sql(0, 0).tagged(OPERATION).start();
    ModelFixture.Sql described = app.sql(1).described("mine").tagged(OPERATION).start();
    ModelFixture.Sql own = app.sql(2).tagged(OPERATION).start();
    operation(13, "OperationFinished");
    operation(14, "OperationClosed");
    app.at(15);
    stream.job(0, 0).property("spark.job.tags", OPERATION).sql(0).start().succeed();
    job(1, RUN, 0).property("spark.job.tags", OPERATION).sql(1).start().succeed();
    app.job(2).property("spark.job.tags", OPERATION).sql(2).start().succeed();
    app.at(20);
    List.of(batch, described, own).forEach(ModelFixture.Sql::succeed);
    stream.ran(0, 12);
    stream.end(null);
    assertThat(finish(30).drawAll())
        .isEqualTo(
            """
            application 0..30 -> group op, batch aaaaaaaa/0
              query aaaaaaaa 'streaming query orders' 11..20
            batch aaaaaaaa/0 'batch orders' 12..20 -> application, query aaaaaaaa
              sql 0 'sql Project' 12..20
                job 0 'job Project' 15..15
              sql 1 'sql Project' 12..20
                job 1 'job Project' 15..15
            group op 'group show string' 10..20 -> application
              sql 2 'sql count at Report.java:31' 12..20
                job 2 'job count at Report.java:31' 15..15
            """);
  }

  private void operation(long at, String type) {
    ServerEvent event =
        ServerEvent.of("org.apache.spark.sql.connect.service.SparkListenerConnect" + type);
    event.operationId = "op";
    event.group = OPERATION;
    event.statement = "show_string {\n}\n";
    event.time = ModelFixture.EPOCH + at;
    app.model.serverEvent(event);
  }

  /** Nothing but its first job tells whose such an execution is. */
  @ParameterizedTest
  @ValueSource(strings = {"child", "link"})
  void whatTheUserDescribesInAnApplicationThatIsOneTrace(String callers) {
    app = ModelFixture.app("otel.spark.trace.max-jobs=0", "otel.spark.parent=" + callers);
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    ModelFixture.Sql described = app.sql(0).described("mine").start();
    ModelFixture.Sql other = app.sql(1).start();
    job(0, "mine", 0).sql(0).start().succeed();
    described.succeed();
    other.succeed();
    app.at(10);
    stream.ran(0, 0);
    stream.end(null);
    assertThat(finish(10).drawAll())
        .isEqualTo(
            """
            application 0..10 -> batch aaaaaaaa/0
              sql 1 'sql count at Report.java:31' 0..0
              query aaaaaaaa 'streaming query orders' 0..10
            batch aaaaaaaa/0 'batch orders' 0..10 -> application, query aaaaaaaa
              sql 0 'sql Project' 0..0
                job 0 'job Project' 0..0
            """);
  }
}
