package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.it.SparkAnswers.Metric;
import io.sparkotel.it.SparkAnswers.StageAttempt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares every number on the spans of a trace with what Spark said of the same run, digit for
 * digit. A number that Spark has nothing to compare with, and that is not named here as such, is a
 * difference, too. Where Spark counts otherwise on purpose, as docs/telemetry.md says:
 *
 * <ul>
 *   <li>It adds peak execution memory up, where ours is the maximum.
 *   <li>It counts a stage that several jobs share under each of them, where ours is counted once.
 *   <li>It says 0 of a metric that a log does not tell; ours is absent, see {@link
 *       Differences#untold}.
 *   <li>It says that a job failed where ours says that it was cancelled.
 *   <li>It says -1 of a partition that a log does not tell; ours is the task's index.
 *   <li>It says 0 of all metrics of a task that reported none, and makes up a scheduler delay; ours
 *       are absent.
 * </ul>
 */
final class SparkTruth {

  private static final String[] QUANTILES = {"min", "p25", "p50", "p75", "p95", "max"};

  private static final double[] SHARES = {0, 0.25, 0.5, 0.75, 0.95, 1};

  /**
   * Not by the task summary: that of a log counts tasks in that did not succeed. By the tasks, as
   * Spark lists them.
   */
  private static final String DURATION = "spark.stage.task_duration_ms";

  /** Of a stage's spreads, where the task summary has them. */
  private static final Map<String, String> SPREADS =
      Map.of(
          "spark.stage.task_input_bytes", "/inputMetrics/bytesRead",
          "spark.stage.task_shuffle_read_bytes", "/shuffleReadMetrics/readBytes",
          "spark.stage.task_shuffle_write_bytes", "/shuffleWriteMetrics/writeBytes",
          "spark.stage.task_spill_disk_bytes", "/diskBytesSpilled",
          "spark.stage.task_gc_time_ms", "/jvmGcTime");

  private static final Set<String> IN_EXECUTOR =
      Set.of(
          "spark.executor.deserialize_time_ms",
          "spark.executor.run_time_ms",
          "spark.executor.result_serialization_time_ms");

  private static final String PEAK = "spark.executor.peak.";
  private static final String DRIVER_PEAK = "spark.driver.peak.";

  private static final Map<String, String> RESULTS =
      Map.of("SUCCEEDED", "succeeded", "FAILED", "failed");

  private final Trace trace;
  private final SparkAnswers spark;
  private final Differences differences = new Differences();
  private final Map<Long, SpanNode> tasks = new HashMap<>();
  private final CostTruth cost;

  private SparkTruth(Trace trace, SparkAnswers spark) {
    this.trace = trace;
    this.spark = spark;
    cost = new CostTruth(spark.executors(), spark.jobs(), millis(trace.application().endNanos()));
    trace.all("task").forEach(task -> tasks.put((Long) task.attribute("spark.task.id"), task));
  }

  /** Compares stages and jobs, and the application as their sum. */
  static SparkTruth compare(Trace trace, SparkAnswers spark) {
    SparkTruth truth = new SparkTruth(trace, spark);
    truth.compareCounts("job", spark.jobs().size());
    truth.compareCounts("stage", spark.stages().size());
    for (StageAttempt stage : spark.stages()) {
      truth.compareStage(stage);
    }
    for (JsonNode job : spark.jobs()) {
      truth.compareJob(job);
    }
    truth.compareApplication();
    return truth;
  }

  /** Compares all tasks, too; each has to have a span. */
  SparkTruth andTasks() {
    for (StageAttempt stage : spark.stages()) {
      List<SpanNode> ours = trace.children(trace.stage(stage.id(), stage.attempt()));
      differences.compare("stage", name(stage), "children", ours.size(), stage.tasks().size());
      stage.tasks().forEach(this::compareTask);
    }
    return this;
  }

  /** Compares SQL executions that run jobs of their own, none of others. */
  SparkTruth andSql() {
    compareCounts("sql", spark.sqlExecutions().size());
    spark.sqlExecutions().forEach(this::compareSql);
    return this;
  }

  /** Compares the peaks that executors sampled of themselves, of the whole application. */
  SparkTruth andPeaks() {
    boolean local = spark.isLocal();
    SpanNumbers numbers = new SpanNumbers(trace.application(), "", differences);
    for (Map<String, String> all : List.of(SparkAnswers.PEAKS, SparkAnswers.COLLECTIONS)) {
      numbers.peaks(PEAK, all, metric -> spark.peakOfExecutors(metric, local));
      if (!local) {
        numbers.peaks(DRIVER_PEAK, all, metric -> spark.peakOfExecutors(metric, true));
      }
    }
    return this;
  }

  Differences differences() {
    return differences;
  }

  private void compareCounts(String entity, int sparks) {
    differences.compare("application", "", entity + " spans", trace.all(entity).size(), sparks);
  }

  private static String name(StageAttempt stage) {
    return stage.id() + "." + stage.attempt();
  }

  private void compareStage(StageAttempt stage) {
    JsonNode truth = stage.truth();
    SpanNode span = trace.stage(stage.id(), stage.attempt());
    SpanNumbers numbers = new SpanNumbers(span, name(stage), differences);
    numbers.equal("spark.stage.id", stage.id());
    numbers.equal("spark.stage.attempt", stage.attempt());
    numbers.time(truth.get("submissionTime"), truth.get("completionTime"));
    numbers.tasks(List.of(stage));
    numbers.sums(List.of(stage), hasMetrics(stage));
    numbers.equal("spark.otel.tasks.not_exported", 0);
    numbers.skip("spark.job.id", "spark.sql.execution.id");
    numbers.peaks(PEAK, SparkAnswers.PEAKS, metric -> stage.peaks().getOrDefault(metric, 0L));
    compareSpreads(numbers, stage);
    compareSlowest(numbers, stage);
    numbers.end();
    differences.compare(
        "stage",
        name(stage),
        "spark.stage.name",
        span.attribute("spark.stage.name"),
        truth.get("name").asText());
  }

  private void compareSpreads(SpanNumbers numbers, StageAttempt stage) {
    SPREADS.forEach(
        (key, pointer) -> {
          for (int i = 0; i < QUANTILES.length; i++) {
            // Where no task had any, ours are left out; so are all where no task succeeded.
            long truth = stage.summary() == null ? 0 : stage.summary().at(pointer).get(i).asLong();
            numbers.equalOrAbsentZero(key + "." + QUANTILES[i], truth);
          }
        });
    List<Long> durations = stage.durations();
    if (!durations.isEmpty()) {
      for (int i = 0; i < QUANTILES.length; i++) {
        numbers.equal(DURATION + "." + QUANTILES[i], quantile(durations, SHARES[i]));
      }
      long median = quantile(durations, 0.5);
      if (median > 0) {
        numbers.equal("spark.stage.skew", quantile(durations, 1) / (double) median);
      }
    }
  }

  private static long quantile(List<Long> sorted, double share) {
    return sorted.get(Math.min((int) (share * sorted.size()), sorted.size() - 1));
  }

  private static void compareSlowest(SpanNumbers numbers, StageAttempt stage) {
    JsonNode slowest = null;
    for (JsonNode task : stage.tasks()) {
      if (StageAttempt.succeeded(task)
          && (slowest == null
              || task.get("duration").asLong() > slowest.get("duration").asLong())) {
        slowest = task;
      }
    }
    if (slowest != null) {
      numbers.equal("spark.stage.slowest_task.index", slowest.get("index").asLong());
    }
  }

  private void compareTask(JsonNode truth) {
    long taskId = truth.get("taskId").asLong();
    String id = Long.toString(taskId);
    SpanNode span = tasks.get(taskId);
    if (span == null) {
      differences.compare("task", id, "span", null, taskId);
      return;
    }
    SpanNumbers numbers = new SpanNumbers(span, id, differences);
    boolean running = truth.get("status").asText().equals("RUNNING");
    // Of a task without an end, the time until now.
    numbers.time(truth.get("launchTime"), running ? null : truth.get("duration"));
    numbers.equal("spark.task.id", taskId);
    long index = truth.get("index").asLong();
    numbers.equal("spark.task.index", index);
    numbers.equal("spark.task.attempt", truth.get("attempt").asLong());
    long partition = truth.path("partitionId").asLong(-1);
    numbers.equal("spark.task.partition", partition < 0 ? index : partition);
    if (!running && !Boolean.TRUE.equals(span.attribute("spark.task.metrics_missing"))) {
      numbers.equal("spark.task.scheduler_delay_ms", truth.get("schedulerDelay").asLong());
      numbers.equal("spark.task.getting_result_time_ms", truth.get("gettingResultTime").asLong());
    }
    for (Metric metric : SparkAnswers.METRICS) {
      numbers.equalOrAbsentZero(metric.key(), metric.ofTask(truth));
    }
    numbers.skip("spark.stage.id", "spark.stage.attempt", "spark.job.id");
    // Its API tells them of stages and executors only.
    numbers.skipAll(PEAK);
    numbers.end();
    numbers.text("spark.executor.id", truth.get("executorId").asText());
    numbers.text("spark.executor.host", truth.get("host").asText());
    numbers.text("spark.task.locality", truth.get("taskLocality").asText());
  }

  private void compareJob(JsonNode truth) {
    long id = truth.get("jobId").asLong();
    List<StageAttempt> stages = spark.stages(stage -> spark.jobOf(stage) == id);
    SpanNode span = trace.job(id);
    SpanNumbers numbers = new SpanNumbers(span, Long.toString(id), differences);
    numbers.equal("spark.job.id", id);
    numbers.time(truth.get("submissionTime"), truth.get("completionTime"));
    if (!spark.shares(truth)) {
      numbers.equal("spark.tasks.succeeded", truth.get("numCompletedTasks").asLong());
      numbers.equal("spark.tasks.failed", truth.get("numFailedTasks").asLong());
      numbers.equal("spark.tasks.killed", truth.get("numKilledTasks").asLong());
    }
    String status = truth.get("status").asText();
    long retried = retried(stages);
    numbers.equal("spark.stages.total", stages.size());
    if (!status.equals("RUNNING") && retried == 0 && !spark.shares(truth)) {
      numbers.equal(
          "spark.stages.total",
          truth.get("numCompletedStages").asLong() + truth.get("numFailedStages").asLong());
    }
    numbers.equal("spark.stages.failed", truth.get("numFailedStages").asLong());
    numbers.equal("spark.stages.skipped", truth.get("numSkippedStages").asLong());
    numbers.equal("spark.stages.retried", retried);
    numbers.tasks(stages);
    numbers.sums(stages, stages.stream().anyMatch(this::hasMetrics));
    numbers.skip("spark.sql.execution.id");
    numbers.end();
    boolean cancelled = "cancelled".equals(span.attribute("spark.job.result"));
    numbers.text(
        "spark.job.result",
        cancelled && status.equals("FAILED") ? "cancelled" : RESULTS.get(status));
    // A job that nobody groups with others, in a shell, has a trace of its own.
    SpanNode parent = trace.span(span.parentId());
    Object parentSql = parent == null ? null : parent.attribute("spark.sql.execution.id");
    differences.compare("job", Long.toString(id), "parent", parentSql, spark.sqlOf(id));
  }

  private void compareSql(JsonNode truth) {
    long id = truth.get("id").asLong();
    SpanNode span = trace.one("sql", sql -> sql.attribute("spark.sql.execution.id").equals(id));
    SpanNumbers numbers = new SpanNumbers(span, Long.toString(id), differences);
    numbers.equal("spark.sql.execution.id", id);
    numbers.equal("spark.sql.execution.root_id", id);
    numbers.time(truth.get("submissionTime"), truth.get("duration"));
    int succeeded = truth.get("successJobIds").size();
    int failed = truth.get("failedJobIds").size();
    numbers.equal("spark.jobs.total", succeeded + failed);
    numbers.equal("spark.jobs.succeeded", succeeded);
    numbers.equal("spark.jobs.failed", failed);
    compareStages(numbers, job -> Objects.equals(spark.sqlOf(job), id));
    compareCost(numbers, span, spark.stages(stage -> isOf(stage, id)));
    numbers.skip("spark.sql.aqe.updates");
    new OutputTruth(spark.sqlExecutions()).compare(numbers, span, truth);
    numbers.end();
    PlanTruth.compare(span, truth, differences);
  }

  private void compareApplication() {
    SpanNode span = trace.application();
    SpanNumbers numbers = new SpanNumbers(span, "", differences);
    numbers.equal("spark.jobs.total", spark.jobs().size());
    numbers.equal("spark.jobs.succeeded", spark.jobs("SUCCEEDED"));
    numbers.equal("spark.jobs.failed", spark.jobs("FAILED"));
    compareStages(numbers, job -> true);
    // Spark counts starts there, we ends.
    numbers.equal(
        "spark.tasks.total", spark.ofExecutors("totalTasks") - spark.ofExecutors("activeTasks"));
    numbers.equal("spark.tasks.succeeded", spark.ofExecutors("completedTasks"));
    numbers.equal("spark.tasks.failed", spark.ofExecutors("failedTasks"));
    boolean told = spark.stages().stream().anyMatch(this::hasMetrics);
    numbers.sum("spark.input.bytes", spark.ofExecutors("totalInputBytes"), told);
    numbers.sum("spark.shuffle.read.bytes", spark.ofExecutors("totalShuffleRead"), told);
    numbers.sum("spark.shuffle.write.bytes", spark.ofExecutors("totalShuffleWrite"), told);
    numbers.skipAll(PEAK);
    numbers.skipAll(DRIVER_PEAK);
    compareCost(numbers, span, spark.stages());
    compareLimits(numbers, span);
    numbers.equal("spark.executors.max", spark.executorsAtOnce());
    numbers.equal("spark.executors.removed", spark.executorsRemoved());
    numbers.equal("spark.trace.units", tracesBeside());
    for (String none : List.of("tasks.not_exported", "anomalies")) {
      numbers.equal("spark.otel." + none, 0);
    }
    numbers.end();
  }

  /** Those of units of their own; null where there are none. */
  private Long tracesBeside() {
    String own = trace.application().traceId();
    long traces =
        trace.spans().stream()
            .filter(span -> span.traceId().equals(own) || !span.entity().equals("started"))
            .map(SpanNode::traceId)
            .distinct()
            .count();
    return traces == 1 ? null : traces - 1;
  }

  private boolean isOf(StageAttempt stage, long sqlId) {
    return Objects.equals(spark.sqlOf(spark.jobOf(stage)), sqlId);
  }

  /** Core time as its executors and tasks make it; Spark does not tell the memory of executors. */
  private void compareCost(SpanNumbers numbers, SpanNode span, List<StageAttempt> stages) {
    Long available = cost.coreTime(millis(span.startNanos()), millis(span.endNanos()));
    Long used = coreTimeUsed(stages);
    numbers.equal("spark.executors.core_time_ms", available);
    numbers.equal("spark.executors.core_time_used_ms", used);
    numbers.equal(
        "spark.executors.utilization",
        available == null || used == null || available == 0 ? null : (double) used / available);
    numbers.skip("spark.executors.memory_time_mib_s");
  }

  private Long coreTimeUsed(List<StageAttempt> stages) {
    boolean ended = stages.stream().flatMap(s -> s.tasks().stream()).anyMatch(SparkTruth::ended);
    if (ended && stages.stream().noneMatch(this::hasMetrics)) {
      return null;
    }
    long used = 0;
    for (Metric metric : SparkAnswers.METRICS) {
      if (IN_EXECUTOR.contains(metric.key())) {
        used += metric.ofStages(stages).longValue();
      }
    }
    return used * cost.taskCpus();
  }

  private static boolean ended(JsonNode task) {
    return !task.get("status").asText().equals("RUNNING");
  }

  /** The critical path takes the order of events, which is not in Spark's answers. */
  private void compareLimits(SpanNumbers numbers, SpanNode span) {
    numbers.skip("spark.critical_path_ms");
    if (!cost.knowsJobs()) {
      numbers.skip("spark.driver_only_time_ms", "spark.ideal_time_ms");
      return;
    }
    long start = millis(span.startNanos());
    long end = millis(span.endNanos());
    numbers.equal("spark.driver_only_time_ms", cost.driverOnlyTime(start, end));
    Long used = coreTimeUsed(spark.stages());
    numbers.equal("spark.ideal_time_ms", used == null ? null : cost.idealTime(start, end, used));
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  /** Counts of stages and tasks and all sums, of those jobs. */
  private void compareStages(SpanNumbers numbers, Predicate<Long> ofJob) {
    long failed = 0;
    long skipped = 0;
    for (JsonNode job : spark.jobs()) {
      if (ofJob.test(job.get("jobId").asLong())) {
        failed += job.get("numFailedStages").asLong();
        skipped += job.get("numSkippedStages").asLong();
      }
    }
    List<StageAttempt> stages = spark.stages(stage -> ofJob.test(spark.jobOf(stage)));
    numbers.equal("spark.stages.total", stages.size());
    numbers.equal("spark.stages.failed", failed);
    numbers.equal("spark.stages.skipped", skipped);
    numbers.equal("spark.stages.retried", retried(stages));
    numbers.tasks(stages);
    numbers.sums(stages, stages.stream().anyMatch(this::hasMetrics));
  }

  /** Spark does not tell whether a task reported metrics or lots of 0. */
  private boolean hasMetrics(StageAttempt stage) {
    return stage.tasks().stream()
        .map(task -> tasks.get(task.get("taskId").asLong()))
        .anyMatch(
            span ->
                span != null
                    && span.attribute("spark.task.outcome") != null
                    && span.attribute("spark.task.metrics_missing") == null);
  }

  private static long retried(List<StageAttempt> stages) {
    return stages.stream().filter(stage -> stage.attempt() > 0).count();
  }
}
