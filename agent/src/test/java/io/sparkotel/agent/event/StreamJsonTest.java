package io.sparkotel.agent.event;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.Replayed;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of event logs that tell of streaming queries; those of real ones are in the corpus. */
class StreamJsonTest {

  private static final String EVENT =
      "{\"Event\":\"org.apache.spark.sql.streaming.StreamingQueryListener$Query";
  private static final String IDS = "\"id\":\"q\",\"runId\":\"r\"";

  @TempDir Path temp;

  private Replayed replay(String... events) throws IOException {
    List<String> lines =
        new ArrayList<>(List.of(Logs.LOG_START, Logs.ENVIRONMENT, Logs.start("app-1")));
    lines.addAll(List.of(events));
    lines.add(Logs.END);
    return Replayed.of(Logs.write(temp.resolve("log"), lines));
  }

  @Test
  void aQueryOfSpark4() throws IOException {
    Replayed log =
        replay(
            EVENT
                + "StartedEvent\","
                + IDS
                + ",\"name\":\"orders\",\"timestamp\":\"1970-01-01T00:00:02Z\",\"jobTags\":[]}",
            EVENT
                + "ProgressEvent\",\"progress\":{"
                + IDS
                + ",\"name\":\"orders\",\"timestamp\":\"1970-01-01T00:00:03Z\",\"batchId\":0,"
                + "\"durationMs\":{\"addBatch\":5,\"triggerExecution\":40},\"eventTime\":{\"watermark\":"
                + "\"1970-01-01T00:00:00.000Z\"},\"stateOperators\":[{\"operatorName\":\"dedupe\","
                + "\"numRowsTotal\":3,\"numRowsUpdated\":2,\"allUpdatesTimeMs\":1,\"numRowsRemoved\":1,"
                + "\"commitTimeMs\":7,\"memoryUsedBytes\":9,\"numRowsDroppedByWatermark\":4,"
                + "\"customMetrics\":{\"a\":1}},7],\"sources\":[{\"description\":\"Memory\","
                + "\"startOffset\":null,\"endOffset\":\"0\",\"latestOffset\":\"0\",\"numInputRows\":3,"
                + "\"inputRowsPerSecond\":\"NaN\",\"processedRowsPerSecond\":1.5,\"metrics\":{}},7],"
                + "\"sink\":{\"description\":\"Sink\",\"numOutputRows\":2,\"metrics\":{}}}}",
            EVENT + "IdleEvent\"," + IDS + ",\"timestamp\":\"1970-01-01T00:00:04.500Z\"}",
            EVENT
                + "TerminatedEvent\","
                + IDS
                + ",\"exception\":\"a.B: x\\n\\tat a.B.c(B.java:1)\"}");
    assertThat(log.summary().badLines).isZero();
    FinishedSpan batch = log.of(Entity.BATCH).get(0);
    assertThat(batch.getStartEpochNanos()).isEqualTo(3_000_000_000L);
    assertThat(batch.getEndEpochNanos()).isEqualTo(3_040_000_000L);
    assertThat(value(batch, StreamMetric.PROCESSED_RATE.attribute())).isEqualTo(1.5);
    assertThat(value(batch, StreamMetric.INPUT_RATE.attribute())).isNull();
    assertThat(value(batch, StreamMetric.OUTPUT_ROWS.attribute())).isEqualTo(2L);
    assertThat(value(batch, StreamNames.STATE_OPERATORS))
        .isEqualTo(
            List.of(
                "dedupe: rows 3, updated 2, removed 1, dropped by watermark 4, memory 9 B,"
                    + " commit 7 ms"));
    FinishedSpan query = log.of(Entity.QUERY).get(0);
    assertThat(query.getStartEpochNanos()).isEqualTo(2_000_000_000L);
    assertThat(query.getEndEpochNanos()).isEqualTo(4_500_000_000L);
    assertThat(value(query, StreamMetric.IDLE_TRIGGERS.attribute())).isEqualTo(1L);
    assertThat(value(query, Names.ERROR_TYPE)).isEqualTo("a.B");
  }

  /** Spark leaves out what it divided by nothing. */
  @Test
  void ratesThatAreNone() throws IOException {
    Replayed log =
        replay(
            EVENT
                + "ProgressEvent\",\"progress\":{"
                + IDS
                + ",\"timestamp\":\"1970-01-01T00:00:03Z\",\"batchId\":0,"
                + "\"durationMs\":{\"addBatch\":5},\"sources\":[{\"numInputRows\":3}]}}");
    FinishedSpan batch = log.of(Entity.BATCH).get(0);
    assertThat(value(batch, StreamMetric.INPUT_ROWS.attribute())).isEqualTo(3L);
    assertThat(value(batch, StreamMetric.INPUT_RATE.attribute())).isNull();
    assertThat(value(batch, StreamMetric.PROCESSED_RATE.attribute())).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "StartedEvent\",\"id\":\"q\"}",
        "ProgressEvent\",\"progress\":{\"runId\":\"r\"}}",
        "ProgressEvent\",\"progress\":7}",
        "IdleEvent\",\"id\":\"q\"}",
        "TerminatedEvent\",\"id\":\"q\"}"
      })
  void withoutItsQuery(String event) throws IOException {
    Replayed log = replay(EVENT + event);
    assertThat(log.summary().badLines).isEqualTo(1);
    assertThat(log.of(Entity.QUERY)).isEmpty();
  }

  /** It is there, from the start of the application on. */
  @Test
  void aQueryOfWhichNoTimeIsKnown() throws IOException {
    Replayed log =
        replay(
            EVENT + "StartedEvent\"," + IDS + ",\"timestamp\":\"yesterday\"}",
            EVENT
                + "ProgressEvent\",\"progress\":{"
                + IDS
                + ",\"durationMs\":{\"addBatch\":\"x\"}}}",
            EVENT + "TerminatedEvent\"," + IDS + "}");
    assertThat(log.summary().badLines).isZero();
    FinishedSpan query = log.of(Entity.QUERY).get(0);
    assertThat(query.getName()).isEqualTo("streaming query (unnamed)");
    assertThat(query.getStartEpochNanos()).isEqualTo(1_000_000_000L);
    assertThat(log.of(Entity.STARTED))
        .extracting(FinishedSpan::getName, FinishedSpan::getStartEpochNanos)
        .containsExactly(
            tuple("spark.application.started", 1_000_000_000L),
            tuple("streaming query (unnamed) started", 1_000_000_000L));
    assertThat(query.getEndEpochNanos()).isEqualTo(1_000_000_000L);
    assertThat(log.of(Entity.BATCH)).isEmpty();
  }
}
