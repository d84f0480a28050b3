package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Spark's own history server over a directory of event logs, in a JVM of its own, with nothing cut
 * off: all jobs, stages and tasks of a log are kept.
 */
final class HistoryServer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern ADDRESS = Pattern.compile("started at (http://[^ ]+)");
  private static final Pattern STAGE_ANSWER = Pattern.compile("stage-(\\d+)-(\\d+)-(\\w+)");

  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final SparkProcess process;
  private final String api;

  private HistoryServer(SparkProcess process) {
    this.process = process;
    Matcher address = ADDRESS.matcher(process.awaitLine("address", ADDRESS.asPredicate()));
    if (!address.find()) {
      throw new AssertionError("no address");
    }
    api = address.group(1).replaceAll("//[^:]+:", "//127.0.0.1:") + "/api/v1/applications";
  }

  static HistoryServer start(SparkVersion version, Path logs) throws IOException {
    SparkRun run = SparkRun.of(version, "org.apache.spark.deploy.history.HistoryServer");
    // It tells its port by a line of level INFO only.
    Path log4j = Files.createDirectories(run.dir().resolve("conf")).resolve("log4j2.properties");
    Files.writeString(
        log4j,
        Files.readString(Layout.sparkConf().resolve("log4j2.properties"))
            + "logger.history.name=org.apache.spark.deploy.history.HistoryServer\n"
            + "logger.history.level=info\n");
    run.classpath(log4j.getParent())
        .conf("spark.history.fs.logDirectory", logs.toUri())
        .conf("spark.history.ui.port", 0)
        .timeout(Duration.ofMinutes(10));
    for (String kept : List.of("Jobs", "Stages", "Tasks", "DeadExecutors")) {
      run.conf("spark.ui.retained" + kept, 10_000_000);
    }
    run.conf("spark.sql.ui.retainedExecutions", 10_000_000);
    return new HistoryServer(run.start());
  }

  /**
   * Waits until it has found that many applications, attempts of one counted each.
   *
   * @return what it says of them, by application id, or that, a slash and the id of the attempt
   */
  Map<String, SparkAnswers> applications(int count) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Map<String, SparkAnswers> applications = new LinkedHashMap<>();
      JsonNode found = get("");
      int attempts = 0;
      for (JsonNode application : found) {
        attempts += application.get("attempts").size();
      }
      if (attempts == count) {
        for (JsonNode application : found) {
          for (JsonNode attempt : application.get("attempts")) {
            String id = application.get("id").asText();
            String path =
                attempt.has("attemptId") ? id + "/" + attempt.get("attemptId").asText() : id;
            applications.put(path, SparkAnswers.of(name -> answer(path, name)));
          }
        }
        return applications;
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError(attempts + " applications instead of " + count + ": " + found);
      }
    }
  }

  private JsonNode answer(String application, String name) {
    String path = "/" + application;
    Matcher stage = STAGE_ANSWER.matcher(name);
    if (stage.matches()) {
      path += "/stages/" + stage.group(1) + "/" + stage.group(2);
      path +=
          switch (stage.group(3)) {
            case "tasks" -> "/taskList?length=10000000";
            case "details" -> "?details=true";
            default -> "/taskSummary?quantiles=0,0.25,0.5,0.75,0.95,1";
          };
    } else if (name.equals("sql")) {
      path += "/sql?details=false&length=10000000";
    } else {
      path += "/" + name;
    }
    return get(path);
  }

  /** Null where there is no such page. */
  private JsonNode get(String path) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(api + path)).timeout(PATIENCE).build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() == 404) {
        return null;
      }
      if (answer.statusCode() != 200) {
        throw new AssertionError(answer.statusCode() + " for " + path + ": " + answer.body());
      }
      return json.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
