package io.sparkotel.it;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * What a JVM that never starts Spark pays for the agent: CPU time (user and system) and wall time
 * of the whole process, beside no agent and beside an agent whose premain is empty. Needs bash and
 * a built agent; from the repository's root:
 *
 * <pre>java integration-tests/src/test/java/io/sparkotel/it/PlainJvmBench.java [rounds] [jar]</pre>
 */
final class PlainJvmBench {

  private static final int ROUNDS = 20;
  private static final int WARM_UP = 3;

  /** More than this over the empty agent is too much. */
  private static final double BAR = 1.3;

  private static final String HELLO =
      """
      public class Hello {
        public static void main(String[] args) {
          System.out.println("hello");
        }
      }
      """;

  private static final String EMPTY =
      """
      public class Empty {
        public static void premain(String arguments) {}
      }
      """;

  private final Path dir;
  private final String java;

  private PlainJvmBench(Path dir, String javaHome) {
    this.dir = dir;
    this.java = Path.of(javaHome, "bin", "java").toString();
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : ROUNDS;
    Path jar = args.length > 1 ? Path.of(args[1]) : builtJar();
    Path dir = Files.createTempDirectory("plain-jvm");
    String javaHome = System.getProperty("java.home");
    boolean holds = new PlainJvmBench(dir, javaHome).compare(jar.toAbsolutePath(), rounds);
    System.exit(holds ? 0 : 1);
  }

  private static Path builtJar() throws IOException {
    Path target = Path.of("agent", "target");
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "spark-otel-agent-*.jar")) {
      for (Path jar : jars) {
        return jar;
      }
    }
    throw new IOException("no agent in " + target.toAbsolutePath() + ": run mvn package first");
  }

  private boolean compare(Path agent, int rounds) throws Exception {
    Path empty = emptyAgent();
    compile("Hello", HELLO);
    List<List<String>> kinds =
        List.of(List.of(), List.of("-javaagent:" + empty), List.of("-javaagent:" + agent));
    List<List<double[]>> measured =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int round = -WARM_UP; round < rounds; round++) {
      // Interleaved, and each time in another order: what else the machine does hits all alike.
      List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
      Collections.rotate(order, round);
      for (int kind : order) {
        double[] times = hello(kinds.get(kind));
        if (round >= 0) {
          measured.get(kind).add(times);
        }
      }
    }
    System.out.printf("JDK %s, medians of %d rounds%n", System.getProperty("java.version"), rounds);
    print("java Hello", measured.get(0));
    print("java -javaagent:empty-agent.jar Hello", measured.get(1));
    print("java -javaagent:spark-otel-agent.jar Hello", measured.get(2));
    double ratio = median(measured.get(2), 0) / median(measured.get(1), 0);
    System.out.printf(
        Locale.ROOT, "CPU ratio to the empty agent: %.2f (at most %.1f)%n", ratio, BAR);
    return ratio <= BAR;
  }

  private static void print(String what, List<double[]> times) {
    System.out.printf(
        Locale.ROOT,
        "%-44s CPU %4.0f ms (quartiles %.0f to %.0f), wall %4.0f ms%n",
        what,
        median(times, 0),
        quantile(times, 0, 0.25),
        quantile(times, 0, 0.75),
        median(times, 1));
  }

  private static double median(List<double[]> times, int column) {
    return quantile(times, column, 0.5);
  }

  private static double quantile(List<double[]> times, int column, double share) {
    double[] sorted = times.stream().mapToDouble(row -> row[column]).sorted().toArray();
    double at = share * (sorted.length - 1);
    int below = (int) at;
    double above = sorted[Math.min(below + 1, sorted.length - 1)];
    return sorted[below] + (at - below) * (above - sorted[below]);
  }

  /** CPU and wall time of one run, in milliseconds. */
  private double[] hello(List<String> flags) throws Exception {
    List<String> command = new ArrayList<>();
    // The JDK does not tell the CPU time of a process that has ended; the shell does.
    command.addAll(List.of("bash", "-c", "TIMEFORMAT='%3R %3U %3S'; time \"$@\"", "bash", java));
    command.addAll(flags);
    command.addAll(List.of("-cp", dir.toString(), "Hello"));
    String[] lines = run(command).split("\n");
    if (lines.length != 2 || !lines[0].equals("hello")) {
      throw new IllegalStateException(command + ": " + Arrays.toString(lines));
    }
    String[] seconds = lines[1].replace(',', '.').split(" ");
    double cpu = Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2]);
    return new double[] {1000 * cpu, 1000 * Double.parseDouble(seconds[0])};
  }

  private Path emptyAgent() throws Exception {
    compile("Empty", EMPTY);
    Path manifest = Files.writeString(dir.resolve("manifest"), "Premain-Class: Empty\n");
    Path jar = dir.resolve("empty-agent.jar");
    run(
        List.of(
            tool("jar"),
            "cfm",
            jar.toString(),
            manifest.toString(),
            "-C",
            dir.toString(),
            "Empty.class"));
    return jar;
  }

  private void compile(String name, String source) throws Exception {
    Path file = Files.writeString(dir.resolve(name + ".java"), source);
    run(List.of(tool("javac"), "-d", dir.toString(), file.toString()));
  }

  private String tool(String name) {
    return new File(java).toPath().resolveSibling(name).toString();
  }

  private static String run(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ":\n" + output);
    }
    return output;
  }
}
