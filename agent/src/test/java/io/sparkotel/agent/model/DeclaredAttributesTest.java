package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.PythonMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The registry tells what is exported, and the model exports what the registry tells. */
class DeclaredAttributesTest {

  /** What the model gets from its caller, or does not make. */
  private static final Set<String> LIVE_ONLY =
      Set.of(
          "spark.ui.url",
          "process.pid",
          "process.runtime.name",
          "process.runtime.version",
          "os.type");

  private static final Map<String, String> POD = Map.of("POD_NAME", "report-exec-2");
  private static final String SPARKS = "org.apache.spark.SparkArithmeticException";
  private static final String DIVIDED = "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012";

  private final ModelFixture app =
      ModelFixture.app("otel.spark.history-url=http://history/{app_id}");

  @Test
  void everyDeclaredAttributeIsOnEverySpanThatItIsDeclaredFor() {
    runEverything();
    Set<String> expected = new TreeSet<>();
    for (Attribute attribute : Names.all()) {
      for (Entity entity : attribute.on()) {
        if (!LIVE_ONLY.contains(attribute.name())) {
          expected.add(entity + " " + attribute.name());
        }
      }
      if (attribute.on().isEmpty()) {
        expected.add("event " + attribute.name());
      }
    }
    Set<String> seen = new TreeSet<>();
    List<FinishedSpan> spans = new ArrayList<>(app.spans);
    spans.addAll(groups());
    for (FinishedSpan span : spans) {
      span.getAttributes()
          .forEach(
              (key, value) -> {
                if (Names.find(key.getKey()) != null) {
                  seen.add(span.entity() + " " + key.getKey());
                }
              });
      for (EventData event : span.getEvents()) {
        event
            .getAttributes()
            .forEach(
                (key, value) -> {
                  if (Names.find(key.getKey()).on().isEmpty()) {
                    seen.add("event " + key.getKey());
                  }
                });
      }
    }
    assertThat(seen).isEqualTo(expected);
  }

  /** Of an application that many share. */
  private static List<FinishedSpan> groups() {
    ModelFixture app = ModelFixture.app("otel.spark.trace.unit=group");
    Object[] metrics = new Object[2 * TaskMetric.COUNT];
    for (TaskMetric metric : TaskMetric.values()) {
      metrics[2 * metric.ordinal()] = metric;
      metrics[2 * metric.ordinal() + 1] = 5;
    }
    ModelFixture.Stage stage = app.stage(0, 1);
    ModelFixture.Job job =
        app.job(0, stage)
            .property("spark.jobGroup.id", "cell")
            .property("spark.job.description", "the cell")
            .start();
    stage.submit().run(1, metrics).complete();
    job.succeed();
    for (int i = 0; i < Groups.MAX_OPEN; i++) {
      started(app, "op" + i);
    }
    ServerEvent failed = operation("OperationFailed", "op0");
    failed.put("errorMessage", DIVIDED);
    failed.put("errorTrace", SPARKS + ": " + DIVIDED);
    failed.put("producedRowCount", Long.valueOf(1));
    app.model.serverEvent(failed);
    app.model.serverEvent(operation("OperationClosed", "op0"));
    started(app, "last");
    started(app, "one more");
    app.close(Outcome.UNKNOWN);
    return app.spans;
  }

  private static void started(ModelFixture app, String id) {
    ServerEvent event = operation("OperationStarted", id);
    event.put("userId", "ann");
    event.put("sessionId", "session");
    event.put("statementText", "range {\n}\n");
    event.put("sparkSessionTags", List.of("etl"));
    app.model.serverEvent(event);
  }

  private static ServerEvent operation(String type, String id) {
    ServerEvent event =
        ServerEvent.of("org.apache.spark.sql.connect.service.SparkListenerConnect" + type);
    event.operationId = id;
    event.time = ModelFixture.EPOCH;
    return event;
  }

