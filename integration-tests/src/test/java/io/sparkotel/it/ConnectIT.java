package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.group;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Signalled;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** Each operation of a real Spark Connect server, asked by its Python client, is a trace. */
@Tag("full")
class ConnectIT {

  private static final String SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer";

  /** Of a version, by a main class: Spark's own, or any with Spark's plugin. */
  static final List<Arguments> SERVERS =
      List.of(
          Arguments.of("4.2.0", SERVER),
          Arguments.of("4.3.0", SERVER),
          Arguments.of("4.3.0", Signalled.class.getName()));

  /** What the client needs. */
  private static final String[] CLIENT = {
    "grpcio==1.85.3",
    "grpcio-status==1.85.3",
    "googleapis-common-protos==1.76.0",
    "zstandard==0.25.0"
  };

  /** That {@link PythonFunctionsIT} has as well. */
  private static final String[] DATA = {"pandas==2.3.3", "pyarrow==21.0.0"};

  /** A service's own telemetry, without a line of Spark's. */
  private static final String[] TELEMETRY = {
    "opentelemetry-sdk==1.45.2", "opentelemetry-instrumentation-grpc==0.66b2"
  };

  private static final String STATE = "spark.group.state";
  private static final String CALLER = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER_SPAN = "00f067aa0ba902b7";

