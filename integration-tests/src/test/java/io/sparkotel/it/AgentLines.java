package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** What the agent said on stderr. */
final class AgentLines {

  private static final String PREFIX = "[spark-otel-agent] ";

  private AgentLines() {}

  /** Everything that it said, without the prefix. */
  static List<String> of(SparkProcess process) {
    return process.stderrLines().stream()
        .filter(line -> line.startsWith(PREFIX))
        .map(line -> line.substring(PREFIX.length()))
        .toList();
  }

  /** All but the two lines that every traced application has. */
  static List<String> complaints(SparkProcess process) {
    return of(process).stream()
        .filter(line -> !line.matches("\\S+ traces \\S+ as [0-9a-f]{32}, to .*"))
        .filter(line -> !line.matches("\\S+ ended: jobs .*"))
        .toList();
  }

  /** The application printed and returned what it does without agent, on both streams. */
  static void assertUnchanged(SparkProcess process, int exit, String stdout) {
    process.assertExit(exit);
    assertThat(process.stdout()).isEqualTo(stdout);
    assertThat(process.stderrLines()).allMatch(line -> line.startsWith(PREFIX));
  }
}
