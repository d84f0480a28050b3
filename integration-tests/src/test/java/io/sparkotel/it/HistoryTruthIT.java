package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sparkotel.it.Differences.Difference;
import io.sparkotel.scenarios.Cancelled;
import io.sparkotel.scenarios.DemoApplication;
import io.sparkotel.scenarios.RddShuffle;
import io.sparkotel.scenarios.SharedStage;
import io.sparkotel.scenarios.Signalled;
import io.sparkotel.scenarios.StageRetry;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Truth at scale: of logs of Spark 1.2 to 4.2, every number of ours equals what Spark's own history
 * server says of the same log, digit for digit: of each application, job, stage and task.
 */
@Tag("full")
class HistoryTruthIT {

  /**
   * Reads all logs. That of Spark 3.5 looks for the counters of push-based shuffle under names that
   * no Spark writes.
   */
  private static final SparkVersion READER = SparkVersion.V4_2_0;

  /** What tasks told first with Spark 3.5, 3.1 and 2.3. */
  private static final Set<String> SINCE_3_5 =
      keys("spark\\.shuffle\\.read\\.(merged\\..*|remote_requests_time_ms)");

  private static final Set<String> SINCE_3_1 =
      keys("spark\\.executor\\.peak_execution_memory_bytes");
  private static final Set<String> SINCE_2_3 =
      keys("spark\\.shuffle\\.read\\.remote_bytes_to_disk");

  /** What tasks told with Spark 1 only where they had some, or never. */
  private static final Set<String> SINCE_2_0 =
      keys("spark\\.(input|output|shuffle)\\..*|spark\\.executor\\..*cpu_time_ms");

  /**
   * Spark 3.1 had no push-based shuffle. Spark's developers wrote counters of it into this log,
   * each time by the names of the version whose tests read it: those of 4.2 are Spark's own, too.
   */
  private static final String EDITED = "app-20200706201101-0003";

  private static final Set<String> EDITED_IN =
      keys("spark\\.shuffle\\.read\\.merged\\.(?!remote_requests).*");

  /** By application, where Spark's answer is another on purpose. */
  private static final Map<String, Set<Difference>> DIFFERENCES =
      Map.of(
          "application_1603128018386_7846",
          Set.of(
              // An executor counts starts of tasks: each of 50 that were resubmitted ended twice.
              new Difference("application", "", "spark.tasks.total", 8630L, 8580L),
              // It counts no end after its own: of 20 that were lost with it.
              new Difference("application", "", "spark.tasks.failed", 53L, 33L),
              // Five jobs whose start was dropped: Spark passes over their ends.
              new Difference("application", "", "spark.otel.anomalies", 10L, 0L)));

  @TempDir private Path temp;

  /** In every clone: the logs of Spark's own tests, and those of scenarios. */
  @Test
  void ofSparksTestsAndOfScenarios() throws Exception {
    Path logs = temp.resolve("logs");
    unpack("spark-events/local-1422981780767", logs);
    unpack("spark-events/local-1596020211915", logs);
    unpack("spark-events-broken/last-attempt-incomplete/application_1656321732247_0006_1", logs);
    OnEachSpark.Versions.all().forEach(version -> runScenarios(version, logs));
    compare(logs, 22 + 2 * 6, 35_000);
  }

  /** The corpus of real logs. */
  @Test
  void ofTheCorpus() throws Exception {
    Path corpus = Layout.corpus();
    assumeTrue(
        Files.isDirectory(corpus),
        () ->
            "no corpus of event logs at " + corpus + "; -Dsparkotel.eventlogs names another place");
    Path logs = temp.resolve("logs");
    List<String> manifest = Files.readAllLines(corpus.resolve("manifest.tsv"));
    for (String row : manifest.subList(1, manifest.size())) {
      String name = row.substring(0, row.indexOf('\t'));
      copy(corpus.resolve(name), logs.resolve(name));
    }
    compare(logs, 16, 1_000_000);
  }

  private static void runScenarios(SparkVersion version, Path logs) {
    for (Class<?> scenario :
        List.of(Cancelled.class, DemoApplication.class, RddShuffle.class, SharedStage.class)) {
      run(SparkRun.of(version, scenario).master("local[2,3]"), logs);
    }
    run(SparkRun.of(version, StageRetry.class), logs);
    SparkRun killed = EventLogs.writtenBy(SparkRun.of(version, Signalled.class), logs);
    try (SparkProcess process = killed.start()) {
      process.awaitLine("waiting");
      process.kill();
      process.waitFor();
    }
  }

  private static void run(SparkRun run, Path logs) {
    EventLogs.writtenBy(run, logs).args(run.dir().resolve("out")).run().assertExit(0);
  }