  /** Once everything that can be on a span, and more tasks than quantiles are exact for. */
  private void runEverything() {
    Object[] metrics = new Object[2 * TaskMetric.COUNT];
    for (TaskMetric metric : TaskMetric.values()) {
      metrics[2 * metric.ordinal()] = metric;
      metrics[2 * metric.ordinal() + 1] = 5;
    }
    app.executorAddedWithLogs("1", 4);
    app.executorAdded(
        "2", 4, ResourceProfile.DEFAULT_ID, ExecutorLinks.of(Map.of("log", "http://h"), POD));
    app.sql(0).start();
    PlanNode scan = scan("AQEShuffleRead");
    PlanNode write =
        ModelFixture.measured(
            "Execute InsertIntoHadoopFsRelationCommand",
            "Execute InsertIntoHadoopFsRelationCommand file:/a, false, [day#1], Parquet, [a=b],"
                + " Append, `t`, [day]",
            new Object[][] {
              {"number of output rows", 8, "sum"},
              {"written output", 9, "size"},
              {"number of written files", 10, "sum"},
              {"number of dynamic part", 11, "sum"}
            },
            python());
    app.sql(2).planned(write).start().driverMetrics(8, 1, 9, 1, 10, 1, 11, 1);
    for (PythonMetric metric : PythonMetric.values()) {
      app.sql(2).driverMetrics(20 + metric.ordinal(), 1);
    }
    app.sql(2).succeed();
    ModelFixture.Sql sql = app.sql(1).under(0).planned(scan).start().replan(scan);
    long[] tooMany = LongStream.range(0, 2 * SqlMetrics.MAX + 2).toArray();
    sql.driverMetrics(tooMany);
    ModelFixture.Stage stage = app.stage(0, 10_001).reading(7);
    ModelFixture.Job job =
        app.job(0, stage)
            .sql(1)
            .property("spark.jobGroup.id", "nightly")
            .property("spark.job.description", "the report")
            .property("spark.job.tags", "a")
            .property("spark.scheduler.pool", "fast")
            .property("traceparent", "none")
            .start();
    stage.submit().fail("first");
    ModelFixture.Stage again = stage.again().submit();
    again.run(1, metrics);
    String lost = "Command exited with code 137";
    again
        .task(0)
        .launch()
        .rawMetrics(null)
        .end(ModelFixture.reason(EndReason.Kind.ExecutorLostFailure, lost));
    EndReason refused = EndReason.fetchFailed("no block", "2", "host-2");
    again.task(0).on("2").launch().end(refused);
    again.task(0).launch().end(ModelFixture.failure(SPARKS, DIVIDED));
    again.sqlMetrics(7, 1).fail("x");
    ModelFixture.Stage small = app.stage(2, 1).submit();
    small.task(0).launch().end(ModelFixture.reason(EndReason.Kind.TaskKilled, "enough"));
    small.task(0).launch();
    job.fail("x");
    sql.end("x");
    app.job(1, app.stage(3, 1).named("", "org.apache.spark.rdd.RDD.saveAsTextFile(RDD.scala:1)"))
        .start();
    app.stage(3, 1).submit();
    long[] peaks = new long[ExecutorMetric.COUNT];
    Arrays.fill(peaks, 7);
    app.stage(3, 1).task(0).launch().executorMetrics(peaks).succeed();
    app.end(2);
    app.close(Outcome.failed(SPARKS, DIVIDED, SPARKS + ": " + DIVIDED));
    // Two that no one application can have: an end that was not seen, an end with a code.
    ModelFixture killed = ModelFixture.unborn().start("app-2", Map.of("spark.master", "yarn"));
    killed.executorPeaks("driver", -1, peaks);
    killed.executorAdded("1", 4);
    killed.sql(0).start();
    killed.at(10).sql(0).succeed();
    killed.job(0).start();
    killed.job(500).start();
    killed.close(Outcome.UNKNOWN);
    app.spans.addAll(killed.spans);
    streams(metrics);
    Map<String, String> large = Map.of("spark.master", "yarn", "spark.executor.memory", "64g");
    ModelFixture troubled = ModelFixture.unborn().start("app-3", large);
    Troubles.run(troubled);
    troubled.finish();
    app.spans.addAll(troubled.spans);
    ModelFixture full = ModelFixture.unborn().start("app-4", large);
    Troubles.nearLimit(full);
    full.finish();
    app.spans.addAll(full.spans);
    ModelFixture overrun = ModelFixture.unborn().start("app-5", large);
    runTooMuch(overrun);
    overrun.close(Outcome.UNKNOWN);
    app.spans.addAll(overrun.spans);
  }

