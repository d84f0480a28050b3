package io.sparkotel.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A master and workers of Spark's own cluster manager, each in a JVM of its own, with one core a
 * worker. Executors get their class path from a made installation of Spark.
 */
final class StandaloneCluster implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final String STARTED = "Starting Spark master at ";

  private final SparkVersion version;
  private final Path dir;
  private final List<SparkProcess> processes = new ArrayList<>();
  private final String url;

  private StandaloneCluster(SparkVersion version, int workers) throws IOException {
    this.version = version;
    Path runs = Files.createDirectories(Layout.workDir().resolve("runs"));
    dir = Files.createTempDirectory(runs, "cluster-" + version + "-");
    Path home = installation();
    try {
      SparkProcess master = start(daemon("org.apache.spark.deploy.master.Master", home));
      String line = master.awaitLine(STARTED);
      url = line.substring(line.indexOf(STARTED) + STARTED.length());
      for (int i = 0; i < workers; i++) {
        Path work = dir.resolve("worker-" + i);
        SparkRun worker =
            daemon("org.apache.spark.deploy.worker.Worker", home)
                .args("--cores", 1, "--memory", "600m", "--work-dir", work, url);
        start(worker).awaitLine("Successfully registered with master");
      }
    } catch (AssertionError | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Waits until all workers are known to the master. */
  static StandaloneCluster start(SparkVersion version, int workers) {
    try {
      return new StandaloneCluster(version, workers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where an application is submitted. */
  String url() {
    return url;
  }

  /** What the executors of that worker printed, all in one. */
  String executorOutput(int worker) {
    StringBuilder all = new StringBuilder();
    try (var files = Files.walk(dir.resolve("worker-" + worker))) {
      for (Path file : files.filter(path -> path.endsWith("stderr")).toList()) {
        all.append(Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all.toString();
  }

  /** Workers look for the executors' jars in the directory {@code jars} of their SPARK_HOME. */
  private Path installation() throws IOException {
    Path home = dir.resolve("spark");
    Path jars = Files.createDirectories(home.resolve("jars"));
    for (Path jar : version.classpath()) {
      Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
    }
    // The address of the master is told in its log alone.
    Path conf = Files.createDirectories(home.resolve("conf"));
    String quiet = Files.readString(Layout.sparkConf().resolve("log4j2.properties"));
    Files.writeString(
        conf.resolve("log4j2.properties"),
        quiet.replace("rootLogger.level=warn", "rootLogger.level=info"));
    return home;
  }

  private SparkRun daemon(String mainClass, Path home) {
    return SparkRun.of(version, mainClass)
        .env("SPARK_HOME", home.toString())
        // Else they look for it in a build of Spark.
        .env("SPARK_SCALA_VERSION", version.scalaBinary())
        .classpath(home.resolve("conf"))
        .args("--host", "127.0.0.1", "--port", 0, "--webui-port", 0)
        .timeout(LONGEST);
  }

  private SparkProcess start(SparkRun run) {
    SparkProcess process = run.start();
    processes.add(process);
    return process;
  }

  /** Workers first: they end their executors. */
  @Override
  public void close() {
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).terminate();
      processes.get(i).waitFor();
    }
  }
}