  @ParameterizedTest
  @FieldSource("SERVERS")
  void operationsOfFourUsers(String version, String mainClass) {
    String libraries =
        Stream.of(CLIENT, DATA, TELEMETRY)
            .map(packages -> PythonPackages.libraries(packages).toString())
            .collect(Collectors.joining(File.pathSeparator));
    int port = FreePort.find();
    ScriptRun script = ScriptRun.of(version, "spark-submit");
    Path temporary = script.dir().resolve("local");
    ScriptRun server =
        EventLogs.writtenBy(script)
            .defaults("spark.eventLog.compress", false)
            .defaults("spark.connect.grpc.binding.address", "127.0.0.1")
            .defaults("spark.connect.grpc.binding.port", port)
            .args("--driver-java-options", Layout.agentFlag() + " -Djava.io.tmpdir=" + temporary)
            .args("--class", mainClass);
    if (mainClass.equals(SERVER)) {
      server.args("spark-internal");
    } else {
      server.defaults("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin");
      // Its own job takes a core.
      server.defaults("spark.master", "local[3]");
      server.args(Layout.scenarioJar());
    }
    ScriptRun client =
        ScriptRun.of(version, "python")
            .env("PYTHONPATH", libraries)
            .args(Layout.pythonProgram("connect.py"), port)
            .args("00-" + CALLER + "-" + CALLER_SPAN + "-01", server.dir().resolve("written"))
            .args(temporary);
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess running = server.exportTo(receiver).start()) {
      FreePort.await(port);
      SparkProcess asked = client.run().assertExit(0);
      // An operation is there once it ended, while the server goes on.
      SpanNode traced = receiver.awaitSpan(span -> isOf(span, "dora"), Duration.ofMinutes(1));
      receiver.awaitSpan(span -> span.name().equals("group project"), Duration.ofMinutes(1));
      List<String> printed = asked.stdout().lines().toList();
      assertThat(printed)
          .startsWith(
              "session: " + told(receiver, "ann", "spark.group.session.id").get(0),
              "rows: 9",
              "failed: AnalysisException",
              "failed: SparkRuntimeException",
              "called: 4",
              "failed: SparkRuntimeException",
              "stopped",
              "header: 2",
              "header and tag: 3",
              "call: " + traced.traceId() + " " + traced.parentId(),
              "traced: 4")
          .hasSize(12);
      running.terminate();
      running.assertExit(128 + 15);
      assertIds(version, printed.get(11), told(receiver, ".*", "spark.group.id"));

      List<Trace> groups = new ArrayList<>();
      for (Trace trace : receiver.traces()) {
        if (!trace.all("group").isEmpty()) {
          groups.add(trace);
        }
      }
      assertOperations(groups);
      assertServer(receiver, groups);
      assertThat(
              DocQueries.of("servers.md", "Queries for Spark Connect")
                  .found(receiver.spans(), Map.of(), SpanNode::name))
          .containsExactly(
              List.of(
                  "group aggregate",
                  "group create table",
                  "group select",
                  "group select",
                  "group select",
                  "group select",
                  "group select"),
              List.of("group select", "group select", "group select"),
              List.of("group select", "group select", "group select"));
      assertThat(receiver.spans()).noneMatch(span -> values(span).contains("secret"));
      OtlpReceiver replay =
          EventLogs.replay(EventLogs.of(server), server.dir().resolve("replay.txt"), Map.of());
      // No log tells of the signal that ended the server.
      assertThat(EventLogs.differences(receiver.spans(), replay.spans()))
          .isEqualTo(Set.of("application: spark.incomplete"));
    }
  }

  /** What the operations of a user tell, each value once, in order. */
  private static List<String> told(OtlpReceiver receiver, String user, String attribute) {
    return receiver.spans().stream()
        .filter(span -> isOf(span, user))
        .map(span -> span.attribute(attribute).toString())
        .distinct()
        .sorted()
        .toList();
  }

  private static void assertIds(String version, String printed, List<String> ids) {
    List<String> known = List.of(printed.replace("operations: ", "").split(" "));
    assertThat(ids).hasSize(13).containsAll(known);
    if (!version.equals("4.2.0")) {
      assertThat(known).isEqualTo(ids);
    }
  }

  private static boolean isOf(SpanNode span, String user) {
    return span.entity().equals("group")
        && span.attribute("spark.group.user").toString().matches(user);
  }

  /** Nothing but totals and links is at the server: what one user fails at is no failure of it. */
  private static void assertServer(OtlpReceiver receiver, List<Trace> groups) {
    List<String> operations = new ArrayList<>();
    for (Trace group : groups) {
      SpanNode root = group.roots().get(0);
      if (root.parentId().isEmpty()) {
        operations.add(root.id());
      }
    }
    SpanNode application =
        receiver.awaitSpan(span -> span.entity().equals("application"), Duration.ofMinutes(1));
    assertThat(application.isError()).isFalse();
    assertThat(application.attribute("spark.failure.root_cause")).isNull();
    assertThat(application.attribute("spark.trace.units")).isEqualTo((long) operations.size());
    assertThat(application.links())
        .extracting(SpanNode.Link::spanId)
        .containsExactlyElementsOf(operations);
  }

  /** Without plans, which show literals. */
  private static String values(SpanNode span) {
    Map<String, Object> values = new TreeMap<>(span.attributes());
    values.keySet().removeIf(key -> key.startsWith("spark.sql.plan"));
    return values.toString();
  }

  private static void assertOperations(List<Trace> groups) {
    assertThat(groups).hasSize(13);
    assertThatTrace(groups.get(0))
        .isTree(
            finished("aggregate", "ann", sql("sql HashAggregate").anyChildren())
                .with("spark.group.rows", 1)
                .with("spark.group.actions", 1)
                .with("spark.group.statement", "aggregate {*filter {*expression: \"id <> ?\"*}")
                .has("spark.group.id", "spark.group.session.id", "spark.group.fetch_time_ms")
                .without("spark.group.tags"));
    assertThatTrace(groups.get(1))
        .isTree(
            finished("create table", "ann")
                .with(
                    "spark.group.statement",
                    "create table people using parquet as select id, ? as name"
                        + " from range(?, ?, ?, ?)")
                .with("spark.group.tags", List.of("cell-1"))
                .anyChildren());
    String unknown = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] *`nothing`*";
    assertThatTrace(groups.get(2))
        .isTree(
            operation("select", "ann", "failed")
                .with("spark.error.class", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
                .failed(unknown)
                .anyChildren()
                .anyEvents());
    assertThatTrace(groups.get(3)).isTree(finished("select", "ann").with("spark.group.actions", 0));
    assertThatTrace(groups.get(4)).isTree(notTrue(2));
    assertThatTrace(groups.get(5))
        .inherits(CALLER_SPAN)
        .isTree(
            finished(
                    "read",
                    "bob",
                    sql(
                        "sql Scan parquet",
                        job("job Scan parquet", stage("stage Scan parquet", task()))))
                .with("spark.group.rows", 4)
                .with(
                    "spark.group.statement",
                    "read {\n  named_table {\n    unparsed_identifier: \"people\"\n  }\n}")
                .without("spark.group.tags"));
    assertThat(groups.get(5).roots().get(0).traceId()).isEqualTo(CALLER);
    assertThatTrace(groups.get(6))
        .isTree(
            operation("write operation", "bob", "finished", sql("sql write parquet").anyChildren())
                .anyEvents());
    assertThatTrace(groups.get(7))
        .isTree(
            operation("project", "bob", "canceled")
                .with("spark.group.tags", List.of("slow"))
                .anyChildren()
                .anyEvents());
    // Neither one's end is the other's.
    assertThat(groups.get(9).roots().get(0).endNanos())
        .isBetween(
            groups.get(7).roots().get(0).startNanos(), groups.get(7).roots().get(0).endNanos());
    assertThatTrace(groups.get(8)).isTree(finished("select", "ann").with("spark.group.actions", 0));
    assertThatTrace(groups.get(9)).isTree(notTrue(3));
    assertCalled(groups.get(10), CALLER.replace("4736", "4737"), CALLER_SPAN, "carl");
    assertCalled(groups.get(11), CALLER.replace("4736", "4738"), CALLER_SPAN, "carl");
    SpanNode traced = groups.get(12).roots().get(0);
    assertCalled(groups.get(12), traced.traceId(), traced.parentId(), "dora");
  }

  /** Ann's, whose rows are not all below that number. */
  private static SpanPattern notTrue(int number) {
    String broken = "[USER_RAISED_EXCEPTION] '(id < " + number + ")' is not true!*";
    return operation(
            "select",
            "ann",
            "failed",
            sql("sql Project", job("job Project").anyChildren().failed(broken).anyEvents())
                .failed(broken)
                .anyEvents())
        .with("spark.jobs.failed", 1)
        .with("error.type", "org.apache.spark.SparkRuntimeException")
        .with("spark.error.class", "USER_RAISED_EXCEPTION")
        .failed(broken)
        .anyEvents();
  }

  /** The caller is told as such, and by nothing else. */
  private static void assertCalled(Trace group, String traceId, String spanId, String user) {
    assertThat(group.roots().get(0).traceId()).isEqualTo(traceId);
    assertThatTrace(group)
        .inherits(spanId)
        .isTree(
            finished("range", user, sql("sql Range").anyChildren()).without("spark.group.tags"));
  }

  private static SpanPattern finished(String label, String user, Expected... children) {
    return operation(label, user, "finished", children)
        .event(STATE, STATE, "analyzed")
        .event(STATE, STATE, "ready")
        .event(STATE, STATE, "finished")
        .event(STATE, STATE, "closed");
  }

  private static SpanPattern operation(
      String label, String user, String state, Expected... children) {
    return group("group " + label, children)
        .with("spark.group.kind", "connect")
        .with("spark.group.user", user)
        .with(STATE, state);
  }
}
