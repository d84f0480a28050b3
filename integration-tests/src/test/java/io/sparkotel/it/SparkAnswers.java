package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What Spark's REST API said of a run: live, of the scenario {@code Truth}, or of its event log.
 */
final class SparkAnswers {

  /** Every sum that the contract names, with its field of a stage and its fields of a task. */
  static final List<Metric> METRICS =
      List.of(
          same("spark.executor.deserialize_time_ms", "executorDeserializeTime"),
          nanos("spark.executor.deserialize_cpu_time_ms", "executorDeserializeCpuTime"),
          same("spark.executor.run_time_ms", "executorRunTime"),
          nanos("spark.executor.cpu_time_ms", "executorCpuTime"),
          same("spark.executor.gc_time_ms", "jvmGcTime"),
          same("spark.executor.result_serialization_time_ms", "resultSerializationTime"),
          new Metric(
              "spark.executor.peak_execution_memory_bytes",
              "peakExecutionMemory",
              List.of("peakExecutionMemory"),
              false,
              true),
          same("spark.result.size_bytes", "resultSize"),
          same("spark.spill.memory_bytes", "memoryBytesSpilled"),
          same("spark.spill.disk_bytes", "diskBytesSpilled"),
          metric("spark.input.bytes", "inputBytes", "inputMetrics/bytesRead"),
          metric("spark.input.records", "inputRecords", "inputMetrics/recordsRead"),
          metric("spark.output.bytes", "outputBytes", "outputMetrics/bytesWritten"),
          metric("spark.output.records", "outputRecords", "outputMetrics/recordsWritten"),
          metric(
              "spark.shuffle.read.bytes",
              "shuffleReadBytes",
              "shuffleReadMetrics/localBytesRead",
              "shuffleReadMetrics/remoteBytesRead"),
          read("local_bytes", "shuffleLocalBytesRead", "localBytesRead"),
          read("remote_bytes", "shuffleRemoteBytesRead", "remoteBytesRead"),
          read("remote_bytes_to_disk", "shuffleRemoteBytesReadToDisk", "remoteBytesReadToDisk"),
          read("records", "shuffleReadRecords", "recordsRead"),
          read("local_blocks", "shuffleLocalBlocksFetched", "localBlocksFetched"),
          read("remote_blocks", "shuffleRemoteBlocksFetched", "remoteBlocksFetched"),
          read("fetch_wait_time_ms", "shuffleFetchWaitTime", "fetchWaitTime"),
          read("remote_requests_time_ms", "shuffleRemoteReqsDuration", "remoteReqsDuration"),
          pushed("corrupt_chunks", "shuffleCorruptMergedBlockChunks", "corruptMergedBlockChunks"),
          pushed("fetch_fallbacks", "shuffleMergedFetchFallbackCount", "mergedFetchFallbackCount"),
          pushed("remote_blocks", "shuffleMergedRemoteBlocksFetched", "remoteMergedBlocksFetched"),
          pushed("local_blocks", "shuffleMergedLocalBlocksFetched", "localMergedBlocksFetched"),
          pushed("remote_chunks", "shuffleMergedRemoteChunksFetched", "remoteMergedChunksFetched"),
          pushed("local_chunks", "shuffleMergedLocalChunksFetched", "localMergedChunksFetched"),
          pushed("remote_bytes", "shuffleMergedRemoteBytesRead", "remoteMergedBytesRead"),
          pushed("local_bytes", "shuffleMergedLocalBytesRead", "localMergedBytesRead"),
          pushed(
              "remote_requests_time_ms",
              "shuffleMergedRemoteReqsDuration",
              "remoteMergedReqsDuration"),
          metric(
              "spark.shuffle.write.bytes", "shuffleWriteBytes", "shuffleWriteMetrics/bytesWritten"),
          metric(
              "spark.shuffle.write.records",
              "shuffleWriteRecords",
              "shuffleWriteMetrics/recordsWritten"),
          new Metric(
              "spark.shuffle.write.time_ms",
              "shuffleWriteTime",
              List.of("shuffleWriteMetrics/writeTime"),
              true,
              false));

  /** What executors sample of themselves, by the name of the attribute's part. */
  static final Map<String, String> PEAKS = new TreeMap<>();

  /** Of executors only: a stage does not tell them. */
  static final Map<String, String> COLLECTIONS =
      Map.of(
          "minor_gc_count", "MinorGCCount",
          "minor_gc_time_ms", "MinorGCTime",
          "major_gc_count", "MajorGCCount",
          "major_gc_time_ms", "MajorGCTime");

