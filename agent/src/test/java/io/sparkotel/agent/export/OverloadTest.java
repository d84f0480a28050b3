package io.sparkotel.agent.export;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks end for ten minutes faster than a collector takes their spans, by the times of the events:
 * the collector answers when the test tells it to.
 */
@Timeout(120)
class OverloadTest {

  private static final long EPOCH = 1_700_000_000_000L;
  private static final long NEVER = 3_600_000;
  private static final long GENEROUS = 60_000;
  private static final long BUFFER = 4 << 20;

  private static final int TASKS_PER_SECOND = 200;
  private static final int STAGE_SECONDS = 2;

  /** A batch of at most 512 spans for 1,000 tasks. */
  private static final int ANSWER_SECONDS = 5;

  private final BlockingQueue<CompletableResultCode> underWay = new LinkedBlockingQueue<>();
  private final Set<String> received = Collections.synchronizedSet(new HashSet<>());
  private final List<String> structureMade = new ArrayList<>();
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean quick;
  private final Pipeline pipeline = new Pipeline(Collector::new, BUFFER, log::add, NEVER, 1);
  private final TraceModel model =
      new TraceModel(
          AgentConfig.load(
              new ConfigSources(Map.of(), "otel.spark.tasks=all", Map.of(), Map.of(), null)),
          AttributeList.builder().build(),
          this::offer);
  private long made;
  private long mostHeld;
  private int seconds;
  private long nextTask;

  @AfterEach
  void shutdown() {
    pipeline.shutdown();
  }

  private void offer(FinishedSpan span) {
    made++;
    if (span.entity().isStructure()) {
      structureMade.add(span.getSpanId());
    }
    pipeline.offer(span);
    mostHeld = Math.max(mostHeld, pipeline.heldBytes());
  }

  /** Holds its answers back until it is quick, or told to give one. */
  private final class Collector implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      List<String> ids = spans.stream().map(SpanData::getSpanId).toList();
      CompletableResultCode answer = new CompletableResultCode();
      answer.whenComplete(
          () -> {
            if (answer.isSuccess()) {
              received.addAll(ids);
            }
          });
      synchronized (underWay) {
        if (quick) {
          answer.succeed();
        } else {
          underWay.add(answer);
        }
      }
      return answer;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private CompletableResultCode nextUnderWay() throws InterruptedException {
    CompletableResultCode answer = underWay.poll(60, SECONDS);
    assertThat(answer).as("a batch that waits for its answer").isNotNull();
    return answer;
  }

  private void becomeQuick() {
    synchronized (underWay) {
      quick = true;
      underWay.forEach(CompletableResultCode::succeed);
      underWay.clear();
    }
  }

  private void start() {
    model.environment(new Environment("3.5.9", "2.12.18", Map.of("spark.master", "local[2]")));
    model.applicationStart(new ApplicationStart("app-1", null, "report", "ann", EPOCH));
    pipeline.start();
  }

  /** Of events: a job of one stage after the other. */
  private void second() {
    int stage = seconds / STAGE_SECONDS;
    long time = EPOCH + 1_000L * seconds;
    if (seconds % STAGE_SECONDS == 0) {
      StageInfo info = stageInfo(stage, time);
      model.jobStart(new JobStart(stage, time, List.of(info), new JobProperties(Map.of())));
      model.stageSubmitted(info);
    }
    for (int i = 0; i < TASKS_PER_SECOND; i++) {
      task(stage, time + i);
    }
    seconds++;
    if (seconds % STAGE_SECONDS == 0) {
      StageInfo info = stageInfo(stage, time);
      info.completionTime = time + 999;
      model.stageCompleted(info);
      model.jobEnd(new JobEnd(stage, time + 999, true, null));
    }
  }

  private static StageInfo stageInfo(int id, long time) {
    StageInfo info = new StageInfo();
    info.id = id;
    info.name = "count at Report.java:31";
    info.details = "com.acme.Report.count(Report.java:31)";
    info.tasks = STAGE_SECONDS * TASKS_PER_SECOND;
    info.submissionTime = time;
    return info;
  }

