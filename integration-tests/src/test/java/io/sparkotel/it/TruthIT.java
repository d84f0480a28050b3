package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.it.SparkAnswers.Metric;
import io.sparkotel.it.SparkAnswers.StageAttempt;
import io.sparkotel.scenarios.Truth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Every number on the spans of a run equals what Spark's own REST API said of the same run, digit
 * for digit. The one exception here: Spark adds peak execution memory up, where ours is the
 * maximum.
 */
class TruthIT {

  private static final String[] QUANTILES = {"min", "p25", "p50", "p75", "p95", "max"};

  /** Of a stage's spreads, where the task summary has them. */
  private static final Map<String, String> SPREADS =
      Map.of(
          "spark.stage.task_duration_ms", "/duration",
          "spark.stage.task_input_bytes", "/inputMetrics/bytesRead",
          "spark.stage.task_shuffle_read_bytes", "/shuffleReadMetrics/readBytes",
          "spark.stage.task_shuffle_write_bytes", "/shuffleWriteMetrics/writeBytes",
          "spark.stage.task_spill_disk_bytes", "/diskBytesSpilled",
          "spark.stage.task_gc_time_ms", "/jvmGcTime");

  private final List<String> problems = new ArrayList<>();
  private int compared;

  @OnEachSpark
  void everyNumberIsSparksOwn(SparkVersion version) {
    SparkRun run = SparkRun.of(version, Truth.class).master("local[2,3]").withUi();
    run.args(run.dir().resolve("data"), run.dir().resolve("answers"));
    if (SparkMeasure.runsOn(version)) {
      SparkMeasure.record(run);
    }
    Trace trace = TracedRun.of(run).trace();
    SparkAnswers spark = SparkAnswers.of(run.dir().resolve("answers"));

    assertThatTrace(trace).isSane();
    assertThat(trace.all("job")).hasSameSizeAs(spark.jobs());
    assertThat(trace.all("stage")).hasSameSizeAs(spark.stages());
    assertThat(trace.all("sql")).hasSameSizeAs(spark.sqlExecutions());
    for (StageAttempt stage : spark.stages()) {
      compareStage(trace.stage(stage.id(), stage.attempt()), stage);
      assertThat(tasksOf(trace, stage)).hasSameSizeAs(stage.tasks());
      for (JsonNode task : stage.tasks()) {
        long id = task.get("taskId").asLong();
        compareTask(trace.one("task", span -> span.attribute("spark.task.id").equals(id)), task);
      }
    }
    for (JsonNode job : spark.jobs()) {
      compareJob(trace, trace.job(job.get("jobId").asLong()), job, spark);
    }
    for (JsonNode sql : spark.sqlExecutions()) {
      long id = sql.get("id").asLong();
      compareSql(
          trace.one("sql", span -> span.attribute("spark.sql.execution.id").equals(id)),
          sql,
          spark);
    }
    compareApplication(trace.application(), spark);
    if (SparkMeasure.runsOn(version)) {
      compareWithSparkMeasure(trace, SparkMeasure.stages(run));
    }

    assertThat(problems).isEmpty();
    // That the run has something to compare: retries, failures, spills, skipped stages.
    assertThat(compared).isGreaterThan(1500);
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
            });
  }

  private static List<SpanNode> tasksOf(Trace trace, StageAttempt stage) {
    return trace.children(trace.stage(stage.id(), stage.attempt()));
  }

  private void compareStage(SpanNode span, StageAttempt stage) {
    JsonNode truth = stage.truth();
    Numbers numbers = new Numbers(span);
    numbers.equal("spark.stage.id", stage.id());
    numbers.equal("spark.stage.attempt", stage.attempt());
    numbers.time(
        SparkAnswers.millis(truth.get("submissionTime")),
        SparkAnswers.millis(truth.get("completionTime")));
    numbers.tasks(List.of(stage));
    numbers.sums(List.of(stage));
    numbers.equal("spark.otel.tasks.not_exported", 0);
    numbers.skip("spark.job.id", "spark.sql.execution.id");
    compareSpreads(numbers, stage.summary());
    compareSlowest(numbers, stage);
    numbers.end();
    text(span, "spark.stage.name", truth.get("name").asText());
  }

  private static void compareSpreads(Numbers numbers, JsonNode summary) {
    SPREADS.forEach(
        (key, pointer) -> {
          for (int i = 0; i < QUANTILES.length; i++) {
            // Where no task had any, ours are left out; so are all where no task succeeded.
            long truth = summary == null ? 0 : summary.at(pointer).get(i).asLong();
            numbers.equalOrAbsentZero(key + "." + QUANTILES[i], truth);
          }
        });
  }

  private static void compareSlowest(Numbers numbers, StageAttempt stage) {
    if (stage.summary() == null) {
      return;
    }
    JsonNode durations = stage.summary().get("duration");
    if (durations.get(2).asLong() > 0) {
      numbers.equal(
          "spark.stage.skew", durations.get(5).asLong() / (double) durations.get(2).asLong());
    }
    JsonNode slowest = null;
    for (JsonNode task : stage.tasks()) {
      if (task.get("status").asText().equals("SUCCESS")
          && (slowest == null
              || task.get("duration").asLong() > slowest.get("duration").asLong())) {
        slowest = task;
      }
    }
    numbers.equal("spark.stage.slowest_task.index", slowest.get("index").asLong());
  }

  private void compareTask(SpanNode span, JsonNode truth) {
    Numbers numbers = new Numbers(span);
    long launch = SparkAnswers.millis(truth.get("launchTime"));
    numbers.time(launch, launch + truth.get("duration").asLong());
    numbers.equal("spark.task.id", truth.get("taskId").asLong());
    numbers.equal("spark.task.index", truth.get("index").asLong());
    numbers.equal("spark.task.attempt", truth.get("attempt").asLong());
    numbers.equal("spark.task.partition", truth.get("partitionId").asLong());
    numbers.equal("spark.task.scheduler_delay_ms", truth.get("schedulerDelay").asLong());
    numbers.equal("spark.task.getting_result_time_ms", truth.get("gettingResultTime").asLong());
    // The figures that every user looks up first, by name; then all of them by the table.
    JsonNode metrics = truth.get("taskMetrics");
    assertThat(span.attributes())
        .containsEntry("spark.executor.run_time_ms", metrics.get("executorRunTime").asLong())
        .containsEntry("spark.result.size_bytes", metrics.get("resultSize").asLong())
        .containsEntry(
            "spark.executor.cpu_time_ms", metrics.get("executorCpuTime").asLong() / 1_000_000.0);
    for (Metric metric : SparkAnswers.METRICS) {
      numbers.equalOrAbsentZero(metric.key(), metric.ofTask(truth));
    }
    numbers.skip("spark.stage.id", "spark.stage.attempt", "spark.job.id");
    numbers.end();
    text(span, "spark.executor.id", truth.get("executorId").asText());
    text(span, "spark.executor.host", truth.get("host").asText());
    text(span, "spark.task.locality", truth.get("taskLocality").asText());
  }

  private void compareJob(Trace trace, SpanNode span, JsonNode truth, SparkAnswers spark) {
    long id = truth.get("jobId").asLong();
    List<StageAttempt> stages = spark.stages(stage -> spark.jobOf(stage) == id);
    Numbers numbers = new Numbers(span);
    numbers.equal("spark.job.id", id);
    numbers.time(
        SparkAnswers.millis(truth.get("submissionTime")),
        SparkAnswers.millis(truth.get("completionTime")));
    numbers.equal("spark.tasks.succeeded", truth.get("numCompletedTasks").asLong());
    numbers.equal("spark.tasks.failed", truth.get("numFailedTasks").asLong());
    numbers.equal("spark.tasks.killed", truth.get("numKilledTasks").asLong());
    numbers.equal(
        "spark.stages.total",
        truth.get("numCompletedStages").asLong() + truth.get("numFailedStages").asLong());
    numbers.equal("spark.stages.failed", truth.get("numFailedStages").asLong());
    numbers.equal("spark.stages.skipped", truth.get("numSkippedStages").asLong());
    numbers.equal("spark.stages.retried", 0);
    numbers.tasks(stages);
    numbers.sums(stages);
    numbers.skip("spark.sql.execution.id");
    numbers.end();
    String status = truth.get("status").asText();
    text(span, "spark.job.result", status.equals("SUCCEEDED") ? "succeeded" : "failed");
    SpanNode parent = trace.span(span.parentId());
    if (!Objects.equals(parent.attribute("spark.sql.execution.id"), spark.sqlOf(id))) {
      problems.add(span + " of SQL execution " + spark.sqlOf(id) + " is below " + parent);
    }
  }

  private void compareSql(SpanNode span, JsonNode truth, SparkAnswers spark) {
    long id = truth.get("id").asLong();
    long start = SparkAnswers.millis(truth.get("submissionTime"));
    Numbers numbers = new Numbers(span);
    numbers.equal("spark.sql.execution.id", id);
    numbers.equal("spark.sql.execution.root_id", id);
    numbers.time(start, start + truth.get("duration").asLong());
    int succeeded = truth.get("successJobIds").size();
    int failed = truth.get("failedJobIds").size();
    numbers.equal("spark.jobs.total", succeeded + failed);
    numbers.equal("spark.jobs.succeeded", succeeded);
    numbers.equal("spark.jobs.failed", failed);
    Predicate<Long> ofThis = job -> Objects.equals(spark.sqlOf(job), id);
    numbers.stages(spark, ofThis);
    numbers.end();
  }

  private void compareApplication(SpanNode span, SparkAnswers spark) {
    Numbers numbers = new Numbers(span);
    numbers.equal("spark.jobs.total", spark.jobs().size());
    numbers.equal("spark.jobs.succeeded", spark.jobs("SUCCEEDED"));
    numbers.equal("spark.jobs.failed", spark.jobs("FAILED"));
    numbers.stages(spark, job -> true);
    JsonNode executors = spark.executors();
    assertThat(executors).hasSize(1);
    JsonNode driver = executors.get(0);
    assertThat(span.attributes())
        .containsEntry("spark.tasks.total", driver.get("totalTasks").asLong())
        .containsEntry("spark.tasks.succeeded", driver.get("completedTasks").asLong())
        .containsEntry("spark.tasks.failed", driver.get("failedTasks").asLong())
        .containsEntry("spark.input.bytes", driver.get("totalInputBytes").asLong())
        .containsEntry("spark.shuffle.read.bytes", driver.get("totalShuffleRead").asLong())
        .containsEntry("spark.shuffle.write.bytes", driver.get("totalShuffleWrite").asLong());
    // Spark says how long its application ran, how much it read and wrote, by its stages.
    assertThat(span.attributes())
        .containsEntry("spark.jobs.total", (long) spark.jobs().size())
        .containsEntry("spark.stages.total", (long) spark.stages().size())
        .containsEntry("spark.executor.run_time_ms", spark.sum("executorRunTime"))
        .containsEntry("spark.input.records", spark.sum("inputRecords"))
        .containsEntry("spark.output.records", spark.sum("outputRecords"));
    numbers.equal("spark.executors.max", 1);
    numbers.equal("spark.executors.removed", 0);
    for (String none : List.of("tasks.not_exported", "spans.dropped", "events.dropped", "errors")) {
      numbers.equal("spark.otel." + none, 0);
    }
    numbers.equal("spark.otel.anomalies", 0);
    numbers.skip("spark.otel.spans.exported", "process.pid");
    numbers.end();
  }

  /** Its stages have no attempts: each ran once. */
  private void compareWithSparkMeasure(Trace trace, JsonNode stages) {
    assertThat(stages).hasSameSizeAs(trace.all("stage"));
    for (JsonNode stage : stages) {
      SpanNode span = trace.stage(stage.get("stageId").asLong(), 0);
      SparkMeasure.sums(stage)
          .forEach(
              (key, truth) -> {
                compared++;
                Number actual = (Number) span.attribute(key);
                if (actual.longValue() != truth) {
                  problems.add(
                      span + ": " + key + " is " + actual + ", sparkMeasure says " + truth);
                }
              });
    }
  }

  private void text(SpanNode span, String key, String truth) {
    compared++;
    if (!truth.equals(span.attribute(key))) {
      problems.add(span + ": " + key + " is " + span.attribute(key) + ", Spark says " + truth);
    }
  }

  /** The numbers of one span: each has to be compared, or named as not being Spark's. */
  private final class Numbers {
    private final SpanNode span;
    private final Map<String, Object> left = new TreeMap<>();

    Numbers(SpanNode span) {
      this.span = span;
      span.attributes()
          .forEach(
              (key, value) -> {
                if (value instanceof Number) {
                  left.put(key, value);
                }
              });
    }

    void equal(String key, Number truth) {
      Number expected = truth instanceof Integer ? (Number) truth.longValue() : truth;
      Object actual = span.attribute(key);
      left.remove(key);
      compared++;
      if (!expected.equals(actual)) {
        problems.add(span + ": " + key + " is " + actual + ", Spark says " + expected);
      }
    }

    /** A number that is left out where it is 0. */
    void equalOrAbsentZero(String key, Number truth) {
      if (truth.doubleValue() != 0 || span.attribute(key) != null) {
        equal(key, truth);
      } else {
        compared++;
      }
    }

    /** Epoch milliseconds. */
    void time(long start, long end) {
      compared += 2;
      if (span.startNanos() != start * 1_000_000 || span.endNanos() != end * 1_000_000) {
        problems.add(
            span
                + " is "
                + span.startNanos()
                + " to "
                + span.endNanos()
                + ", Spark says "
                + start
                + " to "
                + end);
      }
    }

    void tasks(List<StageAttempt> stages) {
      long succeeded = 0;
      long failed = 0;
      long killed = 0;
      for (StageAttempt stage : stages) {
        succeeded += stage.truth().get("numCompleteTasks").asLong();
        failed += stage.truth().get("numFailedTasks").asLong();
        killed += stage.truth().get("numKilledTasks").asLong();
      }
      equal("spark.tasks.total", succeeded + failed + killed);
      equal("spark.tasks.succeeded", succeeded);
      equal("spark.tasks.failed", failed);
      equal("spark.tasks.killed", killed);
      equal("spark.tasks.speculative", 0);
    }

    void sums(List<StageAttempt> stages) {
      for (Metric metric : SparkAnswers.METRICS) {
        // Without tasks there is nothing to add up; else a 0 is told as such.
        if (!stages.isEmpty()) {
          equal(metric.key(), metric.ofStages(stages));
        }
      }
    }

    /** Counts of stages and tasks and all sums, of those jobs. */
    void stages(SparkAnswers spark, Predicate<Long> ofJob) {
      long failed = 0;
      long skipped = 0;
      for (JsonNode job : spark.jobs()) {
        if (ofJob.test(job.get("jobId").asLong())) {
          failed += job.get("numFailedStages").asLong();
          skipped += job.get("numSkippedStages").asLong();
        }
      }
      List<StageAttempt> stages = spark.stages(stage -> ofJob.test(spark.jobOf(stage)));
      equal("spark.stages.total", stages.size());
      equal("spark.stages.failed", failed);
      equal("spark.stages.skipped", skipped);
      equal("spark.stages.retried", 0);
      tasks(stages);
      sums(stages);
    }

    void skip(String... keys) {
      left.keySet().removeAll(List.of(keys));
    }

    void end() {
      left.forEach((key, value) -> problems.add(span + ": nothing to compare " + key + " with"));
    }
  }
}
