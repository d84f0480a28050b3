package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/** Each way in which Spark SQL runs Python: what its nodes are called and what they measured. */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class PythonFunctionsIT {

  static final List<String> VERSIONS = List.of("3.5.9", "4.2.0", "4.3.0");

  /** That work with both of these and with Python 3.9 to 3.13. */
  private static final String[] LIBRARIES = {"pandas==2.3.3", "pyarrow==21.0.0"};

  private static final String MESSAGE = "no number is good enough";

  private static final List<String> ON_3_5 =
      List.of(
          "56: BatchEvalPython [twice(id)], [pythonUDF0] rows 10, sent 43, back 36",
          "57: ArrowEvalPython [thrice(id)], [pythonUDF0], 101 rows 10, sent 232, back 224",
          "58: ArrowEvalPython [four_times(id)], [pythonUDF0], 200 rows 10, sent 232, back"
              + " 224",
          "59: ArrowEvalPython [four_times(pythonUDF0)], [pythonUDF0], 200 <-"
              + " BatchEvalPython [twice(id)], [pythonUDF0] rows 20, sent 440, back 420",
          "60: !AggregateInPandas [_groupingexpression], [mean(id)], [_groupingexpression"
              + " AS odd, mean(id) AS mean(id)] rows 2, sent 384, back 304",
          "61: MapInPandas odd(id), [id], false rows 5, sent 272, back 216",
          "62: PythonMapInArrow same(id), [id], false rows 10, sent 272, back 256",
          "63: FlatMapGroupsInPandas [(id % 3)], first(id), [id] rows 3, sent 784, back 552",
          "64: BatchEvalPythonUDTF UpTo(4), [number] rows 4, sent 15, back 34",
          "66: ArrowEvalPython [broken(id)], [pythonUDF0], 200 rows null, sent null, back"
              + " null");

  private static final List<String> SINCE_4_2 =
      List.of(
          "56: ArrowEvalPython [twice(id)], [pythonUDF0], 101 rows 10, sent 232, back 224",
          "57: ArrowEvalPython [thrice(id)], [pythonUDF0], 101 rows 10, sent 232, back 224",
          "58: ArrowEvalPython [four_times(id)], [pythonUDF0], 200 rows 10, sent 232, back"
              + " 224",
          "59: ArrowEvalPython [four_times(pythonUDF0)], [pythonUDF0], 200 <-"
              + " ArrowEvalPython [twice(id)], [pythonUDF0], 101 rows 20, sent 768, back 736",
          "60: !ArrowAggregatePython [_groupingexpression], [mean(id)],"
              + " [_groupingexpression AS odd, mean(id) AS mean(id)], 202 rows 2, sent 400, back"
              + " 304",
          "61: MapInPandas odd(id), [id], false rows 5, sent 272, back 216",
          "62: MapInArrow same(id), [id], false rows 10, sent 272, back 256",
          "63: FlatMapGroupsInPandas ['`%`(id, 3)], first(id), [id] rows 3, sent 808, back"
              + " 552",
          "64: ArrowEvalPythonUDTF UpTo(4), [number], 301 rows 4, sent 160, back 208",
          "66: ArrowEvalPython [broken(id)], [pythonUDF0], 200 rows null, sent null, back"
              + " null");

  private static final String PYTHON_RSS = "spark.executor.peak.process_python_rss_bytes";

  private final String version;

  PythonFunctionsIT(String version) {
    this.version = version;
  }

  @Test
  void functionsShowWhatTheyExchangedWithPython() {
    ScriptRun script = functions();
    TracedRun run = traced(script);
    Trace trace = run.trace();

    PythonTruth truth = new PythonTruth(EventLogs.events(EventLogs.of(script)));
    for (SpanNode sql : trace.all("sql")) {
      Long id = (Long) sql.attribute("spark.sql.execution.id");
      assertThat(python(sql)).as(sql.name()).isEqualTo(truth.of(id));
    }
    SpanNode plain = trace.one("sql", sql -> sql.name().endsWith(":56"));
    assertThat(PlanTruth.plan(plain))
        .contains(
            version.startsWith("3.")
                ? "BatchEvalPython [twice(id)], [pythonUDF0] {rows 10, data returned from Python"
                    + " workers 36.0 B, data sent to Python workers 43.0 B"
                : "ArrowEvalPython [twice(id)], [pythonUDF0], 101 {rows 10, data returned from"
                    + " Python workers 224.0 B, data sent to Python workers 232.0 B");
    assertThat(python(plain)).hasSize(version.startsWith("3.") ? 3 : 7);
    assertFailed(trace);

    OtlpReceiver replay =
        EventLogs.replay(EventLogs.of(script), script.dir().resolve("replay.txt"), Map.of());
    assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(Set.of());
    assertThat(trace.all("sql").stream().map(PythonFunctionsIT::summary))
        .containsExactlyElementsOf(version.startsWith("3.") ? ON_3_5 : SINCE_4_2);
  }

  /** Where Spark is told to look at processes, which it does by pgrep. */
  @Test
  void pythonWorkersShowTheirMemory() {
    ScriptRun script =
        functions()
            .defaults("spark.executor.processTreeMetrics.enabled", true)
            .defaults("spark.executor.metrics.pollingInterval", "20ms");
    TracedRun run = traced(script);
    List<SpanNode> sampled =
        run.trace().all("stage").stream()
            .filter(stage -> stage.attribute(PYTHON_RSS) != null)
            .toList();
    assertThat(sampled).isNotEmpty();
    for (SpanNode stage : sampled) {
      // A Python interpreter takes some megabytes, a machine has some gigabytes.
      assertThat((Long) stage.attribute(PYTHON_RSS)).isBetween(1L << 20, 1L << 36);
    }
    OtlpReceiver replay =
        EventLogs.replay(EventLogs.of(script), script.dir().resolve("replay.txt"), Map.of());
    assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(Set.of());
  }

  private ScriptRun functions() {
    return EventLogs.writtenBy(ScriptRun.of(version, "spark-submit"))
        .defaults("spark.eventLog.compress", false)
        .env("PYTHONPATH", PythonPackages.libraries(LIBRARIES).toString())
        .args("--driver-java-options", Layout.agentFlag())
        .args(Layout.pythonProgram("functions.py"));
  }

  /** What failed in Python is told as Python tells it. */
  private static void assertFailed(Trace trace) {
    List<SpanNode> failed = trace.spans().stream().filter(SpanNode::isError).toList();
    assertThat(failed)
        .extracting(SpanNode::entity)
        .containsExactlyInAnyOrder("sql", "job", "stage", "task");
    for (SpanNode span : failed) {
      assertThat(span.attribute("error.type")).as(span.name()).isEqualTo("ValueError");
      assertThat(span.events()).as(span.name()).hasSize(1);
      SpanNode.Event event = span.events().get(0);
      assertThat(event.name()).isEqualTo("exception");
      assertThat(event.attributes())
          .containsEntry("exception.type", "ValueError")
          .containsEntry("exception.message", MESSAGE);
      assertThat(event.attributes().get("exception.stacktrace").toString())
          .startsWith("Traceback (most recent call last):\n")
          .contains("functions.py\", line 52, in broken\n")
          .endsWith("ValueError: " + MESSAGE);
    }
    assertThat(trace.one("sql", SpanNode::isError).attribute("spark.failure.root_cause"))
        .isEqualTo(trace.one("job", SpanNode::isError).attribute("spark.failure.root_cause"))
        .isEqualTo("ValueError: " + MESSAGE + " at broken(functions.py:52)");
  }

  private static TracedRun traced(ScriptRun run) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      return TracedRun.ended(run.exportTo(receiver).start(), receiver, 0);
    }
  }

  private static Map<String, Object> python(SpanNode sql) {
    Map<String, Object> python = new TreeMap<>(sql.attributes());
    python.keySet().removeIf(key -> !key.startsWith("spark.python."));
    return python;
  }

  /** Where it is, its nodes that run Python, and how many rows and bytes they exchanged. */
  private static String summary(SpanNode sql) {
    Map<String, Object> python = python(sql);
    return PlanTruth.plan(sql)
        .lines()
        .map(line -> line.replaceFirst("^[ :]*[:+]- ", "").replaceFirst(" \\{.*}$", ""))
        .filter(line -> line.matches("!?\\w*(Python|InPandas|InArrow).*"))
        .collect(
            Collectors.joining(
                " <- ",
                sql.name().replaceFirst(".*:", "") + ": ",
                " rows "
                    + python.get("spark.python.rows")
                    + ", sent "
                    + python.get("spark.python.data_sent_bytes")
                    + ", back "
                    + python.get("spark.python.data_received_bytes")));
  }
}
