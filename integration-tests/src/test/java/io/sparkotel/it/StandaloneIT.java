package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.oneJob;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.scenarios.ComingExecutors;
import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.LostExecutor;
import io.sparkotel.scenarios.MainThrows;
import io.sparkotel.scenarios.NoStop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A standalone cluster of a master and two workers: executors, and in cluster mode the driver, are
 * JVMs that the workers start.
 */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class StandaloneIT {

  static final List<String> VERSIONS = ScriptRun.VERSIONS;

  private static final String EXTRA_OPTIONS = "spark.driver.extraJavaOptions";

  private static StandaloneCluster cluster;

  private final String version;

  StandaloneIT(String version) {
    this.version = version;
  }

  @BeforeParameterizedClassInvocation(injectArguments = true)
  static void startCluster(String version) {
    cluster = StandaloneCluster.ofDistribution(version);
  }

  @AfterParameterizedClassInvocation
  static void stopCluster() {
    cluster.close();
  }

  /** With the agent in the executors as well, where it does nothing. */
  @Test
  void clientModeOutlivesAnExecutor() {
    List<String> before = cluster.outputs("app-", "stderr");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      ScriptRun submit =
          submit(LostExecutor.class, receiver)
              .defaults(EXTRA_OPTIONS, Layout.agentFlag())
              .defaults("spark.executor.extraJavaOptions", Layout.agentFlag());
      TracedRun run = TracedRun.ended(submit.start(), receiver, 0);

      assertThat(run.stdout()).isEqualTo("sum: 3\ncount: 3");
      String reduce = "reduce at LostExecutor.java:*";
      String count = "count at LostExecutor.java:*";
      assertThatTrace(run.trace())
          .isTree(
              application(
                      "spark.application",
                      started(),
                      job(
                              "job " + reduce,
                              executorLost(
                                  stage(
                                      "stage " + reduce,
                                      executorLost(task())
                                          .with("spark.task.outcome", "ExecutorLostFailure")
                                          .event(
                                              "exception", "exception.type", "ExecutorLostFailure")
                                          .failed("Command exited with code 137"),
                                      task().with("spark.task.outcome", "Success").times(2))))
                          .with("spark.job.result", "succeeded"),
                      job("job " + count, stage("stage " + count, task())))
                  .with("spark.deploy_mode", "client")
                  .with("spark.executors.max", 2)
                  .with("spark.executors.removed", 1)
                  .with("spark.tasks.failed", 1)
                  .without("spark.exit_code", "spark.incomplete", "error.type"));
      SpanNode application = run.trace().application();
      long coreTime = (Long) application.attribute("spark.executors.core_time_ms");
      assertThat(coreTime).isPositive();
      // Each has one core and 512 MiB.
      assertThat(application.attribute("spark.executors.memory_time_mib_s"))
          .isEqualTo(512 * coreTime / 1000);
      assertThat(added(before, "app-", "stderr"))
          .allMatch(log -> log.contains("-javaagent:"))
          .noneMatch(log -> log.contains("[spark-otel-agent]"))
          .hasSizeGreaterThanOrEqualTo(2);
    }
  }

  /** What dynamic allocation costs: each executor from when it was added until it was removed. */
  @Test
  void executorsComeAndGo() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      ScriptRun submit =
          EventLogs.writtenBy(submit(ComingExecutors.class, receiver))
              .defaults(EXTRA_OPTIONS, Layout.agentFlag())
              .defaults("spark.eventLog.compress", false)
              .defaults("spark.dynamicAllocation.enabled", true)
              .defaults("spark.dynamicAllocation.shuffleTracking.enabled", true)
              .defaults("spark.dynamicAllocation.executorIdleTimeout", "1s")
              .defaults("spark.scheduler.minRegisteredResourcesRatio", "0");
      submit.args(submit.dir().resolve("met"));
      TracedRun run = TracedRun.ended(submit.start(), receiver, 0);

      assertThat(run.stdout()).isEqualTo("count: 2\nexecutors: 0\ncount: 1\nexecutors: 0");
      SpanNode application = run.trace().application();
      long end = application.endNanos() / 1_000_000;
      Map<String, Long> added = new HashMap<>();
      long coreTime = 0;
      for (JsonNode event : EventLogs.events(EventLogs.of(submit))) {
        String name = event.get("Event").asText();
        if (name.equals("SparkListenerExecutorAdded")) {
          added.put(event.get("Executor ID").asText(), event.get("Timestamp").asLong());
        } else if (name.equals("SparkListenerExecutorRemoved")) {
          coreTime +=
              Math.min(end, event.get("Timestamp").asLong())
                  - added.get(event.get("Executor ID").asText());
        }
      }
      // Each has one core and 512 MiB.
      assertThat(application.attributes())
          .containsEntry("spark.executors.removed", 3L)
          .containsEntry("spark.executors.max", 2L)
          .containsEntry("spark.executors.core_time_ms", coreTime)
          .containsEntry("spark.executors.memory_time_mib_s", 512 * coreTime / 1000);
      assertThat(coreTime).isPositive();
      OtlpReceiver replay =
          EventLogs.replay(EventLogs.of(submit), submit.dir().resolve("replay.txt"), Map.of());
      assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(Set.of());
    }
  }

  /** Its machine is taken away before its task has ended. */
  @Test
  void anExecutorIsDecommissioned() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      ScriptRun submit =
          EventLogs.writtenBy(submit(LostExecutor.class, receiver))
              .defaults(EXTRA_OPTIONS, Layout.agentFlag())
              .defaults("spark.decommission.enabled", true)
              .args("PWR");
      TracedRun run = TracedRun.ended(submit.start(), receiver, 0);

      assertThat(run.stdout()).isEqualTo("sum: 3\ncount: 3");
      SpanNode lost = run.trace().one("task", SpanNode::isError);
      assertThat(lost.attribute("spark.task.outcome")).isEqualTo("ExecutorLostFailure");
      SpanNode stage = run.trace().stage(0, 0);
      for (SpanNode span : List.of(lost, stage)) {
        assertThat(span.events())
            .filteredOn(event -> event.name().equals("spark.executor.removed"))
            .singleElement()
            .satisfies(
                event ->
                    assertThat(event.attributes())
                        .containsEntry("spark.executor.loss_cause", "decommissioned"));
      }
      OtlpReceiver replay =
          EventLogs.replay(EventLogs.of(submit), submit.dir().resolve("replay.txt"), Map.of());
      assertThat(EventLogs.differences(run.receiver().spans(), replay.spans())).isEqualTo(Set.of());
    }
  }

  @Test
  void clusterModeOfAMainThatThrows() {
    assertThatTrace(trace(MainThrows.class))
        .isTree(
            oneJob("count at MainThrows.java:15")
                .with("spark.exit_code", 1)
                .with("error.type", "java.lang.IllegalStateException")
                .without("spark.incomplete")
                .failed("the report is empty")
                .event("exception", "exception.message", "the report is empty"));
  }

  @Test
  void clusterModeOfAnExit() {
    assertThatTrace(trace(ExitCode.class))
        .isTree(
            oneJob("count at ExitCode.java:17")
                .with("spark.exit_code", 3)
                .without("spark.incomplete", "error.type")
                .failed("exit code 3"));
  }

  /** The one place of a platform that Spark leaves out here. */
  @Test
  void clusterModeWithoutTheDefaultOptions() {
    assertThat(inCluster(NoStop.class, "spark.driver.defaultJavaOptions")).isEmpty();
  }

  @Test
  void clusterModeOfAMainThatDoesNotStop() {
    assertThatTrace(trace(NoStop.class))
        .isTree(
            oneJob("count at NoStop.java:14")
                .without("spark.incomplete", "spark.exit_code", "error.type"));
  }

  private Trace trace(Class<?> scenario) {
    List<Trace> traces = inCluster(scenario, EXTRA_OPTIONS);
    assertThat(traces).hasSize(1);
    return traces.get(0);
  }

  /**
   * Submits with the flag there and waits for the driver's end. What spark-submit returns says
   * nothing of it.
   */
  private List<Trace> inCluster(Class<?> scenario, String place) {
    List<String> outputs = cluster.outputs("driver-", "stdout");
    List<String> logs = cluster.outputs("driver-", "stderr");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      // Spark 3 does not open to such a driver what it needs itself on Java 17.
      String opened = String.join(" ", SparkVersion.V3_5_9.jvmFlags());
      SparkProcess submit =
          submit(scenario, receiver)
              .defaults("spark.submit.deployMode", "cluster")
              .defaults("spark.standalone.submit.waitAppCompletion", true)
              .defaults("spark.driver.memory", "600m")
              .defaults(EXTRA_OPTIONS, opened)
              .defaults(
                  place,
                  place.equals(EXTRA_OPTIONS)
                      ? opened + " " + Layout.agentFlag()
                      : Layout.agentFlag())
              .run()
              .assertExit(0);

      assertThat(TracedRun.agentLines(submit)).isEmpty();
      assertThat(added(outputs, "driver-", "stdout")).containsExactly("count: 3\n");
      List<Trace> traces = receiver.traces();
      List<String> said =
          added(logs, "driver-", "stderr").stream()
              .flatMap(String::lines)
              .filter(line -> line.startsWith("[spark-otel-agent] "))
              .toList();
      assertThat(said).hasSize(2 * traces.size());
      for (Trace trace : traces) {
        assertThat(said.get(0)).contains(" as " + trace.application().traceId() + ", to ");
        assertThat(said.get(1)).contains(" ended: jobs 1, stages 1, tasks 1, ");
        assertThat(trace.application().attribute("spark.deploy_mode")).isEqualTo("cluster");
      }
      return traces;
    }
  }

  /** The outputs that were not there before. */
  private static List<String> added(List<String> before, String directory, String file) {
    List<String> all = cluster.outputs(directory, file);
    before.forEach(all::remove);
    return all;
  }

  private static SpanPattern executorLost(SpanPattern span) {
    return span.event(
        "spark.executor.removed",
        "spark.executor.exit_code",
        137,
        "spark.executor.removed.reason",
        "Command exited with code 137");
  }

  private ScriptRun submit(Class<?> scenario, OtlpReceiver receiver) {
    return ScriptRun.of(version, "spark-submit")
        .exportTo(receiver)
        .defaults("spark.master", cluster.url())
        .defaults("spark.cores.max", 2)
        .defaults("spark.executor.cores", 1)
        .defaults("spark.executor.memory", "512m")
        .defaults("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .args("--class", scenario.getName(), Layout.scenarioJar());
  }
}
