package io.sparkotel.agent.spark;

import io.sparkotel.agent.LiveApplication;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.model.TraceModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.BiConsumer;
import org.apache.spark.SparkFirehoseListener;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.JobResult;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import scala.Tuple2;

/**
 * The listener: turns Spark's events into neutral ones, on the thread of the agent's own queue.
 * Nothing leaves it: a LinkageError that escapes a listener makes Spark stop the SparkContext.
 */
final class SparkEventAdapter extends SparkFirehoseListener {

  private static final String SQL_EVENTS = "org.apache.spark.sql.execution.ui.";
  private static final String STREAM_EVENTS =
      "org.apache.spark.sql.streaming.StreamingQueryListener$";
  private static final String SCALA_VERSION_PREFIX = "version ";

  private final LiveApplication application;
  private final String sparkVersion;
  private final BiConsumer<TraceModel, Object> dispatch = this::dispatch;
  private final long heartbeatMillis;

  /** Of the driver itself, one after the other, with no other event between them. */
  private long heartbeats;

  /**
   * @param heartbeatMillis how often executors and the driver tell their metrics
   */
  SparkEventAdapter(LiveApplication application, String sparkVersion, long heartbeatMillis) {
    this.application = application;
    this.sparkVersion = sparkVersion;
    this.heartbeatMillis = heartbeatMillis;
  }

  @Override
  public void onEvent(SparkListenerEvent event) {
    // Frequent, and of no use to a trace.
    if (event instanceof SparkListenerBlockUpdated) {
      return;
    }
    try {
      application.onEvent(event, dispatch);
    } catch (Throwable e) {
      application.guard().failed(e);
    }
  }

  private void dispatch(TraceModel model, Object event) {
    if (event instanceof SparkListenerExecutorMetricsUpdate) {
      heartbeat(model, (SparkListenerExecutorMetricsUpdate) event);
      return;
    }
    heartbeats = 0;
    if (event instanceof SparkListenerTaskEnd) {
      taskEnd(model, (SparkListenerTaskEnd) event);
    } else if (event instanceof SparkListenerTaskStart) {
      taskStart(model, (SparkListenerTaskStart) event);
    } else if (event instanceof SparkListenerStageSubmitted) {
      model.stageSubmitted(TaskEvents.submitted(((SparkListenerStageSubmitted) event).stageInfo()));
    } else if (event instanceof SparkListenerStageCompleted) {
      model.stageCompleted(TaskEvents.completed(((SparkListenerStageCompleted) event).stageInfo()));
    } else if (event instanceof SparkListenerJobStart) {
      model.jobStart(jobStart((SparkListenerJobStart) event));
    } else if (event instanceof SparkListenerJobEnd) {
      model.jobEnd(jobEnd((SparkListenerJobEnd) event));
    } else if (event instanceof SparkListenerExecutorAdded) {
      model.executorAdded(ExecutorEvents.added((SparkListenerExecutorAdded) event));
    } else if (event instanceof SparkListenerExecutorRemoved) {
      SparkListenerExecutorRemoved removed = (SparkListenerExecutorRemoved) event;
      model.executorRemoved(removed.time(), removed.executorId());
    } else if (event instanceof SparkListenerEnvironmentUpdate) {
      model.environment(environment((SparkListenerEnvironmentUpdate) event));
    } else if (event instanceof SparkListenerApplicationStart) {
      model.applicationStart(applicationStart((SparkListenerApplicationStart) event));
    } else if (event instanceof SparkListenerApplicationEnd) {
      SparkListenerApplicationEnd end = (SparkListenerApplicationEnd) event;
      model.applicationEnd(end.time(), SparkCompat.exitCode(end));
    } else if (event.getClass().getName().startsWith(SQL_EVENTS)) {
      // A class of its own: Spark's SQL module may not be on the class path.
      SqlEvents.dispatch(model, event);
    } else if (event.getClass().getName().startsWith(STREAM_EVENTS)) {
      StreamEvents.dispatch(model, event);
    } else if (DStreamEvents.isEvent(event)) {
      DStreamEvents.dispatch(model, event);
    } else if (ResourceProfiles.isEvent(event)) {
      model.resourceProfile(ResourceProfiles.of(event));
    } else {
      ServerEvent server = ServerEvents.of(event);
      if (server != null) {
        model.serverEvent(server);
      }
    }
  }

