package io.sparkotel.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * A master and two workers of Spark's own cluster manager, each in a JVM of its own, from Maven's
 * jars or by a distribution's scripts. What they start runs on the same jars.
 */
final class StandaloneCluster implements AutoCloseable {

  private static final int WORKERS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(20);
  private static final String STARTED = "Starting Spark master at ";

  private final List<SparkProcess> processes = new ArrayList<>();
  private final List<Path> workDirs = new ArrayList<>();
  private final String url;

  /**
   * @param cores of each worker
   * @param daemons starts a main class with arguments
   */
  private StandaloneCluster(
      Path dir, int cores, BiFunction<String, List<Object>, SparkProcess> daemons) {
    List<Object> anyPorts = List.of("--host", "127.0.0.1", "--port", 0, "--webui-port", 0);
    try {
      SparkProcess master = daemons.apply("org.apache.spark.deploy.master.Master", anyPorts);
      processes.add(master);
      String line = master.awaitLine(STARTED);
      url = line.substring(line.indexOf(STARTED) + STARTED.length());
      for (int i = 0; i < WORKERS; i++) {
        Path workDir = dir.resolve("worker-" + i);
        workDirs.add(workDir);
        List<Object> args = new ArrayList<>(anyPorts);
        args.addAll(List.of("--cores", cores, "--memory", "2g", "--work-dir", workDir, url));
        SparkProcess worker = daemons.apply("org.apache.spark.deploy.worker.Worker", args);
        processes.add(worker);
        worker.awaitLine("Successfully registered with master");
      }
    } catch (AssertionError | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Of Maven's jars, with one core a worker; waits until the master knows both workers. */
  static StandaloneCluster start(SparkVersion version) {
    Path dir = newDirectory(version.toString());
    Path home = installation(dir, version);
    return new StandaloneCluster(
        dir,
        1,
        (mainClass, args) ->
            SparkRun.of(version, mainClass)
                .env("SPARK_HOME", home.toString())
                // Else they look for it in a build of Spark.
                .env("SPARK_SCALA_VERSION", version.scalaBinary())
                .classpath(home.resolve("conf"))
                .args(args.toArray())
                .timeout(LONGEST)
                .start());
  }

  /**
   * Of the distribution of that version, such as {@code 3.5.9}, with two cores a worker; waits
   * until the master knows both workers.
   */
  static StandaloneCluster ofDistribution(String version) {
    return new StandaloneCluster(
        newDirectory(version),
        2,
        (mainClass, args) ->
            ScriptRun.of(version, "spark-class")
                .confFile("log4j2.properties", talkative())
                .args(mainClass)
                .args(args.toArray())
                .timeout(LONGEST)
                .start());
  }

  /** Where an application is submitted. */
  String url() {
    return url;
  }

  /**
   * What the workers kept of what they started: {@code stdout} or {@code stderr} of each executor,
   * in directories {@code app-...}, or of each driver, in {@code driver-...}.
   */
  List<String> outputs(String directory, String file) {
    List<String> found = new ArrayList<>();
    for (Path work : workDirs) {
      try (Stream<Path> files = Files.walk(work)) {
        for (Path path : files.filter(path -> path.endsWith(file)).sorted().toList()) {
          if (work.relativize(path).toString().startsWith(directory)) {
            found.add(Files.readString(path));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  private static Path newDirectory(String version) {
    try {
      Path runs = Files.createDirectories(Layout.workDir().resolve("runs"));
      return Files.createTempDirectory(runs, "cluster-" + version + "-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Workers look for the executors' jars in the directory {@code jars} of their SPARK_HOME. */
  private static Path installation(Path dir, SparkVersion version) {
    try {
      Path home = dir.resolve("spark");
      Path jars = Files.createDirectories(home.resolve("jars"));
      for (Path jar : version.classpath()) {
        Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
      }
      Path conf = Files.createDirectories(home.resolve("conf"));
      Files.writeString(conf.resolve("log4j2.properties"), talkative());
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of the master is told in its log alone, on the level INFO. */
  private static String talkative() {
    try {
      String quiet = Files.readString(Layout.sparkConf().resolve("log4j2.properties"));
      return quiet.replace("rootLogger.level=warn", "rootLogger.level=info");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Workers first: they end what they started. */
  @Override
  public void close() {
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).terminate();
      processes.get(i).waitFor();
    }
  }
}
