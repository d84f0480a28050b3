package io.sparkotel.it;

import static java.util.stream.Collectors.joining;

import io.sparkotel.benchmarks.TaskEvents;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * What the listener of the shipped jar does for one task, on a real Spark: time and allocation, by
 * JMH, beside a listener that does nothing. From the repository's root:
 *
 * <pre>mvn -q package -DskipTests
 * java -cp integration-tests/target/test-classes:integration-tests/target/classes \
 *     io.sparkotel.it.HotPathBench</pre>
 */
final class HotPathBench {

  private static final SparkVersion SPARK = SparkVersion.V3_5_9;
  private static final List<String> JMH =
      List.of(
          "org.openjdk.jmh:jmh-core:1.37",
          "org.openjdk.jmh:jmh-generator-bytecode:1.37",
          "org.openjdk.jmh:jmh-generator-reflection:1.37",
          "org.openjdk.jmh:jmh-generator-asm:1.37",
          "org.ow2.asm:asm:9.7.1",
          "net.sf.jopt-simple:jopt-simple:5.0.4",
          "org.apache.commons:commons-math3:3.6.1");

  /** A line of JMH's table: which figure, of whose listener, its mean and its error. */
  private static final Pattern SCORE =
      Pattern.compile(
          "TaskEvents\\.task(:\\S+)? +io\\.sparkotel\\.(\\w+)\\. +avgt +\\d+ +(\\S+) +\\S+ +(\\S+) +(ns|B)/op");

  private static final Pattern HEAP =
      Pattern.compile("live heap: io\\.sparkotel\\.(\\w+)\\. (\\d+) (\\d+)");

  private final Path dir;
  private final Path classes;
  private final List<Path> libraries = new ArrayList<>();

  private HotPathBench() throws IOException {
    JMH.forEach(coordinates -> libraries.add(Maven.jar(coordinates)));
    dir = Files.createTempDirectory(Files.createDirectories(Layout.workDir()), "hot-path");
    classes = Files.createDirectory(dir.resolve("classes"));
  }

  public static void main(String[] args) throws Exception {
    HotPathBench bench = new HotPathBench();
    bench.generate();
    System.out.printf("Spark %s, JDK %s%n", SPARK, System.getProperty("java.version"));
    System.out.println("| `otel.spark.tasks` | listener | of a task, start and end |  |");
    System.out.println("|---|---|---|---|");
    for (String policy : List.of("auto", "all")) {
      String output = bench.run(policy);
      List<MatchResult> scores = SCORE.matcher(output).results().toList();
      if (scores.isEmpty()) {
        throw new IllegalStateException(output);
      }
      for (MatchResult score : scores) {
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | %s %s | ± %s |%n",
            policy,
            listener(score.group(2)),
            score.group(3),
            score.group(5),
            score.group(4));
      }
      for (MatchResult heap : HEAP.matcher(output).results().toList()) {
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | live heap after %,d tasks | %.1f MB |%n",
            policy,
            listener(heap.group(1)),
            Long.parseLong(heap.group(2)),
            Long.parseLong(heap.group(3)) / 1e6);
      }
    }
  }

  private static String listener(String packageName) {
    return packageName.equals("agent") ? "this agent" : "does nothing";
  }

  /** JMH's own classes around the benchmark, from its class files. */
  private void generate() throws Exception {
    Path from =
        Path.of(TaskEvents.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String folder = TaskEvents.class.getPackageName().replace('.', '/');
    Path to = Files.createDirectories(classes.resolve(folder));
    try (Stream<Path> files = Files.list(from.resolve(folder))) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName().toString()));
      }
    }
    Path sources = Files.createDirectory(dir.resolve("sources"));
    with(SparkRun.of(SPARK, "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator"))
        .args(classes, sources, classes, "reflection")
        .run()
        .assertExit(0);
    List<String> arguments =
        new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
    List<Path> path = new ArrayList<>(SPARK.classpath());
    path.addAll(libraries);
    path.add(classes);
    arguments.add("-cp");
    arguments.add(path.stream().map(Path::toString).collect(joining(File.pathSeparator)));
    try (Stream<Path> files = Files.walk(sources)) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("javac: " + code);
    }
  }

  private String run(String policy) {
    return with(SparkRun.of(SPARK, "org.openjdk.jmh.Main"))
        .agent()
        .conf("spark.otel.tasks", policy)
        // Nobody listens there: the listener's thread is measured, not what is sent.
        .conf("spark.otel.exporter.otlp.endpoint", "http://127.0.0.1:1")
        .jvmFlag("-XX:TieredStopAtLevel=4")
        .args("-f", 0, "-wi", 5, "-i", 6, "-w", 2, "-r", 2, "-prof", "gc")
        .run()
        .assertExit(0)
        .stdout();
  }

  /** In this JVM, not in forks of it: it is one of its own already. */
  private SparkRun with(SparkRun run) {
    libraries.forEach(run::classpath);
    return run.classpath(classes).timeout(Duration.ofMinutes(10));
  }
}
