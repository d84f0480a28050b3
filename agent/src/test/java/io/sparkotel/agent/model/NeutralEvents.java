package io.sparkotel.agent.model;

import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.EventLogParser;
import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.RawLines;
import io.sparkotel.agent.telemetry.AttributeList;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a reader of event logs tells the model, kept instead of modelled. */
final class NeutralEvents {

  /** The rest of a long log shows no more of what there is. */
  private static final int MAX_BYTES = 2 << 20;

  /** Of each attempt of a stage: many tasks would leave no other event in a short window. */
  private static final int TASKS_OF_STAGE = 4;

  static final class ApplicationEnd {
    long time;
    Integer exitCode;
  }

  static final class ExecutorRemoved {
    long time;
    String id;
  }

  static final class Peaks {
    String executorId;
    int stageId;
    int stageAttempt;
    long[] metrics;
  }

  static final class PlanUpdate {
    long executionId;
    PlanNode plan;
  }

  static final class DriverMetrics {
    long executionId;
    long[] values;
  }

  static final class StageSubmitted {
    StageInfo info;
  }

  static final class StageCompleted {
    StageInfo info;
  }

  /** An event as it was read, never changed, and the line to read it from again. */
  static final class Recorded {
    private final Object event;
    private final byte[] line;

    private Recorded(Object event, byte[] line) {
      this.event = event;
      this.line = line;
    }

    Object event() {
      return event;
    }
  }

  private static final class Recorder extends TraceModel {
    final List<Object> events = new ArrayList<>();

    Recorder() {
      super(Logs.config(), AttributeList.builder().build(), span -> {});
    }

    @Override
    public void environment(Environment event) {
      events.add(event);
    }

    @Override
    public void applicationStart(ApplicationStart event) {
      events.add(event);
    }

    @Override
    public void applicationEnd(long time, Integer exitCode) {
      ApplicationEnd end = new ApplicationEnd();
      end.time = time;
      end.exitCode = exitCode;
      events.add(end);
    }

    @Override
    public void executorAdded(ExecutorAdded event) {
      events.add(event);
    }

    @Override
    public void resourceProfile(ResourceProfile event) {
      events.add(event);
    }

    @Override
    public void executorRemoved(long time, String executorId) {
      ExecutorRemoved event = new ExecutorRemoved();
      event.time = time;
      event.id = executorId;
      events.add(event);
    }

    @Override
    public void executorPeaks(String executorId, int stageId, int attempt, long[] values) {
      Peaks peaks = new Peaks();
      peaks.executorId = executorId;
      peaks.stageId = stageId;
      peaks.stageAttempt = attempt;
      peaks.metrics = values;
      events.add(peaks);
    }

    @Override
    public void sqlStart(SqlStart event) {
      events.add(event);
    }

    @Override
    public void sqlPlan(long executionId, PlanNode plan) {
      PlanUpdate update = new PlanUpdate();
      update.executionId = executionId;
      update.plan = plan;
      events.add(update);
    }

    @Override
    public void sqlDriverMetrics(long executionId, long[] pairs) {
      DriverMetrics metrics = new DriverMetrics();
      metrics.executionId = executionId;
      metrics.values = pairs;
      events.add(metrics);
    }

    @Override
    public void sqlEnd(SqlEnd event) {
      events.add(event);
    }

    @Override
    public void jobStart(JobStart event) {
      events.add(event);
    }

    @Override
    public void jobEnd(JobEnd event) {
      events.add(event);
    }

    @Override
    public void stageSubmitted(StageInfo info) {
      StageSubmitted event = new StageSubmitted();
      event.info = info;
      events.add(event);
    }

    @Override
    public void stageCompleted(StageInfo info) {
      StageCompleted event = new StageCompleted();
      event.info = info;
      events.add(event);
    }

    @Override
    public void streamStart(StreamStart event) {
      events.add(event);
    }

    @Override
    public void streamProgress(StreamProgress event) {
      events.add(event);
    }

    @Override
    public void streamEnd(StreamEnd event) {
      events.add(event);
    }

    @Override
    public void taskStart(TaskStart event) {
      events.add(event);
    }

