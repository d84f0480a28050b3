package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.group;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ThriftServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Each statement that Spark's Thrift server is asked for is a trace. */
@Tag("full")
class ThriftServerIT {

  static final List<SparkVersion> VERSIONS =
      List.of(SparkVersion.V3_5_9, SparkVersion.V4_2_0, SparkVersion.V4_3_0);

  private static final String STATE = "spark.group.state";

  @ParameterizedTest
  @FieldSource("VERSIONS")
  void statementsOfThreeUsers(SparkVersion version) {
    SparkRun run =
        EventLogs.writtenBy(
            SparkRun.of(version, ThriftServer.class)
                .classpath(PythonPackages.spark(version.version()).resolve("jars").resolve("*"))
                .args(FreePort.find()));
    TracedRun traced = TracedRun.of(run);

    assertThat(traced.stdout().lines().sorted())
        .containsExactly("cancelled", "failed", "failed", "late", "rows: 0", "rows: 1", "rows: 1");
    List<Trace> groups = new ArrayList<>();
    for (Trace trace : traced.traces()) {
      if (!trace.all("group").isEmpty()) {
        groups.add(trace);
      }
    }
    assertThat(groups).hasSize(7);
    assertThatTrace(groups.get(0))
        .isTree(
            statement("create table", "ann", "finished")
                .with(
                    "spark.group.statement",
                    "create table people using parquet as select id, ? as name from range(?)")
                .with("spark.jobs.total", 1)
                .anyChildren());
    assertThatTrace(groups.get(1))
        .isTree(
            statement("select", "ann", "finished", sql("sql HashAggregate").anyChildren())
                .with("spark.group.statement", "select count(*) from people where name <> ?")
                .with("spark.group.actions", 1)
                .has("spark.group.id", "spark.group.session.id", "spark.group.fetch_time_ms"));
    assertThatTrace(groups.get(2))
        .isTree(
            statement("show tables", "ann", "finished").with("spark.jobs.total", 0).anyChildren());
    assertThat(groups.get(2).all("sql")).isNotEmpty();
    String unknown = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] *`nothing`*";
    assertThatTrace(groups.get(3))
        .isTree(
            statement("select", "bob", "failed")
                .with("spark.error.class", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
                .failed(unknown)
                .anyChildren()
                .event("exception", "exception.message", unknown));
    assertThat(groups.get(3).all("job")).isEmpty();
    assertThatTrace(groups.get(4))
        .isTree(
            statement(
                    "select",
                    "bob",
                    "failed",
                    sql(
                            "sql Project",
                            job(
                                    "job Project",
                                    stage("stage Project").anyChildren().failed().anyEvents())
                                .failed()
                                .anyEvents())
                        .failed()
                        .anyEvents())
                .with("spark.jobs.failed", 1)
                .has("error.type")
                .failed()
                .event("exception"));
    assertThatTrace(groups.get(5))
        .isTree(statement("select", "carl", "canceled").with("spark.jobs.total", 1).anyChildren());
    assertThatTrace(groups.get(6)).isTree(statement("select", "carl", "timed out").anyChildren());
    assertThat(traced.receiver().spans())
        .noneMatch(span -> span.attributes().toString().contains("nobody'"));

    assertQueries(groups);
    // Nothing in a log says how a program ended well.
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEqualTo(Set.of("application: spark.exit_code"));
  }

  /** What the page promises. */
  private static void assertQueries(List<Trace> groups) {
    List<SpanNode> spans = groups.stream().flatMap(trace -> trace.spans().stream()).toList();
    List<SpanNode> roots = groups.stream().map(trace -> trace.roots().get(0)).toList();
    long longest = roots.stream().mapToLong(ThriftServerIT::millis).max().orElseThrow();
    long fetched = roots.stream().mapToLong(ThriftServerIT::fetchTime).max().orElseThrow();
    List<String> ofBob = List.of("bob select", "bob select");
    assertThat(
            DocQueries.of("servers.md", "Queries")
                .found(
                    spans,
                    Map.of(
                        "\"ann\"",
                        "\"bob\"",
                        "1m",
                        longest - 1 + "ms",
                        "60000",
                        Long.toString(fetched - 1),
                        "b3dfb7ab-5dc5-4f1d-b72c-2d8b5a9a3c1e",
                        roots.get(3).attribute("spark.group.session.id").toString()),
                    ThriftServerIT::label))
        .containsExactly(
            ofBob,
            ofBob,
            labels(roots, root -> millis(root) == longest),
            List.of("carl select"),
            labels(roots, root -> fetchTime(root) == fetched),
            ofBob,
            List.of("ann create table", "ann select", "ann show tables"));
  }

  private static List<String> labels(List<SpanNode> roots, Predicate<SpanNode> wanted) {
    return roots.stream().filter(wanted).map(ThriftServerIT::label).toList();
  }

  private static long millis(SpanNode span) {
    return (span.endNanos() - span.startNanos()) / 1_000_000;
  }

  private static long fetchTime(SpanNode root) {
    return (Long) root.attribute("spark.group.fetch_time_ms");
  }

  private static String label(SpanNode span) {
    return span.attribute("spark.group.user") + span.name().replaceFirst("^group", "");
  }

  /** And its result was closed. */
  private static SpanPattern statement(
      String label, String user, String state, Expected... children) {
    return group("group " + label, children)
        .with("spark.group.kind", "thrift")
        .with("spark.group.user", user)
        .with(STATE, state)
        .event(STATE, STATE, state)
        .event(STATE, STATE, "closed");
  }
}
