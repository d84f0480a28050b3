package io.sparkotel.agent.event;

import io.sparkotel.agent.telemetry.TaskMetric;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The task events of an event log. */
final class TaskJson {

  private static final Map<String, TaskMetric> TASK = new HashMap<>();
  private static final Map<String, TaskMetric> SHUFFLE_READ = new HashMap<>();
  private static final Map<String, TaskMetric> PUSHED_SHUFFLE = new HashMap<>();
  private static final Map<String, TaskMetric> SHUFFLE_WRITE = new HashMap<>();
  private static final Map<String, TaskMetric> INPUT = new HashMap<>();
  private static final Map<String, TaskMetric> OUTPUT = new HashMap<>();

  static {
    TASK.put("Executor Deserialize Time", TaskMetric.DESERIALIZE_TIME);
    TASK.put("Executor Deserialize CPU Time", TaskMetric.DESERIALIZE_CPU_TIME);
    TASK.put("Executor Run Time", TaskMetric.RUN_TIME);
    TASK.put("Executor CPU Time", TaskMetric.CPU_TIME);
    TASK.put("Peak Execution Memory", TaskMetric.PEAK_EXECUTION_MEMORY);
    TASK.put("Result Size", TaskMetric.RESULT_SIZE);
    TASK.put("JVM GC Time", TaskMetric.GC_TIME);
    TASK.put("Result Serialization Time", TaskMetric.RESULT_SERIALIZATION_TIME);
    TASK.put("Memory Bytes Spilled", TaskMetric.MEMORY_SPILLED);
    TASK.put("Disk Bytes Spilled", TaskMetric.DISK_SPILLED);
    SHUFFLE_READ.put("Remote Blocks Fetched", TaskMetric.SHUFFLE_REMOTE_BLOCKS);
    SHUFFLE_READ.put("Local Blocks Fetched", TaskMetric.SHUFFLE_LOCAL_BLOCKS);
    SHUFFLE_READ.put("Fetch Wait Time", TaskMetric.SHUFFLE_FETCH_WAIT_TIME);
    SHUFFLE_READ.put("Remote Bytes Read", TaskMetric.SHUFFLE_REMOTE_BYTES);
    SHUFFLE_READ.put("Remote Bytes Read To Disk", TaskMetric.SHUFFLE_REMOTE_BYTES_TO_DISK);
    SHUFFLE_READ.put("Local Bytes Read", TaskMetric.SHUFFLE_LOCAL_BYTES);
    SHUFFLE_READ.put("Total Records Read", TaskMetric.SHUFFLE_READ_RECORDS);
    SHUFFLE_READ.put("Remote Requests Duration", TaskMetric.SHUFFLE_REMOTE_REQUESTS_TIME);
    PUSHED_SHUFFLE.put("Corrupt Merged Block Chunks", TaskMetric.SHUFFLE_CORRUPT_MERGED_CHUNKS);
    PUSHED_SHUFFLE.put("Merged Fetch Fallback Count", TaskMetric.SHUFFLE_MERGED_FALLBACKS);
    PUSHED_SHUFFLE.put("Merged Remote Blocks Fetched", TaskMetric.SHUFFLE_MERGED_REMOTE_BLOCKS);
    PUSHED_SHUFFLE.put("Merged Local Blocks Fetched", TaskMetric.SHUFFLE_MERGED_LOCAL_BLOCKS);
    PUSHED_SHUFFLE.put("Merged Remote Chunks Fetched", TaskMetric.SHUFFLE_MERGED_REMOTE_CHUNKS);
    PUSHED_SHUFFLE.put("Merged Local Chunks Fetched", TaskMetric.SHUFFLE_MERGED_LOCAL_CHUNKS);
    PUSHED_SHUFFLE.put("Merged Remote Bytes Read", TaskMetric.SHUFFLE_MERGED_REMOTE_BYTES);
    PUSHED_SHUFFLE.put("Merged Local Bytes Read", TaskMetric.SHUFFLE_MERGED_LOCAL_BYTES);
    PUSHED_SHUFFLE.put(
        "Merged Remote Requests Duration", TaskMetric.SHUFFLE_MERGED_REMOTE_REQUESTS_TIME);
    SHUFFLE_WRITE.put("Shuffle Bytes Written", TaskMetric.SHUFFLE_WRITE_BYTES);
    SHUFFLE_WRITE.put("Shuffle Write Time", TaskMetric.SHUFFLE_WRITE_TIME);
    SHUFFLE_WRITE.put("Shuffle Records Written", TaskMetric.SHUFFLE_WRITE_RECORDS);
    INPUT.put("Bytes Read", TaskMetric.INPUT_BYTES);
    INPUT.put("Bytes Written", TaskMetric.INPUT_BYTES);
    INPUT.put("Records Read", TaskMetric.INPUT_RECORDS);
    INPUT.put("Records Written", TaskMetric.INPUT_RECORDS);
    OUTPUT.put("Bytes Read", TaskMetric.OUTPUT_BYTES);
    OUTPUT.put("Bytes Written", TaskMetric.OUTPUT_BYTES);
    OUTPUT.put("Records Read", TaskMetric.OUTPUT_RECORDS);
    OUTPUT.put("Records Written", TaskMetric.OUTPUT_RECORDS);
  }

  private TaskJson() {}

  /** The stage's id is -1 and the task null where the event does not tell them; or its id is. */
  static TaskStart start(EventFields fields) throws IOException {
    TaskStart start = new TaskStart();
    start.stageId = -1;
    while (fields.next()) {
      switch (fields.name()) {
        case "Stage ID":
          start.stageId = fields.id();
          break;
        case "Stage Attempt ID":
          start.stageAttempt = (int) fields.number();
          break;
        case "Task Info":
          start.task = info(fields);
          break;
        default:
          fields.skip();
      }
    }
    return start;
  }

