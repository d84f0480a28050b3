package io.sparkotel.agent.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.RawLines;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is read without a parser has to be what a parser reads of the trimmed line. */
class TaskLinesTest {

  private static final String HEAD =
      "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":3,\"Task Info\":{\"Task ID\":7,";
  private static final String TAIL =
      ",\"Finish Time\":9},\"Task Metrics\":{\"Executor Run Time\":5,\"Updated Blocks\":[]}}";

  private static final JsonFactory JSON = new JsonFactory();

  @TempDir Path temp;

  private final TaskLines lines = new TaskLines();

  @Test
  void everyTaskOfTheCorpusIsWhatAParserReads() throws IOException {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
    int[] read = new int[2];
    for (File file : Logs.corpus().listFiles((dir, name) -> name.endsWith(".zstd"))) {
      check(file, read);
    }
    assertThat(read[1]).isGreaterThan(40_000);
    // The rest failed, and tell it by text with escapes; or are of Spark 1.
    assertThat(read[0]).isGreaterThan(read[1] * 9 / 10);
  }

  @Test
  void everyTaskOfSparksTestLogsIsWhatAParserReads() throws IOException {
    int[] read = new int[2];
    for (File file : Logs.ofSparksTests(temp).values()) {
      if (file.isFile()) {
        check(file, read);
      }
    }
    assertThat(read[0]).isPositive();
  }

  private void check(File file, int[] read) throws IOException {
    for (byte[] line : RawLines.of(file)) {
      String text = new String(line, UTF_8).stripTrailing();
      if (text.startsWith("{\"Event\":\"SparkListenerTask")
          && !text.contains("SparkListenerTaskGettingResult")) {
        read[0] += isReadAsByAParser(text) ? 1 : 0;
        read[1]++;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"Accumulables\":[]",
        "\"Accumulables\":[{\"ID\":1,\"Name\":\"a\",\"Update\":2,\"Value\":3}]",
        "\"Accumulables\":[{\"Name\":\"]},\\\"Task Metrics\\\":{\",\"Value\":3}]",
        "\"Accumulables\":[{\"Name\":\"]},\\\\\",\"Value\":3}]",
        "\"Accumulables\":[{\"Name\":\"\\\\\\\"]\",\"Value\":3}]",
        "\"Accumulables\":[{\"Name\":\"a]\",\"Value\":3},{\"Name\":\"b]}\"}]",
        "\"Accumulables\":[{\"Name\":\"]\"}]",
        "\"Accumulables\":[{\"Name\":\"[\"}]",
        "\"Accumulables\":[{\"Name\":\"{\"},{\"Name\":\"\u00e9]\"}]",
        "\"Accumulables\":[{\"Value\":[[1],{\"Finish Time\":8}]}]",
        "\"Accumulables\":[[],[[]]]",
        "\"Accumulables\":[1],\"Index\":4",
        "\"Accumulables\":[{\"Value\":{\"a\":[1]},\"Task Metrics\":{}}],\"Index\":4",
        "\"Index\":4,\"Attempt\":-1",
        "\"Index\":-0",
        "\"Launch Time\":999999999999999999",
        "\"Host\":\"h\",\"Executor ID\":\"1\",\"Locality\":\"ANY\",\"Speculative\":true",
        "\"Speculative\":false,\"Failed\":true,\"Killed\":null",
        "\"Index\":1,\"Index\":2",
        "\"Accumulables\":[],\"b\":{\"c\":\"d\"},\"e\":[]",
      })
  void plainFields(String fields) throws IOException {
    String line = HEAD + fields + TAIL;
    assertThat(isReadAsByAParser(line)).isTrue();
    // Once more, with the order of the fields known.
    assertThat(isReadAsByAParser(line)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"Host\":\"h\\u0041\"",
        "\"Host\":\"\u00e9\"",
        "\"Host\":\"a\tb\"",
        "\"Host\":null",
        "\"Host\":1",
        "\"Speculative\":null",
        "\"Index\":1.0",
        "\"Index\":1e3",
        "\"Index\":01",
        "\"Index\":+1",
        "\"Index\":-",
        "\"Index\":\"1\"",
        "\"Index\": 1",
        "\"Index\" :1",
        "\"Index\":1, \"Attempt\":1",
        "\"Index\":1,,\"Attempt\":1",
        "\"Index\":1 \"Attempt\":1",
        "\"Index\"",
        "\"Launch Time\":9223372036854775807",
        "\"Launch Time\":9223372036854775808",
        "\"Accumulables\":[1",
        "\"Accumulables\":[{\"Name\":\"]",
        "\"Unknown\":[1]",
        "\"Unknown\":[{\"Finish Time\":8}]",
        "\"Unknown\":tru",
        "\"\\u0049ndex\":1",
      })
  void whatIsNotPlainTakesAParser(String fields) throws IOException {
    assertThat(lines.end(bytes(HEAD + fields + TAIL), 0, bytes(HEAD + fields + TAIL).length))
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"}", " ", "{\"Event\":\"SparkListenerTaskEnd\"}", "x", ","})
  void whatIsBehindTheEventTakesAParser(String behind) throws IOException {
    String line = HEAD + "\"Index\":4" + TAIL;
    assertThat(isReadAsByAParser(line)).isTrue();
    assertThat(isReadAsByAParser(line + behind)).isFalse();
  }

