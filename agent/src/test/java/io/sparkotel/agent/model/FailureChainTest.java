package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Names;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From a failed task up to the application, and from a failure to where one looks further. */
class FailureChainTest {

  private static final String LOGS = "http://host-7:8081/logPage/?executorId=7&logType=";

  private final ModelFixture app = ModelFixture.app("otel.spark.history-url=http://h/{app_id}");

  private static Object value(EventData event, Attribute key) {
    Attributes attributes = event.getAttributes();
    return attributes.get(key.key());
  }

  /** A query and one nested in it, whose job fails by this task failure. */
  private SpanTree failedQuery(EndReason failure, String message, Outcome outcome) {
    ModelFixture.Sql root = app.sql(0).start();
    ModelFixture.Sql nested = app.sql(1).under(0).start();
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job = app.job(0, stage).sql(1).start();
    stage.submit().task(0).launch().end(failure);
    stage.fail(message);
    job.fail(message);
    nested.end(message);
    root.end(message);
    app.end(0);
    return app.close(outcome);
  }

  @Test
  void namesTheRootCauseOnJobsQueriesAndTheApplicationThatFailed() {
    String zero = "java.lang.ArithmeticException";
    String cause = zero + ": / by zero at com.acme.Report.count(Report.java:31)";
    SpanTree tree =
        failedQuery(
            ModelFixture.failure(zero, "/ by zero"),
            "Job aborted due to stage failure: " + zero + ": / by zero",
            Outcome.failed(
                "org.apache.spark.SparkException",
                "aborted",
                "org.apache.spark.SparkException: aborted\n\tat com.acme.Main.main(Main.java:3)\n"
                    + "Caused by: "
                    + zero
                    + ": / by zero\n\tat com.acme.Report.count(Report.java:31)\n"));
    for (String key : new String[] {"job 0", "sql 1", "sql 0", "application"}) {
      assertThat(tree.value(key, Names.FAILURE_ROOT_CAUSE)).as(key).isEqualTo(cause);
      assertThat(tree.value(key, Names.ERROR_CLASS)).as(key).isNull();
    }
    assertThat(tree.value("sql 0", Names.ERROR_TYPE)).isEqualTo(zero);
    assertThat(tree.value("stage 0.0", Names.HISTORY_URL))
        .isEqualTo("http://h/app-1/stages/stage/?id=0&attempt=0");
    assertThat(tree.value("job 0", Names.HISTORY_URL)).isEqualTo("http://h/app-1/jobs/job/?id=0");
    assertThat(tree.value("sql 1", Names.HISTORY_URL))
        .isEqualTo("http://h/app-1/SQL/execution/?id=1");
    assertThat(tree.value("application", Names.HISTORY_URL)).isEqualTo("http://h/app-1");
  }

  @Test
  void aFailureThatWasHandledIsNoneOfTheApplication() {
    SpanTree tree =
        failedQuery(ModelFixture.failure("a.B", "x"), "Job aborted: x", Outcome.exit(3));
    assertThat(tree.value("application", Names.FAILURE_ROOT_CAUSE)).isNull();
    assertThat(tree.value("application", Names.ERROR_TYPE)).isNull();
    assertThat(tree.value("sql 0", Names.FAILURE_ROOT_CAUSE))
        .isEqualTo("a.B: x at com.acme.Report.count(Report.java:31)");
  }

  @Test
  void tellsSparksErrorClassAllTheWayUp() {
    String type = "org.apache.spark.SparkArithmeticException";
    String message = "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012";
    SpanTree tree =
        failedQuery(
            ModelFixture.failure(type, message),
            message,
            Outcome.failed(type, message, type + ": " + message));
    for (String key :
        new String[] {"task 0", "stage 0.0", "job 0", "sql 1", "sql 0", "application"}) {
      assertThat(tree.value(key, Names.ERROR_CLASS)).as(key).isEqualTo("DIVIDE_BY_ZERO");
      assertThat(tree.value(key, Names.ERROR_SQL_STATE)).as(key).isEqualTo("22012");
    }
  }