  /** More jobs for one stage than it links, and more stages than may be open. */
  private static void runTooMuch(ModelFixture app) {
    ModelFixture.Stage shared = app.stage(OpenLimits.STAGES, 1);
    app.job(0, shared).start();
    shared.submit();
    for (int i = 1; i <= StageSpan.MAX_OTHER_JOBS + 1; i++) {
      app.job(i, shared).start().succeed();
    }
    for (int i = 0; i < OpenLimits.STAGES; i++) {
      app.stage(i, 1).submit();
    }
  }

  /** One that fails with all that a batch can tell, and one of which the end was not seen. */
  private void streams(Object[] metrics) {
    ModelFixture streams = ModelFixture.unborn().start("app-5", Map.of("spark.master", "yarn"));
    ModelFixture.Stream stream = streams.stream("query", "run").start("orders");
    ModelFixture.Stage stage = streams.stage(0, 1);
    ModelFixture.Job job = stream.job(0, 0, stage);
    // Spark's ids are longer: by its marks it is found all the same.
    job.property("spark.job.description", "mine").start();
    stage.submit().run(1, metrics).complete();
    job.succeed();
    stream.progress(0, 0, StreamProgressTest::everything);
    stream.job(1, 1).property("spark.job.description", "mine").start().succeed();
    stream.end(SPARKS + ": " + DIVIDED + "\n\tat a.B.c(B.java:1)");
    ModelFixture.Stream open = streams.stream("other", "open").start("open");
    open.job(2, 0).property("spark.job.description", "mine").start();
    streams.receiverError("socket", "cut", null);
    ModelFixture.DStream batch = streams.dstream(5);
    ModelFixture.Sql sql = batch.sql(7, 0).start();
    batch.job(7, 0).sql(7).start().succeed();
    sql.succeed();
    streams.at(9);
    batch.input(0, 5, "topic").output(0, 3, null).complete(6);
    streams.close(Outcome.UNKNOWN);
    app.spans.addAll(streams.spans);
  }

  private static PlanNode scan(String name) {
    return ModelFixture.measured(name, name, new Object[][] {{"number of output rows", 7, "sum"}});
  }

  private static PlanNode python() {
    Object[][] metrics = new Object[PythonMetric.values().length][];
    for (PythonMetric metric : PythonMetric.values()) {
      metrics[metric.ordinal()] = new Object[] {metric.source(), 20 + metric.ordinal(), "sum"};
    }
    return ModelFixture.measured("MapInPandas", "MapInPandas", metrics, scan("Scan parquet t"));
  }

  @Test
  void theCheckFindsWhatIsNotDeclared() {
    assertRefused(Entity.JOB, b -> b.put(AttributeKey.stringKey("spark.job.unknown"), "x"));
    assertRefused(Entity.JOB, b -> b.put(Names.STAGE_ID, 1L));
    assertRefused(Entity.JOB, b -> b.put(Names.JOB_ID, "1"));
    assertRefused(Entity.JOB, b -> b.put(AttributeKey.stringKey("spark.job.id"), "1"));
    assertRefused(Entity.JOB, b -> b.put(Names.JOB_ID, 1L).put(Names.JOB_ID, 1L));
    assertRefused(Entity.JOB, b -> b.put(Names.JOB_TAGS, List.of(TextSamples.LONE_LOW)));
    assertRefused(
        Entity.JOB, b -> b.put(AttributeKey.booleanKey("spark.job.unknown_truncated"), true));
  }

  private void assertRefused(Entity entity, Consumer<AttributeList.Builder> attributes) {
    AttributeList.Builder builder = AttributeList.builder();
    attributes.accept(builder);
    FinishedSpan marker = app.spans.get(0);
    FinishedSpan span =
        new FinishedSpan(
            null,
            entity,
            "job",
            marker.getSpanContext(),
            marker.getParentSpanContext(),
            0,
            0,
            builder.build(),
            List.of(),
            List.of(),
            marker.getStatus());
    assertThatThrownBy(() -> Declared.check(span)).isInstanceOf(AssertionError.class);
  }
}
