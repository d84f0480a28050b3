package io.sparkotel.agent.event;

import io.sparkotel.agent.telemetry.TaskMetric;
import java.io.IOException;
import java.util.Arrays;

/** The task events of an event log. */
final class TaskJson {

  private TaskJson() {}

  /** The stage's id is -1 and the task null where the event does not tell them; or its id is. */
  static TaskStart start(JsonFields fields) throws IOException {
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

  static TaskEnd end(JsonFields fields) throws IOException {
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
        case "Task Metrics":
          end.metrics = fields.enter() ? metrics(fields) : null;
          break;
        default:
          fields.skip();
      }
    }
    return end;
  }

  private static TaskInfo info(JsonFields fields) throws IOException {
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

  private static EndReason reason(JsonFields fields) throws IOException {
    if (!fields.enter()) {
      return EndReason.UNKNOWN;
    }
    String reason = null;
    String className = null;
    String message = null;
    String stackTrace = null;
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
        default:
          fields.skip();
      }
    }
    if ("Success".equals(reason)) {
      return EndReason.SUCCESS;
    }
    return new EndReason(EndReason.Kind.of(reason), className, message, stackTrace);
  }

  private static long[] metrics(JsonFields fields) throws IOException {
    long[] values = new long[TaskMetric.COUNT];
    Arrays.fill(values, TaskMetric.ABSENT);
    while (fields.next()) {
      switch (fields.name()) {
        case "Executor Deserialize Time":
          put(values, TaskMetric.DESERIALIZE_TIME, fields);
          break;
        case "Executor Deserialize CPU Time":
          put(values, TaskMetric.DESERIALIZE_CPU_TIME, fields);
          break;
        case "Executor Run Time":
          put(values, TaskMetric.RUN_TIME, fields);
          break;
        case "Executor CPU Time":
          put(values, TaskMetric.CPU_TIME, fields);
          break;
        case "Peak Execution Memory":
          put(values, TaskMetric.PEAK_EXECUTION_MEMORY, fields);
          break;
        case "Result Size":
          put(values, TaskMetric.RESULT_SIZE, fields);
          break;
        case "JVM GC Time":
          put(values, TaskMetric.GC_TIME, fields);
          break;
        case "Result Serialization Time":
          put(values, TaskMetric.RESULT_SERIALIZATION_TIME, fields);
          break;
        case "Memory Bytes Spilled":
          put(values, TaskMetric.MEMORY_SPILLED, fields);
          break;
        case "Disk Bytes Spilled":
          put(values, TaskMetric.DISK_SPILLED, fields);
          break;
        case "Shuffle Read Metrics":
          shuffleRead(values, fields);
          break;
        case "Shuffle Write Metrics":
          shuffleWrite(values, fields);
          break;
        case "Input Metrics":
          inputOrOutput(values, fields, TaskMetric.INPUT_BYTES, TaskMetric.INPUT_RECORDS);
          break;
        case "Output Metrics":
          inputOrOutput(values, fields, TaskMetric.OUTPUT_BYTES, TaskMetric.OUTPUT_RECORDS);
          break;
        default:
          fields.skip();
      }
    }
    return values;
  }

  private static void shuffleRead(long[] values, JsonFields fields) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Remote Blocks Fetched":
          put(values, TaskMetric.SHUFFLE_REMOTE_BLOCKS, fields);
          break;
        case "Local Blocks Fetched":
          put(values, TaskMetric.SHUFFLE_LOCAL_BLOCKS, fields);
          break;
        case "Fetch Wait Time":
          put(values, TaskMetric.SHUFFLE_FETCH_WAIT_TIME, fields);
          break;
        case "Remote Bytes Read":
          put(values, TaskMetric.SHUFFLE_REMOTE_BYTES, fields);
          break;
        case "Remote Bytes Read To Disk":
          put(values, TaskMetric.SHUFFLE_REMOTE_BYTES_TO_DISK, fields);
          break;
        case "Local Bytes Read":
          put(values, TaskMetric.SHUFFLE_LOCAL_BYTES, fields);
          break;
        case "Total Records Read":
          put(values, TaskMetric.SHUFFLE_READ_RECORDS, fields);
          break;
        case "Remote Requests Duration":
          put(values, TaskMetric.SHUFFLE_REMOTE_REQUESTS_TIME, fields);
          break;
        case "Push Based Shuffle":
          pushedShuffle(values, fields);
          break;
        default:
          fields.skip();
      }
    }
    long local = values[TaskMetric.SHUFFLE_LOCAL_BYTES.ordinal()];
    long remote = values[TaskMetric.SHUFFLE_REMOTE_BYTES.ordinal()];
    if (local != TaskMetric.ABSENT || remote != TaskMetric.ABSENT) {
      values[TaskMetric.SHUFFLE_READ_BYTES.ordinal()] = Math.max(0, local) + Math.max(0, remote);
    }
  }

  private static void pushedShuffle(long[] values, JsonFields fields) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Corrupt Merged Block Chunks":
          put(values, TaskMetric.SHUFFLE_CORRUPT_MERGED_CHUNKS, fields);
          break;
        case "Merged Fetch Fallback Count":
          put(values, TaskMetric.SHUFFLE_MERGED_FALLBACKS, fields);
          break;
        case "Merged Remote Blocks Fetched":
          put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_BLOCKS, fields);
          break;
        case "Merged Local Blocks Fetched":
          put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_BLOCKS, fields);
          break;
        case "Merged Remote Chunks Fetched":
          put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_CHUNKS, fields);
          break;
        case "Merged Local Chunks Fetched":
          put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_CHUNKS, fields);
          break;
        case "Merged Remote Bytes Read":
          put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_BYTES, fields);
          break;
        case "Merged Local Bytes Read":
          put(values, TaskMetric.SHUFFLE_MERGED_LOCAL_BYTES, fields);
          break;
        case "Merged Remote Requests Duration":
          put(values, TaskMetric.SHUFFLE_MERGED_REMOTE_REQUESTS_TIME, fields);
          break;
        default:
          fields.skip();
      }
    }
  }

  private static void shuffleWrite(long[] values, JsonFields fields) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Shuffle Bytes Written":
          put(values, TaskMetric.SHUFFLE_WRITE_BYTES, fields);
          break;
        case "Shuffle Write Time":
          put(values, TaskMetric.SHUFFLE_WRITE_TIME, fields);
          break;
        case "Shuffle Records Written":
          put(values, TaskMetric.SHUFFLE_WRITE_RECORDS, fields);
          break;
        default:
          fields.skip();
      }
    }
  }

  private static void inputOrOutput(
      long[] values, JsonFields fields, TaskMetric bytes, TaskMetric records) throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Bytes Read":
        case "Bytes Written":
          put(values, bytes, fields);
          break;
        case "Records Read":
        case "Records Written":
          put(values, records, fields);
          break;
        default:
          fields.skip();
      }
    }
  }

  private static void put(long[] values, TaskMetric metric, JsonFields fields) throws IOException {
    values[metric.ordinal()] = fields.numberOr(TaskMetric.ABSENT);
  }
}
