package io.sparkotel.agent.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sparkotel.agent.telemetry.Entity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTest {

  @TempDir Path temp;

  private List<String> names(Path path) throws IOException {
    return EventLog.at(path.toFile()).stream()
        .map(log -> temp.relativize(Path.of(log.name())).toString())
        .toList();
  }

  private static List<String> parts(EventLog log) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < log.parts(); i++) {
      parts.add(log.partName(i));
    }
    return parts;
  }

  private void touch(String... names) throws IOException {
    for (String name : names) {
      Path file = temp.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "");
    }
  }

  private EventLog only(String name) throws IOException {
    List<EventLog> logs = EventLog.at(temp.resolve(name).toFile());
    assertThat(logs).hasSize(1);
    return logs.get(0);
  }

  @Test
  void partsInTheOrderOfTheirNumbers() throws IOException {
    for (int i : new int[] {10, 2, 1, 9, 3, 4, 5, 6, 7, 8}) {
      touch("eventlog_v2_app/events_" + i + "_app.zstd");
    }
    touch("eventlog_v2_app/appstatus_app.inprogress", "eventlog_v2_app/.events_1_app.crc");
    touch("eventlog_v2_app/events_x_app", "eventlog_v2_app/events_", "eventlog_v2_app/other");
    EventLog log = only("eventlog_v2_app");
    assertThat(parts(log))
        .hasSize(10)
        .startsWith("events_1_app.zstd", "events_2_app.zstd")
        .endsWith("events_9_app.zstd", "events_10_app.zstd");
    assertThat(log.gap()).isNull();
  }

  @Test
  void aCompactedPartStandsForThoseBeforeIt() throws IOException {
    touch(
        "eventlog_v2_app/events_1_app",
        "eventlog_v2_app/events_2_app.compact",
        "eventlog_v2_app/events_3_app",
        "eventlog_v2_app/events_4_app",
        "eventlog_v2_app/events_4_app.compact",
        "eventlog_v2_app/events_5_app",
        "eventlog_v2_app/events_6_app");
    EventLog log = only("eventlog_v2_app");
    assertThat(parts(log)).containsExactly("events_4_app.compact", "events_5_app", "events_6_app");
    assertThat(log.gap()).isNull();
  }

  @Test
  void aPartThatIsMissingIsTold() throws IOException {
    touch("eventlog_v2_a/events_1_a", "eventlog_v2_a/events_3_a");
    assertThat(only("eventlog_v2_a").gap()).isEqualTo("part 2 is missing");
    touch("eventlog_v2_b/events_2_b");
    assertThat(only("eventlog_v2_b").gap()).isEqualTo("part 1 is missing");
    touch("eventlog_v2_c/events_4_c.compact", "eventlog_v2_c/events_6_c");
    assertThat(only("eventlog_v2_c").gap()).isEqualTo("part 5 is missing");
  }

  @Test
  void aRollingLogUnderAnotherNameIsKnownByItsStatusFile() throws IOException {
    touch("copy/events_1_a", "copy/events_2_a", "copy/appstatus_a");
    assertThat(parts(only("copy"))).hasSize(2);
    assertThat(names(temp)).containsExactly("copy");
  }

  @Test
  void aRollingLogWithoutParts() throws IOException {
    touch("eventlog_v2_app/appstatus_app");
    assertThatThrownBy(() -> only("eventlog_v2_app"))
        .hasMessage("a rolling event log without parts");
    // Among others it is one that fails, and the others are found.
    touch("app-1");
    List<EventLog> logs = EventLog.at(temp.toFile());
    assertThat(logs).hasSize(2);
    assertThat(logs.get(1).isCertain()).isTrue();
  }

  @Test
  void aDirectoryOfMany() throws IOException {
    touch("app_10", "app_2", "app_1.inprogress", "app_1.lz4", ".app.crc", "_SUCCESS", "deep/app_3");
    touch("eventlog_v2_b/events_1_b", "eventlog_v2_b/appstatus_b");
    assertThat(names(temp))
        .containsExactly("app_1.inprogress", "app_1.lz4", "app_2", "app_10", "eventlog_v2_b");
    List<EventLog> logs = EventLog.at(temp.toFile());
    assertThat(logs.get(0).isCertain()).isFalse();
    assertThat(logs.get(4).isCertain()).isTrue();
    assertThat(only("app_2").isCertain()).isTrue();
  }

  @Test
  void databricksRollsByTheHour() throws IOException {
    touch(
        "71/eventlog",
        "71/eventlog-2021-06-14--20-00.gz",
        "71/eventlog-2021-06-14--18-00.gz",
        "71/eventlog-2021-06-13--23-30.gz");
    EventLog log = only("71");
    assertThat(parts(log))
        .containsExactly(
            "eventlog-2021-06-13--23-30.gz",
            "eventlog-2021-06-14--18-00.gz",
            "eventlog-2021-06-14--20-00.gz",
            "eventlog");
    touch("app-9");
    assertThat(names(temp)).containsExactly("71", "app-9");
  }

  @Test
  void databricksPartsAreOneApplication() throws IOException {
    List<String> lines = Logs.small("app-1");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(Logs.text(lines.subList(0, 7)).getBytes(StandardCharsets.UTF_8));
    }
    Path directory = Files.createDirectories(temp.resolve("71"));
    Files.write(directory.resolve("eventlog-2021-06-14--20-00.gz"), packed.toByteArray());
    Logs.write(directory.resolve("eventlog"), lines.subList(7, 12));
    Replayed log = Replayed.of(directory.toFile());
    assertThat(log.summary().problem).isNull();
    assertThat(log.printed())
        .isEqualTo(Replayed.of(Logs.write(temp.resolve("plain"), lines)).printed());
  }

  @Test
  void aLineIsNotPutTogetherOutOfTwoParts() throws IOException {
    List<String> lines = Logs.small("app-1");
    Path directory = temp.resolve("eventlog_v2_a");
    Logs.write(directory.resolve("events_1_a"), lines.subList(0, 7));
    Files.writeString(
        directory.resolve("events_1_a"),
        "{\"Event\":\"cut",
        java.nio.file.StandardOpenOption.APPEND);
    Logs.write(directory.resolve("events_2_a"), lines.subList(7, 12));
    Replayed log = Replayed.of(directory.toFile());
    assertThat(log.summary().problem).isEqualTo("a bad line: line 8: not JSON");
    assertThat(log.spans()).hasSize(6);
  }

  @Test
  void nothingThere() throws IOException {
    assertThatThrownBy(() -> only("none")).hasMessage("no such file");
    Files.createDirectories(temp.resolve("empty/sub"));
    assertThatThrownBy(() -> only("empty")).hasMessage("a directory without event logs");
  }

  @Test
  void whatIsNoEventLog() throws IOException {
    touch("empty");
    ReplaySummary empty = Replayed.of(temp.resolve("empty").toFile()).summary();
    assertThat(empty.problem).isEqualTo("empty");
    assertThat(empty.isNoEventLog).isTrue();
    File text = Logs.write(temp.resolve("notes.txt"), List.of("some", "notes"));
    assertThat(Replayed.of(text).summary().problem).isEqualTo("not an event log");
    assertThat(Replayed.of(text).summary().isNoEventLog).isTrue();
    File headless = Logs.write(temp.resolve("headless"), Logs.small("a").subList(3, 12));
    assertThat(Replayed.of(headless).summary().problem)
        .isEqualTo("no SparkListenerApplicationStart in it, so nothing can be shown");
    assertThat(Replayed.of(headless).summary().isNoEventLog).isFalse();
  }

  @Test
  void whatMayNotBeRead() throws IOException {
    File file = Logs.write(temp.resolve("secret"), Logs.small("app-1"));
    assertThat(file.setReadable(false)).isTrue();
    assumeFalse(Files.isReadable(file.toPath()), "the user who runs the tests may read everything");
    Replayed log = Replayed.of(file);
    assertThat(log.summary().problem).startsWith("cannot be read: ");
    assertThat(log.summary().isNoEventLog).isFalse();
  }

  /** Gone between the look into the directory and the reading, as a log that is finished is. */
  @Test
  void whatIsGoneWhenItIsRead() throws IOException {
    File file = Logs.write(temp.resolve("app.inprogress"), Logs.small("app-1"));
    EventLog log = EventLog.at(temp.toFile()).get(0);
    assertThat(file.delete()).isTrue();
    ReplaySummary summary = Replayed.of(log, Logs.config(), false).summary();
    assertThat(summary.problem).startsWith("cannot be read: ");
    assertThat(summary.isNoEventLog).isFalse();
  }

  @Test
  void standardInput() {
    InputStream before = System.in;
    System.setIn(
        new ByteArrayInputStream(Logs.text(Logs.small("app-1")).getBytes(StandardCharsets.UTF_8)));
    try {
      Replayed log = Replayed.of(EventLog.standardInput(), Logs.config(), false);
      assertThat(log.summary().problem).isNull();
      assertThat(log.summary().log).isEqualTo("standard input");
      assertThat(log.of(Entity.TASK)).hasSize(2);
    } finally {
      System.setIn(before);
    }
  }
}
