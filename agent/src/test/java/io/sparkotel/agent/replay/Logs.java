package io.sparkotel.agent.replay;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Event logs to read: lines that tests write, those of Spark's own tests, and the corpus. */
public final class Logs {

  public static final String LOG_START =
      "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.1\"}";
  public static final String ENVIRONMENT =
      "{\"Event\":\"SparkListenerEnvironmentUpdate\",\"JVM Information\":{\"Scala Version\":"
          + "\"version 2.12.18\"},\"Spark Properties\":{\"spark.master\":\"local[2]\","
          + "\"spark.driver.host\":\"driver-7\",\"spark.driver.port\":\"4040\"}}";
  public static final String END = "{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":9000}";

  private Logs() {}

  public static String start(String id) {
    return "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"demo\",\"App ID\":\""
        + id
        + "\",\"Timestamp\":1000,\"User\":\"ann\"}";
  }

  public static String attempt(String id, int attempt) {
    return "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"demo\",\"App ID\":\""
        + id
        + "\",\"Timestamp\":"
        + (1000 * attempt)
        + ",\"User\":\"ann\",\"App Attempt ID\":\""
        + attempt
        + "\"}";
  }

  public static String jobStart(int job, int... stages) {
    List<String> infos = new ArrayList<>();
    for (int stage : stages) {
      infos.add(stageInfo(stage, 0, ""));
    }
    return "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":"
        + job
        + ",\"Submission Time\":2000,\"Stage Infos\":["
        + String.join(",", infos)
        + "],\"Stage IDs\":[],\"Properties\":{}}";
  }

  public static String jobEnd(int job) {
    return "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":"
        + job
        + ",\"Completion Time\":8000,\"Job Result\":{\"Result\":\"JobSucceeded\"}}";
  }

  public static String stageInfo(int stage, int attempt, String more) {
    return "{\"Stage ID\":"
        + stage
        + ",\"Stage Attempt ID\":"
        + attempt
        + ",\"Stage Name\":\"count at App.scala:7\",\"Number of Tasks\":2,\"RDD Info\":[{\"Name\":"
        + "\"a]}\\\"[{\"}],\"Parent IDs\":[],\"Details\":\"\""
        + more
        + ",\"Accumulables\":[]}";
  }

  public static String submitted(int stage) {
    return "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":"
        + stageInfo(stage, 0, ",\"Submission Time\":3000")
        + ",\"Properties\":{}}";
  }

  public static String completed(int stage) {
    return "{\"Event\":\"SparkListenerStageCompleted\",\"Stage Info\":"
        + stageInfo(stage, 0, ",\"Submission Time\":3000,\"Completion Time\":7000")
        + "}";
  }

  public static String taskStart(int stage, long task) {
    return "{\"Event\":\"SparkListenerTaskStart\",\"Stage ID\":"
        + stage
        + ",\"Stage Attempt ID\":0,\"Task Info\":"
        + taskInfo(task, 0)
        + "}";
  }

  public static String taskEnd(int stage, long task) {
    return taskEnd(stage, task, "{\"Reason\":\"Success\"}");
  }

  public static String taskEnd(int stage, long task, String reason) {
    return "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":"
        + stage
        + ",\"Stage Attempt ID\":0,\"Task Type\":\"ResultTask\",\"Task End Reason\":"
        + reason
        + ",\"Task Info\":"
        + taskInfo(task, 6000)
        + ",\"Task Metrics\":{\"Executor Run Time\":50,\"Input Metrics\":{\"Bytes Read\":7,"
        + "\"Records Read\":1},\"Updated Blocks\":[]}}";
  }

  public static String taskInfo(long task, long finish) {
    return "{\"Task ID\":"
        + task
        + ",\"Index\":"
        + task
        + ",\"Attempt\":0,\"Partition ID\":"
        + task
        + ",\"Launch Time\":4000,\"Executor ID\":\"1\",\"Host\":\"worker-3\",\"Locality\":"
        + "\"ANY\",\"Speculative\":false,\"Getting Result Time\":0,\"Finish Time\":"
        + finish
        + ",\"Failed\":false,\"Killed\":false,\"Accumulables\":[{\"ID\":1,\"Name\":\"a]}\",\"Update\""
        + ":1}]}";
  }

  /** An application with one job of one stage of two tasks. */
  public static List<String> small(String id) {
    return List.of(
        LOG_START,
        ENVIRONMENT,
        start(id),
        jobStart(0, 0),
        submitted(0),
        taskStart(0, 0),
        taskStart(0, 1),
        taskEnd(0, 0),
        taskEnd(0, 1),
        completed(0),
        jobEnd(0),
        END);
  }

  public static String text(List<String> lines) {
    return String.join("\n", lines) + "\n";
  }

  public static File write(Path file, List<String> lines) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text(lines)).toFile();
  }

  /** Every task becomes a span; what no streaming query runs is in one trace. */
  public static AgentConfig config() {
    return config(Map.of("otel.spark.tasks", "all", "otel.spark.trace.unit", "batch"));
  }

  public static AgentConfig config(Map<String, String> systemProperties) {
    return AgentConfig.load(new ConfigSources(Map.of(), null, systemProperties, Map.of(), null));
  }

  /** The corpus of real logs, which may not be there. */
  public static File corpus() {
    String given = System.getProperty("sparkotel.eventlogs");
    if (given != null) {
      return new File(given);
    }
    File repository = new File("").getAbsoluteFile();
    while (repository != null && !new File(repository, "bootstrap").isDirectory()) {
      repository = repository.getParentFile();
    }
    return new File(repository == null ? null : repository.getParentFile(), "shared/eventlogs");
  }

  public static String noCorpus() {
    return "no corpus of event logs at " + corpus() + "; -Dsparkotel.eventlogs names another place";
  }

  /** Copies the event logs in Spark's test jars to a directory; by their names. */
  public static Map<String, File> ofSparksTests(Path directory) {
    Map<String, File> logs = new TreeMap<>();
    for (String anchor :
        List.of(
            "spark-events/local-1422981780767",
            "spark-events/local-1596020211915",
            "spark-events-broken/last-attempt-incomplete/application_1656321732247_0006_1")) {
      copy(anchor, directory);
    }
    File[] found = directory.resolve("spark-events").toFile().listFiles();
    for (File log : found) {
      logs.put(log.getName(), log);
    }
    return logs;
  }

  private static void copy(String anchor, Path target) {
    String folder = anchor.substring(0, anchor.indexOf('/'));
    try {
      URI uri = Logs.class.getClassLoader().getResource(anchor).toURI();
      String jar = uri.toString();
      URI inside = URI.create(jar.substring(0, jar.indexOf("!/")));
      try (FileSystem zip = FileSystems.newFileSystem(inside, Map.of());
          Stream<Path> paths = Files.walk(zip.getPath("/" + folder))) {
        for (Path path : paths.filter(Files::isRegularFile).toList()) {
          Path to = target.resolve(path.toString().substring(1));
          Files.createDirectories(to.getParent());
          try (InputStream in = Files.newInputStream(path)) {
            Files.copy(in, to, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (java.net.URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
