package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.scenarios.Truth;
import java.util.ArrayList;
import java.util.List;

/**
 * Every number on the spans of a run equals what Spark's own REST API said of the same run, digit
 * for digit.
 */
class TruthIT {

  @OnEachSpark
  void everyNumberIsSparksOwn(SparkVersion version) {
    SparkRun run = SparkRun.of(version, Truth.class).master("local[2,3]").withUi();
    run.conf("spark.executor.metrics.pollingInterval", "100ms")
        .conf("spark.executor.processTreeMetrics.enabled", true)
        .conf("spark.executor.heartbeatInterval", "1s");
    run.args(run.dir().resolve("data"), run.dir().resolve("answers"));
    if (SparkMeasure.runsOn(version)) {
      SparkMeasure.record(run);
    }
    Trace trace = TracedRun.of(run).trace();
    SparkAnswers spark = SparkAnswers.of(run.dir().resolve("answers"));

    assertThatTrace(trace).isSane();
    Differences differences = SparkTruth.compare(trace, spark).andTasks().andSql().differences();
    assertThat(differences.all()).isEmpty();
    assertThat(differences.untold()).isEmpty();
    if (SparkMeasure.runsOn(version)) {
      compareWithSparkMeasure(trace, SparkMeasure.stages(run));
    }

    // That the run has something to compare: retries, failures, spills, skipped stages.
    assertThat(differences.compared()).isGreaterThan(1500);
    assertThat(trace.application().attributes())
        .satisfies(
            all -> {
              assertThat((Long) all.get("spark.tasks.failed")).isEqualTo(4);
              assertThat((Long) all.get("spark.jobs.failed")).isEqualTo(1);
              assertThat((Long) all.get("spark.stages.skipped")).isPositive();
              assertThat((Long) all.get("spark.spill.disk_bytes")).isPositive();
              assertThat((Long) all.get("spark.input.records")).isPositive();
              assertThat((Long) all.get("spark.output.records")).isPositive();
              assertThat((Double) all.get("spark.shuffle.write.time_ms")).isPositive();
              // Heartbeats went on behind Spark's answers.
              for (String peak : List.of("jvm_heap", "process_jvm_rss")) {
                assertThat((Long) all.get("spark.executor.peak." + peak + "_bytes"))
                    .isPositive()
                    .isGreaterThanOrEqualTo(
                        spark.peakOfExecutors(SparkAnswers.PEAKS.get(peak + "_bytes"), true));
              }
            })
        .containsEntry("spark.executors.max", 1L)
        .containsEntry("spark.otel.spans.dropped", 0L)
        .containsEntry("spark.otel.events.dropped", 0L)
        .containsEntry("spark.otel.errors", 0L);
  }

  /** Its stages have no attempts: each ran once. */
  private static void compareWithSparkMeasure(Trace trace, JsonNode stages) {
    List<String> problems = new ArrayList<>();
    assertThat(stages).hasSameSizeAs(trace.all("stage"));
    for (JsonNode stage : stages) {
      SpanNode span = trace.stage(stage.get("stageId").asLong(), 0);
      SparkMeasure.sums(stage)
          .forEach(
              (key, truth) -> {
                Number actual = (Number) span.attribute(key);
                if (actual.longValue() != truth) {
                  problems.add(
                      span + ": " + key + " is " + actual + ", sparkMeasure says " + truth);
                }
              });
    }
    assertThat(problems).isEmpty();
  }
}
