package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.LargeStage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A stage of 150 tasks, one of which fails and is retried: 151 task ends, 150 good ones. */
class TaskPolicyIT {

  private static final int ENDS = 151;

  /** Policy, how many good and how many failed tasks have a span. */
  static Stream<Arguments> policies() {
    return Stream.of(
        Arguments.of(SparkVersion.V3_5_9, "all", 150, 1),
        Arguments.of(SparkVersion.V3_5_9, "auto", 20, 1),
        Arguments.of(SparkVersion.V4_2_0, "auto", 20, 1),
        Arguments.of(SparkVersion.V4_2_0, "failed", 0, 1),
        Arguments.of(SparkVersion.V3_5_9, "none", 0, 0));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void choosesTasksAndCountsTheRest(SparkVersion version, String policy, int good, int failed) {
    Trace trace =
        TracedRun.of(
                SparkRun.of(version, LargeStage.class)
                    .master("local[2,3]")
                    .conf("spark.otel.tasks", policy))
            .trace();

    int left = ENDS - good - failed;
    assertThatTrace(trace)
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                            "job count at LargeStage.java:30",
                            stage("stage count at LargeStage.java:30")
                                .anyChildren()
                                .with("spark.otel.tasks.not_exported", left)
                                .with("spark.tasks.total", ENDS)
                                .with("spark.tasks.succeeded", 150)
                                .with("spark.tasks.failed", 1))
                        .with("spark.tasks.total", ENDS))
                .with("spark.otel.tasks.not_exported", left)
                .with("spark.otel.spans.exported", 3 + good + failed)
                .with("spark.otel.spans.dropped", 0)
                .with("spark.tasks.total", ENDS));
    List<SpanNode> tasks = trace.all("task");
    List<SpanNode> errors = tasks.stream().filter(SpanNode::isError).toList();
    assertThat(tasks).hasSize(good + failed);
    assertThat(errors).hasSize(failed);
    assertThat(errors).allMatch(task -> task.attribute("spark.task.partition").equals(75L));
    if (policy.equals("auto")) {
      assertTheSlowest(trace.stage(0, 0), tasks);
    }
  }

  /** The 20 slowest of 150 are in the slowest quarter, and the slowest of all is among them. */
  private static void assertTheSlowest(SpanNode stage, List<SpanNode> tasks) {
    List<SpanNode> good = tasks.stream().filter(task -> !task.isError()).toList();
    long p75 = (Long) stage.attribute("spark.stage.task_duration_ms.p75");
    assertThat(good)
        .allMatch(task -> task.endNanos() - task.startNanos() >= p75 * 1_000_000)
        .anyMatch(
            task ->
                task.attribute("spark.task.index")
                    .equals(stage.attribute("spark.stage.slowest_task.index")));
  }
}