  /** As Spark 4.1 and later tell of a query that was never planned. */
  @Test
  void tellsOfAQueryThatNeverHadAJob() {
    app.sql(0)
        .start()
        .end(
            "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nope` cannot be found. SQLSTATE: 42P01;"
                + " line 1 pos 14;");
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 0", Names.ERROR_CLASS)).isEqualTo("TABLE_OR_VIEW_NOT_FOUND");
    assertThat(tree.value("sql 0", Names.ERROR_SQL_STATE)).isEqualTo("42P01");
    // The class of the exception is not told.
    assertThat(tree.value("sql 0", Names.ERROR_TYPE)).isEqualTo("TABLE_OR_VIEW_NOT_FOUND");
    assertThat(value(tree.get("sql 0").getEvents().get(0), Names.EXCEPTION_TYPE)).isNull();
    assertThat(tree.value("sql 0", Names.FAILURE_ROOT_CAUSE))
        .isEqualTo(
            "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nope` cannot be found. SQLSTATE: 42P01;"
                + " line 1 pos 14;");
  }

  /** Spark gives the stack trace of what is no error of its own. */
  @Test
  void tellsTheClassOfAnErrorBeforeThereWasAJob() {
    String type = "com.acme.Catalog$Closed";
    app.sql(0).start().end(type + ": at noon\n\tat com.acme.Catalog.load(Catalog.java:7)\n");
    app.sql(1).start().end(type + "\n\tat com.acme.Catalog.load(Catalog.java:7)\n");
    app.sql(2).start().end("Could not execute broadcast in 300 secs");
    app.sql(3).start().end("at 12:00: the catalog was closed\n\tat noon");
    SpanTree tree = app.finish();
    for (String key : new String[] {"sql 0", "sql 1"}) {
      assertThat(tree.value(key, Names.ERROR_TYPE)).as(key).isEqualTo(type);
      EventData event = tree.get(key).getEvents().get(0);
      assertThat(value(event, Names.EXCEPTION_TYPE)).as(key).isEqualTo(type);
      assertThat(value(event, Names.EXCEPTION_STACKTRACE)).as(key).isNotNull();
    }
    for (String key : new String[] {"sql 2", "sql 3"}) {
      assertThat(tree.value(key, Names.ERROR_TYPE)).as(key).isNull();
      EventData event = tree.get(key).getEvents().get(0);
      assertThat(value(event, Names.EXCEPTION_TYPE)).as(key).isNull();
    }
  }

  @Test
  void anErrorWithoutAClass() {
    for (String empty : new String[] {"", "  "}) {
      ModelFixture.Stage stage = app.stage(empty.length(), 1);
      app.job(empty.length(), stage).start();
      stage.submit().task(0).launch().end(ModelFixture.failure(empty, "no class"));
      stage.fail("x");
    }
    SpanTree tree = app.finish();
    for (String key : new String[] {"task 0", "task 1"}) {
      assertThat(tree.value(key, Names.ERROR_TYPE)).as(key).isEqualTo("ExceptionFailure");
      assertThat(value(tree.get(key).getEvents().get(0), Names.EXCEPTION_TYPE))
          .as(key)
          .isEqualTo("ExceptionFailure");
    }
  }