  private void task(int stage, long time) {
    TaskStart start = new TaskStart();
    start.stageId = stage;
    start.task = taskInfo(time);
    model.taskStart(start);
    TaskEnd end = new TaskEnd();
    end.stageId = stage;
    end.task = taskInfo(time);
    end.task.finishTime = time + 1;
    end.reason = EndReason.SUCCESS;
    end.metrics = new long[TaskMetric.COUNT];
    model.taskEnd(end);
    nextTask++;
  }

  private TaskInfo taskInfo(long time) {
    TaskInfo info = new TaskInfo();
    info.id = nextTask;
    info.index = (int) (nextTask % (STAGE_SECONDS * TASKS_PER_SECOND));
    info.launchTime = time;
    info.executorId = "1";
    info.host = "host-1";
    info.locality = "PROCESS_LOCAL";
    return info;
  }

  private void assertCounted() {
    assertThat(pipeline.counts().exported() + pipeline.counts().dropped()).isEqualTo(made);
    assertThat(received).hasSize((int) pipeline.counts().exported());
    assertThat(pipeline.heldBytes()).isZero();
  }

  @Test
  void structureIsKeptAndAllIsSentAgainOnceTheCollectorIsQuick() throws Exception {
    start();
    int slow = 10 * 60;
    int answers = 0;
    while (seconds < slow) {
      second();
      if (seconds % ANSWER_SECONDS == 0) {
        CompletableResultCode answer = nextUnderWay();
        // Three in a row of ten fail, as of a collector that is short of memory.
        if (answers++ % 10 < 3) {
          answer.failExceptionally(new Exception("of the SDK", busy()));
        } else {
          answer.succeed();
        }
      }
    }
    assertThat(mostHeld).isBetween(BUFFER - 10_000, BUFFER);
    long droppedTasks = pipeline.counts().droppedTasks();
    // 120,000 tasks; of 120 answers 84 are of at most 512 spans each.
    assertThat(droppedTasks).isBetween(120_000L - 84 * 512 - BUFFER / 1_000, 120_000L);
    assertThat(pipeline.counts().droppedStructure()).isZero();

    becomeQuick();
    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isTrue();
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(droppedTasks);
    assertCounted();
    assertThat(received).containsAll(structureMade);

    // As before the overload: whoever waits for room, as this test does, loses nothing.
    long madeBefore = made;
    long exportedBefore = pipeline.counts().exported();
    while (seconds < slow + 60) {
      assertThat(pipeline.awaitRoom(GENEROUS, GENEROUS)).isTrue();
      second();
    }
    model.closeOpen();
    offer(model.application(Outcome.UNKNOWN, null, List.of()));
    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isTrue();
    assertThat(pipeline.counts().exported() - exportedBefore).isEqualTo(made - madeBefore);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(droppedTasks);
    assertCounted();
    assertThat(received).containsAll(structureMade);
    assertThat(structureMade).hasSize(1 + 2 * (slow + 60) / STAGE_SECONDS + 1);
    assertThat(log)
        .containsExactly("cannot send spans, trying again: HTTP 503", "spans are sent again");
  }

  /** What does not fit is lost by kind, tasks first; the last word is the same. */
  @Test
  void behindACollectorThatNeverAnswersStructureIsLostLast() throws Exception {
    start();
    int stages = 0;
    while (pipeline.counts().droppedStructure() == 0) {
      second();
      stages = seconds / STAGE_SECONDS;
      assertThat(stages).isLessThan(20_000);
    }
    assertThat(mostHeld).isLessThanOrEqualTo(BUFFER);
    // Only those that were under way when it filled up are held besides structure.
    CompletableResultCode first = nextUnderWay();
    long tasksHeld = nextTask - pipeline.counts().droppedTasks();
    assertThat(tasksHeld).isLessThanOrEqualTo(Pipeline.MAX_BATCH_SPANS);
    assertThat(pipeline.counts().droppedStructure()).isLessThanOrEqualTo(2);

    first.succeed();
    becomeQuick();
    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isTrue();
    assertCounted();
    assertThat(received.stream().filter(structureMade::contains).count())
        .isEqualTo(structureMade.size() - pipeline.counts().droppedStructure());
  }

  private static ExportFailure busy() {
    return ExportFailure.http(Otlp.answer(503));
  }
}