  static {
    PEAKS.put("jvm_heap_bytes", "JVMHeapMemory");
    PEAKS.put("jvm_off_heap_bytes", "JVMOffHeapMemory");
    PEAKS.put("on_heap_execution_bytes", "OnHeapExecutionMemory");
    PEAKS.put("off_heap_execution_bytes", "OffHeapExecutionMemory");
    PEAKS.put("on_heap_storage_bytes", "OnHeapStorageMemory");
    PEAKS.put("off_heap_storage_bytes", "OffHeapStorageMemory");
    PEAKS.put("direct_pool_bytes", "DirectPoolMemory");
    PEAKS.put("mapped_pool_bytes", "MappedPoolMemory");
    PEAKS.put("process_jvm_rss_bytes", "ProcessTreeJVMRSSMemory");
    PEAKS.put("process_python_rss_bytes", "ProcessTreePythonRSSMemory");
    PEAKS.put("process_other_rss_bytes", "ProcessTreeOtherRSSMemory");
  }

  private static final Set<String> NOT_SUBMITTED = Set.of("SKIPPED", "PENDING");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'GMT'");

  /**
   * One metric.
   *
   * @param key of the attribute
   * @param stageField of a stage's data
   * @param taskFields of a task's metrics, to be added up
   * @param nanos true: the attribute is in milliseconds, Spark's field in nanoseconds
   * @param maximum true: over tasks the attribute is the maximum, Spark's field the sum
   */
  record Metric(
      String key, String stageField, List<String> taskFields, boolean nanos, boolean maximum) {

    Number ofTask(JsonNode task) {
      return inUnit(rawOfTask(task));
    }

    private long rawOfTask(JsonNode task) {
      long sum = 0;
      if (!task.has("taskMetrics")) {
        return 0;
      }
      for (String field : taskFields) {
        sum += number(task.at("/taskMetrics/" + field), field);
      }
      return sum;
    }

    Number ofStages(List<StageAttempt> stages) {
      long sum = 0;
      for (StageAttempt stage : stages) {
        if (!maximum) {
          sum += number(stage.truth().path(stageField), stageField);
          continue;
        }
        for (JsonNode task : stage.tasks()) {
          sum = Math.max(sum, rawOfTask(task));
        }
      }
      return inUnit(sum);
    }

    private Number inUnit(long value) {
      return nanos ? (Number) (value / 1_000_000.0) : (Number) value;
    }

    private static long number(JsonNode value, String field) {
      if (!value.isIntegralNumber()) {
        throw new AssertionError("Spark does not tell " + field);
      }
      return value.asLong();
    }
  }

  /**
   * An attempt that ran.
   *
   * @param summary quantiles over its successful tasks, or null where there are none
   * @param peaks of its executors, by Spark's names
   */
  record StageAttempt(
      long id,
      long attempt,
      JsonNode truth,
      List<JsonNode> tasks,
      JsonNode summary,
      Map<String, Long> peaks) {

    static boolean succeeded(JsonNode task) {
      return task.get("status").asText().equals("SUCCESS");
    }

    /** Of the tasks that succeeded, sorted. */
    List<Long> durations() {
      return tasks.stream()
          .filter(StageAttempt::succeeded)
          .map(task -> task.get("duration").asLong())
          .sorted()
          .toList();
    }
  }

  private final JsonNode jobs;
  private final JsonNode executors;
  private final JsonNode sql;
  private final List<StageAttempt> stages = new ArrayList<>();
  private final Map<Long, Long> sqlByJob = new HashMap<>();

  private SparkAnswers(Function<String, JsonNode> answers) {
    jobs = answers.apply("jobs");
    executors = answers.apply("allexecutors");
    sql = answers.apply("sql");
    for (JsonNode stage : answers.apply("stages")) {
      if (NOT_SUBMITTED.contains(stage.get("status").asText())) {
        continue;
      }
      long id = stage.get("stageId").asLong();
      long attempt = stage.get("attemptId").asLong();
      String name = "stage-" + id + "-" + attempt;
      List<JsonNode> tasks = new ArrayList<>();
      answers.apply(name + "-tasks").forEach(tasks::add);
      JsonNode summary = answers.apply(name + "-summary");
      stages.add(new StageAttempt(id, attempt, stage, tasks, summary, peaks(answers, name, stage)));
    }
    for (JsonNode execution : sql) {
      for (String kind : List.of("successJobIds", "failedJobIds", "runningJobIds")) {
        execution
            .get(kind)
            .forEach(job -> sqlByJob.put(job.asLong(), execution.get("id").asLong()));
      }
    }
  }

  /** Of a cluster without the driver, which Spark takes for an executor of every stage. */
  private Map<String, Long> peaks(Function<String, JsonNode> answers, String name, JsonNode stage) {
    Map<String, Long> peaks = new HashMap<>();
    JsonNode ofAll = stage.path("peakExecutorMetrics");
    if (isLocal() || ofAll.path("JVMHeapMemory").asLong() <= 0) {
      addPeaks(peaks, ofAll);
      return peaks;
    }
    answers
        .apply(name + "-details")
        .get("executorSummary")
        .properties()
        .forEach(
            executor -> {
              if (!executor.getKey().equals("driver")) {
                addPeaks(peaks, executor.getValue().path("peakMemoryMetrics"));
              }
            });
    return peaks;
  }

