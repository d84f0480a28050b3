package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.KafkaOffsets;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.StreamMetric;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a batch tells of its trigger. */
class StreamProgressTest {

  private static final String QUERY = "11111111-0000-0000-0000-000000000001";
  private static final String RUN = "aaaaaaaa-0000-0000-0000-000000000001";

  private final ModelFixture app = ModelFixture.app();

  private static StreamProgress.State state(String operator, long rows, long dropped) {
    StreamProgress.State state = new StreamProgress.State();
    state.operator = operator;
    state.rows = rows;
    state.rowsUpdated = 2;
    state.memoryBytes = 100;
    state.rowsDroppedByWatermark = dropped;
    return state;
  }

  private static StreamProgress.Source source(String description, String from, String to) {
    StreamProgress.Source source = new StreamProgress.Source();
    source.description = description;
    source.startOffset = from;
    source.endOffset = to;
    source.inputRows = 6;
    source.inputRowsPerSecond = 3.5;
    source.processedRowsPerSecond = Double.NaN;
    return source;
  }

  private static void told(StreamProgress progress) {
    progress.durations.put("addBatch", 40L);
    progress.durations.put("walCommit", 3L);
    progress.durations.put("unheardOf", 3L);
    progress.eventTime.put("watermark", "2023-11-14T22:13:10.000Z");
    progress.eventTime.put("max", "2023-11-14T22:13:20.000Z");
    StreamProgress.Source kafka =
        source("KafkaV2[Subscribe[a,b]]", null, "{\"a\":{\"0\":5,\"1\":7},\"b\":{\"0\":1}}");
    kafka.latestOffset = "{\"a\":{\"0\":9,\"1\":8},\"b\":{\"0\":1}}";
    progress.add(kafka);
    progress.add(source("FileStreamSource[file:/in?password=hunter2]", "0", "1"));
    progress.add(state("stateStoreSave", 5, 4));
    progress.add(state(null, 7, -1));
    progress.sink = "org.apache.spark.sql.execution.streaming.ConsoleTable$@514ba885";
    progress.outputRows = -1;
  }

  /** All that a batch can tell. */
  static void everything(StreamProgress progress) {
    told(progress);
    for (StreamMetric metric : StreamMetric.values()) {
      if (metric.phase() != null) {
        progress.durations.put(metric.phase(), 1L);
      }
    }
    progress.sources.forEach(source -> source.processedRowsPerSecond = 1.5);
    progress.states.forEach(
        state -> {
          state.rowsRemoved = 1;
          state.commitMillis = 1;
        });
    progress.outputRows = 1;
  }

  @Test
  void progressIsToldAsSparkTellsIt() {
    ModelFixture.Stream stream = app.stream(QUERY, RUN).start("orders");
    app.at(70);
    stream.progress(3, 20, StreamProgressTest::told);
    app.at(90);
    stream.progress(4, 80, progress -> {});
    stream.end(null);
    SpanTree tree = app.finish();
    String key = "batch aaaaaaaa/3";
    assertThat(tree.draw(key))
        .isEqualTo("batch aaaaaaaa/3 'batch orders' 20..70 -> application, query aaaaaaaa\n");
    assertThat(tree.value(key, "spark.streaming.trigger_execution_ms")).isEqualTo(50L);
    assertThat(tree.value(key, "spark.streaming.add_batch_ms")).isEqualTo(40L);
    assertThat(tree.value(key, "spark.streaming.wal_commit_ms")).isEqualTo(3L);
    assertThat(tree.value(key, "spark.streaming.latest_offset_ms")).isNull();
    assertThat(tree.value(key, "spark.streaming.input_rows")).isEqualTo(12L);
    assertThat(tree.value(key, "spark.streaming.input_rows_per_second")).isEqualTo(7.0);
    assertThat(tree.value(key, "spark.streaming.processed_rows_per_second")).isNull();
    assertThat(tree.value(key, "spark.streaming.output_rows")).isNull();
    assertThat(tree.value(key, StreamNames.WATERMARK)).isEqualTo("2023-11-14T22:13:10.000Z");
    assertThat(tree.value(key, StreamNames.EVENT_TIME_MAX)).isEqualTo("2023-11-14T22:13:20.000Z");
    assertThat(tree.value(key, StreamNames.SINK))
        .isEqualTo("org.apache.spark.sql.execution.streaming.ConsoleTable$");
    assertThat(tree.value(key, StreamNames.SOURCES))
        .isEqualTo(
            List.of(
                "KafkaV2[Subscribe[a,b]]",
                "FileStreamSource[file:/in?password=" + Redactor.REPLACEMENT + "]"));
    assertThat(tree.value(key, StreamNames.SOURCE_OFFSETS))
        .isEqualTo(List.of("the start to {\"a\":{\"0\":5,\"1\":7},\"b\":{\"0\":1}}", "0 to 1"));
    assertThat(tree.value(key, StreamNames.SOURCE_ROWS)).isEqualTo(List.of("6", "6"));
    assertThat(tree.value(key, "spark.streaming.kafka.records_behind")).isEqualTo(5L);
    assertThat(tree.value(key, StreamNames.KAFKA_TOPICS)).isEqualTo(List.of("a 5"));
    assertThat(tree.value(key, "spark.streaming.state.rows")).isEqualTo(12L);
    assertThat(tree.value(key, "spark.streaming.state.rows_updated")).isEqualTo(4L);
    assertThat(tree.value(key, "spark.streaming.state.rows_removed")).isNull();
    assertThat(tree.value(key, "spark.streaming.state.memory_bytes")).isEqualTo(200L);
    assertThat(tree.value(key, "spark.streaming.rows_dropped_by_watermark")).isEqualTo(4L);
    assertThat(tree.value(key, StreamNames.STATE_OPERATORS))
        .isEqualTo(
            List.of(
                "stateStoreSave: rows 5, updated 2, dropped by watermark 4, memory 100 B",
                "operator: rows 7, updated 2, memory 100 B"));
    assertThat(tree.value(key, StreamNames.BATCH_RESULT)).isEqualTo("succeeded");
    String query = "query aaaaaaaa";
    assertThat(tree.draw(query)).isEqualTo("query aaaaaaaa 'streaming query orders' 0..80\n");
    assertThat(tree.value(query, "spark.streaming.batches.total")).isEqualTo(1L);
    assertThat(tree.value(query, "spark.streaming.idle_triggers")).isEqualTo(1L);
    assertThat(tree.value(query, "spark.streaming.input_rows")).isEqualTo(12L);
    assertThat(tree.value(query, "spark.streaming.rows_dropped_by_watermark")).isEqualTo(4L);
    assertThat(tree.keys(Entity.BATCH)).containsExactly(key);
  }

  @Test
  void kafkaOffsetsThatAreNone() {
    for (String latest :
        List.of("{", "[1]", "{\"a\":1}", "{\"a\":{\"0\":\"x\"}}", "{\"c\":{\"0\":1}}")) {
      StreamProgress.Source source = source("KafkaV2[a]", null, "{\"a\":{\"0\":1}}");
      source.latestOffset = latest;
      Map<String, Long> behind = KafkaOffsets.behind(source);
      assertThat(behind == null || behind.isEmpty()).as(latest).isTrue();
    }
  }
}
