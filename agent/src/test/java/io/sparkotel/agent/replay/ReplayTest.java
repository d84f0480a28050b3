package io.sparkotel.agent.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTest {

  @TempDir Path temp;

  private List<FinishedSpan> applications(List<File> files) throws IOException {
    List<FinishedSpan> applications = new ArrayList<>();
    Replay replay =
        new Replay(
            Logs.config(),
            false,
            span -> {
              if (span.entity() == Entity.APPLICATION) {
                applications.add(span);
              }
            });
    for (File file : files) {
      for (EventLog log : EventLog.at(file)) {
        replay.run(log, (bytes, events) -> {});
      }
    }
    return applications;
  }

  private File attempt(int attempt) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app"));
    lines.set(2, Logs.attempt("app", attempt));
    return Logs.write(temp.resolve("logs/app_" + attempt), lines);
  }

  private static List<String> linked(FinishedSpan span) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .map(to -> to.getSpanId())
        .toList();
  }

  @Test
  void laterAttemptsLinkToEarlierOnes() throws IOException {
    attempt(10);
    attempt(2);
    attempt(1);
    Logs.write(temp.resolve("logs/other"), Logs.small("other"));
    List<FinishedSpan> found = applications(List.of(temp.resolve("logs").toFile()));
    assertThat(found).hasSize(4);
    assertThat(found.stream().map(FinishedSpan::getTraceId).distinct()).hasSize(4);
    assertThat(linked(found.get(0))).isEmpty();
    assertThat(linked(found.get(1))).containsExactly(found.get(0).getSpanId());
    assertThat(linked(found.get(2)))
        .containsExactly(found.get(0).getSpanId(), found.get(1).getSpanId());
    assertThat(found.get(1).getLinks().get(0).getSpanContext().getTraceId())
        .isEqualTo(found.get(0).getTraceId());
    assertThat(linked(found.get(3))).isEmpty();
  }

  @Test
  void aLogThatIsGivenTwiceIsNoAttemptBeforeItself() throws IOException {
    File first = attempt(1);
    File second = attempt(2);
    List<FinishedSpan> found = applications(List.of(second, first, first, second));
    assertThat(found).hasSize(4);
    assertThat(linked(found.get(0))).isEmpty();
    assertThat(linked(found.get(1))).isEmpty();
    assertThat(linked(found.get(2))).isEmpty();
    assertThat(linked(found.get(3))).containsExactly(found.get(1).getSpanId());
  }

  @Test
  void onlyWhatWasOpenAtTheEnd() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1").subList(0, 11));
    lines.add(Logs.jobStart(1, 1, 2));
    lines.add(Logs.submitted(1));
    lines.add(Logs.taskStart(1, 2));
    lines.add(Logs.taskStart(1, 3));
    lines.add(Logs.taskEnd(1, 3));
    File file = Logs.write(temp.resolve("killed"), lines);
    Replayed all = Replayed.of(file);
    Replayed open = Replayed.of(EventLog.at(file).get(0), Logs.config(), true);
    assertThat(open.spans().stream().map(FinishedSpan::entity))
        .containsExactly(Entity.TASK, Entity.STAGE, Entity.JOB, Entity.APPLICATION);
    assertThat(Replayed.value(open.spans().get(0), Names.TASK_ID)).isEqualTo(2L);
    assertThat(all.printed()).containsAll(open.printed());
    assertThat(open.spans())
        .allMatch(span -> Boolean.TRUE.equals(Replayed.value(span, Names.INCOMPLETE)));
    assertThat(open.summary().spans).isEqualTo(4);
    // The application's sums hold what the live run has sent, too.
    assertThat(Replayed.value(open.application(), Names.TASKS_TOTAL)).isEqualTo(3L);
  }

  @Test
  void ofAnApplicationThatEndedOnlyItsSpan() throws IOException {
    File file = Logs.write(temp.resolve("ended"), Logs.small("app-1"));
    Replayed open = Replayed.of(EventLog.at(file).get(0), Logs.config(), true);
    assertThat(open.spans()).hasSize(1);
    assertThat(open.application().entity()).isEqualTo(Entity.APPLICATION);
  }

  @Test
  void twoReplaysGiveTheSameSpans() throws IOException {
    File file = Logs.write(temp.resolve("log"), Logs.small("app-1"));
    assertThat(Replayed.of(file).printed()).isEqualTo(Replayed.of(file).printed());
  }

  /** Of a run that was killed the frames that were closed are whole. */
  @Test
  void ofACutLogAllBeforeTheCutIsSent() throws IOException {
    List<String> lines = Logs.small("app-1");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (List<String> part : List.of(lines.subList(0, 9), lines.subList(9, 12))) {
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      try (ZstdOutputStreamNoFinalizer out = new ZstdOutputStreamNoFinalizer(frame)) {
        out.write(Logs.text(part).getBytes(UTF_8));
      }
      packed.writeBytes(frame.toByteArray());
    }
    byte[] cut = Arrays.copyOf(packed.toByteArray(), packed.size() - 20);
    Path file = Files.write(temp.resolve("cut.zstd"), cut);
    Replayed log = Replayed.of(file.toFile());
    assertThat(log.summary().problem).startsWith("cut.zstd breaks off after 9 events: ");
    assertThat(log.of(Entity.TASK)).hasSize(2);
    assertThat(Replayed.value(log.job(0), Names.INCOMPLETE)).isEqualTo(true);
    assertThat(Replayed.value(log.application(), Names.INCOMPLETE)).isEqualTo(true);
  }

  @Test
  void theSinkCanEndIt() throws IOException {
    File file = Logs.write(temp.resolve("log"), Logs.small("app-1"));
    EventLog log = EventLog.at(file).get(0);
    Replay replay =
        new Replay(
            Logs.config(),
            false,
            span -> {
              throw new CancellationException();
            });
    assertThatThrownBy(() -> replay.run(log, (bytes, events) -> {}))
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void progressAddsUpToTheSizeOfTheLog() throws IOException {
    File file = Logs.write(temp.resolve("log"), Logs.small("app-1"));
    long[] read = new long[1];
    EventLog log = EventLog.at(file).get(0);
    new Replay(Logs.config(), false, span -> {}).run(log, (bytes, events) -> read[0] += bytes);
    assertThat(read[0]).isEqualTo(file.length()).isEqualTo(log.size());
  }
}
