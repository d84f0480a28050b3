package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.AccumulatorValues;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.Resubmitted$;
import org.apache.spark.Success$;
import org.apache.spark.TaskCommitDenied;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.BlockManagerId;
import scala.Enumeration;
import scala.Tuple2;

/**
 * Reads Spark's stage and task objects. They are mutable and shared with the scheduler: each method
 * reads only what is settled when its event is posted.
 */
final class TaskEvents {

  /** What Spark notes on an accumulator that is a SQL metric. */
  private static final String SQL = "sql";

  /** By Spark's number of the level. */
  private static final String[] LOCALITIES = new String[8];

  private TaskEvents() {}

  /** Of a job's start. */
  static io.sparkotel.agent.event.StageInfo planned(StageInfo from) {
    io.sparkotel.agent.event.StageInfo stage = new io.sparkotel.agent.event.StageInfo();
    stage.id = from.stageId();
    stage.attempt = from.attemptNumber();
    stage.name = from.name();
    stage.details = from.details();
    stage.tasks = from.numTasks();
    return stage;
  }

  static io.sparkotel.agent.event.StageInfo submitted(StageInfo from) {
    io.sparkotel.agent.event.StageInfo stage = planned(from);
    List<String> parents = new ArrayList<>();
    SparkCompat.forEach(SparkCompat.parentIds(from), id -> parents.add(id.toString()));
    stage.parentIds = parents;
    stage.profileId = SparkCompat.profileId(from);
    stage.submissionTime = (Long) SparkCompat.unwrap(from.submissionTime());
    return stage;
  }

  static io.sparkotel.agent.event.StageInfo completed(StageInfo from) {
    io.sparkotel.agent.event.StageInfo stage = submitted(from);
    stage.completionTime = (Long) SparkCompat.unwrap(from.completionTime());
    stage.failureReason = (String) SparkCompat.unwrap(from.failureReason());
    stage.sqlMetrics = sqlMetrics(from);
    return stage;
  }

  private static long[] sqlMetrics(StageInfo from) {
    AccumulatorValues values = new AccumulatorValues();
    SparkCompat.forEach(
        from.accumulables(),
        entry -> {
          AccumulableInfo info = (AccumulableInfo) ((Tuple2<?, ?>) entry)._2();
          Object value = SparkCompat.unwrap(info.value());
          if (value instanceof Long && SQL.equals(SparkCompat.unwrap(info.metadata()))) {
            values.add(info.id(), (Long) value);
          }
        });
    long[] pairs = values.toArray();
    return pairs.length == 0 ? null : pairs;
  }

  static TaskInfo started(org.apache.spark.scheduler.TaskInfo from) {
    TaskInfo task = new TaskInfo();
    task.id = from.taskId();
    task.index = from.index();
    task.attempt = from.attemptNumber();
    task.partition = SparkCompat.partition(from);
    task.launchTime = from.launchTime();
    task.executorId = from.executorId();
    task.host = from.host();
    task.locality = locality(from.taskLocality());
    task.speculative = from.speculative();
    return task;
  }

  /** Asked once: Spark's own way to the name takes a lock that its scheduler takes, too. */
  private static String locality(Enumeration.Value of) {
    int id = of.id();
    if (id < 0 || id >= LOCALITIES.length) {
      return of.toString();
    }
    String name = LOCALITIES[id];
    if (name == null) {
      name = of.toString();
      LOCALITIES[id] = name;
    }
    return name;
  }

  /**
   * @param open what its start told, which is completed and given back; or null
   */
  static TaskInfo ended(TaskInfo open, org.apache.spark.scheduler.TaskInfo from) {
    TaskInfo task = open == null ? started(from) : open;
    task.gettingResultTime = from.gettingResultTime();
    task.finishTime = from.finishTime();
    return task;
  }