  static TaskEnd end(EventFields fields) throws IOException {
    TaskEnd end = new TaskEnd();
    end.stageId = -1;
    end.reason = EndReason.UNKNOWN;
    while (fields.next()) {
      switch (fields.name()) {
        case "Stage ID":
          end.stageId = fields.id();
          break;
        case "Stage Attempt ID":
          end.stageAttempt = (int) fields.number();
          break;
        case "Task End Reason":
          end.reason = reason(fields);
          break;
        case "Task Info":
          end.task = info(fields);
          break;
        case "Task Executor Metrics":
          end.executorMetrics = ExecutorMetricsJson.values(fields);
          break;
        case "Task Metrics":
          end.metrics = fields.enter() ? metrics(fields) : null;
          break;
        default:
          fields.skip();
      }
    }
    return end;
  }

  private static TaskInfo info(EventFields fields) throws IOException {
    if (!fields.enter()) {
      return null;
    }
    TaskInfo task = new TaskInfo();
    task.id = -1;
    long partition = -1;
    while (fields.next()) {
      switch (fields.name()) {
        case "Task ID":
          task.id = fields.numberOr(-1);
          break;
        case "Index":
          task.index = (int) fields.number();
          break;
        case "Attempt":
          task.attempt = (int) fields.number();
          break;
        case "Partition ID":
          partition = fields.numberOr(-1);
          break;
        case "Launch Time":
          task.launchTime = fields.number();
          break;
        case "Executor ID":
          task.executorId = fields.text();
          break;
        case "Host":
          task.host = fields.text();
          break;
        case "Locality":
          task.locality = fields.text();
          break;
        case "Speculative":
          task.speculative = fields.bool();
          break;
        case "Getting Result Time":
          task.gettingResultTime = fields.number();
          break;
        case "Finish Time":
          task.finishTime = fields.number();
          break;
        default:
          fields.skip();
      }
    }
    task.partition = partition < 0 ? task.index : (int) partition;
    return task;
  }

  private static EndReason reason(EventFields fields) throws IOException {
    if (!fields.enter()) {
      return EndReason.UNKNOWN;
    }
    String reason = null;
    String className = null;
    String message = null;
    String stackTrace = null;
    String[] address = new String[2];
    while (fields.next()) {
      switch (fields.name()) {
        case "Reason":
          reason = fields.text();
          break;
        case "Class Name":
          className = fields.text();
          break;
        case "Description":
        case "Message":
        case "Kill Reason":
        case "Loss Reason":
          message = fields.text();
          break;
        case "Full Stack Trace":
          stackTrace = fields.text();
          break;
        case "Block Manager Address":
          readAddress(fields, address);
          break;
        default:
          fields.skip();
      }
    }
    if ("Success".equals(reason)) {
      return EndReason.SUCCESS;
    }
    EndReason.Kind kind = EndReason.Kind.of(reason);
    return kind == EndReason.Kind.FetchFailed
        ? EndReason.fetchFailed(message, address[0], address[1])
        : new EndReason(kind, className, message, stackTrace);
  }

  /**
   * @param address gets the executor's id and host
   */
  private static void readAddress(EventFields fields, String[] address) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Executor ID":
          address[0] = fields.text();
          break;
        case "Host":
          address[1] = fields.text();
          break;
        default:
          fields.skip();
      }
    }
  }

  private static long[] metrics(EventFields fields) throws IOException {
    long[] values = new long[TaskMetric.COUNT];
    Arrays.fill(values, TaskMetric.ABSENT);
    while (fields.next()) {
      if (put(values, TASK, fields)) {
        continue;
      }
      switch (fields.name()) {
        case "Shuffle Read Metrics":
          shuffleRead(values, fields);
          break;
        case "Shuffle Write Metrics":
          putAll(values, SHUFFLE_WRITE, fields);
          break;
        case "Input Metrics":
          putAll(values, INPUT, fields);
          break;
        case "Output Metrics":
          putAll(values, OUTPUT, fields);
          break;
        default:
          fields.skip();
      }
    }
    return values;
  }

  private static void shuffleRead(long[] values, EventFields fields) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      if (put(values, SHUFFLE_READ, fields)) {
        continue;
      }
      if (fields.name().equals("Push Based Shuffle")) {
        putAll(values, PUSHED_SHUFFLE, fields);
      } else {
        fields.skip();
      }
    }
    long local = values[TaskMetric.SHUFFLE_LOCAL_BYTES.ordinal()];
    long remote = values[TaskMetric.SHUFFLE_REMOTE_BYTES.ordinal()];
    if (local != TaskMetric.ABSENT || remote != TaskMetric.ABSENT) {
      values[TaskMetric.SHUFFLE_READ_BYTES.ordinal()] = Math.max(0, local) + Math.max(0, remote);
    }
  }

  private static void putAll(long[] values, Map<String, TaskMetric> known, EventFields fields)
      throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      if (!put(values, known, fields)) {
        fields.skip();
      }
    }
  }

  /** False where the field is none of those that are known. */
  private static boolean put(long[] values, Map<String, TaskMetric> known, EventFields fields)
      throws IOException {
    TaskMetric metric = known.get(fields.name());
    if (metric == null) {
      return false;
    }
    values[metric.ordinal()] = fields.numberOr(TaskMetric.ABSENT);
    return true;
  }
}