    @Override
    public void taskEnd(TaskEnd event) {
      events.add(event);
    }
  }

  private static final Recorder AGAIN = new Recorder();
  private static final EventLogParser PARSER = new EventLogParser(AGAIN, "unnamed");

  private NeutralEvents() {}

  /** The events of a log, of each stage a few tasks only. */
  static List<Recorded> of(File log) throws IOException {
    List<Recorded> all = new ArrayList<>();
    Map<Long, List<Long>> tasks = new HashMap<>();
    for (byte[] line : RawLines.of(log, MAX_BYTES)) {
      for (Object event : read(line)) {
        if (isKept(event, tasks)) {
          all.add(new Recorded(event, line));
        }
      }
    }
    return all;
  }

  private static boolean isKept(Object event, Map<Long, List<Long>> tasks) {
    long stage;
    long task;
    if (event instanceof TaskStart start) {
      stage = OpenStages.key(start.stageId, start.stageAttempt);
      task = start.task.id;
    } else if (event instanceof TaskEnd end) {
      stage = OpenStages.key(end.stageId, end.stageAttempt);
      task = end.task.id;
    } else {
      return true;
    }
    List<Long> kept = tasks.computeIfAbsent(stage, id -> new ArrayList<>());
    if (!kept.contains(task) && kept.size() < TASKS_OF_STAGE) {
      kept.add(task);
    }
    return kept.contains(task);
  }

  private static List<Object> read(byte[] line) {
    AGAIN.events.clear();
    try {
      PARSER.parse(line, 0, line.length);
    } catch (IOException e) {
      // The last line of some, and of what is read of others, is cut.
      return List.of();
    }
    PARSER.end();
    return List.copyOf(AGAIN.events);
  }

  /** The same event once more, to be changed; null where the line holds several. */
  static Object copy(Recorded recorded) {
    List<Object> events = read(recorded.line);
    return events.size() == 1 ? events.get(0) : null;
  }

  static void tell(TraceModel model, Object event) {
    if (event instanceof TaskEnd end) {
      model.taskEnd(end);
    } else if (event instanceof TaskStart start) {
      model.taskStart(start);
    } else if (event instanceof StageSubmitted submitted) {
      model.stageSubmitted(submitted.info);
    } else if (event instanceof StageCompleted completed) {
      model.stageCompleted(completed.info);
    } else if (event instanceof JobStart start) {
      model.jobStart(start);
    } else if (event instanceof JobEnd end) {
      model.jobEnd(end);
    } else if (event instanceof SqlStart start) {
      model.sqlStart(start);
    } else if (event instanceof PlanUpdate update) {
      model.sqlPlan(update.executionId, update.plan);
    } else if (event instanceof DriverMetrics metrics) {
      model.sqlDriverMetrics(
          metrics.executionId, metrics.values == null ? new long[0] : metrics.values);
    } else if (event instanceof SqlEnd end) {
      model.sqlEnd(end);
    } else if (event instanceof StreamStart start) {
      model.streamStart(start);
    } else if (event instanceof StreamProgress progress) {
      model.streamProgress(progress);
    } else if (event instanceof StreamEnd end) {
      model.streamEnd(end);
    } else if (event instanceof DStreamBatch batch) {
      model.dstreamBatch(batch);
    } else if (event instanceof ReceiverError error) {
      model.receiverError(error);
    } else if (event instanceof ExecutorAdded added) {
      model.executorAdded(added);
    } else if (event instanceof ExecutorRemoved removed) {
      model.executorRemoved(removed.time, removed.id);
    } else if (event instanceof ResourceProfile profile) {
      model.resourceProfile(profile);
    } else if (event instanceof Peaks peaks) {
      model.executorPeaks(peaks.executorId, peaks.stageId, peaks.stageAttempt, peaks.metrics);
    } else if (event instanceof Environment environment) {
      model.environment(environment);
    } else if (event instanceof ApplicationStart start) {
      model.applicationStart(start);
    } else {
      ApplicationEnd end = (ApplicationEnd) event;
      model.applicationEnd(end.time, end.exitCode);
    }
  }
}
