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
import java.util.function.Predicate;

/** What Spark's REST API said of a run of the scenario {@code Truth}. */
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
   */
  record StageAttempt(
      long id, long attempt, JsonNode truth, List<JsonNode> tasks, JsonNode summary) {}

  private final JsonNode jobs;
  private final JsonNode executors;
  private final JsonNode sql;
  private final List<StageAttempt> stages = new ArrayList<>();
  private final Map<Long, Long> sqlByJob = new HashMap<>();

  private SparkAnswers(Path dir) {
    jobs = read(dir.resolve("jobs.json"));
    executors = read(dir.resolve("allexecutors.json"));
    sql = read(dir.resolve("sql.json"));
    for (JsonNode stage : read(dir.resolve("stages.json"))) {
      if (stage.get("status").asText().equals("SKIPPED")) {
        continue;
      }
      long id = stage.get("stageId").asLong();
      long attempt = stage.get("attemptId").asLong();
      String name = "stage-" + id + "-" + attempt;
      List<JsonNode> tasks = new ArrayList<>();
      read(dir.resolve(name + "-tasks.json")).forEach(tasks::add);
      Path summary = dir.resolve(name + "-summary.json");
      stages.add(
          new StageAttempt(
              id, attempt, stage, tasks, Files.exists(summary) ? read(summary) : null));
    }
    for (JsonNode execution : sql) {
      for (String kind : List.of("successJobIds", "failedJobIds")) {
        execution
            .get(kind)
            .forEach(job -> sqlByJob.put(job.asLong(), execution.get("id").asLong()));
      }
    }
  }

  static SparkAnswers of(Path dir) {
    return new SparkAnswers(dir);
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

  JsonNode executors() {
    return executors;
  }

  List<StageAttempt> stages() {
    return stages;
  }

  List<StageAttempt> stages(Predicate<StageAttempt> wanted) {
    return stages.stream().filter(wanted).toList();
  }

  /** Over all attempts. */
  long sum(String field) {
    return stages.stream().mapToLong(stage -> stage.truth().get(field).asLong()).sum();
  }

  /** The first job that names the stage. */
  long jobOf(StageAttempt stage) {
    long first = Long.MAX_VALUE;
    for (JsonNode job : jobs) {
      for (JsonNode id : job.get("stageIds")) {
        if (id.asLong() == stage.id()) {
          first = Math.min(first, job.get("jobId").asLong());
        }
      }
    }
    return first;
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
