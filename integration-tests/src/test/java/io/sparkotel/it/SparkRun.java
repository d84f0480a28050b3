package io.sparkotel.it;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * One Spark application to be run in a JVM of its own: as {@code java -cp ... Main}, or through
 * spark-submit's main class. Its working directory, temporary files, warehouse and shuffle files
 * are in a directory of its own under the build directory.
 */
public final class SparkRun {

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final SparkVersion version;
  private final String mainClass;
  private final List<String> args = new ArrayList<>();
  private final Map<String, String> conf = new LinkedHashMap<>();
  private final Map<String, String> env = new LinkedHashMap<>();
  private final List<String> jvmFlags = new ArrayList<>();
  private final List<Path> classpath = new ArrayList<>();
  private final Path dir;
  private String javaHome = System.getProperty("java.home");
  private String javaAgent;
  private String earlierAgent;
  private String laterAgent;
  private Path submitted;
  private boolean withInput;
  private Duration timeout = PATIENCE;

  private SparkRun(SparkVersion version, String mainClass) {
    this.version = version;
    this.mainClass = mainClass;
    String simpleName = mainClass.substring(mainClass.lastIndexOf('.') + 1);
    this.dir =
        Layout.workDir()
            .resolve("runs")
            .resolve(
                String.format(
                    "%s-%d-%d-%s",
                    simpleName, ProcessHandle.current().pid(), COUNT.incrementAndGet(), version));
    conf.put("spark.master", "local[2]");
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.ui.port", "0");
    conf.put("spark.sql.shuffle.partitions", "2");
    conf.put("spark.sql.warehouse.dir", dir.resolve("warehouse").toString());
    // The run must not depend on what the one who builds has set.
    System.getenv().keySet().stream()
        .filter(
            name ->
                name.startsWith("OTEL_")
                    || name.startsWith("SPARK_")
                    || name.startsWith("HADOOP_")
                    || name.matches(
                        "TRACEPARENT|TRACESTATE|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|MASTER"))
        .forEach(name -> env.put(name, null));
    env.put("SPARK_LOCAL_IP", "127.0.0.1");
    env.put("SPARK_LOCAL_DIRS", dir.resolve("local").toString());
  }

  /** The scenario application of that class; no agent, local[2], no UI, two shuffle partitions. */
  public static SparkRun of(SparkVersion version, Class<?> scenario) {
    return new SparkRun(version, scenario.getName());
  }

  /** Any main class; see {@link #classpath}. */
  public static SparkRun of(SparkVersion version, String mainClass) {
    return new SparkRun(version, mainClass);
  }

  public SparkRun args(Object... more) {
    for (Object arg : more) {
      args.add(arg.toString());
    }
    return this;
  }

  /** A Spark setting: a system property of a plain run, a {@code --conf} of a submitted one. */
  public SparkRun conf(String key, Object value) {
    conf.put(key, value.toString());
    return this;
  }

  public SparkRun master(String url) {
    return conf("spark.master", url);
  }

  public SparkRun withUi() {
    return conf("spark.ui.enabled", true);
  }

  /** Runs with the shipped jar, without agent arguments. */
  public SparkRun agent() {
    return agent(Layout.agentJar(), "");
  }

  /** Runs with the shipped jar; the arguments as they stand behind {@code -javaagent:JAR=}. */
  public SparkRun agent(String arguments) {
    return agent(Layout.agentJar(), arguments);
  }

  /** Runs with a copy of the jar, say. */
  public SparkRun agent(Path jar, String arguments) {
    javaAgent = "-javaagent:" + jar + (arguments.isEmpty() ? "" : "=" + arguments);
    return this;
  }

  /** With another agent's flag in front of ours, which so starts after it. */
  public SparkRun agentAfter(String otherAgent) {
    earlierAgent = otherAgent;
    return this;
  }

  /** With another agent's flag behind ours. */
  public SparkRun agentBefore(String otherAgent) {
    laterAgent = otherAgent;
    return this;
  }