  @Test
  void accumulablesAsTheLastOfTheLine() throws IOException {
    String line =
        "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":3,\"Task Info\":{\"Task ID\":7,"
            + "\"Accumulables\":[{\"Name\":\"a\"}]}}";
    assertThat(isReadAsByAParser(line)).isTrue();
  }

  @Test
  void nestedDeeperThanAnyEventTakesAParser() throws IOException {
    String deep = "\"Unknown\":" + "{\"a\":".repeat(1_000) + "1" + "}".repeat(1_000);
    assertThat(isReadAsByAParser(HEAD + deep + TAIL)).isFalse();
  }

  @Test
  void aLineCutAnywhereTakesAParser() throws IOException {
    byte[] line = bytes(HEAD + "\"Accumulables\":[{\"Name\":\"a\"},{\"Value\":[1]}]" + TAIL);
    for (int length = 0; length < line.length; length++) {
      assertThat(lines.end(Arrays.copyOf(line, length), 0, length)).as("%d", length).isNull();
    }
    assertThat(lines.end(line, 0, line.length)).isNotNull();
  }

  /** One byte is another one: it is read as a parser reads it, or not at all. */
  @Test
  void changedBytes() throws IOException {
    Random random = new Random(9);
    String line = HEAD + "\"Host\":\"h\",\"Index\":12,\"Speculative\":true" + TAIL;
    String alphabet = "\"\\[]{}:,0-1.e tn\t\u00e9";
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder changed = new StringBuilder(line);
      changed.setCharAt(
          random.nextInt(line.length()), alphabet.charAt(random.nextInt(alphabet.length())));
      read += isReadAsByAParser(changed.toString()) ? 1 : 0;
    }
    assertThat(read).isBetween(1, 19_999);
  }

  /** False where it was not read without a parser; fails where it was, and differently. */
  private boolean isReadAsByAParser(String text) throws IOException {
    byte[] line = bytes(text);
    TaskEnd end = lines.end(line, 0, line.length);
    TaskStart start = lines.start(line, 0, line.length);
    assertThat(line).isEqualTo(bytes(text));
    if (end == null && start == null) {
      return false;
    }
    int length = LineTrimmer.trim(line, 0, line.length);
    try (JsonParser parser = JSON.createParser(line, 0, length)) {
      parser.nextToken();
      JsonFields fields = new JsonFields(parser, FieldOrder.start());
      if (end == null) {
        assertThat(values(start)).as(text).isEqualTo(values(TaskJson.start(fields)));
      } else {
        assertThat(values(end)).as(text).isEqualTo(values(TaskJson.end(fields)));
      }
      assertThat(parser.nextToken()).as(text).isNull();
    }
    return true;
  }

  private static List<Object> values(TaskStart start) {
    return Arrays.asList(start.stageId, start.stageAttempt, values(start.task));
  }

  private static List<Object> values(TaskEnd end) {
    return Arrays.asList(
        end.stageId,
        end.stageAttempt,
        end.reason.kind,
        end.reason.className,
        end.reason.message,
        end.reason.stackTrace,
        end.metrics == null ? null : Arrays.toString(end.metrics),
        values(end.task));
  }

  private static List<Object> values(TaskInfo task) {
    return task == null
        ? null
        : Arrays.asList(
            task.id,
            task.index,
            task.attempt,
            task.partition,
            task.launchTime,
            task.finishTime,
            task.gettingResultTime,
            task.executorId,
            task.host,
            task.locality,
            task.speculative);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
