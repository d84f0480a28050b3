package io.sparkotel.agent.replay;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamNames;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The corpus of real logs: its counts, and what is out of order in it, each with its result. */
class CorpusTest {

  private static final List<Map<String, String>> MANIFEST = new ArrayList<>();
  private static final Map<String, Replayed> REPLAYED = new HashMap<>();

  @BeforeAll
  static void readManifest() throws IOException {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
    List<String> lines = Files.readAllLines(new File(Logs.corpus(), "manifest.tsv").toPath());
    String[] names = lines.get(0).split("\t", -1);
    for (String line : lines.subList(1, lines.size())) {
      String[] values = line.split("\t", -1);
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < names.length; i++) {
        row.put(names[i], values[i]);
      }
      MANIFEST.add(row);
    }
    assertThat(MANIFEST).hasSize(16);
  }

  static List<String> files() {
    return MANIFEST.stream().map(row -> row.get("file")).toList();
  }

  private static Replayed log(String file) throws IOException {
    Replayed replayed = REPLAYED.get(file);
    if (replayed == null) {
      replayed = Replayed.of(new File(Logs.corpus(), file));
      REPLAYED.put(file, replayed);
    }
    return replayed;
  }

  private static long number(String file, String column) {
    return MANIFEST.stream()
        .filter(row -> row.get("file").equals(file))
        .map(row -> Long.parseLong(row.get(column)))
        .findFirst()
        .orElseThrow();
  }

  private static long anomaly(String file, String name) {
    String all =
        MANIFEST.stream()
            .filter(row -> row.get("file").equals(file))
            .map(row -> row.get("anomalies"))
            .findFirst()
            .orElseThrow();
    for (String one : all.split(" ")) {
      if (one.startsWith(name + "=")) {
        return Long.parseLong(one.substring(name.length() + 1));
      }
    }
    return 0;
  }

  private static long count(List<FinishedSpan> spans, Attribute attribute, Object... values) {
    return spans.stream().filter(span -> Set.of(values).contains(orNone(span, attribute))).count();
  }

  private static Object orNone(FinishedSpan span, Attribute attribute) {
    Object value = value(span, attribute);
    return value == null ? "none" : value;
  }

  @ParameterizedTest
  @MethodSource("files")
  void countsAreThoseOfTheManifest(String file) throws IOException {
    Replayed log = log(file);
    assertThat(log.summary().problem).isNull();
    assertThat(log.summary().events).isEqualTo(number(file, "lines"));
    assertThat(log.summary().badLines).isEqualTo(number(file, "bad_lines"));
    assertThat(log.of(Entity.APPLICATION)).hasSize(1);
    assertThat(log.of(Entity.STARTED))
        .filteredOn(marker -> value(marker, StreamNames.RUN_ID) == null)
        .hasSize(1);
    assertThat(log.of(Entity.SQL)).hasSize((int) number(file, "sql_execs"));
    assertThat(log.of(Entity.JOB)).hasSize((int) number(file, "jobs"));
    assertThat(log.of(Entity.STAGE)).hasSize((int) number(file, "stages_submitted"));
    long openTasks = anomaly(file, "open_tasks_at_eof");
    List<FinishedSpan> tasks = log.of(Entity.TASK);
    assertThat((long) tasks.size())
        .isEqualTo(number(file, "tasks_ended") - number(file, "resubmitted") + openTasks);
    assertThat(count(tasks, Names.TASK_OUTCOME, "none")).isEqualTo(openTasks);
    assertThat(count(tasks, Names.TASK_OUTCOME, "TaskKilled"))
        .isEqualTo(number(file, "tasks_killed"));
    assertThat(
            count(
                tasks,
                Names.TASK_OUTCOME,
                "ExceptionFailure",
                "FetchFailed",
                "ExecutorLostFailure",
                "TaskCommitDenied",
                "TaskResultLost",
                "UnknownReason"))
        .isEqualTo(number(file, "tasks_failed"));
    assertThat(count(tasks, Names.TASK_OUTCOME, "FetchFailed"))
        .isEqualTo(number(file, "fetch_failed"));
    assertThat(count(tasks, Names.TASK_SPECULATIVE, true))
        .isEqualTo(number(file, "tasks_speculative"));
    assertThat(count(log.of(Entity.JOB), Names.JOB_RESULT, "failed", "cancelled"))
        .isEqualTo(number(file, "jobs_failed"));
    assertThat(
            log.of(Entity.STAGE).stream()
                .filter(stage -> value(stage, Names.STAGE_FAILURE_REASON) != null))
        .hasSize((int) number(file, "stages_failed"));
    assertThat(
            log.of(Entity.STAGE).stream()
                .filter(stage -> ((Long) value(stage, Names.STAGE_ATTEMPT)) > 0))
        .hasSize((int) number(file, "stage_retries"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void sumsOfTheApplicationAreThoseOfTheManifest(String file) throws IOException {
    FinishedSpan application = log(file).application();
    assertThat(value(application, Names.JOBS_TOTAL)).isEqualTo(number(file, "jobs"));
    assertThat(value(application, Names.STAGES_TOTAL)).isEqualTo(number(file, "stages_submitted"));
    assertThat(value(application, Names.STAGES_FAILED)).isEqualTo(number(file, "stages_failed"));
    assertThat(value(application, Names.STAGES_RETRIED)).isEqualTo(number(file, "stage_retries"));
    assertThat(value(application, Names.TASKS_TOTAL)).isEqualTo(number(file, "tasks_ended"));
    // As Spark counts them, a resubmitted task is a failed one.
    assertThat(value(application, Names.TASKS_FAILED))
        .isEqualTo(number(file, "tasks_failed") + number(file, "resubmitted"));
    assertThat(value(application, Names.TASKS_KILLED)).isEqualTo(number(file, "tasks_killed"));
    assertThat(value(application, Names.EXECUTORS_REMOVED)).isEqualTo(number(file, "exec_removed"));
    assertThat(value(application, Names.INCOMPLETE))
        .isEqualTo(number(file, "app_ends") == 0 ? true : null);
  }

  @ParameterizedTest
  @MethodSource("files")
  void everySpanHasAParentInTheSameTraceAndAnOwnId(String file) throws IOException {
    Replayed log = log(file);
    Set<String> ids = new HashSet<>();
    log.spans().forEach(span -> ids.add(span.getSpanId()));
    assertThat(ids).hasSameSizeAs(log.spans());
    Map<String, String> traceIds = new HashMap<>();
    log.spans().forEach(span -> traceIds.put(span.getSpanId(), span.getTraceId()));
    long year2014 = 1_400_000_000_000_000_000L;
    assertThat(
            log.spans().stream()
                .filter(
                    span ->
                        span.getStartEpochNanos() < year2014
                            || span.getEndEpochNanos() < span.getStartEpochNanos()
                            || !isAtHome(span, traceIds))
                .map(Replayed::print))
        .isEmpty();
  }

  /** In its parent's trace; of a streaming query batches and markers are roots of others. */
  private static boolean isAtHome(FinishedSpan span, Map<String, String> traceIds) {
    boolean marker = span.entity() == Entity.STARTED && value(span, StreamNames.RUN_ID) != null;
    boolean root = marker || Set.of(Entity.APPLICATION, Entity.BATCH).contains(span.entity());
    return root
        ? !span.getParentSpanContext().isValid()
        : span.getTraceId().equals(traceIds.get(span.getParentSpanId()));
  }

  @Test
  void jobsWithoutPropertiesAndTimes() throws IOException {
    Replayed log = log("spark1-null-properties-failed-job.zstd");
    assertThat(log.summary().anomalies).isZero();
    for (FinishedSpan job : log.of(Entity.JOB)) {
      assertThat(value(job, Names.JOB_GROUP)).isNull();
      assertThat(job.getParentSpanId()).isEqualTo(log.application().getSpanId());
    }
    FinishedSpan failed = log.job(1);
    assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    // The log tells no times of jobs, nor of the submission of stages: that of the event before.
    assertThat(failed.getStartEpochNanos()).isEqualTo(log.job(0).getEndEpochNanos());
    assertThat(failed.getEndEpochNanos()).isEqualTo(log.stage(2).getEndEpochNanos());
  }

  @Test
  void aSpeculativeTaskThatIsKilledAfterItsStageWasCompleted() throws IOException {
    Replayed log = log("spark3.1-speculation.zstd");
    assertThat(log.summary().anomalies).isZero();
    FinishedSpan stage = log.of(Entity.STAGE).get(0);
    FinishedSpan killed =
        log.of(Entity.TASK).stream()
            .filter(task -> "TaskKilled".equals(value(task, Names.TASK_OUTCOME)))
            .findFirst()
            .orElseThrow();
    assertThat(killed.getParentSpanId()).isEqualTo(stage.getSpanId());
    assertThat(killed.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(killed.getEndEpochNanos()).isGreaterThan(stage.getEndEpochNanos());
    assertThat(value(stage, Names.TASKS_TOTAL)).isEqualTo(5L);
    assertThat(value(stage, Names.TASKS_KILLED)).isEqualTo(1L);
    assertThat(value(stage, Names.TASKS_SPECULATIVE)).isEqualTo(1L);
    assertThat(stage.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void stagesThatWereSkipped() throws IOException {
    assertThat(value(log("spark3.3-aqe-skipped-stages.zstd").application(), Names.STAGES_SKIPPED))
        .isEqualTo(6L);
    assertThat(value(log("spark3.5-13504-tasks.zstd").application(), Names.STAGES_SKIPPED))
        .isEqualTo(13L);
    assertThat(value(log("spark3.2-dynamic-allocation.zstd").application(), Names.STAGES_SKIPPED))
        .isEqualTo(25L);
  }

  @Test
  void executionsWithoutJobsHaveASpan() throws IOException {
    Replayed log = log("spark3.1-structured-streaming.zstd");
    List<FinishedSpan> executions = log.of(Entity.SQL);
    assertThat(count(executions, Names.JOBS_TOTAL, 0L)).isEqualTo(16);
    assertThat(count(log("spark3.5-13504-tasks.zstd").of(Entity.SQL), Names.JOBS_TOTAL, 0L))
        .isEqualTo(24);
    assertThat(
            count(
                log("databricks3.1-no-application-end.zstd").of(Entity.SQL), Names.JOBS_TOTAL, 0L))
        .isEqualTo(4);
  }

  /** Five jobs whose start was dropped, two executors lost, and what came of it. */
  @Test
  void droppedEventsAndLostExecutors() throws IOException {
    Replayed log = log("spark3.1-dropped-events-lost-executors.zstd");
    FinishedSpan application = log.application();
    // The end of each job without a start, and each stage of it.
    assertThat(value(application, Names.ANOMALIES)).isEqualTo(10L);
    assertThat(log.of(Entity.STAGE).stream().filter(stage -> value(stage, Names.JOB_ID) == null))
        .hasSize(5)
        .allMatch(stage -> stage.getParentSpanId().equals(application.getSpanId()));
    assertThat(value(application, Names.TASKS_TOTAL)).isEqualTo(8630L);
    assertThat(log.of(Entity.TASK)).hasSize(8580);
    assertThat(
            log.of(Entity.STAGE).stream()
                .flatMap(stage -> stage.getEvents().stream())
                .map(EventData::getName)
                .filter(name -> name.contains("resubmitted")))
        .hasSizeBetween(1, 50);
    // Those that were resubmitted have the metrics of their first end; the lost ones have none.
    assertThat(count(log.of(Entity.TASK), Names.TASK_METRICS_MISSING, true))
        .isEqualTo(number("spark3.1-dropped-events-lost-executors.zstd", "null_task_metrics") - 50);
    assertThat(
            log.of(Entity.STAGE).stream()
                .filter(stage -> value(stage, Names.STAGE_FAILURE_REASON) != null))
        .hasSize(1);
  }

  /** One SQL execution ended while its job went on: the job is its child all the same. */
  @Test
  void anExecutionThatEndsBeforeItsJob() throws IOException {
    String file = "spark3.1-dropped-events-lost-executors.zstd";
    Replayed log = log(file);
    Map<Long, Long> executions = new HashMap<>();
    log.of(Entity.JOB).stream()
        .filter(job -> value(job, Names.SQL_EXECUTION_ID) != null)
        .forEach(
            job ->
                executions.put(
                    (Long) value(job, Names.JOB_ID), (Long) value(job, Names.SQL_EXECUTION_ID)));
    Set<Long> ended = new HashSet<>();
    List<Long> late = new ArrayList<>();
    for (byte[] line : RawLines.of(new File(Logs.corpus(), file))) {
      JsonNode event = new ObjectMapper().readTree(line);
      if (event.get("Event").textValue().endsWith("SQLExecutionEnd")) {
        ended.add(event.get("executionId").longValue());
      } else if (event.get("Event").textValue().endsWith("JobEnd")) {
        long job = event.get("Job ID").longValue();
        if (executions.containsKey(job) && ended.contains(executions.get(job))) {
          late.add(job);
        }
      }
    }
    assertThat(late).hasSize(1);
    FinishedSpan sql = log.sql(executions.get(late.get(0)));
    assertThat(log.job(late.get(0)).getParentSpanId()).isEqualTo(sql.getSpanId());
    assertThat(sql.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat((Long) value(sql, Names.JOBS_TOTAL)).isPositive();
  }

  @Test
  void aLogThatIsCut() throws IOException {
    Replayed log = log("spark3.1-truncated.zstd");
    long end = log.application().getEndEpochNanos();
    assertThat(count(log.of(Entity.TASK), Names.INCOMPLETE, true)).isEqualTo(3);
    assertThat(count(log.of(Entity.STAGE), Names.INCOMPLETE, true)).isEqualTo(2);
    assertThat(count(log.of(Entity.JOB), Names.INCOMPLETE, true)).isEqualTo(1);
    assertThat(count(log.of(Entity.SQL), Names.INCOMPLETE, true)).isEqualTo(1);
    assertThat(log.spans())
        .filteredOn(span -> Boolean.TRUE.equals(value(span, Names.INCOMPLETE)))
        .hasSize(8)
        .allMatch(span -> span.getEndEpochNanos() == end)
        .allMatch(span -> span.getStatus().getStatusCode() == StatusCode.UNSET);
    assertThat(end)
        .isEqualTo(log.spans().stream().mapToLong(FinishedSpan::getEndEpochNanos).max().orElse(0));
  }

  @Test
  void onlyTheUnfinishedOfALogThatIsCut() throws IOException {
    EventLog file = EventLog.at(new File(Logs.corpus(), "spark3.1-truncated.zstd")).get(0);
    Replayed open = Replayed.of(file, Logs.config(), true);
    assertThat(open.spans()).hasSize(8);
    assertThat(open.spans()).allMatch(span -> Boolean.TRUE.equals(value(span, Names.INCOMPLETE)));
  }

  @Test
  void anAttemptThatFailed() throws IOException {
    Replayed log = log("spark4.1-failed-job-attempt-1.zstd");
    assertThat(log.summary().anomalies).isZero();
    assertThat(log.application().getResource().getAttributes().asMap().toString())
        .contains("application_1713000000000_0001_1");
    List<FinishedSpan> failed =
        log.of(Entity.SQL).stream()
            .filter(sql -> sql.getStatus().getStatusCode() == StatusCode.ERROR)
            .toList();
    assertThat(failed).hasSize(1);
    assertThat(
            log.of(Entity.JOB).stream()
                .filter(job -> job.getStatus().getStatusCode() == StatusCode.ERROR))
        .hasSize(1)
        .allMatch(job -> job.getParentSpanId().equals(failed.get(0).getSpanId()));
  }

  @Test
  void databricksTellsItsVersion() throws IOException {
    Replayed log = log("databricks3.1-no-application-end.zstd");
    assertThat(log.summary().anomalies).isZero();
    assertThat(value(log.application(), Names.INCOMPLETE)).isEqualTo(true);
    assertThat(log.application().getResource().getAttributes().asMap().toString())
        .contains("3.1.2");
  }
}
