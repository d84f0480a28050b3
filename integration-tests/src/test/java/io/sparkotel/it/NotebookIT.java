package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.group;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Notebook;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each run of a cell is a trace, and the time between them is none. */
@Tag("full")
class NotebookIT {

  private static final String FAILURE = "Job aborted due to stage failure: *no 1";

  @OnLongLivedSpark
  void cellsOfTwoUsers(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(SparkRun.of(version, Notebook.class).args(11_000));
    TracedRun traced = TracedRun.of(run);

    List<Trace> traces = traced.traces();
    assertThat(traces).hasSize(6);
    assertThatTrace(traces.get(0))
        .isTree(
            application("spark.application", started())
                .with("spark.jobs.total", 6)
                .with("spark.trace.units", 5)
                .linkOutside()
                .linkOutside()
                .linkOutside()
                .linkOutside()
                .linkOutside());
    assertThatTrace(traces.get(1))
        .isTree(
            cell(
                    "zeppelin|ann|*|paragraph_*",
                    "zeppelin|ann|2KW7|paragraph_1",
                    sql("sql count at Notebook.java:24").anyChildren(),
                    count(25))
                .with("spark.group.description", "Started by: ann")
                .with("spark.group.actions", 2)
                .with("spark.jobs.failed", 0));
    assertThatTrace(traces.get(2))
        .isTree(
            cell(
                    "zeppelin|bob|*|paragraph_*",
                    "zeppelin|bob|2KW8|paragraph_2",
                    job("job foreach at Notebook.java:29")
                        .anyChildren()
                        .failed(FAILURE)
                        .anyEvents())
                .with("spark.jobs.failed", 1)
                .with("error.type", "java.lang.IllegalStateException")
                .failed(FAILURE));
    assertThatTrace(traces.get(3))
        .isTree(
            cell("zeppelin|ann|*|paragraph_*", "zeppelin|ann|2KW7|paragraph_1", count(40))
                .with("spark.group.actions", 1));
    assertThatTrace(traces.get(4))
        .isTree(
            group("group cell-*", sql("sql count at Notebook.java:44").anyChildren())
                .with("spark.group.kind", "tags")
                .with("spark.group.id", "cell-3"));
    assertThatTrace(traces.get(5)).isTree(count(47).linkOutside());
    for (int i = 1; i < 5; i++) {
      SpanNode root = traces.get(i).roots().get(0);
      long last =
          traces.get(i).children(root).stream().mapToLong(SpanNode::endNanos).max().orElseThrow();
      assertThat(root.endNanos()).isEqualTo(last);
    }

    assertQueries(traced.receiver().spans());
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEqualTo(Set.of());
  }

  /** What the page promises. */
  private static void assertQueries(List<SpanNode> spans) {
    long longest =
        spans.stream()
            .filter(span -> "job group".equals(span.attribute("spark.group.kind")))
            .mapToLong(span -> (span.endNanos() - span.startNanos()) / 1_000_000)
            .max()
            .orElseThrow();
    List<List<String>> found =
        DocQueries.of("servers.md", "Queries for notebooks")
            .found(
                spans,
                Map.of("10m", longest - 1 + "ms"),
                span -> span.attribute("spark.group.id").toString());
    String first = "zeppelin|ann|2KW7|paragraph_1";
    List<String> failed = List.of("zeppelin|bob|2KW8|paragraph_2");
    assertThat(found).hasSize(4);
    assertThat(found.get(0)).isEqualTo(failed);
    assertThat(found.get(1)).isNotEmpty().isSubsetOf(first, failed.get(0));
    assertThat(found.get(2)).containsExactly(first, first);
    assertThat(found.get(3)).isEqualTo(failed);
  }

  /** Whatever group or tags it has. */
  @OnEachSpark
  void eachActionAsATrace(SparkVersion version) {
    SparkRun run = EventLogs.writtenBy(SparkRun.of(version, Notebook.class).args(0));
    TracedRun traced = TracedRun.of(run.conf("spark.otel.trace.unit", "sql"));
    List<Trace> traces = traced.traces();
    assertThat(traces).hasSize(7);
    assertThat(traces.get(0).application().attribute("spark.trace.units")).isEqualTo(6L);
    assertThat(traces.get(0).application().links())
        .extracting(SpanNode.Link::traceId)
        .containsExactlyElementsOf(
            traces.stream().skip(1).map(trace -> trace.roots().get(0).traceId()).toList());
    assertThatTrace(traces.get(1))
        .isTree(sql("sql count at Notebook.java:24").anyChildren().linkOutside());
    assertThatTrace(traces.get(2)).isTree(count(25).linkOutside());
    assertThatTrace(traces.get(3))
        .isTree(
            job("job foreach at Notebook.java:29")
                .anyChildren()
                .linkOutside()
                .failed(FAILURE)
                .anyEvents());
    assertThatTrace(traces.get(4)).isTree(count(40).linkOutside());
    assertThatTrace(traces.get(5))
        .isTree(sql("sql count at Notebook.java:44").anyChildren().linkOutside());
    assertThatTrace(traces.get(6)).isTree(count(47).linkOutside());
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEqualTo(Set.of());
  }

  /** Nobody waits for the next cell to see the one that has just been run. */
  @Test
  void theLastCellIsSentWhileTheNotebookIsIdle() {
    SparkRun run =
        SparkRun.of(SparkVersion.V4_2_0, Notebook.class)
            .args(Duration.ofHours(1).toMillis())
            .conf("spark.executor.heartbeatInterval", "1s");
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess process = run.exportOverHttp(receiver).start()) {
      receiver.awaitSpan(
          span -> span.name().equals("group zeppelin|bob|*KW*|paragraph_*"), Duration.ofMinutes(2));
      process.kill();
      process.waitFor();
      assertThat(receiver.spans()).extracting(SpanNode::entity).doesNotContain("application");
    }
  }

  private static SpanPattern cell(String label, String id, Expected... children) {
    return group("group " + label, children)
        .with("spark.group.kind", "job group")
        .with("spark.group.id", id);
  }

  private static SpanPattern count(int line) {
    String site = "count at Notebook.java:" + line;
    return job("job " + site, stage("stage " + site, task()));
  }
}
