package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.EPOCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked of an application that many share has a trace of its own. */
class GroupsTest {

  private static final String THRIFT =
      "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServer";
  private static final String CONNECT = "org.apache.spark.sql.connect.service.SparkListenerConnect";
  private static final String TAG =
      "SparkConnect_OperationTag_User_ann_Session_5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10_Operation_";

  private static ModelFixture app() {
    return ModelFixture.app("otel.spark.trace.unit=group");
  }

  private static ServerEvent event(String type, String id, long at) {
    ServerEvent event = ServerEvent.of(type);
    event.operationId = id;
    event.time = EPOCH + at;
    if (event.server == ServerEvent.Server.CONNECT) {
      event.put("jobTag", TAG + id);
    }
    return event;
  }

  private static void thrift(ModelFixture app, long at, String type, String id) {
    app.model.serverEvent(event(THRIFT + type, id, at));
  }

  private static void statement(ModelFixture app, long at, String id, String user, String sql) {
    ServerEvent event = event(THRIFT + "OperationStart", id, at);
    event.put("statement", sql);
    event.put("groupId", id);
    event.put("userName", user);
    event.put("sessionId", "session of " + user);
    app.model.serverEvent(event);
  }

  private static void connect(ModelFixture app, long at, String id, String plan, String... tags) {
    ServerEvent event = event(CONNECT + "OperationStarted", id, at);
    event.put("statementText", plan);
    event.put("userId", "ann");
    event.put("sessionId", "s1");
    event.put("sparkSessionTags", List.of(tags));
    app.model.serverEvent(event);
  }

  private static void connect(ModelFixture app, long at, String type, String id) {
    app.model.serverEvent(event(CONNECT + type, id, at));
  }

  private static ModelFixture.Job job(ModelFixture app, int id, String group) {
    return app.job(id).property("spark.jobGroup.id", group);
  }

  private static void cell(ModelFixture app, long at, int id, String group) {
    ModelFixture.Job job = job(app.at(at), id, group).start();
    app.at(at + 100);
    job.succeed();
  }

  private static SpanTree finish(ModelFixture app, long at) {
    assertThat(app.model.anomalies()).isZero();
    SpanTree tree = app.at(at).finish();
    TraceRules.check(app.spans);
    assertThat(app.model.stateSize()).isZero();
    return tree;
  }

