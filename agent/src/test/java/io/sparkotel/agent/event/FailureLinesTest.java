package io.sparkotel.agent.event;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.Replayed;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each of Spark's end reasons as a log has it, down to what the event on the span says. */
class FailureLinesTest {

  private static final String ADDED =
      "{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":1500,\"Executor ID\":\"1\","
          + "\"Executor Info\":{\"Host\":\"worker-3\",\"Total Cores\":2,\"Log Urls\":{\"stdout\":"
          + "\"http://w3/out\",\"stderr\":\"http://w3/err\"},\"Attributes\":{\"CONTAINER_ID\":"
          + "\"c1\",\"POD_NAME\":\"pod-1\"},\"Resources\":{},\"Resource Profile Id\":0}}";

  @TempDir Path temp;

  private Replayed replay(String reason) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(7, Logs.taskEnd(0, 0, reason));
    lines.add(3, ADDED);
    Replayed log = Replayed.of(Logs.write(temp.resolve("log"), lines));
    assertThat(log.summary().problem).isNull();
    return log;
  }

  private static String attribute(EventData event, String key) {
    return event.getAttributes().asMap().entrySet().stream()
        .filter(entry -> entry.getKey().getKey().equals(key))
        .map(entry -> String.valueOf(entry.getValue()))
        .findFirst()
        .orElse(null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Reason\":\"ExceptionFailure\",\"Class Name\":\"org.apache.spark.SparkException\","
            + "\"Description\":\"[A_B.C] boom SQLSTATE: 22012\",\"Stack Trace\":[],\"Full Stack"
            + " Trace\":\"org.apache.spark.SparkException: [A_B.C] boom SQLSTATE: 22012\\n\\tat"
            + " a.B.c(B.java:1)\"} | org.apache.spark.SparkException | exception | A_B.C | 22012",
        "{\"Reason\":\"FetchFailed\",\"Block Manager Address\":{\"Executor ID\":\"1\",\"Host\":"
            + "\"worker-3\",\"Port\":4},\"Shuffle ID\":0,\"Map ID\":1,\"Map Index\":1,\"Reduce ID\":"
            + "2,\"Message\":\"lost\"} | FetchFailed | exception | |",
        "{\"Reason\":\"FetchFailed\",\"Shuffle ID\":0,\"Message\":\"no location\"} | FetchFailed |"
            + " exception | |",
        "{\"Reason\":\"ExecutorLostFailure\",\"Executor ID\":\"1\",\"Exit Caused By App\":true,"
            + "\"Loss Reason\":\"Command exited with code 52\"} | ExecutorLostFailure |"
            + " spark.executor.removed exception | |",
        "{\"Reason\":\"TaskResultLost\"} | TaskResultLost | exception | |",
        "{\"Reason\":\"UnknownReason\"} | UnknownReason | exception | |",
        "{\"Reason\":\"TaskKilled\",\"Kill Reason\":\"another attempt succeeded\","
            + "\"Accumulator Updates\":[]} | | | |",
        "{\"Reason\":\"TaskCommitDenied\",\"Job ID\":1,\"Partition ID\":2,\"Attempt Number\":0} |"
            + " | | |",
      })
  void whatAFailureTells(
      String reason, String errorType, String events, String errorClass, String sqlState)
      throws IOException {
    FinishedSpan task = replay(reason).task(0);
    assertThat(value(task, Names.ERROR_TYPE)).isEqualTo(errorType);
    assertThat(value(task, Names.ERROR_CLASS)).isEqualTo(errorClass);
    assertThat(value(task, Names.ERROR_SQL_STATE)).isEqualTo(sqlState);
    assertThat(task.getEvents())
        .extracting(EventData::getName)
        .containsExactly(events == null ? new String[0] : events.split(" "));
    boolean failed = errorType != null;
    assertThat(value(task, Names.EXECUTOR_LOG_URL)).isEqualTo(failed ? "http://w3/err" : null);
    assertThat(value(task, Names.EXECUTOR_STDOUT_URL)).isEqualTo(failed ? "http://w3/out" : null);
    assertThat(value(task, Names.EXECUTOR_POD)).isEqualTo(failed ? "pod-1" : null);
  }

  @Test
  void aFailedFetchNamesTheExecutorThatDidNotDeliver() throws IOException {
    EventData event =
        replay(
                "{\"Reason\":\"FetchFailed\",\"Block Manager Address\":{\"Executor ID\":\"1\","
                    + "\"Host\":\"worker-3\",\"Port\":4},\"Message\":\"lost\"}")
            .task(0)
            .getEvents()
            .get(0);
    assertThat(attribute(event, "exception.message")).isEqualTo("lost");
    assertThat(attribute(event, "spark.executor.id")).isEqualTo("1");
    assertThat(attribute(event, "spark.executor.host")).isEqualTo("worker-3");
    assertThat(attribute(event, "spark.executor.log_url")).isEqualTo("http://w3/err");
    assertThat(attribute(event, "spark.executor.pod")).isEqualTo("pod-1");
  }

  @Test
  void aLostExecutorSaysWhy() throws IOException {
    Replayed log =
        replay(
            "{\"Reason\":\"ExecutorLostFailure\",\"Executor ID\":\"1\",\"Exit Caused By App\":true,"
                + "\"Loss Reason\":\"Command exited with code 52\"}");
    for (FinishedSpan span : List.of(log.task(0), log.stage(0))) {
      EventData event = span.getEvents().get(0);
      assertThat(attribute(event, "spark.executor.id")).isEqualTo("1");
      assertThat(attribute(event, "spark.executor.loss_cause")).isEqualTo("jvm_out_of_memory");
      assertThat(attribute(event, "spark.executor.exit_code")).isEqualTo("52");
      assertThat(attribute(event, "spark.executor.stdout_url")).isEqualTo("http://w3/out");
    }
  }
}
