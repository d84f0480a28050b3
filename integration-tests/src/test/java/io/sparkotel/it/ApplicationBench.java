package io.sparkotel.it;

import static java.util.stream.Collectors.joining;

import io.sparkotel.benchmarks.BusEvents;
import io.sparkotel.scenarios.Timeline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * What an application pays: one Spark application, {@link Timeline} or {@link BusEvents}, in a JVM
 * of its own, bare, with this agent and with its peers, by turns; CPU time of the driver's process
 * and wall time, of each part. Each figure is the median over the rounds; what is added is the
 * median of the differences to the bare run of the same round. From the repository's root:
 *
 * <pre>mvn -q package -DskipTests
 * java -cp integration-tests/target/test-classes:integration-tests/target/classes \
 *     io.sparkotel.it.ApplicationBench [tasks] [rounds] [wait|told] [kind...]</pre>
 *
 * With a wait of 0 the tasks do nothing, two at a time, and the driver is as busy as it can be;
 * else each waits so many milliseconds, eight at a time, as a driver waits for its executors. With
 * {@code told} none is run: the driver is only told of them, as if executors did.
 */
final class ApplicationBench {

  private static final int TASKS = 100_000;
  private static final int ROUNDS = 5;
  private static final int TOLD = -1;
  private static final SparkVersion SPARK = SparkVersion.V3_5_9;

  /** What is measured beside what. */
  private enum Kind {
    BARE("no agent"),
    AUTO("this agent"),
    NONE("this agent, no spans of tasks"),
    FAILED("this agent, spans of failed tasks"),
    ALL("this agent, a span for each task"),
    ALL_GZIP("the same, compressed"),
    DOWN("this agent, no collector at the port"),
    SILENT("this agent, collector never answers"),
    EVENT_LOG("Spark's event log"),
    SPARK_MEASURE("sparkMeasure 0.24, flight recorder"),
    DATADOG(Peers.DATADOG_NAME),
    OPEN_TELEMETRY(Peers.OPEN_TELEMETRY_NAME);

    final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /**
   * One run; times in milliseconds.
   *
   * @param wall since the start of the JVM, by the names of the parts
   * @param cpu of the process, by the same
   * @param threads microseconds of CPU, by the names of threads
   * @param heap bytes in use after a garbage collection, once the tasks are done
   * @param total wall time of the process, its start and end included
   * @param sent bytes of all requests
   * @param raw the same, decompressed
   */
  private record Run(
      Map<String, Long> wall,
      Map<String, Long> cpu,
      Map<String, Long> threads,
      long heap,
      long total,
      long sent,
      long raw) {}

  private final int tasks;

  /** Of each task, milliseconds; {@link #TOLD} where none is run. */
  private final int wait;

  private final Map<Kind, List<Run>> runs = new EnumMap<>(Kind.class);

  private ApplicationBench(int tasks, int wait) {
    this.tasks = tasks;
    this.wait = wait;
  }

  public static void main(String[] args) throws IOException {
    int tasks = args.length > 0 ? Integer.parseInt(args[0]) : TASKS;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : ROUNDS;
    String wait = args.length > 2 ? args[2] : "0";
    ApplicationBench bench =
        new ApplicationBench(tasks, wait.equals("told") ? TOLD : Integer.parseInt(wait));
    List<Kind> kinds = new ArrayList<>();
    for (int i = 3; i < args.length; i++) {
      kinds.add(Kind.valueOf(args[i]));
    }
    bench.compare(kinds.isEmpty() ? List.of(Kind.values()) : kinds, rounds);
  }

  private void compare(List<Kind> kinds, int rounds) throws IOException {
    System.out.printf(
        Locale.ROOT,
        "Spark %s, JDK %s, %d CPUs, %s, %,d tasks %s, medians of %d rounds%n",
        SPARK,
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors(),
        master(),
        tasks,
        wait == TOLD ? "told of" : "that wait " + wait + " ms",
        rounds);
    for (int round = 0; round < rounds; round++) {
      List<Kind> order = new ArrayList<>(kinds);
      Collections.rotate(order, round);
      for (Kind kind : order) {
        Run run = run(kind);
        System.err.printf("round %d, %s: %s%n", round + 1, kind, run);
        runs.computeIfAbsent(kind, any -> new ArrayList<>()).add(run);
      }
    }
    print(kinds);
  }

  private String master() {
    return wait <= 0 ? "local[2]" : "local[8]";
  }

  private SparkRun application() {
    return wait == TOLD
        ? SparkRun.of(SPARK, BusEvents.class)
            .classpath(Layout.testClasses())
            .args(tasks)
            // The tables of Spark's own UI shall be full soon.
            .conf("spark.ui.retainedJobs", 10)
            .conf("spark.ui.retainedStages", 10)
        : SparkRun.of(SPARK, Timeline.class).args(tasks, wait);
  }