  /** Tells no time, but the queue may be long: only how many follow each other shows idle time. */
  private void heartbeat(TraceModel model, SparkListenerExecutorMetricsUpdate event) {
    if (ExecutorEvents.peaks(model, event)) {
      model.idle(heartbeats * heartbeatMillis);
      heartbeats++;
    }
  }

  private static void taskStart(TraceModel model, SparkListenerTaskStart event) {
    TaskStart start = new TaskStart();
    start.stageId = event.stageId();
    start.stageAttempt = event.stageAttemptId();
    start.task = TaskEvents.started(event.taskInfo());
    model.taskStart(start);
  }

  private static void taskEnd(TraceModel model, SparkListenerTaskEnd event) {
    if (event.taskInfo() == null) {
      return;
    }
    TaskEnd end = new TaskEnd();
    end.stageId = event.stageId();
    end.stageAttempt = event.stageAttemptId();
    TaskInfo open = model.openTask(end.stageId, end.stageAttempt, event.taskInfo().taskId());
    end.task = TaskEvents.ended(open, event.taskInfo());
    end.reason = TaskEvents.reason(event.reason());
    end.metrics = event.taskMetrics() == null ? null : TaskEvents.metrics(event.taskMetrics());
    end.executorMetrics = ExecutorEvents.values(event.taskExecutorMetrics());
    model.taskEnd(end);
  }

  private static JobStart jobStart(SparkListenerJobStart event) {
    List<io.sparkotel.agent.event.StageInfo> stages = new ArrayList<>();
    SparkCompat.forEach(
        SparkCompat.stageInfos(event), stage -> stages.add(TaskEvents.planned((StageInfo) stage)));
    Map<String, String> read = new HashMap<>();
    Properties properties = event.properties();
    if (properties != null) {
      for (String key : properties.stringPropertyNames()) {
        if (JobProperties.reads(key)) {
          read.put(key, properties.getProperty(key));
        }
      }
    }
    return new JobStart(event.jobId(), event.time(), stages, new JobProperties(read));
  }

  private static JobEnd jobEnd(SparkListenerJobEnd event) {
    JobResult result = event.jobResult();
    if (result instanceof JobFailed) {
      String message = ((JobFailed) result).exception().getMessage();
      return new JobEnd(event.jobId(), event.time(), false, message);
    }
    return new JobEnd(event.jobId(), event.time(), true, null);
  }

  private Environment environment(SparkListenerEnvironmentUpdate event) {
    Map<String, String> spark = new HashMap<>();
    String[] scala = new String[1];
    SparkCompat.forEach(
        SparkCompat.environmentDetails(event),
        section -> {
          Tuple2<?, ?> entry = (Tuple2<?, ?>) section;
          if ("Spark Properties".equals(entry._1())) {
            SparkCompat.forEach(entry._2(), pair -> put(spark, (Tuple2<?, ?>) pair));
          } else if ("JVM Information".equals(entry._1())) {
            Map<String, String> jvm = new HashMap<>();
            SparkCompat.forEach(entry._2(), pair -> put(jvm, (Tuple2<?, ?>) pair));
            scala[0] = jvm.get("Scala Version");
          }
        });
    if (scala[0] != null && scala[0].startsWith(SCALA_VERSION_PREFIX)) {
      scala[0] = scala[0].substring(SCALA_VERSION_PREFIX.length());
    }
    return new Environment(sparkVersion, scala[0], spark);
  }

  private static void put(Map<String, String> map, Tuple2<?, ?> pair) {
    map.put((String) pair._1(), (String) pair._2());
  }

  private static ApplicationStart applicationStart(SparkListenerApplicationStart event) {
    return new ApplicationStart(
        (String) SparkCompat.unwrap(event.appId()),
        (String) SparkCompat.unwrap(event.appAttemptId()),
        event.appName(),
        event.sparkUser(),
        event.time());
  }
}
