package io.sparkotel.agent.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.Replayed;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLogReaderTest {

  private final List<FinishedSpan> spans = new ArrayList<>();
  private Consumer<FinishedSpan> sink = spans::add;
  private TraceModel model;
  private EventLogReader reader;

  private void read(InputStream in, int maxLineBytes) throws IOException {
    model =
        new TraceModel(Logs.config(), AttributeList.builder().build(), span -> sink.accept(span));
    reader = new EventLogReader(new EventLogParser(model, "unnamed"), maxLineBytes);
    reader.read(in);
  }

  private void read(byte[] log) throws IOException {
    read(new ByteArrayInputStream(log), EventLogReader.MAX_LINE_BYTES);
  }

  private void read(String log) throws IOException {
    read(log.getBytes(UTF_8));
  }

  /** Gives so many bytes at a time. */
  private static InputStream inPieces(byte[] log, int size) {
    return new ByteArrayInputStream(log) {
      @Override
      public int read(byte[] into, int offset, int length) {
        return super.read(into, offset, Math.min(size, length));
      }
    };
  }

  private List<String> printed() {
    List<String> printed = new ArrayList<>(spans.stream().map(Replayed::print).toList());
    model.closeOpen();
    printed.add(Replayed.print(model.application(Outcome.UNKNOWN, null, Collections.emptyList())));
    return printed;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 1000, 262_144})
  void linesAcrossChunks(int size) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.add(3, "{\"Event\":\"Other\",\"text\":\"" + "x".repeat(700_000) + "\"}");
    byte[] log = Logs.text(lines).getBytes(UTF_8);
    read(log);
    List<String> expected = printed();
    assertThat(expected).hasSize(6);
    spans.clear();
    read(inPieces(log, size), EventLogReader.MAX_LINE_BYTES);
    assertThat(printed()).isEqualTo(expected);
    assertThat(reader.events()).isEqualTo(13);
    assertThat(reader.bytes()).isEqualTo(log.length);
    assertThat(reader.badLines()).isZero();
  }

  @Test
  void carriageReturnsAndEmptyLinesAndNoLastNewline() throws IOException {
    read(Logs.text(Logs.small("app-1")));
    List<String> expected = printed();
    spans.clear();
    read("\r\n\n  \n" + String.join(" \r\n\r\n", Logs.small("app-1")));
    assertThat(printed()).isEqualTo(expected);
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isZero();
  }

  @Test
  void aLastLineThatIsCutIsOneBadLine() throws IOException {
    String log = Logs.text(Logs.small("app-1"));
    read(log.substring(0, log.length() - 10));
    assertThat(reader.events()).isEqualTo(11);
    assertThat(reader.badLines()).isOne();
    assertThat(reader.firstProblem()).isEqualTo("line 12: not JSON");
  }

  @Test
  void whatIsWrongInTheMiddleCostsNothingElse() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.add(8, "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,}");
    lines.add(5, "");
    lines.add(2, "what is this");
    lines.add(2, "[1,2]");
    lines.add(2, "17");
    lines.add(2, "{\"a\":1}");
    lines.add(2, "{\"Event\":null}");
    read(Logs.text(lines));
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isEqualTo(6);
    assertThat(reader.firstProblem()).isEqualTo("line 3: JSON without an event");
    List<String> found = printed();
    spans.clear();
    read(Logs.text(Logs.small("app-1")));
    assertThat(found).isEqualTo(printed());
  }

  @Test
  void twoEventsOfOneLineAreBothRead() throws IOException {
    List<String> lines = Logs.small("app-1");
    read(String.join("", lines.subList(0, 6)) + "\n" + Logs.text(lines.subList(6, 12)));
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isZero();
    assertThat(printed()).hasSize(6);
  }

  @Test
  void whatFollowsAnEventIsTold() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(11, Logs.END + "{\"Event\":\"Spark");
    lines.set(0, Logs.LOG_START + " 7");
    read(Logs.text(lines));
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isEqualTo(2);
    assertThat(reader.firstProblem()).isEqualTo("line 1: text behind the event");
  }

  @Test
  void oneInvalidByteDoesNotCostTheEvent() throws IOException {
    String reason = "{\"Reason\":\"ExceptionFailure\",\"Description\":\"bad \u0001 byte\"}";
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(7, Logs.taskEnd(0, 0, reason));
    byte[] log = Logs.text(lines).getBytes(UTF_8);
    for (int i = 0; i < log.length; i++) {
      if (log[i] == 1) {
        log[i] = (byte) 0xe4;
      }
    }
    read(log);
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isOne();
    assertThat(reader.firstProblem()).isEqualTo("line 8: invalid UTF-8, replaced");
    assertThat(printed()).anyMatch(span -> span.contains("bad ? byte"));
  }

  @Test
  void aLineAboveTheMaximumIsOneBadLine() throws IOException {
    List<String> lines = Logs.small("app-1");
    byte[] head = Logs.text(lines.subList(0, 6)).getBytes(UTF_8);
    byte[] tail = ("\n" + Logs.text(lines.subList(6, 12))).getBytes(UTF_8);
    byte[] giant = ("{\"Event\":\"x\",\"a\":\"" + "y".repeat(5 << 20) + "\"}").getBytes(UTF_8);
    read(
        new SequenceInputStream(
            Collections.enumeration(
                List.of(
                    new ByteArrayInputStream(head),
                    new ByteArrayInputStream(giant),
                    new ByteArrayInputStream(tail)))),
        1 << 20);
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isOne();
    assertThat(reader.firstProblem()).isEqualTo("line 7: longer than 1048576 bytes");
    assertThat(printed()).hasSize(6);
  }

  @Test
  void aLastLineAboveTheMaximumIsToldToo() throws IOException {
    String log = Logs.text(Logs.small("app-1")) + "{\"Event\":\"" + "y".repeat(5 << 20);
    read(new ByteArrayInputStream(log.getBytes(UTF_8)), 1 << 20);
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.firstProblem()).isEqualTo("line 13: longer than 1048576 bytes");
  }

  /** Accumulables of 30 MB, and a text of 20 MB that is read. */
  @Test
  void aLineOf50Megabytes() throws IOException {
    String reason =
        "{\"Reason\":\"ExceptionFailure\",\"Description\":\"boom\",\"Full Stack Trace\":\""
            + "at x.Y\\n\\t".repeat(2_500_000)
            + "\",\"Accumulator Updates\":["
            + "{\"ID\":1,\"Update\":\"[x]\"},".repeat(1_200_000)
            + "{}]}";
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.set(7, Logs.taskEnd(0, 0, reason));
    assertThat(lines.get(7).length()).isGreaterThan(50_000_000);
    read(Logs.text(lines));
    assertThat(reader.badLines()).isZero();
    assertThat(reader.events()).isEqualTo(12);
    assertThat(printed()).anyMatch(span -> span.contains("at x.Y\n") && span.contains("boom"));
  }

  @Test
  void whatCameBeforeABreakIsRead() {
    byte[] log = Logs.text(Logs.small("app-1")).getBytes(UTF_8);
    InputStream broken =
        new InputStream() {
          private int at;

          @Override
          public int read() throws IOException {
            if (at == log.length - 1) {
              throw new IOException("gone");
            }
            return log[at++];
          }

          @Override
          public int read(byte[] into, int offset, int length) throws IOException {
            into[offset] = (byte) read();
            return 1;
          }
        };
    assertThatThrownBy(() -> read(broken, 1 << 20)).hasMessage("gone");
    assertThat(reader.events()).isEqualTo(12);
    assertThat(reader.badLines()).isZero();
  }

  @Test
  void whatIsNoEventLogIsNotReadToItsEnd() throws IOException {
    read("some text\n".repeat(1_000_000));
    assertThat(reader.events()).isZero();
    assertThat(reader.bytes()).isLessThan(1_000_000);
    read(new byte[20 << 20]);
    assertThat(reader.events()).isZero();
    read(new ByteArrayInputStream("x".repeat(20 << 20).getBytes(UTF_8)), 1 << 20);
    assertThat(reader.bytes()).isLessThan(2 << 20);
  }

  @Test
  void theTakerOfTheSpansCanEndIt() {
    sink =
        span -> {
          throw new CancellationException("enough");
        };
    assertThatThrownBy(() -> read(Logs.text(Logs.small("app-1"))))
        .isInstanceOf(CancellationException.class);
    assertThat(reader.badLines()).isZero();
  }

  @Test
  void nothingAtAll() throws IOException {
    read("");
    assertThat(reader.events() + reader.badLines() + reader.bytes()).isZero();
  }
}