  private Run run(Kind kind) throws IOException {
    SparkRun run =
        application()
            .conf("spark.master", master())
            // As a driver is run, unlike the short runs of tests.
            .jvmFlag("-XX:TieredStopAtLevel=4")
            .timeout(Duration.ofMinutes(30));
    try (ByteCounter collector = ByteCounter.start();
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      switch (kind) {
        case BARE -> {}
        case AUTO -> ours(run, collector.port());
        case NONE, FAILED, ALL ->
            ours(run, collector.port())
                .conf("spark.otel.tasks", kind.name().toLowerCase(Locale.ROOT));
        case ALL_GZIP ->
            ours(run, collector.port())
                .conf("spark.otel.tasks", "all")
                .conf("spark.otel.exporter.otlp.compression", "gzip");
        case DOWN -> ours(run, closedPort());
        case SILENT -> ours(run, silent.getLocalPort());
        case EVENT_LOG -> {
          Path logs = Files.createDirectories(run.dir().resolve("logs"));
          run.conf("spark.eventLog.enabled", true).conf("spark.eventLog.dir", logs.toUri());
        }
        case SPARK_MEASURE ->
            SparkMeasure.record(run, Maven.jar("ch.cern.sparkmeasure:spark-measure_2.12:0.24"));
        case DATADOG ->
            run.agentBefore(Peers.datadog())
                .jvmFlag("-Ddd.trace.agent.url=http://127.0.0.1:" + collector.port())
                .jvmFlag("-Ddd.instrumentation.telemetry.enabled=false")
                .jvmFlag("-Ddd.integration.spark.enabled=true");
        case OPEN_TELEMETRY ->
            run.agentBefore(Peers.openTelemetry())
                .jvmFlag("-Dotel.exporter.otlp.endpoint=http://127.0.0.1:" + collector.port())
                .jvmFlag("-Dotel.metrics.exporter=none")
                .jvmFlag("-Dotel.logs.exporter=none");
      }
      long start = System.nanoTime();
      SparkProcess process = run.run().assertExit(0);
      long total = Duration.ofNanos(System.nanoTime() - start).toMillis();
      Map<String, Long> wall = new HashMap<>();
      Map<String, Long> cpu = new HashMap<>();
      Map<String, Long> threads = new TreeMap<>();
      for (String line : process.stdout().split("\n")) {
        String[] part = line.split(" ");
        if (part.length == 2) {
          threads.put(part[0], Long.valueOf(part[1]));
        } else {
          wall.put(part[0], Long.valueOf(part[1]));
          cpu.put(part[0], Long.valueOf(part[2]));
        }
      }
      long heap = threads.remove("heap");
      return new Run(wall, cpu, threads, heap, total, collector.sent(), collector.raw());
    }
  }

  private static SparkRun ours(SparkRun run, int port) {
    return run.agent()
        .conf("spark.otel.exporter.otlp.protocol", "http/protobuf")
        .conf("spark.otel.exporter.otlp.endpoint", "http://127.0.0.1:" + port);
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void print(List<Kind> kinds) {
    System.out.println(
        "| | " + kinds.stream().map(kind -> kind.words).collect(joining(" | ")) + " |");
    System.out.println("|---|" + "---|".repeat(kinds.size()));
    if (wait != TOLD) {
      row(kinds, "JVM start to first job's end, CPU s", run -> run.cpu.get("first-job") / 1e3);
      row(kinds, "JVM start to first job's end, wall s", run -> run.wall.get("first-job") / 1e3);
    }
    row(
        kinds,
        "a task, CPU us",
        run -> 1e3 * (run.cpu.get("tasks") - run.cpu.get("first-job")) / tasks);
    row(kinds, "JVM start to last job's end, wall s", run -> run.wall.get("tasks") / 1e3);
    row(
        kinds,
        "first job's end to last job's end, wall s",
        run -> (run.wall.get("tasks") - run.wall.get("first-job")) / 1e3);
    for (String thread : List.of("appStatus", "otel", "eventLog", "shared")) {
      String name = "spark-listener-group-" + thread;
      row(kinds, name + ", a task, CPU us", run -> ofThread(run, name));
    }
    row(kinds, "spark-otel-export, a task, CPU us", run -> ofThread(run, "spark-otel-export"));
    row(kinds, "live heap, MB", run -> run.heap / 1e6);
    row(kinds, "`stop()`, wall ms", run -> run.wall.get("stop") - run.wall.get("idle"));
    row(kinds, "end of main, wall s", run -> run.wall.get("stop") / 1e3);
    row(kinds, "whole process, wall s", run -> run.total / 1e3);
    row(kinds, "sent a task, B", run -> (double) run.sent / tasks);
    row(kinds, "sent a task, decompressed, B", run -> (double) run.raw / tasks);
  }

  private double ofThread(Run run, String thread) {
    return run.threads.getOrDefault(thread, 0L) / (double) tasks;
  }

  /** The bare figure, then the others with what they add. */
  private void row(List<Kind> kinds, String name, ToDoubleFunction<Run> figure) {
    StringBuilder row = new StringBuilder("| ").append(name).append(" |");
    for (Kind kind : kinds) {
      double[] figures = runs.get(kind).stream().mapToDouble(figure).toArray();
      row.append(String.format(Locale.ROOT, " %.2f", median(figures)));
      if (kind != Kind.BARE && runs.containsKey(Kind.BARE)) {
        double[] added = new double[figures.length];
        double[] ratios = new double[figures.length];
        for (int i = 0; i < figures.length; i++) {
          double bare = figure.applyAsDouble(runs.get(Kind.BARE).get(i));
          added[i] = figures[i] - bare;
          ratios[i] = figures[i] / bare;
        }
        row.append(String.format(Locale.ROOT, " (%+.2f", median(added)));
        if (!Double.isInfinite(median(ratios)) && !Double.isNaN(median(ratios))) {
          row.append(String.format(Locale.ROOT, ", x %.3f", median(ratios)));
        }
        row.append(')');
      }
      row.append(" |");
    }
    System.out.println(row);
  }

  private static double median(double[] figures) {
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
