package io.sparkotel.it;

import static java.util.stream.Collectors.joining;

import io.sparkotel.scenarios.ManyTasks;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Reads one large event log with the agent's {@code replay} in 256 MB and with what Spark's history
 * server reads it with, by turns; CPU time (user and system) and wall time of the whole processes.
 * The log is the largest one in {@code -Dsparkotel.eventlogs} or {@code ../shared/eventlogs},
 * repeated; without one, that of an application run for it. Needs bash; from the repository's root:
 *
 * <pre>mvn -q package -DskipTests
 * java -cp integration-tests/target/test-classes:integration-tests/target/classes \
 *     io.sparkotel.it.ReplayBench [tasks] [rounds]</pre>
 */
final class ReplayBench {

  private static final long TASKS = 1_000_000;
  private static final int ROUNDS = 3;

  /** Of an application run for it. */
  private static final int SMALL_TASKS = 5_000;

  /** Events a second: so many times as many as Spark. */
  private static final double BAR = 5;

  private static final SparkVersion SPARK = SparkVersion.V3_5_9;

  private static final String UNPACK =
      """
      import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
      import java.io.*;
      import java.nio.file.*;

      public class Unpack {
        public static void main(String[] args) throws IOException {
          InputStream file = Files.newInputStream(Paths.get(args[0]));
          try (InputStream in = new ZstdInputStreamNoFinalizer(file).setContinuous(true)) {
            Files.copy(in, Paths.get(args[1]));
          }
        }
      }
      """;

  /** As the history server does for an application that it keeps in memory, but its SQL tab. */
  private static final String SPARK_REPLAY =
      """
      import java.io.*;
      import java.nio.file.*;
      import org.apache.spark.SparkConf;
      import org.apache.spark.scheduler.ReplayListenerBus;
      import org.apache.spark.status.*;
      import org.apache.spark.util.kvstore.InMemoryStore;
      import scala.Option;

      public class SparkReplay {
        public static void main(String[] args) throws Exception {
          SparkConf conf =
              new SparkConf(false).set("spark.appStateStore.asyncTracking.enable", "false");
          ElementTrackingStore store = new ElementTrackingStore(new InMemoryStore(), conf);
          ReplayListenerBus bus = new ReplayListenerBus();
          bus.addListener(
              new AppStatusListener(store, conf, false, Option.empty(), Option.empty()));
          try (InputStream in =
              new BufferedInputStream(Files.newInputStream(Paths.get(args[0])))) {
            bus.replay(in, args[0], false, ReplayListenerBus.SELECT_ALL_FILTER());
          }
          store.close(false);
          System.out.println(store.count(Class.forName("org.apache.spark.status.JobDataWrapper")));
        }
      }
      """;

  private static final String AGENT_ROW = "replay --dry-run, -Xmx256m";
  private static final String FILE_ROW = "replay --file /dev/null, -Xmx256m";
  private static final String SPARK_ROW = "Spark " + SPARK.version() + ", -Xmx3g";

  private final Path dir;
  private final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private final String sparkClasspath;

  private ReplayBench(Path dir) {
    this.dir = dir;
    this.sparkClasspath =
        Stream.concat(Stream.of(dir, Layout.sparkConf()), SPARK.classpath().stream())
            .map(Path::toString)
            .collect(joining(File.pathSeparator));
  }

