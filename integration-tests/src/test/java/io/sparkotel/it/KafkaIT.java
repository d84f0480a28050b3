package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.batch;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.query;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.KafkaStreaming;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** Topics of a real broker, read and written: offsets, and what was not read yet. */
@Tag("full")
class KafkaIT {

  /** Spark and its connector, of which not every version can be had everywhere. */
  static final List<Arguments> VERSIONS =
      List.of(
          Arguments.of(SparkVersion.V3_5_9_SCALA_2_13, "3.5.4"),
          Arguments.of(SparkVersion.V4_2_0, "4.2.0"));

  private static final String BEHIND = "spark.streaming.kafka.records_behind";
  private static final String TOPICS_BEHIND = "spark.streaming.kafka.topics_behind";
  private static final String HALF = "{\"orders\":{\"0\":4,\"1\":2},\"returns\":{\"0\":2,\"1\":0}}";
  private static final String ALL = "{\"orders\":{\"0\":8,\"1\":4},\"returns\":{\"0\":4,\"1\":0}}";

  @ParameterizedTest
  @FieldSource("VERSIONS")
  void twoTopicsAreCopied(SparkVersion version, String connector) {
    try (KafkaBroker broker = KafkaBroker.start()) {
      SparkRun run = EventLogs.writtenBy(SparkRun.of(version, KafkaStreaming.class));
      jars(version, connector).forEach(run::classpath);
      TracedRun traced =
          TracedRun.of(run.args(broker.address(), run.dir().resolve("checkpoints").toString()));

      List<Trace> traces = traced.traces().stream().filter(t -> !t.isOfRuns()).toList();
      assertThat(traces).hasSize(3);
      assertThatTrace(traces.get(0))
          .isTree(
              application(
                      "spark.application",
                      started(),
                      sql("sql save at KafkaStreaming.java:*").anyChildren().times(2),
                      query("streaming query copy")
                          .with("spark.streaming.query.result", "ended")
                          .with("spark.streaming.batches.total", 2)
                          .with("spark.streaming.input_rows", 16)
                          .with("spark.jobs.total", 2)
                          .with("spark.tasks.total", 6))
                  .with("spark.trace.units", 2)
                  .linkOutside()
                  .linkOutside());
      assertThatTrace(traces.get(1))
          .isTree(
              copy("the start to " + HALF)
                  .with("spark.streaming.batch.id", 0)
                  .with(BEHIND, 8)
                  .with(TOPICS_BEHIND, List.of("orders 6", "returns 2")));
      assertThatTrace(traces.get(2))
          .isTree(
              copy(HALF + " to " + ALL)
                  .with("spark.streaming.batch.id", 1)
                  .with(BEHIND, 0)
                  .without(TOPICS_BEHIND));
      List<SpanNode> spans = traced.receiver().spans();
      DocQueries questions = DocQueries.of("streaming.md", "Questions about Kafka");
      assertThat(questions.found(spans, Map.of("100000", "7"), KafkaIT::label))
          .containsExactly(List.of("batch copy 0"), List.of("batch copy 0", "batch copy 1"));
      assertThat(EventLogs.differences(spans, EventLogs.replay(run).spans())).isEmpty();
    }
  }

  /** Of at most eight records, of each partition as many as it has of all that are left. */
  private static SpanPattern copy(String offsets) {
    String site = "start at KafkaStreaming.java:*";
    SpanPattern tasks = stage("stage " + site, task().times(3));
    return batch("batch copy", sql("sql " + site, sql("sql " + site, job("job " + site, tasks))))
        .with("spark.streaming.query.name", "copy")
        .with("spark.streaming.batch.result", "succeeded")
        .with("spark.streaming.input_rows", 8)
        .with("spark.streaming.output_rows", 8)
        .with("spark.streaming.sources", List.of("KafkaV2[Subscribe[orders, returns]]"))
        .with("spark.streaming.source.offsets", List.of(offsets))
        .with("spark.streaming.source.rows", List.of("8"))
        .with(
            "spark.streaming.sink", "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable")
        .has("spark.streaming.latest_offset_ms", "spark.streaming.add_batch_ms");
  }

  private static String label(SpanNode span) {
    return span.name() + " " + span.attribute("spark.streaming.batch.id");
  }

  private static List<Path> jars(SparkVersion version, String connector) {
    try {
      return version.beyondClasspath("spark-sql-kafka-0-10", connector);
    } catch (IllegalStateException e) {
      throw PythonPackages.unavailable("Kafka's connector " + connector + ": " + e.getMessage());
    }
  }
}
