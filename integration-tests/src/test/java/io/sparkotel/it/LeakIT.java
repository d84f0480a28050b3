package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ManyContexts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/** Nothing of a context that ended stays: no object, no class loader, no thread. */
@Tag("full")
class LeakIT {

  private static final int FEW = 5;
  private static final int MANY = 50;

  /** The running one, and the one before, which waits to learn how the program ended. */
  private static final int APPLICATIONS = 2;

  @OnEachSpark
  void fiftyContextsLeaveWhatFiveLeave(SparkVersion version) {
    SparkProcess few = run(version, FEW);
    SparkProcess many = run(version, MANY);

    Map<String, Integer> live = live(many);
    assertThat(live)
        .containsEntry("io.sparkotel.bootstrap.AgentClassLoader", 1)
        .containsEntry("io.sparkotel.agent.SparkSideLoader", 1);
    for (String oneOfEach :
        List.of(
            "io.sparkotel.agent.LiveApplication",
            "io.sparkotel.agent.model.TraceModel",
            "io.sparkotel.agent.export.Pipeline",
            "io.sparkotel.agent.spark.SparkEventAdapter")) {
      assertThat(live.get(oneOfEach)).as(oneOfEach).isBetween(1, APPLICATIONS);
    }
    // Whatever the class: what grew with the contexts would be there at least once a context.
    Map<String, Integer> before = live(few);
    live.forEach(
        (type, count) ->
            assertThat(count - before.getOrDefault(type, 0)).as(type).isLessThan(MANY - FEW));
    assertThat(threads(many)).hasSizeLessThanOrEqualTo(threads(few).size() + APPLICATIONS);
  }

  private static SparkProcess run(SparkVersion version, int contexts) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(version, ManyContexts.class)
              .args(contexts)
              .exportOverHttp(receiver)
              .timeout(Duration.ofMinutes(5))
              .run()
              .assertExit(0);
      assertThat(AgentLines.complaints(process)).isEmpty();
      assertThat(receiver.traces()).hasSize(contexts);
      return process;
    }
  }

  /** How many live objects there are of each class of the agent and its libraries. */
  private static Map<String, Integer> live(SparkProcess process) {
    Map<String, Integer> live = new TreeMap<>();
    for (String line : process.stdout().split("\n")) {
      String[] words = line.split(" ");
      if (words[0].equals("live:") && words[2].contains("io.sparkotel.")) {
        live.merge(words[2], Integer.parseInt(words[1]), Integer::sum);
      }
    }
    assertThat(live).hasSizeGreaterThan(20);
    return live;
  }

  private static List<String> threads(SparkProcess process) {
    return process
        .stdout()
        .lines()
        .filter(line -> line.startsWith("thread: ") && line.contains("otel"))
        .toList();
  }
}
