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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Notebooks that Jupyter runs in its own kernel of Python: all that {@code jupyter nbconvert} does
 * but for how it is found.
 */
@Tag("full")
class JupyterIT {

  static final List<String> VERSIONS = ScriptRun.VERSIONS;

  /** The name and the group are the user's, and nothing in Spark tells of a notebook. */
  @ParameterizedTest
  @FieldSource("VERSIONS")
  void cellsThatTheKernelGivesAGroup(String version) throws IOException {
    ScriptRun notebook =
        EventLogs.writtenBy(
            kernel(version, "named.ipynb").defaults("spark.otel.trace.unit", "group"));
    Files.copy(
        Layout.snippet("jupyter-cells.py"),
        Files.createDirectories(profile(notebook).resolve("startup")).resolve("cells.py"));

    TracedRun run = traced(notebook);

    assertThat(outputs(notebook))
        .containsExactly("words: ['aa', 'bb']", "total: 10 2", error(version), "");
    List<Trace> traces = run.traces();
    assertThat(traces).hasSize(4);
    assertThat(traces.get(0).application().resource())
        .containsEntry("service.name", "weekly figures");
    assertThatTrace(traces.get(0))
        .isTree(shared(3, 4).without("spark.incomplete", "spark.exit_code", "error.type"));
    assertThatTrace(traces.get(1)).isTree(one("collect at <cell>:5").linkOutside());
    assertThatTrace(traces.get(2))
        .isTree(
            cell(
                    "cell-2",
                    query("collect at <cell>:2", "collect at <cell>:2"),
                    one("count at <cell>:3"))
                .with("spark.group.description", "# Totals")
                .with("spark.group.actions", 2)
                .with("spark.jobs.failed", 0));
    assertThatTrace(traces.get(3))
        .isTree(
            divided(cell("cell-3", failedJob(1)))
                .with(
                    "spark.group.description",
                    "sc.parallelize([1, 0], 1).map(lambda number: 1 // number).collect()")
                .with("spark.jobs.failed", 1));
    assertNothingIdle(traces);
    assertThat(replayed(run, notebook)).isEqualTo(Set.of());
  }

  /** The name is Spark's own. */
  @ParameterizedTest
  @FieldSource("VERSIONS")
  void cellsOfTheShell(String version) {
    ScriptRun notebook =
        EventLogs.writtenBy(
            in(ScriptRun.of(version, "pyspark"))
                .env("PYSPARK_DRIVER_PYTHON", "python3")
                .env("PYSPARK_DRIVER_PYTHON_OPTS", String.join(" ", convert("shell.ipynb"))));

    TracedRun run = traced(notebook);

    assertThat(outputs(notebook))
        .containsExactly("name: PySparkShell 3", "total: 10\ncount: 2", error(version), "rows: 2");
    List<Trace> traces = run.traces();
    assertThat(traces).hasSize(5);
    assertThatTrace(traces.get(0)).isTree(shared(4, 5).without("spark.incomplete"));
    assertThatTrace(traces.get(1)).isTree(one("count at <cell>:1").linkOutside());
    assertThatTrace(traces.get(2))
        .isTree(
            cell(
                    "cell-7",
                    query("collect at <cell>:2", "collect at <cell>:2"),
                    one("count at <cell>:3"))
                .with("spark.group.description", "Totals of the week"));
    assertThatTrace(traces.get(3))
        .isTree(
            divided(group("group divide", failedJob(2)))
                .with("spark.group.kind", "tags")
                .with("spark.group.id", "divide"));
    assertThatTrace(traces.get(4)).isTree(query("HashAggregate", "HashAggregate").linkOutside());
    assertNothingIdle(traces);
    assertThat(replayed(run, notebook)).isEqualTo(Set.of());
  }

