package io.sparkotel.it;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a JVM that never starts Spark pays for the agent: CPU time (user and system) and wall time
 * of the whole process, beside no agent, an agent whose premain is empty, and the agent's peers.
 * Needs bash and a built agent; from the repository's root:
 *
 * <pre>java -cp integration-tests/target/test-classes io.sparkotel.it.PlainJvmBench [rounds]</pre>
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
    Path dir = Files.createTempDirectory("plain-jvm");
    boolean holds = new PlainJvmBench(dir, System.getProperty("java.home")).compare(rounds);
    System.exit(holds ? 0 : 1);
  }

  private boolean compare(int rounds) throws Exception {
    compile("Hello", HELLO);
    String ours = "this agent";
    String empty = "an agent whose premain is empty";
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    kinds.put("no agent", List.of());
    kinds.put(empty, List.of("-javaagent:" + emptyAgent()));
    kinds.put(ours, List.of(Layout.agentFlag()));
    kinds.put(
        Peers.DATADOG_NAME,
        List.of(Peers.datadog(), "-Ddd.instrumentation.telemetry.enabled=false"));
    kinds.put(Peers.OPEN_TELEMETRY_NAME, List.of(Peers.openTelemetry()));
    Map<String, List<double[]>> measured = new LinkedHashMap<>();
    kinds.keySet().forEach(kind -> measured.put(kind, new ArrayList<>()));
    for (int round = -WARM_UP; round < rounds; round++) {
      // Interleaved, and each time in another order: what else the machine does hits all alike.
      List<String> order = new ArrayList<>(kinds.keySet());
      Collections.rotate(order, round);
      for (String kind : order) {
        double[] times = hello(kinds.get(kind));
        if (round >= 0) {
          measured.get(kind).add(times);
        }
      }
    }
    System.out.printf("JDK %s, medians of %d rounds%n", System.getProperty("java.version"), rounds);
    System.out.println("| | CPU ms | quartiles | to the empty one | wall ms |");
    System.out.println("|---|---|---|---|---|");
    measured.forEach((kind, times) -> print(kind, times, median(measured.get(empty), 0)));
    return median(measured.get(ours), 0) <= BAR * median(measured.get(empty), 0);
  }

  private static void print(String kind, List<double[]> times, double empty) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %.0f | %.0f to %.0f | x %.2f | %.0f |%n",
        kind,
        median(times, 0),
        quantile(times, 0, 0.25),
        quantile(times, 0, 0.75),
        median(times, 0) / empty,
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
    // Other agents say a line or two of their own.
    if (!List.of(lines).contains("hello")) {
      throw new IllegalStateException(command + ": " + Arrays.toString(lines));
    }
    String[] seconds = lines[lines.length - 1].replace(',', '.').split(" ");
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