  static EndReason reason(TaskEndReason from) {
    if (from == Success$.MODULE$) {
      return EndReason.SUCCESS;
    }
    if (from instanceof ExceptionFailure) {
      ExceptionFailure failure = (ExceptionFailure) from;
      return new EndReason(
          EndReason.Kind.ExceptionFailure,
          failure.className(),
          failure.description(),
          failure.fullStackTrace());
    }
    if (from instanceof TaskKilled) {
      return reason(EndReason.Kind.TaskKilled, ((TaskKilled) from).reason());
    }
    if (from instanceof FetchFailed) {
      FetchFailed failure = (FetchFailed) from;
      BlockManagerId address = failure.bmAddress();
      return EndReason.fetchFailed(
          failure.message(),
          address == null ? null : address.executorId(),
          address == null ? null : address.host());
    }
    if (from instanceof ExecutorLostFailure) {
      Object text = SparkCompat.unwrap(((ExecutorLostFailure) from).reason());
      return reason(EndReason.Kind.ExecutorLostFailure, (String) text);
    }
    if (from instanceof TaskCommitDenied) {
      return reason(EndReason.Kind.TaskCommitDenied, null);
    }
    if (from == Resubmitted$.MODULE$) {
      return reason(EndReason.Kind.Resubmitted, null);
    }
    if (from == TaskResultLost$.MODULE$) {
      return reason(EndReason.Kind.TaskResultLost, null);
    }
    return reason(EndReason.Kind.UnknownReason, null);
  }

  private static EndReason reason(EndReason.Kind kind, String message) {
    return new EndReason(kind, null, message, null);
  }

  static long[] metrics(TaskMetrics from) {
    long[] values = new long[TaskMetric.COUNT];
    put(values, TaskMetric.DESERIALIZE_TIME, from.executorDeserializeTime());
    put(values, TaskMetric.DESERIALIZE_CPU_TIME, from.executorDeserializeCpuTime());
    put(values, TaskMetric.RUN_TIME, from.executorRunTime());
    put(values, TaskMetric.CPU_TIME, from.executorCpuTime());
    put(values, TaskMetric.GC_TIME, from.jvmGCTime());
    put(values, TaskMetric.RESULT_SERIALIZATION_TIME, from.resultSerializationTime());
    put(values, TaskMetric.PEAK_EXECUTION_MEMORY, from.peakExecutionMemory());
    put(values, TaskMetric.RESULT_SIZE, from.resultSize());
    put(values, TaskMetric.MEMORY_SPILLED, from.memoryBytesSpilled());
    put(values, TaskMetric.DISK_SPILLED, from.diskBytesSpilled());
    put(values, TaskMetric.INPUT_BYTES, from.inputMetrics().bytesRead());
    put(values, TaskMetric.INPUT_RECORDS, from.inputMetrics().recordsRead());
    put(values, TaskMetric.OUTPUT_BYTES, from.outputMetrics().bytesWritten());
    put(values, TaskMetric.OUTPUT_RECORDS, from.outputMetrics().recordsWritten());
    putShuffleRead(values, from.shuffleReadMetrics());
    put(values, TaskMetric.SHUFFLE_WRITE_BYTES, from.shuffleWriteMetrics().bytesWritten());
    put(values, TaskMetric.SHUFFLE_WRITE_RECORDS, from.shuffleWriteMetrics().recordsWritten());
    put(values, TaskMetric.SHUFFLE_WRITE_TIME, from.shuffleWriteMetrics().writeTime());
    return values;
  }

  private static void putShuffleRead(long[] values, ShuffleReadMetrics read) {
    long local = read.localBytesRead();
    long remote = read.remoteBytesRead();
    put(values, TaskMetric.SHUFFLE_READ_BYTES, local + remote);
    put(values, TaskMetric.SHUFFLE_LOCAL_BYTES, local);
    put(values, TaskMetric.SHUFFLE_REMOTE_BYTES, remote);
    put(values, TaskMetric.SHUFFLE_REMOTE_BYTES_TO_DISK, read.remoteBytesReadToDisk());
    put(values, TaskMetric.SHUFFLE_READ_RECORDS, read.recordsRead());
    put(values, TaskMetric.SHUFFLE_LOCAL_BLOCKS, read.localBlocksFetched());
    put(values, TaskMetric.SHUFFLE_REMOTE_BLOCKS, read.remoteBlocksFetched());
    put(values, TaskMetric.SHUFFLE_FETCH_WAIT_TIME, read.fetchWaitTime());
    LaterShuffleMetrics.put(read, values);
  }

  private static void put(long[] values, TaskMetric metric, long value) {
    values[metric.ordinal()] = value;
  }
}