  @Test
  void leadsToTheLogsOfTheExecutorsConcerned() {
    app.executorAddedWithLogs("7", 4);
    app.executorAddedWithLogs("8", 4);
    ModelFixture.Stage stage = app.stage(0, 4);
    app.job(0, stage).start();
    stage.submit();
    ModelFixture.Task lost = stage.task(0).on("7").launch().rawMetrics(null);
    stage.task(1).on("8").launch().end(EndReason.fetchFailed("no block", "7", "host-7"));
    stage.task(2).on("8").launch().succeed();
    app.executorRemoved("7");
    lost.end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, "Executor Process Lost"));
    stage.fail("lost");

    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.EXECUTOR_LOG_URL)).isEqualTo(LOGS + "stderr");
    assertThat(tree.value("task 0", Names.EXECUTOR_STDOUT_URL)).isEqualTo(LOGS + "stdout");
    for (String key : new String[] {"task 0", "stage 0.0"}) {
      EventData removed = tree.get(key).getEvents().get(0);
      assertThat(removed.getName()).isEqualTo("spark.executor.removed");
      assertThat(value(removed, Names.EXECUTOR_LOSS_CAUSE)).isEqualTo("connection_lost");
      assertThat(value(removed, Names.EXECUTOR_LOG_URL)).isEqualTo(LOGS + "stderr");
      assertThat(value(removed, Names.EXECUTOR_STDOUT_URL)).isEqualTo(LOGS + "stdout");
    }
    // The task ran on one executor, what it missed was on the other.
    assertThat(tree.value("task 1", Names.EXECUTOR_LOG_URL))
        .isEqualTo(LOGS.replace("7", "8") + "stderr");
    EventData failed = tree.get("task 1").getEvents().get(0);
    assertThat(value(failed, Names.EXECUTOR_ID)).isEqualTo("7");
    assertThat(value(failed, Names.EXECUTOR_HOST)).isEqualTo("host-7");
    assertThat(value(failed, Names.EXECUTOR_LOG_URL)).isEqualTo(LOGS + "stderr");
    assertThat(tree.value("task 2", Names.EXECUTOR_LOG_URL)).isNull();
  }

  private static Object podOfAFailedTask(Map<String, String> conf) {
    ModelFixture on = ModelFixture.unborn().start("app-1", conf);
    ModelFixture.Stage stage = on.stage(0, 1);
    on.job(0, stage).start();
    stage.submit().task(0).on("3").launch().end(ModelFixture.failure("a.B", "x"));
    return on.finish().value("task 0", Names.EXECUTOR_POD);
  }

  @Test
  void namesThePodOnKubernetes() {
    String prefix = "spark.kubernetes.executor.podNamePrefix";
    String allocator = "spark.kubernetes.allocation.pods.allocator";
    String master = "k8s://https://k:6443";
    Map<String, String> conf = Map.of("spark.master", master, prefix, "report-1a2b");
    assertThat(podOfAFailedTask(conf)).isEqualTo("report-1a2b-exec-3");
    assertThat(podOfAFailedTask(Map.of("spark.master", "yarn", prefix, "report-1a2b"))).isNull();
    assertThat(podOfAFailedTask(Map.of("spark.master", master))).isNull();
    assertThat(
            podOfAFailedTask(
                Map.of("spark.master", master, prefix, "report-1a2b", allocator, "statefulset")))
        .isNull();
  }

  @Test
  void takesTheLogThatThereIs() {
    Map<String, String> none = Map.of();
    ExecutorLinks links = ExecutorLinks.of(Map.of("log", "http://l", "stdout", "http://o"), none);
    assertThat(links.log).isEqualTo("http://l");
    assertThat(links.stdout).isEqualTo("http://o");
    assertThat(ExecutorLinks.of(none, Map.of("POD_NAME", "p")).pod).isEqualTo("p");
    assertThat(ExecutorLinks.of(none, none)).isNull();
    assertThat(ExecutorLinks.of(Map.of("stderr", "h".repeat(2_001)), none)).isNull();
  }

  /** Of a cluster that loses executors for weeks. */
  @Test
  void remembersOnlyTheLastOnesThatAreGone() {
    for (int i = 0; i < 1_001; i++) {
      app.executorAddedWithLogs("e" + i, 4);
      app.executorRemoved("e" + i);
    }
    ModelFixture.Stage stage = app.stage(0, 2);
    app.job(0, stage).start();
    stage.submit();
    EndReason failure = ModelFixture.failure("a.B", "x");
    stage.task(0).on("e0").launch().end(failure);
    stage.task(1).on("e1").launch().end(failure);
    SpanTree tree = app.finish();
    assertThat(tree.value("task 0", Names.EXECUTOR_LOG_URL)).isNull();
    assertThat(tree.value("task 1", Names.EXECUTOR_LOG_URL)).isNotNull();
  }

  @Test
  void redactsAndCutsTheRootCause() {
    String secret = "jdbc:mysql://ann:hunter2@db/x";
    SpanTree tree =
        failedQuery(
            ModelFixture.failure("a.B", secret + " " + "x".repeat(5_000)), "x", Outcome.UNKNOWN);
    assertThat(tree.value("sql 0", Names.FAILURE_ROOT_CAUSE))
        .asString()
        .startsWith("a.B: jdbc:mysql://")
        .doesNotContain("hunter2")
        .endsWith("xxx at com.acme.Report.count(Report.java:31)")
        .hasSizeLessThanOrEqualTo(Limits.MESSAGE);
    assertThat(tree.value("sql 0", "spark.failure.root_cause_truncated")).isEqualTo(true);
  }
}