  /** Runs with the shipped jar, which sends to the receiver by http/protobuf. */
  public SparkRun exportOverHttp(OtlpReceiver receiver) {
    conf("spark.otel.exporter.otlp.protocol", "http/protobuf");
    conf("spark.otel.exporter.otlp.endpoint", receiver.httpEndpoint());
    return agent();
  }

  /** Runs with the shipped jar, which sends to the receiver by gRPC. */
  public SparkRun exportOverGrpc(OtlpReceiver receiver) {
    conf("spark.otel.exporter.otlp.protocol", "grpc");
    conf("spark.otel.exporter.otlp.endpoint", receiver.grpcEndpoint());
    return agent();
  }

  public SparkRun env(String name, String value) {
    env.put(name, value);
    return this;
  }

  /** After the harness's own flags, so that it wins. */
  public SparkRun jvmFlag(String flag) {
    jvmFlags.add(flag);
    return this;
  }

  /** In front of Spark's jars. */
  public SparkRun classpath(Path entry) {
    classpath.add(entry);
    return this;
  }

  public SparkRun javaHome(Path home) {
    javaHome = home.toString();
    return this;
  }

  /** Through {@code SparkSubmit}, the scenario in a jar and so in a class loader below Spark's. */
  public SparkRun submitted() {
    return submitted(Layout.scenarioJar());
  }

  /** Through {@code SparkSubmit}, with another jar that holds the main class. */
  public SparkRun submitted(Path jar) {
    submitted = jar;
    return this;
  }

  /** With a standard input that is open until {@link SparkProcess#type}; else it is empty. */
  public SparkRun withInput() {
    withInput = true;
    return this;
  }

  /** The longest that the run may take; three minutes if not said. */
  public SparkRun timeout(Duration longest) {
    timeout = longest;
    return this;
  }

  /** The directory of this run, for what the application writes; exists once it is started. */
  public Path dir() {
    return dir;
  }

  public SparkProcess start() {
    try {
      Files.createDirectories(dir.resolve("tmp"));
      Files.createDirectories(dir.resolve("local"));
      List<String> command = command();
      Files.write(dir.resolve("command"), command);
      ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
      if (!withInput) {
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
      }
      Map<String, String> environment = builder.environment();
      env.forEach(
          (name, value) -> {
            if (value == null) {
              environment.remove(name);
            } else {
              environment.put(name, value);
            }
          });
      return new SparkProcess(builder.start(), dir, timeout);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs to the end; whatever the exit code. */
  public SparkProcess run() {
    SparkProcess process = start();
    process.waitFor();
    return process;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(javaHome, "bin", "java").toString());
    command.add("-Xmx1g");
    // Runs are short: the second compiler would cost more than it gains.
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Djava.io.tmpdir=" + dir.resolve("tmp"));
    command.addAll(version.jvmFlags());
    command.addAll(jvmFlags);
    Stream.of(earlierAgent, javaAgent, laterAgent).filter(Objects::nonNull).forEach(command::add);
    List<Path> entries = new ArrayList<>(classpath);
    entries.add(Layout.sparkConf());
    if (submitted == null) {
      entries.add(Layout.scenarioClasses());
    }
    entries.addAll(version.classpath());
    command.add("-cp");
    command.add(entries.stream().map(Path::toString).collect(joining(File.pathSeparator)));
    if (submitted != null) {
      submit(command);
    } else {
      new TreeMap<>(conf).forEach((key, value) -> command.add("-D" + key + "=" + value));
      command.add(mainClass);
    }
    command.addAll(args);
    return command;
  }

  private void submit(List<String> command) {
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--master", conf.get("spark.master"), "--class", mainClass));
    new TreeMap<>(conf)
        .forEach(
            (key, value) -> {
              if (!key.equals("spark.master")) {
                command.addAll(List.of("--conf", key + "=" + value));
              }
            });
    command.add(submitted.toString());
  }
}
