package io.sparkotel.agent.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.RawLines;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineTrimmerTest {

  private static final Set<String> UNREAD =
      Set.of("Accumulables", "Accumulator Updates", "RDD Info", "Stack Trace", "Updated Blocks");

  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    JSON.getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build());
  }

  @TempDir Path temp;

  @Test
  void everyLineOfTheCorpusKeepsAllThatIsRead() throws IOException {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
    int lines = 0;
    for (File file : Logs.corpus().listFiles((dir, name) -> name.endsWith(".zstd"))) {
      lines += check(file);
    }
    assertThat(lines).isGreaterThan(47_000);
  }

  @Test
  void everyLineOfSparksTestLogsKeepsAllThatIsRead() throws IOException {
    int lines = 0;
    for (File file : Logs.ofSparksTests(temp).values()) {
      lines += file.isFile() ? check(file) : 0;
    }
    assertThat(lines).isGreaterThan(1_000);
  }

  private static int check(File file) throws IOException {
    int lines = 0;
    for (byte[] line : RawLines.of(file)) {
      byte[] trimmed = trim(line);
      assertThat(trimmed.length).isLessThanOrEqualTo(line.length);
      assertThat(JSON.readTree(trimmed))
          .as("%s line %d", file.getName(), lines + 1)
          .isEqualTo(emptied(JSON.readTree(line), completes(line)));
      lines++;
    }
    return lines;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Accumulables\":[1,[2],{\"a\":3}],\"b\":4} | {\"Accumulables\":[],\"b\":4}",
        "{\"Updated Blocks\":{\"a\":{}},\"b\":4} | {\"Updated Blocks\":{},\"b\":4}",
        "{\"Accumulables\":[],\"b\":4} | {\"Accumulables\":[],\"b\":4}",
        "{\"Accumulables\":[\"]\",\"\\\"]\",\"\\\\\"],\"b\":1} | {\"Accumulables\":[],\"b\":1}",
        "{\"Accumulables\":[{\"a]\":\"}\"}]} | {\"Accumulables\":[]}",
        "{\"Accumulables\":null,\"b\":[1]} | {\"Accumulables\":null,\"b\":[1]}",
        "{\"Updated Blocks\":\"[text]\"} | {\"Updated Blocks\":\"[text]\"}",
        "{\"a\":\"\\\"Accumulables\\\":[1]\"} | {\"a\":\"\\\"Accumulables\\\":[1]\"}",
        "{\"a\\\"Accumulables\":[1]} | {\"a\\\"Accumulables\":[1]}",
        "{\"a\":\"Accumulables\",\"b\":[1]} | {\"a\":\"Accumulables\",\"b\":[1]}",
        "{\"xAccumulables\":[1]} | {\"xAccumulables\":[1]}",
        "{\"a\":\"\\\\\",\"Updated Blocks\":{\"b\":1}} | {\"a\":\"\\\\\",\"Updated Blocks\":{}}",
        "{\"Accumulables\":[1,2 | {\"Accumulables\":[1,2",
        "{\"Accumulables\":[\"a | {\"Accumulables\":[\"a",
        "{\"a\":1,\"Accumulables\":[{]}],\"b\":1} | {\"a\":1,\"Accumulables\":[}],\"b\":1}",
        "{\"a\":\"b\\ | {\"a\":\"b\\",
        "{\"Accumulables\": | {\"Accumulables\":",
        "\" | \"",
      })
  void hostileLines(String line, String expected) {
    String event = "{\"Event\":\"X\",\"x\":";
    assertThat(new String(trim((event + line).getBytes(UTF_8)), UTF_8)).isEqualTo(event + expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Event\":\"SparkListenerStageCompleted\",\"Accumulables\":[1],\"RDD Info\":[2]} | {\"Event\":\"SparkListenerStageCompleted\",\"Accumulables\":[1],\"RDD Info\":[]}",
        "{\"Accumulables\":[1],\"RDD Info\":[2],\"Event\":\"SparkListenerStageCompleted\"} | {\"Accumulables\":[1],\"RDD Info\":[],\"Event\":\"SparkListenerStageCompleted\"}",
        "{\"Event\":\"SparkListenerStageSubmitted\",\"Accumulables\":[1]} | {\"Event\":\"SparkListenerStageSubmitted\",\"Accumulables\":[]}",
      })
  void accumulablesAreReadOfCompletedStages(String line, String expected) {
    assertThat(new String(trim(line.getBytes(UTF_8)), UTF_8)).isEqualTo(expected);
  }

  @Test
  void fieldsInAnyOrderAreKept() throws IOException {
    String line =
        "{\"Event\":\"SparkListenerTaskEnd\",\"Task Info\":{\"Accumulables\":[{\"Value\":[1]}],"
            + "\"Task ID\":7},\"Task Metrics\":{\"Executor Run Time\":5,\"Updated Blocks\":[3]},"
            + "\"Task End Reason\":{\"Reason\":\"Success\"},\"Stage ID\":3}";
    JsonNode trimmed = JSON.readTree(trim(line.getBytes(UTF_8)));
    assertThat(trimmed.at("/Task Info/Task ID").asInt()).isEqualTo(7);
    assertThat(trimmed.at("/Task Metrics/Executor Run Time").asInt()).isEqualTo(5);
    assertThat(trimmed.at("/Task End Reason/Reason").asText()).isEqualTo("Success");
    assertThat(trimmed.at("/Stage ID").asInt()).isEqualTo(3);
  }

  @Test
  void aLineCutAnywhereStaysCut() {
    byte[] line = Logs.taskEnd(0, 1).getBytes(UTF_8);
    for (int length = 1; length < line.length; length++) {
      byte[] trimmed = trim(Arrays.copyOf(line, length));
      assertThat(isJson(trimmed)).as("%d bytes", length).isFalse();
    }
    assertThat(isJson(trim(line))).isTrue();
  }

  @Test
  void randomTrees() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      JsonNode tree = object(random, 0);
      byte[] line = JSON.writeValueAsBytes(tree);
      assertThat(JSON.readTree(trim(line))).as(tree.toString()).isEqualTo(emptied(tree, true));
    }
  }

  @Test
  void randomBytesNeverMakeItFail() {
    Random random = new Random(8);
    String alphabet = "\"\"\\[]{}:,A1 \u00e9";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder("{\"RDD Info\":[");
      for (int j = random.nextInt(40); j > 0; j--) {
        line.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      byte[] bytes = line.toString().getBytes(UTF_8);
      assertThat(trim(bytes).length).isLessThanOrEqualTo(bytes.length);
    }
  }

  @Test
  void nothingOutsideTheLineIsTouched() {
    byte[] buffer = "xx{\"Updated Blocks\":[1,2,3],\"a\":1}yy".getBytes(UTF_8);
    int end = LineTrimmer.trim(buffer, 2, buffer.length - 2);
    assertThat(new String(buffer, 2, end - 2, UTF_8)).isEqualTo("{\"Updated Blocks\":[],\"a\":1}");
    assertThat(new String(buffer, buffer.length - 2, 2, UTF_8)).isEqualTo("yy");
    assertThat(new String(buffer, 0, 2, UTF_8)).isEqualTo("xx");
  }

  /** The place of the cut moves over every byte of what is repeated. */
  @Test
  void ofAStringThatNoSpanCouldHoldTheBeginningIsKept() throws IOException {
    String unit = "a\\u00e9\\\"\\\\\u00e9\u20ac\ud83d\ude00\\ud83d\\ude00";
    for (String shift : List.of("", "b", "bb", "bbb", "bbbb", "bbbbb", "bbbbbb", "bbbbbbb")) {
      String text = shift + unit.repeat(100_000);
      byte[] line = ("{\"a\":\"" + text + "\",\"b\":\"c\"}").getBytes(UTF_8);
      JsonNode whole = JSON.readTree(line);
      JsonNode cut = JSON.readTree(trim(line));
      String kept = cut.get("a").textValue();
      assertThat(whole.get("a").textValue().startsWith(kept)).isTrue();
      assertThat(kept).doesNotContain("\ufffd");
      assertThat(kept.length()).isBetween(200_000, LineTrimmer.MAX_STRING_BYTES);
      assertThat(cut.get("b").textValue()).isEqualTo("c");
    }
  }

  private static JsonNode object(Random random, int depth) {
    ObjectNode node = JSON.createObjectNode();
    List<String> keys =
        List.of("a", "b\"", "Updated Blocks", "RDD Info", "Stack Trace", "RDD Info\\");
    for (int i = random.nextInt(5); i > 0; i--) {
      node.set(keys.get(random.nextInt(keys.size())), value(random, depth + 1));
    }
    return node;
  }

  private static JsonNode value(Random random, int depth) {
    return switch (random.nextInt(depth > 5 ? 3 : 6)) {
      case 0 -> JSON.getNodeFactory().numberNode(random.nextInt());
      case 1 -> JSON.getNodeFactory().nullNode();
      case 2 -> {
        List<String> texts =
            List.of("", "]", "}\"{", "\\", "\"Updated Blocks\":[", "\\\"", "\u00e9");
        yield JSON.getNodeFactory().textNode(texts.get(random.nextInt(texts.size())));
      }
      case 3 -> {
        ArrayNode array = JSON.createArrayNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          array.add(value(random, depth + 1));
        }
        yield array;
      }
      default -> object(random, depth);
    };
  }

  /** Of a completed stage, and of what does not begin with its name, accumulables are read. */
  private static boolean completes(byte[] line) {
    String text = new String(line, UTF_8);
    return !text.startsWith("{\"Event\":\"")
        || text.startsWith("{\"Event\":\"SparkListenerStageCompleted\"");
  }

  private static JsonNode emptied(JsonNode node, boolean accumulables) {
    if (node.isArray()) {
      ArrayNode array = JSON.createArrayNode();
      node.forEach(element -> array.add(emptied(element, accumulables)));
      return array;
    }
    if (!node.isObject()) {
      return node;
    }
    ObjectNode object = JSON.createObjectNode();
    node.properties()
        .forEach(
            entry -> {
              JsonNode value = entry.getValue();
              boolean kept = accumulables && entry.getKey().startsWith("Accum");
              boolean unread = UNREAD.contains(entry.getKey()) && !kept;
              if (unread && value.isArray()) {
                object.set(entry.getKey(), JSON.createArrayNode());
              } else if (unread && value.isObject()) {
                object.set(entry.getKey(), JSON.createObjectNode());
              } else {
                object.set(entry.getKey(), emptied(value, accumulables));
              }
            });
    return object;
  }

  private static byte[] trim(byte[] line) {
    byte[] copy = line.clone();
    return Arrays.copyOf(copy, LineTrimmer.trim(copy, 0, copy.length));
  }

  private static boolean isJson(byte[] text) {
    try {
      JSON.readTree(text);
      return true;
    } catch (JsonProcessingException e) {
      return false;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