  @Test
  void aStatementOfTheThriftServerIsATraceAsSoonAsItIsClosed() {
    ModelFixture app = app();
    statement(app, 10, "op", "ann", "select count(*) from t where name = 'O''Hara'");
    ModelFixture.Sql sql = app.at(20).sql(0).described("select 1").start();
    ModelFixture.Job job = job(app.at(30), 0, "op").sql(0).start();
    app.at(40);
    job.succeed();
    app.at(50);
    sql.succeed();
    thrift(app, 60, "OperationFinish", "op");
    assertThat(app.spans).extracting(SpanTree::key).doesNotContain("group op");
    thrift(app, 90, "OperationClosed", "op");
    assertThat(app.spans).extracting(SpanTree::key).contains("group op");
    assertThat(app.model.stateSize()).isZero();

    SpanTree tree = finish(app, 100);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..100 -> group op
            group op 'group select' 10..60 -> application
              sql 0 'sql Project' 20..50
                job 0 'job Project' 30..40
            """);
    FinishedSpan group = tree.get("group op");
    assertThat(SpanTree.value(group, Names.GROUP_KIND)).isEqualTo("thrift");
    assertThat(SpanTree.value(group, Names.GROUP_USER)).isEqualTo("ann");
    assertThat(SpanTree.value(group, Names.GROUP_SESSION)).isEqualTo("session of ann");
    assertThat(SpanTree.value(group, Names.GROUP_STATE)).isEqualTo("finished");
    assertThat(SpanTree.value(group, Names.GROUP_FETCH_TIME)).isEqualTo(30L);
    assertThat(SpanTree.value(group, Names.GROUP_ACTIONS)).isEqualTo(1L);
    assertThat(SpanTree.value(group, Names.JOBS_TOTAL)).isEqualTo(1L);
    assertThat(SpanTree.value(group, Names.GROUP_STATEMENT))
        .isEqualTo("select count(*) from t where name = ?");
    assertThat(group.getEvents())
        .extracting(e -> e.getAttributes().get(Names.GROUP_STATE.key()))
        .isEqualTo(List.of("finished", "closed"));
    // A replay years later has to find the traces of today: these never change.
    assertThat(group.getTraceId()).isEqualTo("698e277a8dfa9d01c02cf5db19ff755f");
    assertThat(group.getSpanId()).isEqualTo("90939a0d5264486d");
  }

  /** Spark before 4.1 tells the group of an execution by its jobs alone. */
  @Test
  void anExecutionWithoutAJobIsFoundByItsStatement() {
    ModelFixture app = app();
    statement(app, 10, "a", "ann", "show tables");
    statement(app, 11, "b", "bob", "show tables in x");
    app.at(20).sql(0).described("show tables in x").start().succeed();
    app.at(21).sql(1).described("show tables").start().succeed();
    thrift(app, 30, "OperationFinish", "a");
    // Nobody can tell whose this one is.
    statement(app, 40, "c", "ann", "show tables in x");
    app.at(41).sql(2).described("show tables in x").start().succeed();
    thrift(app, 50, "OperationFinish", "b");
    app.at(51).sql(3).described("show tables in x").start().succeed();
    thrift(app, 60, "OperationFinish", "c");
    for (String id : List.of("a", "b", "c")) {
      thrift(app, 70, "OperationClosed", id);
    }
    assertThat(finish(app, 100).drawAll())
        .isEqualTo(
            """
            application 0..100 -> group a, group b, group c, sql 2
            sql 2 'sql Project' 41..41 -> application
            group a 'group show tables' 10..30 -> application
              sql 1 'sql Project' 21..21
            group b 'group show tables' 11..50 -> application
              sql 0 'sql Project' 20..20
            group c 'group show tables' 40..60 -> application
              sql 3 'sql Project' 51..51
            """);
  }

  @Test
  void oneUsersFailureIsNoneOfAnother() {
    ModelFixture app = app();
    statement(app, 10, "a", "ann", "select 1");
    statement(app, 11, "b", "bob", "select nothing");
    ServerEvent failed = event(THRIFT + "OperationError", "b", 15);
    failed.put("errorMsg", "[UNRESOLVED_COLUMN] nothing");
    failed.put(
        "errorTrace",
        "org.apache.spark.sql.AnalysisException: [UNRESOLVED_COLUMN] nothing\n\tat A.b(A.java)");
    app.model.serverEvent(failed);
    thrift(app, 20, "OperationCanceled", "a");
    thrift(app, 21, "OperationClosed", "b");
    thrift(app, 22, "OperationClosed", "a");
    SpanTree tree = finish(app, 30);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..30 -> group a, group b
            group a 'group select' 10..20 -> application
            group b 'group select' 11..15 ERROR: [UNRESOLVED_COLUMN] nothing -> application
            """);
    assertThat(tree.value("group b", Names.ERROR_TYPE))
        .isEqualTo("org.apache.spark.sql.AnalysisException");
    assertThat(tree.value("group b", Names.ERROR_CLASS)).isEqualTo("UNRESOLVED_COLUMN");
    assertThat(tree.get("group b").getEvents())
        .extracting(EventData::getName)
        .containsExactly("spark.group.state", "spark.group.state", "exception");
    assertThat(tree.value("group a", Names.GROUP_STATE)).isEqualTo("canceled");
  }

  @Test
  void anOperationOfConnectIsKnownByItsTag() {
    ModelFixture app = app();
    connect(app, 10, "op", "write_operation {\n  source: \"parquet\"\n}\n", "etl");
    app.at(20).sql(0).inGroup(null).tagged(TAG + "op,spark-session-x").start().succeed();
    connect(app, 25, "OperationReadyForExecution", "op");
    ServerEvent finished = event(CONNECT + "OperationFinished", "op", 30);
    finished.put("producedRowCount", Long.valueOf(7));
    app.model.serverEvent(finished);
    connect(app, 31, "OperationClosed", "op");
    SpanTree tree = finish(app, 40);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..40 -> group op
            group op 'group write operation' 10..30 -> application
              sql 0 'sql count at Report.java:31' 20..20
            """);
    assertThat(tree.value("group op", Names.GROUP_TAGS)).isEqualTo(List.of("etl"));
    assertThat(tree.value("group op", Names.GROUP_ROWS)).isEqualTo(7L);
    assertThat(tree.value("group op", Names.GROUP_STATEMENT))
        .isEqualTo("write_operation {\n  source: \"parquet\"\n}");
  }

  /** The only way in which a client of Spark Connect can tell who called it. */
  @Test
  void aTagTellsTheCaller() {
    ModelFixture app = app();
    String caller = ModelFixture.CALLER.getTraceId() + "-" + ModelFixture.CALLER.getSpanId();
    connect(app, 10, "op", "range {\n}\n", "traceparent=00-" + caller + "-01");
    app.at(20).sql(0).inGroup(null).tagged(TAG + "op").start().succeed();
    connect(app, 30, "OperationFinished", "op");
    connect(app, 31, "OperationClosed", "op");
    SpanTree tree = finish(app, 40);
    FinishedSpan group = tree.get("group op");
    assertThat(group.getTraceId()).isEqualTo(ModelFixture.CALLER.getTraceId());
    assertThat(group.getParentSpanId()).isEqualTo(ModelFixture.CALLER.getSpanId());
    assertThat(tree.get("sql 0").getParentSpanContext().getSpanId()).isEqualTo(group.getSpanId());
    assertThat(tree.value("group op", Names.GROUP_TAGS)).isNull();
  }

  @Test
  void actionsOfAGroupThatFollowEachOtherAreOneTrace() {
    ModelFixture app = app();
    cell(app, 0, 0, "cell-1");
    cell(app, 10_100, 1, "cell-1");
    // More than ten seconds later.
    cell(app, 20_201, 2, "cell-1");
    app.at(20_400).job(3).start().succeed();
    SpanTree tree = finish(app, 50_000);
    assertThat(tree.drawAll())
        .isEqualTo(
            """
            application 0..50000 -> group cell-1 from 0, group cell-1 from 20201, job 3
            job 3 'job' 20400..20400 -> application
            group cell-1 from 0 'group cell-*' 0..10200 -> application
              job 0 'job' 0..100
              job 1 'job' 10100..10200
            group cell-1 from 20201 'group cell-*' 20201..20301 -> application
              job 2 'job' 20201..20301
            """);
  }

  @Test
  void aGroupIsExportedOnceTimeShowsThatItIsOver() {
    ModelFixture app = app();
    cell(app, 0, 0, "cell");
    assertThat(app.spans).extracting(SpanTree::key).doesNotContain("group cell from 0");
    app.at(20_101).job(1).start();
    assertThat(app.spans).extracting(SpanTree::key).contains("group cell from 0");
    app.job(1).succeed();
    assertThat(app.model.stateSize()).isZero();
  }

  /** Of which the heartbeats of a driver tell, where no event does. */
  @Test
  void aGroupIsExportedOnceNothingHappensForLong() {
    ModelFixture app = app();
    cell(app, 0, 0, "cell");
    app.model.idle(20_000);
    assertThat(app.spans).extracting(SpanTree::key).doesNotContain("group cell from 0");
    app.model.idle(20_001);
    assertThat(app.spans).extracting(SpanTree::key).contains("group cell from 0");
    assertThat(app.model.stateSize()).isZero();
    cell(app, 20_150, 1, "cell");
    assertThat(finish(app, 20_250).drawAll())
        .isEqualTo(
            """
            application 0..20250 -> group cell from 0, group cell from 20150
            group cell from 0 'group cell' 0..100 -> application
              job 0 'job' 0..100
            group cell from 20150 'group cell' 20150..20250 -> application
              job 1 'job' 20150..20250
            """);
  }

  @Test
  void nothingHappensBeforeTheApplicationStarts() {
    ModelFixture app = ModelFixture.unborn();
    app.model.idle(60_000);
    assertThat(app.spans).isEmpty();
  }

  /** An exception ends a cell: what is called after it shows that it was handled. */
  @Test
  void aGroupFailedWhereItsLastActionDid() {
    ModelFixture app = app();
    job(app, 0, "handled").start().fail("broken");
    cell(app, 10, 1, "handled");
    cell(app, 200, 2, "failed");
    job(app.at(400), 3, "failed").start().fail("broken, too");
    assertThat(finish(app, 1000).drawAll())
        .contains("group handled from 0 'group handled' 0..110 ->")
        .contains("group failed from 200 'group failed' 200..400 ERROR: broken, too ->");
  }

  @Test
  void tagsAreAGroupWhereThereIsNoOther() {
    ModelFixture app = app();
    app.sql(0).tagged("b,spark-session-5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10,a").start().succeed();
    app.job(0).property("spark.job.tags", "a,b").start().succeed();
    ModelFixture.Sql sql = app.at(5).sql(1).tagged("a,b").start();
    job(app, 1, "g").property("spark.job.tags", "a,b").sql(1).start().succeed();
    sql.succeed();
    assertThat(finish(app, 10).drawAll())
        .isEqualTo(
            """
            application 0..10 -> group a,b from 0, group g from 5
            group a,b from 0 'group a,b' 0..0 -> application
              sql 0 'sql count at Report.java:31' 0..0
              job 0 'job' 0..0
            group g from 5 'group g' 5..5 -> application
              sql 1 'sql count at Report.java:31' 5..5
                job 1 'job count at Report.java:31' 5..5
            """);
  }

  /** Seen of Spark 3.5's Thrift server, whose threads tell of a timeout and of the close. */
  @Test
  void aCloseMayBeToldBeforeTheEnd() {
    ModelFixture app = app();
    statement(app, 10, "op", "ann", "select 1");
    statement(app, 10, "other", "ann", "select 2");
    thrift(app, 22, "OperationClosed", "op");
    thrift(app, 20, "OperationTimeout", "op");
    assertThat(app.spans).extracting(SpanTree::key).contains("group op");
    thrift(app, 30, "OperationClosed", "other");
    app.at(30_100).job(0).start().succeed();
    assertThat(app.spans).extracting(SpanTree::key).contains("group other");
    SpanTree tree = finish(app, 30_200);
    assertThat(tree.draw("group op")).isEqualTo("group op 'group select' 10..20 -> application\n");
    assertThat(tree.value("group op", Names.GROUP_STATE)).isEqualTo("timed out");
    assertThat(tree.value("group op", Names.GROUP_FETCH_TIME)).isEqualTo(2L);
    assertThat(tree.get("group op").getEvents())
        .extracting(e -> e.getAttributes().get(Names.GROUP_STATE.key()))
        .isEqualTo(List.of("timed out", "closed"));
    assertThat(tree.draw("group other"))
        .isEqualTo("group other 'group select' 10..30 -> application\n");
    assertThat(tree.value("group other", Names.GROUP_STATE)).isEqualTo("closed");
  }

  /** Whether an execution runs for a caller of its own its first job tells, or its end. */
  @Test
  void anOperationWaitsForWhatItRuns() {
    ModelFixture app = app();
    connect(app, 10, "op", "show_string {\n}\n", "etl");
    statement(app, 11, "other", "ann", "show tables");
    ModelFixture.Sql first = app.at(20).sql(0).inGroup(null).tagged(TAG + "op").start();
    ModelFixture.Sql second = app.sql(1).described("show tables").start();
    connect(app, 30, "OperationFinished", "op");
    connect(app, 31, "OperationClosed", "op");
    thrift(app, 32, "OperationFinish", "other");
    thrift(app, 33, "OperationClosed", "other");
    app.at(40);
    first.succeed();
    second.succeed();
    assertThat(finish(app, 50).drawAll())
        .isEqualTo(
            """
            application 0..50 -> group op, group other
            group op 'group show string' 10..40 -> application
              sql 0 'sql count at Report.java:31' 20..40
            group other 'group show tables' 11..40 -> application
              sql 1 'sql Project' 20..40
            """);
  }

  /** Whoever leaves operations open is not held for ever. */
  @Test
  void operationsThatNobodyClosesAreGivenUp() {
    ModelFixture app = app();
    for (int i = 0; i <= Groups.MAX_OPEN; i++) {
      statement(app, i, "op" + i, "ann", "select " + i);
      thrift(app, i, "OperationFinish", "op" + i);
    }
    // Each, its state, and the job group by which it is found.
    assertThat(app.model.stateSize()).isEqualTo(3 * Groups.MAX_OPEN);
    SpanTree tree = finish(app, 5000);
    assertThat(tree.value("application", Names.GROUPS_CLOSED_EARLY)).isEqualTo(1L);
    assertThat(tree.value("application", Names.TRACE_UNITS)).isEqualTo(1001L);
    assertThat(tree.draw("group op0")).isEqualTo("group op0 'group select' 0..0 -> application\n");
  }

  /** One that runs for hours outlasts those that others left open. */
  @Test
  void anOperationThatRunsIsNotGivenUpForOneThatNobodyCloses() {
    ModelFixture app = app();
    statement(app, 0, "long", "ann", "insert into t select 1");
    for (int i = 0; i < Groups.MAX_OPEN; i++) {
      statement(app, 1, "op" + i, "bob", "select " + i);
      thrift(app, 2, "OperationFinish", "op" + i);
    }
    ModelFixture.Job job = job(app.at(10), 0, "long").start();
    app.at(20);
    job.succeed();
    thrift(app, 30, "OperationFinish", "long");
    thrift(app, 40, "OperationClosed", "long");
    SpanTree tree = finish(app, 50);
    assertThat(tree.value("application", Names.GROUPS_CLOSED_EARLY)).isEqualTo(1L);
    assertThat(tree.draw("group long"))
        .isEqualTo(
            """
            group long 'group insert into' 0..30 -> application
              job 0 'job' 10..20
            """);
  }

  /** Two users run the same; the first one gave up before its execution was told. */
  @Test
  void aJobTellsMoreThanItsStatement() {
    ModelFixture app = app();
    statement(app, 10, "a", "ann", "select 1");
    thrift(app, 11, "OperationCanceled", "a");
    statement(app, 12, "b", "bob", "select 1");
    ModelFixture.Sql sql = app.at(20).sql(0).described("select 1").start();
    job(app.at(21), 0, "a").sql(0).start().fail("broken");
    sql.succeed();
    thrift(app, 30, "OperationFinish", "b");
    thrift(app, 31, "OperationClosed", "b");
    thrift(app, 31, "OperationClosed", "a");
    SpanTree tree = finish(app, 40);
    assertThat(tree.draw("group b")).isEqualTo("group b 'group select' 12..30 -> application\n");
    assertThat(tree.draw("group a")).contains("sql 0 ").contains("job 0 ");
  }

  /** Clients choose the ids of operations. */
  @Test
  void usersOfConnectMayHaveTheSameIds() {
    ModelFixture app = app();
    for (String user : List.of("ann", "bob")) {
      ServerEvent started = event(CONNECT + "OperationStarted", "op", 10);
      started.put("jobTag", "SparkConnect_OperationTag_User_" + user);
      started.put("userId", user);
      app.model.serverEvent(started);
    }
    ServerEvent failed = event(CONNECT + "OperationFailed", "op", 20);
    failed.put("jobTag", "SparkConnect_OperationTag_User_bob");
    failed.put("errorMessage", "broken");
    app.model.serverEvent(failed);
    for (String user : List.of("ann", "bob")) {
      ServerEvent closed = event(CONNECT + "OperationClosed", "op", 30);
      closed.put("jobTag", "SparkConnect_OperationTag_User_" + user);
      app.model.serverEvent(closed);
    }
    app.at(50_000).job(0).start().succeed();
    assertThat(app.spans)
        .filteredOn(span -> "bob".equals(SpanTree.value(span, Names.GROUP_USER)))
        .singleElement()
        .satisfies(span -> assertThat(span.getStatus().getDescription()).isEqualTo("broken"));
    assertThat(app.spans)
        .filteredOn(span -> "ann".equals(SpanTree.value(span, Names.GROUP_USER)))
        .singleElement()
        .satisfies(span -> assertThat(span.getStatus().getDescription()).isEmpty());
  }

  /** Listing files and waiting for executors takes long: the group is not over meanwhile. */
  @Test
  void anExecutionHoldsItsGroupUntilItsFirstJob() {
    ModelFixture app = app();
    cell(app, 0, 0, "cell");
    ModelFixture.Sql sql = app.at(6_000).sql(0).inGroup("cell").start();
    job(app.at(31_000), 1, "cell").sql(0).start().succeed();
    sql.succeed();
    assertThat(finish(app, 40_000).draw("group cell from 0"))
        .startsWith("group cell from 0 'group cell' 0..31000 -> application\n")
        .contains("sql 0 ")
        .contains("job 1 ");
  }

  /** Spark quotes the statement in what it says of a mistake in it. */
  @ParameterizedTest
  @CsvSource({"masked, SELEC * FROM t WHERE ssn = ?", "none, ?"})
  void aStatementInAnErrorIsShownAsTheStatement(String mode, String shown) {
    ModelFixture app =
        ModelFixture.app("otel.spark.trace.unit=group", "otel.spark.sql.text=" + mode);
    String message =
        """

        [PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'.(line 1, pos 0)

        == SQL ==
        SELEC * FROM t WHERE ssn = '123-45'
        ^^^
        """;
    statement(app, 10, "op", "ann", "SELEC * FROM t WHERE ssn = '123-45'");
    ServerEvent failed = event(THRIFT + "OperationError", "op", 15);
    failed.put("errorMsg", message);
    failed.put("errorTrace", "a.b.ParseException: " + message + "\n\tat A.b(A.java)");
    app.model.serverEvent(failed);
    thrift(app, 20, "OperationClosed", "op");
    FinishedSpan group = finish(app, 30).get("group op");
    EventData exception = group.getEvents().get(2);
    assertThat(exception.getAttributes().get(Names.EXCEPTION_MESSAGE.key()).toString())
        .contains("[PARSE_SYNTAX_ERROR]")
        .contains("== SQL ==\n" + shown)
        .doesNotContain("123");
    assertThat(exception.getAttributes().get(Names.EXCEPTION_STACKTRACE.key()).toString())
        .contains("\n\tat A.b(A.java)")
        .doesNotContain("123");
  }

  @Test
  void whatRunsWhenTheApplicationEndsIsIncomplete() {
    ModelFixture app = app();
    statement(app, 10, "op", "ann", "select 1");
    job(app.at(20), 0, "op").start();
    assertThat(finish(app, 50).drawAll())
        .isEqualTo(
            """
            application 0..50 -> group op
            group op 'group select' 10..50 incomplete -> application
              job 0 'job' 20..50 incomplete
            """);
  }

  /** Whatever servers and jobs tell, and in whatever order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void anySequenceKeepsTheRulesAndLeavesNothing(int seed) {
    Random random = new Random(seed);
    String[] types = {
      "OperationStart", "OperationFinish", "OperationError", "OperationCanceled", "OperationClosed"
    };
    for (int run = 0; run < 300; run++) {
      ModelFixture app = app();
      List<Integer> jobs = new ArrayList<>();
      List<Integer> sqls = new ArrayList<>();
      int next = 0;
      for (int step = 0; step < 60; step++) {
        app.at(random.nextInt(60_000));
        String id = "op" + random.nextInt(4);
        switch (random.nextInt(6)) {
          case 0 -> {
            job(app, next, id).property("spark.job.tags", TAG + id).start();
            jobs.add(next++);
          }
          case 1 -> {
            app.sql(next).described("select").tagged(id).start();
            sqls.add(next++);
          }
          case 2 -> {
            if (!jobs.isEmpty()) {
              app.job(jobs.remove(random.nextInt(jobs.size()))).fail("broken");
            }
          }
          case 3 -> {
            if (!sqls.isEmpty()) {
              app.sql(sqls.remove(random.nextInt(sqls.size()))).end("broken");
            }
          }
          default -> {
            ServerEvent event =
                event(THRIFT + types[random.nextInt(types.length)], id, random.nextInt(60_000));
            event.put("statement", "select");
            event.put("groupId", random.nextInt(5) == 0 ? null : id);
            app.model.serverEvent(event);
          }
        }
      }
      ModelFixture.close(app.model, app.spans, Outcome.UNKNOWN);
      TraceRules.check(app.spans);
      assertThat(app.model.stateSize()).as("seed %d, run %d", seed, run).isZero();
    }
  }

  /** By default, operations are known by themselves; job groups count in shared applications. */
  @ParameterizedTest
  @CsvSource({
    "spark.app.name, report, false",
    "spark.repl.class.uri, spark://a:1/classes, true",
    "spark.databricks.clusterUsageTags.clusterName, Ann's cluster, true",
    "spark.databricks.clusterUsageTags.clusterName, job-703-run-31144, false"
  })
  void autoLooksAtTheSettings(String key, String value, boolean shared) {
    ModelFixture app = ModelFixture.unborn().start("app-1", Map.of(key, value));
    statement(app, 0, "op", "ann", "select 1");
    job(app, 0, "op").start().succeed();
    thrift(app, 1, "OperationFinish", "op");
    thrift(app, 1, "OperationClosed", "op");
    cell(app, 10, 1, "cell");
    SpanTree tree = finish(app, 200);
    assertThat(tree.drawAll()).contains("group op 'group select' 0..1 -> application");
    assertThat(tree.drawAll().contains("group cell")).isEqualTo(shared);
  }

  @ParameterizedTest
  @CsvSource({
    "Spark shell, true",
    "PySparkShell, true",
    "SparkSQL::host, false",
    "livy-session-7, true",
    "livy-batch-7, false",
    "report, false"
  })
  void autoLooksAtTheName(String name, boolean shared) {
    assertThat(SharedApplication.is(Map.of(), name)).isEqualTo(shared);
  }
}