  public static void main(String[] args) throws Exception {
    long tasks = args.length > 0 ? Long.parseLong(args[0]) : TASKS;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : ROUNDS;
    Path dir = Files.createTempDirectory(Files.createDirectories(Layout.workDir()), "replay-bench");
    boolean holds;
    try {
      holds = new ReplayBench(dir).compare(tasks, rounds);
    } finally {
      try (Stream<Path> files = Files.walk(dir)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
    }
    System.exit(holds ? 0 : 1);
  }

  private boolean compare(long tasks, int rounds) throws Exception {
    compile("Unpack", UNPACK);
    compile("SparkReplay", SPARK_REPLAY);
    Path log = dir.resolve("log");
    BigLog.Size size = BigLog.repeat(smallLog(), log, tasks);
    System.out.printf(
        Locale.ROOT,
        "JDK %s, %d CPUs, %,d events, %,d tasks, %,.0f MB, medians of %d rounds%n",
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors(),
        size.events(),
        size.tasks(),
        Files.size(log) / 1e6,
        rounds);
    String big = log.toString();
    String agent = Layout.agentJar().toString();
    List<String> dryRun = List.of("-Xmx256m", "-jar", agent, "replay", "--dry-run", big);
    List<String> file = List.of("-Xmx256m", "-jar", agent, "replay", "--file", "/dev/null", big);
    List<String> spark = List.of("-Xmx3g", "-cp", sparkClasspath, "SparkReplay", big);
    String tasksRead = " " + size.tasks() + " ";
    List<List<double[]>> measured =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int round = 0; round < rounds; round++) {
      List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
      Collections.rotate(order, round);
      for (int kind : order) {
        measured
            .get(kind)
            .add(
                switch (kind) {
                  case 0 -> run(dryRun, tasksRead);
                  case 1 -> run(file, tasksRead);
                  default -> run(spark, "");
                });
      }
    }
    System.out.println("| | CPU | wall | events/s | events per CPU second |");
    System.out.println("|---|---|---|---|---|");
    print(AGENT_ROW, measured.get(0), size.events());
    print(FILE_ROW, measured.get(1), size.events());
    print(SPARK_ROW, measured.get(2), size.events());
    double ratio = ratio(measured, 1);
    System.out.printf(
        Locale.ROOT,
        "events/s: %.1f times Spark's (at least %.0f); per CPU second: %.1f times%n",
        ratio,
        BAR,
        ratio(measured, 0));
    return ratio >= BAR;
  }

  /** Of the two runs of each round, which had the same load beside them. */
  private static double ratio(List<List<double[]>> measured, int column) {
    List<double[]> ratios = new ArrayList<>();
    for (int i = 0; i < measured.get(0).size(); i++) {
      ratios.add(new double[] {measured.get(2).get(i)[column] / measured.get(0).get(i)[column]});
    }
    return median(ratios, 0);
  }

  private static void print(String what, List<double[]> times, long events) {
    double cpu = median(times, 0);
    double wall = median(times, 1);
    System.out.printf(
        Locale.ROOT,
        "| %s | %.1f s | %.1f s | %,.0f | %,.0f |%n",
        what,
        cpu,
        wall,
        events / wall,
        events / cpu);
  }

  private static double median(List<double[]> times, int column) {
    double[] sorted = times.stream().mapToDouble(row -> row[column]).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The largest log that is there, not compressed. */
  private Path smallLog() throws Exception {
    Path corpus = Path.of(System.getProperty("sparkotel.eventlogs", "../shared/eventlogs"));
    Path largest = null;
    if (Files.isDirectory(corpus)) {
      try (DirectoryStream<Path> logs = Files.newDirectoryStream(corpus, "*.zstd")) {
        for (Path log : logs) {
          largest = largest == null || Files.size(log) > Files.size(largest) ? log : largest;
        }
      }
    }
    Path small = dir.resolve("small");
    if (largest != null) {
      execute(List.of(java, "-cp", sparkClasspath, "Unpack", largest.toString(), small.toString()));
      return small;
    }
    Path logs = Files.createDirectory(small);
    SparkProcess process =
        SparkRun.of(SPARK, ManyTasks.class)
            .args(SMALL_TASKS)
            .conf("spark.eventLog.enabled", true)
            .conf("spark.eventLog.dir", logs.toUri())
            .run();
    try (DirectoryStream<Path> written = Files.newDirectoryStream(logs, "local-*")) {
      for (Path log : written) {
        return log;
      }
    }
    throw new IOException("no event log was written:\n" + process.stderr());
  }

  /** CPU and wall time of one JVM, in seconds. */
  private double[] run(List<String> arguments, String expected) throws Exception {
    List<String> command = new ArrayList<>();
    // The JDK does not tell the CPU time of a process that has ended; the shell does.
    command.addAll(List.of("bash", "-c", "TIMEFORMAT='%3R %3U %3S'; time \"$@\"", "bash", java));
    command.addAll(arguments);
    String output = execute(command);
    if (!output.contains(expected)) {
      throw new IllegalStateException(command + ":\n" + output);
    }
    String[] lines = output.split("\n");
    String[] seconds = lines[lines.length - 1].replace(',', '.').split(" ");
    double cpu = Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2]);
    return new double[] {cpu, Double.parseDouble(seconds[0])};
  }

  private void compile(String name, String source) throws Exception {
    Path file = Files.writeString(dir.resolve(name + ".java"), source);
    String javac = Path.of(java).resolveSibling("javac").toString();
    execute(
        List.of(javac, "-nowarn", "-d", dir.toString(), "-cp", sparkClasspath, file.toString()));
  }

  private static String execute(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ":\n" + output);
    }
    return output;
  }
}
