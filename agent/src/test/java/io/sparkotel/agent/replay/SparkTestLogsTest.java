package io.sparkotel.agent.replay;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.opentelemetry.api.trace.StatusCode;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The logs of Spark's own tests, Spark 1.2 to 4.2: here in every clone. */
class SparkTestLogsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path temp;

  private static Map<String, File> logs;

  @BeforeAll
  static void unpack() {
    logs = Logs.ofSparksTests(temp);
  }

  @Test
  void allAreFound() throws IOException {
    assertThat(logs).hasSizeGreaterThan(15);
    assertThat(EventLog.at(temp.resolve("spark-events").toFile())).hasSameSizeAs(logs.keySet());
  }

  @Test
  void countsAreThoseOfTheEvents() throws IOException {
    for (File file : logs.values()) {
      Replayed log = Replayed.of(file);
      assertThat(log.summary().problem).as(file.getName()).isNull();
      Map<String, Integer> events = events(file);
      assertThat(log.summary().events)
          .isEqualTo(events.values().stream().mapToInt(Integer::intValue).sum());
      assertThat(log.of(Entity.JOB)).hasSize(events.getOrDefault("SparkListenerJobStart", 0));
      assertThat(log.of(Entity.STAGE))
          .hasSize(events.getOrDefault("SparkListenerStageSubmitted", 0));
      assertThat(log.of(Entity.TASK)).hasSize(events.getOrDefault("SparkListenerTaskStart", 0));
      assertThat(value(log.application(), Names.TASKS_TOTAL))
          .isEqualTo((long) events.getOrDefault("SparkListenerTaskEnd", 0));
      for (FinishedSpan span : log.spans()) {
        assertThat(span.getStartEpochNanos()).isGreaterThan(1_400_000_000_000_000_000L);
      }
    }
  }

  private static Map<String, Integer> events(File file) throws IOException {
    Map<String, Integer> events = new HashMap<>();
    EventLog log = EventLog.at(file).get(0);
    for (int part = 0; part < log.parts(); part++) {
      File one = file.isDirectory() ? new File(file, log.partName(part)) : file;
      for (byte[] line : RawLines.of(one)) {
        JsonNode event = JSON.readTree(line);
        events.merge(event.get("Event").textValue(), 1, Integer::sum);
      }
    }
    return events;
  }

  @Test
  void jobsWithoutPropertiesAndTimes() throws IOException {
    Replayed log = Replayed.of(logs.get("local-1422981780767"));
    assertThat(log.summary().anomalies).isZero();
    FinishedSpan failed = log.job(1);
    assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(failed.getStartEpochNanos()).isEqualTo(log.job(0).getEndEpochNanos());
    assertThat(failed.getEndEpochNanos()).isEqualTo(log.stage(2).getEndEpochNanos());
  }

  @Test
  void aRollingLog() throws IOException {
    Replayed log = Replayed.of(logs.get("eventlog_v2_local-1766844910796"));
    assertThat(log.of(Entity.TASK)).hasSize(2);
    assertThat(value(log.application(), Names.INCOMPLETE)).isNull();
  }

  @Test
  void attemptsOfOneApplication() throws IOException {
    for (String folder : List.of("last-attempt-incomplete", "previous-attempt-incomplete")) {
      java.util.ArrayList<FinishedSpan> applications = new java.util.ArrayList<>();
      Replay replay =
          new Replay(
              Logs.config(),
              false,
              span -> {
                if (span.entity() == Entity.APPLICATION) {
                  applications.add(span);
                }
              });
      for (EventLog log : EventLog.at(temp.resolve("spark-events-broken/" + folder).toFile())) {
        replay.run(log, (bytes, events) -> {});
      }
      assertThat(applications).hasSize(2);
      FinishedSpan first = applications.get(0);
      FinishedSpan second = applications.get(1);
      assertThat(second.getTraceId()).isNotEqualTo(first.getTraceId());
      assertThat(first.getLinks()).isEmpty();
      assertThat(second.getLinks()).hasSize(1);
      assertThat(second.getLinks().get(0).getSpanContext()).isEqualTo(first.getSpanContext());
      boolean firstIsOpen = folder.startsWith("previous");
      assertThat(value(first, Names.INCOMPLETE)).isEqualTo(firstIsOpen ? true : null);
      assertThat(value(second, Names.INCOMPLETE)).isEqualTo(firstIsOpen ? null : true);
    }
  }
}
