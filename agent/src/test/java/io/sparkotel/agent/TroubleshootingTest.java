package io.sparkotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is printed is explained: docs/troubleshooting.md holds every literal of a line. */
class TroubleshootingTest {

  /** A call, or a constant, that makes a line for people; to the end of the statement. */
  private static final Pattern STATEMENT =
      Pattern.compile(
          "(?:(?:err\\.println|out\\.println|log\\.(?:info|warn|error|accept)|logFailure"
              + "|lines\\.add|problems\\.(?:add|ignored)|complain|return|new IOException|print)\\b"
              + "|mistake =|static final String [A-Z_]+ =)(.*?);\\n",
          Pattern.DOTALL);

  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  private static final Pattern JOINT = Pattern.compile("\"\\s*\\+ \"");

  private static final List<String> SOURCES =
      List.of(
          "../bootstrap/src/main/java/io/sparkotel/bootstrap/SparkOtelAgent.java",
          "../bootstrap/src/main/java/io/sparkotel/bootstrap/SparkTransformer.java",
          "src/main/java/io/sparkotel/agent/AgentMain.java",
          "src/main/java/io/sparkotel/agent/ApplicationStarter.java",
          "src/main/java/io/sparkotel/agent/Guard.java",
          "src/main/java/io/sparkotel/agent/LiveApplication.java",
          "src/main/java/io/sparkotel/agent/cli/ApplicationGate.java",
          "src/main/java/io/sparkotel/agent/cli/CheckCommand.java",
          "src/main/java/io/sparkotel/agent/cli/CheckOptions.java",
          "src/main/java/io/sparkotel/agent/cli/Main.java",
          "src/main/java/io/sparkotel/agent/cli/ReplayCommand.java",
          "src/main/java/io/sparkotel/agent/config/ConfigProblems.java",
          "src/main/java/io/sparkotel/agent/config/ConfigSources.java",
          "src/main/java/io/sparkotel/agent/config/OtlpConfig.java",
          "src/main/java/io/sparkotel/agent/config/SettingReader.java",
          "src/main/java/io/sparkotel/agent/export/Pipeline.java",
          "src/main/java/io/sparkotel/agent/replay/EventLog.java",
          "src/main/java/io/sparkotel/agent/replay/Replay.java",
          "src/main/java/io/sparkotel/agent/replay/ReplaySummary.java");

  @Test
  void everyLineIsInTheDocs() throws IOException {
    String docs = Files.readString(Path.of("../docs/troubleshooting.md")).replaceAll("\\s+", " ");
    List<String> missing =
        SOURCES.stream()
            .flatMap(TroubleshootingTest::texts)
            .distinct()
            .filter(text -> !docs.contains(text))
            .toList();
    assertThat(missing).isEmpty();
  }

  /** The scan itself: it finds lines that are surely there, in every form of statement. */
  @Test
  void theScanFindsLines() {
    assertThat(SOURCES.stream().flatMap(TroubleshootingTest::texts))
        .contains("[spark-otel-agent] not installed")
        .contains("spans are sent again", "cannot send spans, trying again")
        .contains("the platform's file locks this key", "logs failed", "unknown option '")
        .contains("not all is well, see above", "no such file", "not an event log")
        .contains("otel.traces.sampler takes no application: nothing is sent");
  }

  /** Literals of at least two words, without what joins them to values. */
  private static Stream<String> texts(String source) {
    String text;
    try {
      text = Files.readString(Path.of(source));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> texts = new ArrayList<>();
    Matcher statement = STATEMENT.matcher(text);
    while (statement.find()) {
      Matcher literal = LITERAL.matcher(JOINT.matcher(statement.group(1)).replaceAll(""));
      while (literal.find()) {
        String words = literal.group(1).replaceAll("^[ :;,.()]+|[ :;,.(]+$", "");
        if (words.contains(" ") && !words.startsWith("Usage: ")) {
          texts.add(words);
        }
      }
    }
    return texts.stream();
  }
}
