package io.sparkotel.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.model.TraceRules;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.RawLines;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of real logs with bytes that are changed at random: each is an event, or a bad line. */
class BadLinesFuzzTest {

  private static final int MAX_BYTES = 1 << 20;

  /** Longer ones show no more: most of their bytes are passed over. */
  private static final int MAX_LINE = 20_000;

  private static final Charset LATIN = StandardCharsets.ISO_8859_1;

  private static final String[] SNIPPETS = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "-1",
    "1e400",
    "99999999999999999999",
    "true",
    "\\",
    "\\ud83d",
    "\\u0000",
    "{\"Event\":\"SparkListenerJobStart\"}",
    "NaN",
    ".",
    "\0",
    "[[[[[[[["
  };

  @TempDir static Path temp;

  private static final List<List<byte[]>> LOGS = new ArrayList<>();

  @BeforeAll
  static void readLogs() throws IOException {
    for (File log : Logs.ofSparksTests(temp).values()) {
      if (log.isFile()) {
        List<byte[]> lines = new ArrayList<>(RawLines.of(log, MAX_BYTES));
        lines.removeIf(line -> line.length > MAX_LINE);
        LOGS.add(lines);
      }
    }
    assertThat(LOGS).hasSizeGreaterThan(10);
  }

  @Test
  void someLogs() {
    run(1, 400);
  }

  @Test
  @Tag("full")
  void twentyThousandLogs() {
    run(1_000_001, 20_000);
  }

  private static void run(int firstSeed, int count) {
    long good = 0;
    long bad = 0;
    for (int seed = firstSeed; seed < firstSeed + count; seed++) {
      try {
        EventLogReader reader = read(seed);
        good += reader.events();
        bad += reader.badLines();
      } catch (Throwable e) {
        fail("seed " + seed, e);
      }
    }
    assertThat(good).isGreaterThan(10L * count);
    assertThat(bad).isGreaterThan(count / 2);
  }

  private static EventLogReader read(int seed) throws IOException {
    Random random = new Random(seed);
    List<byte[]> all = LOGS.get(random.nextInt(LOGS.size()));
    List<byte[]> lines = new ArrayList<>(all.subList(0, Math.min(4, all.size())));
    int start = random.nextInt(all.size());
    lines.addAll(all.subList(start, Math.min(all.size(), start + 30)));
    int changed = 0;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (byte[] line : lines) {
      boolean change = random.nextInt(5) == 0;
      changed += change ? 1 : 0;
      log.writeBytes(change ? damaged(line, random) : line);
      log.write('\n');
    }
    byte[] bytes = log.toByteArray();
    List<FinishedSpan> spans = new ArrayList<>();
    TraceModel model = new TraceModel(Logs.config(), AttributeList.builder().build(), spans::add);
    EventLogParser parser = new EventLogParser(model, "unnamed");
    EventLogReader reader = new EventLogReader(parser);
    reader.read(new ByteArrayInputStream(bytes));
    parser.end();
    model.closeOpen();
    FinishedSpan application = model.application(Outcome.UNKNOWN, null, Collections.emptyList());
    if (application != null) {
      spans.add(application);
    }
    TraceRules.check(spans);
    assertThat(model.stateSize()).isZero();
    assertThat(reader.bytes()).isEqualTo(bytes.length);
    assertThat(reader.events()).isGreaterThanOrEqualTo(lines.size() - changed);
    assertThat(reader.events() + reader.badLines()).isGreaterThanOrEqualTo(notBlank(bytes));
    // What no check foresaw is told by its class.
    assertThat(String.valueOf(reader.firstProblem())).doesNotContain("Exception", "Error");
    return reader;
  }

  private static long notBlank(byte[] bytes) {
    return new String(bytes, LATIN)
        .lines()
        .filter(line -> line.chars().anyMatch(c -> c > ' '))
        .count();
  }

  /** Never with a newline more or less: the other lines stay what they are. */
  private static byte[] damaged(byte[] line, Random random) {
    byte[] bytes = line.clone();
    for (int left = 1 + random.nextInt(4); left > 0 && bytes.length > 1; left--) {
      int at = random.nextInt(bytes.length);
      int to = at + random.nextInt(Math.min(bytes.length - at, 40));
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] = (byte) (random.nextInt(256) | 0x20);
        case 1 -> bytes = joined(bytes, at, "", to);
        case 2 -> bytes = joined(bytes, at, "", bytes.length);
        case 3 -> bytes = joined(bytes, to, new String(bytes, at, to - at, LATIN), to);
        default -> bytes = joined(bytes, at, SNIPPETS[random.nextInt(SNIPPETS.length)], to);
      }
    }
    return bytes;
  }

  private static byte[] joined(byte[] bytes, int end, String middle, int start) {
    String text = new String(bytes, LATIN);
    return (text.substring(0, end) + middle + text.substring(start)).getBytes(LATIN);
  }
}