  /** As any program of Python that names its application. */
  @Test
  void aKernelThatNothingTellsFromAProgramIsAnApplication() {
    TracedRun run = traced(kernel("4.3.0", "named.ipynb"));

    assertThatTrace(run.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    one("collect at <cell>:5"),
                    query("collect at <cell>:2", "collect at <cell>:2"),
                    one("count at <cell>:3"),
                    failedJob(1))
                .without("spark.trace.units", "spark.incomplete"));
  }

  private static ScriptRun kernel(String version, String notebook) {
    return in(ScriptRun.of(version, "python")).args(convert(notebook).toArray());
  }

  /** With a home directory of its own. */
  private static ScriptRun in(ScriptRun run) {
    try {
      // Else what the JVM says is lost where it outlives the kernel.
      Files.writeString(
          Files.createDirectories(profile(run)).resolve("ipython_kernel_config.py"),
          "c.IPKernelApp.capture_fd_output = False\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return run.env("PYTHONPATH", libraries())
        .env("HOME", run.dir().toString())
        .defaults("spark.driver.extraJavaOptions", Layout.agentFlag());
  }

  private static Path profile(ScriptRun run) {
    return run.dir().resolve(".ipython/profile_default");
  }

  private static String libraries() {
    return PythonPackages.libraries("nbconvert==7.17.2", "ipykernel==7.4.0").toString();
  }

  /** Runs all cells, and writes them with what they print. */
  private static List<String> convert(String notebook) {
    return List.of(
        "-m",
        "nbconvert",
        "--to=notebook",
        "--execute",
        "--output-dir=.",
        "--output=ran.ipynb",
        Layout.pythonProgram(notebook).toString());
  }

  private static TracedRun traced(ScriptRun run) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      return TracedRun.ended(run.exportTo(receiver).start(), receiver, 0);
    }
  }

  private static Set<String> replayed(TracedRun run, ScriptRun notebook) {
    OtlpReceiver replay =
        EventLogs.replay(EventLogs.of(notebook), notebook.dir().resolve("replay.txt"), Map.of());
    return EventLogs.differences(run.receiver().spans(), replay.spans());
  }

  /** What each cell printed, or the name of its error. */
  private static List<String> outputs(ScriptRun notebook) {
    List<String> outputs = new ArrayList<>();
    try {
      JsonNode ran = new ObjectMapper().readTree(notebook.dir().resolve("ran.ipynb").toFile());
      for (JsonNode cell : ran.get("cells")) {
        StringBuilder text = new StringBuilder();
        for (JsonNode output : cell.get("outputs")) {
          output.path("text").forEach(line -> text.append(line.asText()));
          text.append(output.path("ename").asText());
        }
        outputs.add(text.toString().strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return outputs;
  }

  /** What pyspark raises in the cell. */
  private static String error(String version) {
    return version.startsWith("3") ? "Py4JJavaError" : "PythonException";
  }

  private static void assertNothingIdle(List<Trace> traces) {
    for (Trace trace : traces.subList(1, traces.size())) {
      SpanNode root = trace.roots().get(0);
      List<SpanNode> children = trace.children(root);
      if (root.entity().equals("group")) {
        assertThat(root.startNanos())
            .isEqualTo(children.stream().mapToLong(SpanNode::startNanos).min().orElseThrow());
        assertThat(root.endNanos())
            .isEqualTo(children.stream().mapToLong(SpanNode::endNanos).max().orElseThrow());
      }
    }
  }

  private static SpanPattern shared(int units, int jobs) {
    SpanPattern application =
        application("spark.application", started())
            .with("spark.jobs.total", jobs)
            .with("spark.trace.units", units);
    for (int i = 0; i < units; i++) {
      application.linkOutside();
    }
    return application;
  }

  private static SpanPattern cell(String id, Expected... children) {
    return group("group cell-*", children)
        .with("spark.group.kind", "job group")
        .with("spark.group.id", id);
  }

  private static SpanPattern one(String site) {
    return job("job " + site, stage("stage " + site, task())).with("spark.job.result", "succeeded");
  }

  private static SpanPattern query(String label, String site) {
    return sql("sql " + label, one(site)).with("spark.jobs.succeeded", 1);
  }

  private static SpanPattern failedJob(int line) {
    String site = "collect at <cell>:" + line;
    return divisionByZero(
        job("job " + site, divisionByZero(stage("stage " + site, divisionByZero(task())))));
  }

  private static SpanPattern divided(SpanPattern span) {
    return span.with("error.type", "ZeroDivisionError")
        .failed("*Traceback (most recent call last):");
  }

  private static SpanPattern divisionByZero(SpanPattern span) {
    String message = "integer division or modulo by zero";
    return divided(span)
        .event(
            "exception",
            "exception.type",
            "ZeroDivisionError",
            "exception.message",
            message,
            "exception.stacktrace",
            "Traceback (most recent call last):\n*/ipykernel_*, line *ZeroDivisionError: "
                + message);
  }
}
