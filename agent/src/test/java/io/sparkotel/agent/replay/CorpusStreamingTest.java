package io.sparkotel.agent.replay;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.io.File;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two real logs of streaming queries: Kafka on Spark 3.1, and a file source of Databricks. */
class CorpusStreamingTest {

  @BeforeAll
  static void corpus() {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
  }

  private static Replayed log(String file) throws IOException {
    return Replayed.of(new File(Logs.corpus(), file));
  }

  private static void assertTime(FinishedSpan span, String start, long millis) {
    long begin = Instant.parse(start).toEpochMilli();
    assertThat(span.getStartEpochNanos()).isEqualTo(begin * 1_000_000);
    assertThat(span.getEndEpochNanos()).isEqualTo((begin + millis) * 1_000_000);
  }

  private static Map<Object, Object> by(List<FinishedSpan> spans, Attribute key, Attribute of) {
    Map<Object, Object> values = new TreeMap<>();
    spans.forEach(span -> values.put(value(span, key), value(span, of)));
    return values;
  }

  /** Each batch has three executions, one of them with a job: one tells nothing of the others. */
  @Test
  void eachBatchOfAQueryIsATrace() throws IOException {
    Replayed log = log("spark3.1-structured-streaming.zstd");
    List<FinishedSpan> batches = log.of(Entity.BATCH);
    FinishedSpan query = log.of(Entity.QUERY).get(0);
    assertThat(log.of(Entity.QUERY)).hasSize(1);
    assertThat(batches).hasSize(8).allMatch(span -> span.getName().equals("batch (unnamed)"));
    assertThat(batches).extracting(FinishedSpan::getTraceId).doesNotHaveDuplicates();
    for (FinishedSpan batch : batches) {
      List<FinishedSpan> below =
          log.spans().stream()
              .filter(span -> span.getParentSpanId().equals(batch.getSpanId()))
              .toList();
      assertThat(below)
          .hasSize(3)
          .allMatch(span -> span.entity() == Entity.SQL)
          .allMatch(span -> span.getTraceId().equals(batch.getTraceId()));
      assertThat(value(batch, Names.JOBS_TOTAL)).isEqualTo(1L);
      assertThat(value(batch, Names.TASKS_TOTAL)).isEqualTo(3L);
      assertThat(batch.getLinks())
          .extracting(LinkData::getSpanContext)
          .containsExactly(log.application().getSpanContext(), query.getSpanContext());
    }
    assertThat(by(batches, StreamNames.BATCH_ID, StreamMetric.INPUT_ROWS.attribute()))
        .containsExactlyEntriesOf(
            new TreeMap<>(
                Map.of(0L, 3L, 1L, 363L, 2L, 63L, 3L, 52L, 4L, 42L, 5L, 38L, 6L, 44L, 7L, 36L)));
    FinishedSpan second = batches.get(1);
    assertTime(second, "2020-07-29T10:57:03.168Z", 622);
    assertThat(value(second, StreamMetric.INPUT_RATE.attribute())).isEqualTo(50.74793792814204);
    assertThat(value(second, StreamMetric.PROCESSED_RATE.attribute())).isEqualTo(583.6012861736334);
    assertThat(value(second, StreamMetric.ADD_BATCH.attribute())).isEqualTo(478L);
    assertThat(value(second, StreamMetric.QUERY_PLANNING.attribute())).isEqualTo(47L);
    assertThat(value(second, StreamMetric.GET_BATCH.attribute())).isEqualTo(0L);
    assertThat(value(second, StreamMetric.LATEST_OFFSET.attribute())).isEqualTo(7L);
    assertThat(value(second, StreamMetric.WAL_COMMIT.attribute())).isEqualTo(59L);
    assertThat(value(second, StreamMetric.OUTPUT_ROWS.attribute())).isEqualTo(1L);
    assertThat(value(second, StreamMetric.STATE_ROWS.attribute())).isEqualTo(1L);
    assertThat(value(second, StreamMetric.STATE_MEMORY.attribute())).isEqualTo(1216L);
    assertThat(value(second, StreamMetric.ROWS_DROPPED.attribute())).isNull();
    assertThat(value(second, StreamMetric.KAFKA_BEHIND.attribute())).isNull();
    assertThat(value(second, StreamNames.SOURCES)).isEqualTo(List.of("KafkaV2[Subscribe[test5]]"));
    assertThat(value(second, StreamNames.SOURCE_OFFSETS))
        .isEqualTo(List.of("{\"test5\":{\"0\":48279}} to {\"test5\":{\"0\":48642}}"));
    assertThat(value(batches.get(0), StreamNames.SOURCE_OFFSETS))
        .isEqualTo(List.of("the start to {\"test5\":{\"0\":48279}}"));
    assertThat(value(batches.get(0), StreamMetric.INPUT_RATE.attribute())).isNull();
    FinishedSpan marker =
        log.of(Entity.STARTED).stream()
            .filter(span -> value(span, StreamNames.RUN_ID) != null)
            .findFirst()
            .orElseThrow();
    assertTime(marker, "2020-07-29T10:56:55.947Z", 0);
    assertThat(marker.getName()).isEqualTo("streaming query (unnamed) started");
    assertThat(query.getLinks())
        .extracting(LinkData::getSpanContext)
        .containsExactly(marker.getSpanContext());
    // The application ended, and of the query nothing was told.
    assertTime(query, "2020-07-29T10:56:55.947Z", 10_354);
    assertThat(value(query, Names.INCOMPLETE)).isEqualTo(true);
    assertThat(value(query, StreamMetric.INPUT_ROWS.attribute())).isEqualTo(641L);
    assertThat(value(query, StreamMetric.BATCHES.attribute())).isEqualTo(8L);
    assertThat(value(query, Names.JOBS_TOTAL)).isEqualTo(8L);
    assertThat(value(log.application(), Names.TRACE_UNITS)).isEqualTo(8L);
    assertThat(log.summary().unknownEvents).containsOnlyKeys("SparkListenerBlockManagerAdded");
  }

  /** Somebody cut the log: of the query there is one batch's progress, and its end. */
  @Test
  void aQueryThatWasStopped() throws IOException {
    Replayed log = log("spark3.1-streaming-terminated.zstd");
    FinishedSpan query = log.of(Entity.QUERY).get(0);
    FinishedSpan batch = log.of(Entity.BATCH).get(0);
    assertThat(log.of(Entity.BATCH)).hasSize(1);
    assertTime(batch, "2024-03-01T18:46:05.095Z", 159_154);
    assertThat(value(batch, StreamNames.BATCH_ID)).isEqualTo(133_944L);
    assertThat(value(batch, StreamMetric.INPUT_ROWS.attribute())).isEqualTo(4_210L);
    assertThat(value(batch, StreamMetric.ADD_BATCH.attribute())).isEqualTo(158_574L);
    assertThat(value(batch, StreamMetric.OUTPUT_ROWS.attribute())).isNull();
    assertThat(value(batch, StreamNames.SINK)).isEqualTo("ForeachBatchSink");
    assertThat(value(batch, Names.JOBS_TOTAL)).isEqualTo(0L);
    assertTime(query, "2024-03-01T17:13:47.797Z", 5_696_452);
    assertThat(value(query, StreamNames.QUERY_RESULT)).isEqualTo("ended");
    assertThat(query.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(value(query, Names.INCOMPLETE)).isNull();
    assertThat(log.sql(0).getTraceId()).isEqualTo(log.application().getTraceId());
  }
}