  private void compare(Path logs, int count, int numbers) throws IOException {
    Map<String, SparkAnswers> answers;
    try (HistoryServer server = HistoryServer.start(READER, logs)) {
      answers = server.applications(count);
    }
    Map<String, Trace> traces = replay(logs);
    assertThat(traces.keySet()).isEqualTo(answers.keySet());
    Map<String, Set<Difference>> differences = new TreeMap<>();
    Map<String, Set<String>> untold = new TreeMap<>();
    int compared = 0;
    for (Map.Entry<String, SparkAnswers> answer : answers.entrySet()) {
      String id = answer.getKey();
      Trace trace = traces.get(id);
      Differences found =
          SparkTruth.compare(trace, answer.getValue()).andTasks().andPeaks().differences();
      compared += found.compared();
      if (!found.all().isEmpty()) {
        differences.put(id, Set.copyOf(found.all()));
      }
      if (!answer.getValue().stages().isEmpty()) {
        untold.put(id, found.untold());
      }
    }
    assertThat(differences).isEqualTo(known(answers.keySet()));
    assertThat(compared).isGreaterThan(numbers);
    SoftAssertions.assertSoftly(
        softly ->
            untold.forEach(
                (id, keys) -> {
                  Object version = traces.get(id).application().resource().get("spark.version");
                  // Logs did not tell it before 1.3.
                  checkUntold(softly, id, version == null ? "1.2" : version.toString(), keys);
                }));
  }

  private static void checkUntold(
      SoftAssertions softly, String id, String version, Set<String> untold) {
    List<Integer> line = Stream.of(version.split("\\.")).limit(2).map(Integer::valueOf).toList();
    int release = 100 * line.get(0) + line.get(1);
    Set<String> never = new TreeSet<>();
    never.addAll(release < 305 ? SINCE_3_5 : Set.of());
    never.addAll(release < 301 ? SINCE_3_1 : Set.of());
    never.addAll(release < 203 ? SINCE_2_3 : Set.of());
    Set<String> perhaps = new TreeSet<>(release < 200 ? SINCE_2_0 : Set.of());
    if (id.equals(EDITED)) {
      never.removeAll(EDITED_IN);
      perhaps.addAll(EDITED_IN);
    }
    if (version.endsWith("-SNAPSHOT")) {
      // Made on the way to a release, or edited since.
      perhaps.addAll(never);
      never.clear();
    }
    softly.assertThat(untold).as(id + " of Spark " + version).containsAll(never);
    softly.assertThat(never).as(id + " of Spark " + version).containsAll(without(untold, perhaps));
  }

  private static Set<String> without(Set<String> keys, Set<String> others) {
    Set<String> rest = new TreeSet<>(keys);
    rest.removeAll(others);
    return rest;
  }

  private static Set<String> keys(String pattern) {
    Set<String> keys = new TreeSet<>();
    for (SparkAnswers.Metric metric : SparkAnswers.METRICS) {
      if (metric.key().matches(pattern)) {
        keys.add(metric.key());
      }
    }
    return keys;
  }

  private static Map<String, Set<Difference>> known(Set<String> applications) {
    Map<String, Set<Difference>> known = new TreeMap<>(DIFFERENCES);
    known.keySet().retainAll(applications);
    return known;
  }

  /** The spans of each application, of all its traces. */
  private Map<String, Trace> replay(Path logs) {
    OtlpReceiver receiver =
        EventLogs.replay(logs, temp.resolve("replay.txt"), Map.of("OTEL_SPARK_TASKS", "all"));
    Map<String, List<SpanNode>> spans = new HashMap<>();
    for (SpanNode span : receiver.spans()) {
      Map<String, Object> resource = span.resource();
      Object attempt = resource.get("spark.app.attempt.id");
      String id = resource.get("spark.app.id") + (attempt == null ? "" : "/" + attempt);
      spans.computeIfAbsent(id, key -> new ArrayList<>()).add(span);
    }
    Map<String, Trace> traces = new HashMap<>();
    spans.forEach((id, all) -> traces.put(id, new Trace(all)));
    return traces;
  }

  /** Copies the neighbours of an entry of a jar on the class path, and it. */
  private static void unpack(String entry, Path target) throws IOException, URISyntaxException {
    String uri = HistoryTruthIT.class.getClassLoader().getResource(entry).toURI().toString();
    int inside = uri.indexOf("!/");
    try (FileSystem jar =
            FileSystems.newFileSystem(URI.create(uri.substring(0, inside)), Map.of());
        Stream<Path> logs = Files.list(jar.getPath(uri.substring(inside + 1)).getParent())) {
      for (Path log : logs.toList()) {
        copy(log, target.resolve(log.getFileName().toString()));
      }
    }
  }

  /** A file, or a directory of files. */
  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    List<Path> files = new ArrayList<>(List.of(from));
    if (Files.isDirectory(from)) {
      try (Stream<Path> children = Files.list(from)) {
        files = children.toList();
      }
    }
    for (Path file : files) {
      Path target = file == from ? to : to.resolve(file.getFileName().toString());
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
  }
}