  private static void addPeaks(Map<String, Long> peaks, JsonNode metrics) {
    metrics
        .properties()
        .forEach(metric -> peaks.merge(metric.getKey(), metric.getValue().asLong(), Math::max));
  }

  /** From the files of a directory. */
  static SparkAnswers of(Path dir) {
    return new SparkAnswers(
        name -> {
          Path file = dir.resolve(name + ".json");
          return Files.exists(file) ? read(file) : null;
        });
  }

  /**
   * From the API itself.
   *
   * @param answers by the names of the scenario's files; null where there is none
   */
  static SparkAnswers of(Function<String, JsonNode> answers) {
    return new SparkAnswers(answers);
  }

  private static JsonNode read(Path file) {
    try {
      return new ObjectMapper().readTree(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  JsonNode jobs() {
    return jobs;
  }

  long jobs(String status) {
    long count = 0;
    for (JsonNode job : jobs) {
      count += job.get("status").asText().equals(status) ? 1 : 0;
    }
    return count;
  }

  JsonNode sqlExecutions() {
    return sql;
  }

  /** All that ever were, and the driver. */
  JsonNode executors() {
    return executors;
  }

  /** Over all executors that ever were. */
  long ofExecutors(String field) {
    long sum = 0;
    for (JsonNode executor : executors) {
      sum += executor.get(field).asLong();
    }
    return sum;
  }

  /**
   * The most that any executor sampled.
   *
   * @param driver true: of the driver alone, false: of all others
   */
  long peakOfExecutors(String metric, boolean driver) {
    long peak = 0;
    for (JsonNode executor : executors) {
      if (executor.get("id").asText().equals("driver") == driver) {
        peak = Math.max(peak, executor.path("peakMemoryMetrics").path(metric).asLong());
      }
    }
    return peak;
  }

  /** The most that were there at one time. The driver of a cluster is listed, but has no cores. */
  long executorsAtOnce() {
    long most = 0;
    for (JsonNode last : executors) {
      long time = millis(last.get("addTime"));
      long there = 0;
      for (JsonNode executor : executors) {
        boolean added = millis(executor.get("addTime")) <= time;
        boolean removed = executor.has("removeTime") && millis(executor.get("removeTime")) <= time;
        there += executor.get("totalCores").asLong() > 0 && added && !removed ? 1 : 0;
      }
      most = Math.max(most, there);
    }
    return most;
  }

  /** The driver is the only executor, and has cores. */
  boolean isLocal() {
    return executors.size() == 1 && executors.get(0).get("totalCores").asLong() > 0;
  }

  long executorsRemoved() {
    long removed = 0;
    for (JsonNode executor : executors) {
      removed += executor.has("removeTime") ? 1 : 0;
    }
    return removed;
  }

  List<StageAttempt> stages() {
    return stages;
  }

  List<StageAttempt> stages(Predicate<StageAttempt> wanted) {
    return stages.stream().filter(wanted).toList();
  }

  /** The first job that names the stage and had not ended when it was submitted. */
  long jobOf(StageAttempt stage) {
    long first = Long.MAX_VALUE;
    for (JsonNode job : jobs) {
      if (names(job, stage) && !isBefore(job, stage.truth())) {
        first = Math.min(first, job.get("jobId").asLong());
      }
    }
    return first;
  }

  /** Whether a stage ran for the job that is counted under another. */
  boolean shares(JsonNode job) {
    long id = job.get("jobId").asLong();
    return stages.stream()
        .anyMatch(
            stage -> names(job, stage) && jobOf(stage) != id && !isBefore(stage.truth(), job));
  }

  private static boolean names(JsonNode job, StageAttempt stage) {
    for (JsonNode id : job.get("stageIds")) {
      if (id.asLong() == stage.id()) {
        return true;
      }
    }
    return false;
  }

  /** Spark 1 told no times of jobs. */
  private static boolean isBefore(JsonNode first, JsonNode second) {
    return first.has("completionTime")
        && second.has("submissionTime")
        && millis(first.get("completionTime")) < millis(second.get("submissionTime"));
  }

  /** The SQL execution that the job ran for, or null. */
  Long sqlOf(long job) {
    return sqlByJob.get(job);
  }

  /** Epoch milliseconds of a time as the API writes it. */
  static long millis(JsonNode time) {
    return LocalDateTime.parse(time.asText(), TIME).toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private static Metric metric(String key, String stageField, String... taskFields) {
    return new Metric(key, stageField, List.of(taskFields), false, false);
  }

  private static Metric same(String key, String field) {
    return metric(key, field, field);
  }

  private static Metric nanos(String key, String field) {
    return new Metric(key, field, List.of(field), true, false);
  }

  private static Metric read(String name, String stageField, String taskField) {
    return metric("spark.shuffle.read." + name, stageField, "shuffleReadMetrics/" + taskField);
  }

  private static Metric pushed(String name, String stageField, String taskField) {
    return metric(
        "spark.shuffle.read.merged." + name,
        stageField,
        "shuffleReadMetrics/shufflePushReadMetrics/" + taskField);
  }
}
