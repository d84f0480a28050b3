package io.sparkotel.agent.event;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.api.trace.StatusCode;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.Replayed;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventLogParserTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQL";

  @TempDir Path temp;

  private Replayed replay(List<String> lines) throws IOException {
    return Replayed.of(Logs.write(temp.resolve("log"), lines));
  }

  /** The small application with one line in place of another. */
  private Replayed replayWith(int index, String line) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(index, line);
    return replay(lines);
  }

  private Replayed replayWithTaskEnd(String line) throws IOException {
    return replayWith(7, line);
  }

  @Test
  void whatAnApplicationTells() throws IOException {
    Replayed log = replayWith(11, Logs.END.replace("}", ",\"ExitCode\":3}"));
    FinishedSpan application = log.application();
    assertThat(application.getStartEpochNanos()).isEqualTo(1_000_000_000L);
    assertThat(application.getEndEpochNanos()).isEqualTo(9_000_000_000L);
    assertThat(value(application, Names.SCALA_VERSION)).isEqualTo("2.12.18");
    assertThat(value(application, Names.MASTER)).isEqualTo("local[2]");
    assertThat(value(application, Names.EXIT_CODE)).isEqualTo(3L);
    assertThat(value(application, Names.JOBS_SUCCEEDED)).isEqualTo(1L);
    assertThat(application.getResource().getAttributes().asMap().toString())
        .contains("app-1", "demo", "ann", "3.5.1", "driver-7");
    assertThat(log.summary().problem).isNull();
    assertThat(log.summary().anomalies).isZero();
  }

  @Test
  void theExecutorsThatCameAndWent() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    for (String id : List.of("1", "2", "3")) {
      lines.add(
          3,
          "{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":1500,\"Executor ID\":\""
              + id
              + "\",\"Executor Info\":{\"Host\":\"h\",\"Total Cores\":2}}");
    }
    lines.add(
        8,
        "{\"Event\":\"SparkListenerExecutorRemoved\",\"Timestamp\":1600,\"Executor ID\":\"2\","
            + "\"Removed Reason\":\"lost\"}");
    Replayed log = replay(lines);
    assertThat(value(log.application(), Names.EXECUTORS_MAX)).isEqualTo(3L);
    assertThat(value(log.application(), Names.EXECUTORS_REMOVED)).isEqualTo(1L);
  }

  @Test
  void whatAJobTells() throws IOException {
    String start =
        Logs.jobStart(0, 0)
            .replace(
                "\"Properties\":{}",
                "\"Properties\":{\"spark.jobGroup.id\":\"nightly\",\"spark.job.description\":\"load\""
                    + ",\"spark.scheduler.pool\":\"p\",\"spark.job.tags\":\"a,b\",\"other\":null}");
    Replayed log = replayWith(3, start);
    FinishedSpan job = log.job(0);
    assertThat(value(job, Names.JOB_GROUP)).isEqualTo("nightly");
    assertThat(value(job, Names.JOB_DESCRIPTION)).isEqualTo("load");
    assertThat(value(job, Names.SCHEDULER_POOL)).isEqualTo("p");
    assertThat(value(job, Names.JOB_TAGS)).isEqualTo(List.of("a", "b"));
    assertThat(value(job, Names.JOB_RESULT)).isEqualTo("succeeded");
    assertThat(job.getStartEpochNanos()).isEqualTo(2_000_000_000L);
    assertThat(job.getEndEpochNanos()).isEqualTo(8_000_000_000L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "7", "[]", "\"x\""})
  void aJobWithoutProperties(String properties) throws IOException {
    Replayed log =
        replayWith(
            3, Logs.jobStart(0, 0).replace("\"Properties\":{}", "\"Properties\":" + properties));
    assertThat(log.summary().badLines).isZero();
    assertThat(value(log.job(0), Names.JOB_GROUP)).isNull();
    assertThat(log.spans()).hasSize(6);
  }

  @Test
  void aJobThatFailed() throws IOException {
    Replayed log =
        replayWith(
            10,
            "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":0,\"Completion Time\":8000,\"Job Result\":"
                + "{\"Result\":\"JobFailed\",\"Exception\":{\"Message\":\"Job aborted: boom\","
                + "\"Stack Trace\":[{\"Declaring Class\":\"a.B\"}]}}}");
    assertThat(log.job(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(log.job(0).getStatus().getDescription()).isEqualTo("Job aborted: boom");
  }

  /** Spark 1.0 to 1.2: no times of jobs, the ids of their stages alone, no accumulables. */
  @Test
  void spark1WithoutTimesOfJobs() throws IOException {
    List<String> lines =
        List.of(
            Logs.start("app-1"),
            "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":0,\"Stage IDs\":[0,null,\"x\"]}",
            Logs.submitted(0),
            Logs.taskStart(0, 0),
            Logs.taskEnd(0, 0),
            Logs.completed(0),
            "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":0,\"Job Result\":{\"Result\":"
                + "\"JobSucceeded\"}}",
            "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":1,\"Stage IDs\":[]}",
            "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":1,\"Job Result\":{\"Result\":"
                + "\"JobSucceeded\"}}",
            "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":2,\"Stage IDs\":[7]}");
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    assertThat(log.job(0).getStartEpochNanos()).isEqualTo(3_000_000_000L);
    assertThat(log.job(0).getEndEpochNanos()).isEqualTo(7_000_000_000L);
    assertThat(log.stage(0).getParentSpanId()).isEqualTo(log.job(0).getSpanId());
    assertThat(log.job(1).getStartEpochNanos()).isEqualTo(7_000_000_000L);
    assertThat(value(log.job(2), Names.INCOMPLETE)).isEqualTo(true);
    assertThat(log.summary().anomalies).isZero();
  }

  @Test
  void anApplicationWithoutIdHasTheNameOfItsLog() throws IOException {
    Replayed log = replayWith(2, Logs.start("app-1").replace("\"App ID\":\"app-1\",", ""));
    assertThat(log.summary().applicationId).isEqualTo("log");
  }

  @Test
  void aStageThatFailed() throws IOException {
    String failed =
        Logs.completed(0).replace("7000", "7000,\"Failure Reason\":\"Job aborted: in stage 0.0\"");
    Replayed log = replayWith(9, failed);
    FinishedSpan stage = log.stage(0);
    assertThat(value(stage, Names.STAGE_FAILURE_REASON)).isEqualTo("Job aborted: in stage 0.0");
    assertThat(stage.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(stage.getStartEpochNanos()).isEqualTo(3_000_000_000L);
    assertThat(stage.getEndEpochNanos()).isEqualTo(7_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Reason\":\"Success\"} | Success | UNSET |",
        "{\"Reason\":\"Resubmitted\"} | | |",
        "{\"Reason\":\"TaskKilled\",\"Kill Reason\":\"another attempt succeeded\"} | TaskKilled |"
            + " UNSET |",
        "{\"Reason\":\"TaskCommitDenied\",\"Job ID\":1} | TaskCommitDenied | UNSET |",
        "{\"Reason\":\"ExceptionFailure\",\"Class Name\":\"a.B\",\"Description\":\"boom\","
            + "\"Stack Trace\":[{}],\"Full Stack Trace\":\"a.B: boom\\n\\tat x\"} |"
            + " ExceptionFailure | ERROR | boom",
        "{\"Reason\":\"FetchFailed\",\"Block Manager Address\":{\"Host\":\"h\"},\"Message\":\"lost\"}"
            + " | FetchFailed | ERROR | lost",
        "{\"Reason\":\"ExecutorLostFailure\",\"Executor ID\":\"1\",\"Exit Caused By App\":true,"
            + "\"Loss Reason\":\"oom\"} | ExecutorLostFailure | ERROR | oom",
        "{\"Reason\":\"TaskResultLost\"} | TaskResultLost | ERROR | TaskResultLost",
        "{\"Reason\":\"UnknownReason\"} | UnknownReason | ERROR | UnknownReason",
        "{\"Reason\":\"OfSpark9\"} | UnknownReason | ERROR | UnknownReason",
        "{} | UnknownReason | ERROR | UnknownReason",
        "null | UnknownReason | ERROR | UnknownReason",
      })
  void howATaskCanEnd(String reason, String outcome, StatusCode status, String description)
      throws IOException {
    Replayed log = replayWithTaskEnd(Logs.taskEnd(0, 0, reason));
    assertThat(log.summary().problem).isNull();
    if (outcome == null) {
      // It ended before, and had its span then.
      assertThat(log.of(Entity.TASK)).hasSize(1);
      return;
    }
    FinishedSpan task = log.task(0);
    assertThat(value(task, Names.TASK_OUTCOME)).isEqualTo(outcome);
    assertThat(task.getStatus().getStatusCode()).isEqualTo(status);
    assertThat(task.getStatus().getDescription()).isEqualTo(description == null ? "" : description);
  }

  @Test
  void whatATaskTells() throws IOException {
    String end =
        Logs.taskEnd(0, 0)
            .replace("\"Partition ID\":0,", "\"Partition ID\":5,")
            .replace("\"Speculative\":false", "\"Speculative\":true")
            .replace("\"Getting Result Time\":0", "\"Getting Result Time\":5900")
            .replace(
                "\"Executor Run Time\":50",
                "\"Executor Run Time\":50,\"Executor CPU Time\":7000000,\"JVM GC Time\":3,"
                    + "\"Shuffle Read Metrics\":{\"Remote Bytes Read\":11,\"Local Bytes Read\":4,"
                    + "\"Total Records Read\":2,\"Push Based Shuffle\":{\"Merged Remote Bytes Read\""
                    + ":6}},\"Shuffle Write Metrics\":{\"Shuffle Bytes Written\":8},"
                    + "\"Output Metrics\":{\"Bytes Written\":9,\"Records Written\":1}");
    FinishedSpan task = replayWithTaskEnd(end).task(0);
    assertThat(task.getStartEpochNanos()).isEqualTo(4_000_000_000L);
    assertThat(task.getEndEpochNanos()).isEqualTo(6_000_000_000L);
    assertThat(value(task, Names.TASK_PARTITION)).isEqualTo(5L);
    assertThat(value(task, Names.TASK_SPECULATIVE)).isEqualTo(true);
    assertThat(value(task, Names.EXECUTOR_ID)).isEqualTo("1");
    assertThat(value(task, Names.EXECUTOR_HOST)).isEqualTo("worker-3");
    assertThat(value(task, Names.TASK_LOCALITY)).isEqualTo("ANY");
    assertThat(value(task, Names.TASK_GETTING_RESULT_TIME)).isEqualTo(100L);
    assertThat(task.getAttributes().asMap().values()).contains(50L, 7L, 15L, 11L, 4L, 8L, 9L);
  }

  /** Before Spark 3.3 there is no partition. */
  @Test
  void aTaskWithoutPartitionHasItsIndex() throws IOException {
    String end = Logs.taskEnd(0, 1).replace("\"Partition ID\":1,", "");
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(8, end);
    assertThat(value(replay(lines).task(1), Names.TASK_PARTITION)).isEqualTo(1L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"Task Metrics\":null", "\"Other\":{}", "\"Task Metrics\":[1]"})
  void metricsThatAreMissingAreAbsentAndNotZero(String instead) throws IOException {
    String whole = Logs.taskEnd(0, 0);
    String end = whole.substring(0, whole.indexOf("\"Task Metrics\"")) + instead + "}";
    Replayed log = replayWithTaskEnd(end);
    assertThat(log.summary().problem).isNull();
    assertThat(value(log.task(0), Names.TASK_METRICS_MISSING)).isEqualTo(true);
    assertThat(value(log.task(0), Names.TASK_SCHEDULER_DELAY)).isNull();
  }

  /** Its version, and events of its own that no other Spark has. */
  @Test
  void aLogOfEmr() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.replaceAll(
        line -> line.replace("\"Spark Version\":\"3.5.1", "\"Spark Version\":\"3.0.1-amzn-0"));
    String ui = "{\"Event\":\"org.apache.spark.sql.execution.ui.";
    lines.add(4, ui + "SparkListenerEffectiveSQLConf\",\"executionId\":0,\"sqlConf\":{}}");
    lines.add(8, ui + "SparkListenerQueryExecutionMetrics\",\"executionId\":0}");
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    assertThat(log.summary().anomalies).isZero();
    assertThat(log.summary().unknownEvents.values()).containsExactly(1L, 1L);
    assertThat(log.application().getResource().getAttributes().asMap().toString())
        .contains("spark.version=3.0.1-amzn-0");
    assertThat(value(log.application(), Names.TASKS_SUCCEEDED)).isEqualTo(2L);
  }

  /** The heap of a JVM is never 0: then nothing was sampled, wherever it stands. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "\"JVMHeapMemory\":5,\"OffHeapStorageMemory\":0,\"Unknown\":1 | 5 | 0",
        "\"OffHeapStorageMemory\":0,\"JVMHeapMemory\":5 | 5 | 0",
        "\"JVMHeapMemory\":5 | 5 | -",
        "\"JVMHeapMemory\":0,\"OffHeapStorageMemory\":3 | - | -",
        "\"JVMHeapMemory\":-1,\"OffHeapStorageMemory\":3 | - | -",
        "\"OffHeapStorageMemory\":3,\"JVMHeapMemory\":0 | - | -",
        "\"OffHeapStorageMemory\":3 | - | -",
        "'' | - | -",
      })
  void peaksOfTheExecutor(String metrics, Long heap, Long storage) throws IOException {
    String end = Logs.taskEnd(0, 0);
    int at = end.indexOf("\"Task Metrics\"");
    String peaks = "\"Task Executor Metrics\":{" + metrics + "},";
    Replayed log = replayWithTaskEnd(end.substring(0, at) + peaks + end.substring(at));
    assertThat(log.summary().problem).isNull();
    for (FinishedSpan span : List.of(log.task(0), log.stage(0), log.application())) {
      assertThat(value(span, ExecutorMetric.JVM_HEAP.attribute())).isEqualTo(heap);
      assertThat(value(span, ExecutorMetric.OFF_HEAP_STORAGE.attribute())).isEqualTo(storage);
    }
    assertThat(value(log.stage(0), ExecutorMetric.JVM_HEAP.holder()))
        .isEqualTo(heap == null ? null : "1");
  }

  @Test
  void peaksOfAStage() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.add(
        7,
        "{\"Event\":\"SparkListenerStageExecutorMetrics\",\"Executor ID\":\"2\",\"Stage ID\":0,"
            + "\"Stage Attempt ID\":0,\"Executor Metrics\":{\"JVMHeapMemory\":9}}");
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    for (FinishedSpan span : List.of(log.stage(0), log.application())) {
      assertThat(value(span, ExecutorMetric.JVM_HEAP.attribute())).isEqualTo(9L);
      assertThat(value(span, ExecutorMetric.JVM_HEAP.holder())).isEqualTo("2");
    }
  }

  @Test
  void aNumberThatNoLongHoldsIsAbsent() throws IOException {
    String end = Logs.taskEnd(0, 0).replace("50", "92233720368547758080");
    Replayed log = replayWithTaskEnd(end);
    assertThat(log.summary().problem).isNull();
    assertThat(value(log.task(0), Names.TASK_OUTCOME)).isEqualTo("Success");
    String digits = Logs.taskEnd(0, 0).replace("50", "9".repeat(100_000));
    assertThat(replayWithTaskEnd(digits).summary().problem).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SparkListenerTaskEnd | ,\"Stage ID\":0 | its task",
        "SparkListenerTaskEnd | ,\"Stage ID\":0,\"Task Info\":null | its task",
        "SparkListenerTaskEnd | ,\"Stage ID\":0,\"Task Info\":{} | its task",
        "SparkListenerTaskEnd | | its stage",
        "SparkListenerTaskStart | ,\"Stage ID\":0,\"Task Info\":[] | its task",
        "SparkListenerTaskStart | ,\"Task Info\":{\"Task ID\":1} | its stage",
        "SparkListenerStageSubmitted | | its stage",
        "SparkListenerStageSubmitted | ,\"Stage Info\":{} | its stage",
        "SparkListenerStageCompleted | ,\"Stage Info\":null | its stage",
        "SparkListenerJobStart | | its job",
        "SparkListenerJobEnd | ,\"Job ID\":\"x\" | its job",
        "SparkListenerExecutorAdded | | its executor",
        "SparkListenerExecutorRemoved | ,\"Executor ID\":null | its executor",
        "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart | | its execution",
        "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd | | its execution",
        "org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate |"
            + " ,\"executionId\":1 | its plan",
      })
  void anEventWithoutWhatItIsAboutIsCounted(String event, String fields, String missing)
      throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.add(6, "{\"Event\":\"" + event + "\"" + (fields == null ? "" : fields) + "}");
    Replayed log = replay(lines);
    assertThat(log.summary().badLines).isOne();
    assertThat(log.summary().problem)
        .isEqualTo(
            "a bad line: line 7: "
                + event.substring(event.lastIndexOf('.') + 1)
                + " without "
                + missing);
    assertThat(log.spans()).hasSize(6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SparkListenerTaskEnd",
        "SparkListenerTaskStart",
        "SparkListenerStageSubmitted",
        "SparkListenerStageCompleted",
        "SparkListenerJobStart",
        "SparkListenerJobEnd",
        "SparkListenerExecutorAdded",
        "SparkListenerExecutorRemoved",
        "SparkListenerLogStart",
        "SparkListenerEnvironmentUpdate",
        "SparkListenerApplicationStart",
        "SparkListenerApplicationEnd",
        SQL + "ExecutionStart",
        SQL + "AdaptiveExecutionUpdate",
        SQL + "ExecutionEnd",
      })
  void fieldsOfAnyTypeAreSurvived(String event) throws IOException {
    List<String> names =
        List.of(
            "Stage ID",
            "Stage Attempt ID",
            "Task Info",
            "Task Metrics",
            "Task End Reason",
            "Stage Info",
            "Stage Infos",
            "Stage IDs",
            "Job ID",
            "Job Result",
            "Properties",
            "Submission Time",
            "Completion Time",
            "Timestamp",
            "Executor ID",
            "Spark Version",
            "JVM Information",
            "Spark Properties",
            "App ID",
            "App Name",
            "ExitCode",
            "executionId",
            "rootExecutionId",
            "sparkPlanInfo",
            "description",
            "time",
            "errorMessage");
    for (String value :
        List.of(
            "null", "true", "1.5", "-7", "\"x\"", "[[1],{\"a\":[]},null]", "{\"a\":{\"b\":1}}")) {
      StringBuilder line = new StringBuilder("{\"Event\":\"" + event + "\"");
      for (String name : names) {
        line.append(",\"").append(name).append("\":").append(value);
      }
      List<String> lines = new ArrayList<>(Logs.small("app-1"));
      lines.add(9, line.append('}').toString());
      Replayed log = replay(lines);
      assertThat(log.summary().events).isEqualTo(13);
      String problem = String.valueOf(log.summary().problem);
      assertThat(problem).doesNotContain("Exception", "not JSON");
    }
  }

  @Test
  void whatIsUnknownIsCountedByName() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.add(3, "{\"Event\":\"com.example.Other\",\"a\":[{\"b\":\"c\"}]}");
    lines.add(3, "{\"Event\":\"com.example.Other\"}");
    lines.add(3, "{\"Event\":\"" + "n".repeat(1_000) + "\"}");
    for (int i = 0; i < 200; i++) {
      lines.add(3, "{\"Event\":\"other-" + i + "\"}");
    }
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    Map<String, Long> unknown = log.summary().unknownEvents;
    assertThat(unknown).hasSize(101).containsEntry("(others)", 103L);
    assertThat(unknown.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(203);
    assertThat(unknown.keySet()).allMatch(name -> name.length() <= 200);
  }

  /** Every object's fields the other way round, and in random orders. */
  @Test
  void theOrderOfFieldsIsOfNoConcern() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.addAll(9, sql());
    List<String> expected = replay(lines).printed();
    Random random = new Random(3);
    for (int i = 0; i < 20; i++) {
      List<String> shuffled = new ArrayList<>();
      for (String line : lines) {
        shuffled.add(JSON.writeValueAsString(shuffle(JSON.readTree(line), random)));
      }
      assertThat(replay(shuffled).printed()).isEqualTo(expected);
    }
  }

  @Test
  void whiteSpaceBetweenTokensIsOfNoConcern() throws IOException {
    List<String> spaced = new ArrayList<>();
    for (String line : Logs.small("app-1")) {
      String pretty = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(line));
      spaced.add(pretty.replace("\n", " "));
    }
    assertThat(replay(spaced).printed()).isEqualTo(replay(Logs.small("app-1")).printed());
  }

  private static JsonNode shuffle(JsonNode node, Random random) {
    if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        ((com.fasterxml.jackson.databind.node.ArrayNode) node).set(i, shuffle(node.get(i), random));
      }
    }
    if (!node.isObject()) {
      return node;
    }
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    Collections.shuffle(names, random);
    ObjectNode shuffled = JSON.createObjectNode();
    names.forEach(name -> shuffled.set(name, shuffle(node.get(name), random)));
    return shuffled;
  }

  private static List<String> sql() {
    return List.of(
        "{\"Event\":\""
            + SQL
            + "ExecutionStart\",\"executionId\":4,\"rootExecutionId\":4,\"description\":\"count at"
            + " App.scala:9\",\"details\":\"org.Spark.count\\nApp.main(App.scala:9)\","
            + "\"physicalPlanDescription\":\"== Plan ==\",\"sparkPlanInfo\":{\"nodeName\":\"Root\","
            + "\"simpleString\":\"Root [a#1]\",\"children\":[{\"nodeName\":\"Scan\","
            + "\"simpleString\":\"Scan x\",\"children\":[],\"metadata\":{\"a\":\"b\"},\"metrics\":[{"
            + "\"name\":\"rows\"}]}],\"metadata\":{},\"metrics\":[]},\"time\":3000,"
            + "\"modifiedConfigs\":{}}",
        "{\"Event\":\""
            + SQL
            + "AdaptiveExecutionUpdate\",\"executionId\":4,\"physicalPlanDescription\":\"\","
            + "\"sparkPlanInfo\":{\"nodeName\":\"Final\",\"simpleString\":\"Final x\",\"children\":[],"
            + "\"metadata\":{},\"metrics\":[]}}",
        "{\"Event\":\""
            + SQL
            + "ExecutionEnd\",\"executionId\":4,\"time\":5000,\"errorMessage\":\"\"}");
  }

  @Test
  void whatASqlExecutionTells() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.addAll(3, sql());
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    FinishedSpan sql = log.sql(4);
    assertThat(value(sql, Names.SQL_DESCRIPTION)).isEqualTo("count at App.scala:9");
    assertThat(String.valueOf(value(sql, Names.SQL_PLAN))).contains("Final").doesNotContain("Scan");
    assertThat(sql.getStartEpochNanos()).isEqualTo(3_000_000_000L);
    assertThat(sql.getEndEpochNanos()).isEqualTo(5_000_000_000L);
    assertThat(sql.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    lines.set(
        5, lines.get(5).replace("\"errorMessage\":\"\"", "\"errorMessage\":\"no such table\""));
    FinishedSpan failed = replay(lines).sql(4);
    assertThat(failed.getStatus().getDescription()).isEqualTo("no such table");
  }

  /** Deeper than any stack: nothing in the parser may recurse that far. */
  @Test
  void aPlanOfManyLevels() throws IOException {
    int depth = 20_000;
    String plan =
        "{\"nodeName\":\"N\",\"simpleString\":\"N\",\"children\":[".repeat(depth)
            + "{\"nodeName\":\"Leaf\"}"
            + "]}".repeat(depth);
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    List<String> sql = sql();
    lines.add(
        3,
        "{\"Event\":\""
            + SQL
            + "ExecutionStart\",\"executionId\":4,\"time\":3000,\"sparkPlanInfo\":"
            + plan
            + "}");
    lines.add(4, sql.get(2));
    Replayed log = replay(lines);
    assertThat(log.summary().problem).isNull();
    assertThat(String.valueOf(value(log.sql(4), Names.SQL_PLAN)))
        .startsWith("N")
        .doesNotContain("Leaf");
  }

  @Test
  void databricksTellsItsVersionInAnEventOfItsOwn() throws IOException {
    Replayed log =
        replayWith(
            0, "{\"Event\":\"DBCEventLoggingListenerMetadata\",\"Spark Version\":\"3.1.2\"}");
    assertThat(log.application().getResource().getAttributes().asMap().toString())
        .contains("3.1.2");
    assertThat(log.summary().unknownEvents).isEmpty();
  }
}
