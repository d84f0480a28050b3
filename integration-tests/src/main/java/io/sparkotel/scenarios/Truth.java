package io.sparkotel.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * Runs a mix of jobs, then writes what Spark's own REST API says of them, one file an answer, and
 * stops. Arguments: a directory for the data, a directory for the answers. Needs local[2,3] and
 * {@code spark.ui.enabled}.
 *
 * <p>Files: jobs, stages, allexecutors, sql (Spark 3.1+) and, for every stage attempt that ran,
 * stage-ID-ATTEMPT-tasks and stage-ID-ATTEMPT-summary (absent without successful tasks), each
 * {@code .json}.
 */
public final class Truth {

  /** Stages as the REST API lists them: these three fields are neighbours in every version. */
  private static final Pattern STAGE =
      Pattern.compile(
          "\"status\"\\s*:\\s*\"(\\w+)\",\\s*\"stageId\"\\s*:\\s*(\\d+),\\s*\"attemptId\"\\s*:\\s*(\\d+)");

  private static final Pattern UNFINISHED =
      Pattern.compile("\"status\"\\s*:\\s*\"(RUNNING|ACTIVE|PENDING)\"");
  private static final Pattern JOB = Pattern.compile("\"jobId\"\\s*:");

  /** Of the driver, its age at the moment of the question. */
  private static final String UPTIME = "\"totalDuration\"\\s*:\\s*\\d+";

  private static final long PATIENCE_MILLIS = 30_000;

  private Truth() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    SparkSession spark =
        SparkSession.builder()
            .appName("truth")
            .config("spark.sql.adaptive.enabled", "true")
            // The store writes every change at once: nothing of it depends on a timer.
            .config("spark.ui.liveUpdate.period", "0")
            .config("spark.shuffle.spill.numElementsForceSpillThreshold", "500")
            .getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    runSql(spark, args[0]);
    runRdd(sc);
    runFailing(sc);
    int lastJob = lastJob(sc);
    Map<String, String> answers = finalAnswers(sc, lastJob + 1);
    Path out = Files.createDirectories(Paths.get(args[1]));
    for (Map.Entry<String, String> answer : answers.entrySet()) {
      Files.write(
          out.resolve(answer.getKey() + ".json"),
          answer.getValue().getBytes(StandardCharsets.UTF_8));
    }
    System.out.println("answers: " + answers.size());
    spark.stop();
  }

  private static void runSql(SparkSession spark, String dir) {
    spark
        .range(0, 4000, 1, 3)
        .selectExpr("id", "id % 7 AS customer", "id * 2 AS amount")
        .write()
        .parquet(dir + "/orders");
    spark.read().parquet(dir + "/orders").createOrReplaceTempView("orders");
    spark
        .range(0, 7, 1, 1)
        .selectExpr("id", "concat('customer ', id) AS name")
        .createOrReplaceTempView("customers");
    Dataset<Row> totals =
        spark.sql(
            "SELECT c.name, sum(o.amount) AS total FROM orders o"
                + " JOIN customers c ON o.customer = c.id GROUP BY c.name ORDER BY total");
    totals.collectAsList();
    totals.write().parquet(dir + "/totals");
  }

  private static void runRdd(JavaSparkContext sc) {
    JavaRDD<Integer> numbers =
        sc.parallelize(Arrays.asList(1, 2, 3, 4), 2)
            .flatMap(
                start -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == 1 && task.attemptNumber() == 0) {
                    throw new IllegalStateException("fails once");
                  }
                  Integer[] block = new Integer[2000];
                  Arrays.setAll(block, i -> start * 2000 + i);
                  return Arrays.asList(block).iterator();
                });
    JavaPairRDD<Integer, Iterable<Integer>> grouped =
        numbers.mapToPair(number -> new Tuple2<>(number % 1000, number)).groupByKey(3);
    // The second job finds the shuffle written and skips its stage.
    grouped.count();
    grouped.mapValues(values -> values.iterator().next()).sortByKey().collect();
  }

  private static void runFailing(JavaSparkContext sc) {
    try {
      sc.parallelize(Arrays.asList(1, 2, 3), 1)
          .foreach(
              number -> {
                throw new IllegalArgumentException("always fails");
              });
      throw new AssertionError("the job did not fail");
    } catch (Exception e) {
      System.out.println("handled: " + e.getClass().getName());
    }
  }

  /** The id of one more job, which is the last. */
  private static int lastJob(JavaSparkContext sc) {
    sc.setJobGroup("last", "last");
    sc.parallelize(Arrays.asList(1), 1).count();
    sc.clearJobGroup();
    return sc.statusTracker().getJobIdsForGroup("last")[0];
  }

  /** Asks until all has ended and two rounds agree. */
  private static Map<String, String> finalAnswers(JavaSparkContext sc, int jobs)
      throws IOException, InterruptedException {
    String base = sc.sc().uiWebUrl().get() + "/api/v1/applications/" + sc.sc().applicationId();
    long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
    Map<String, String> before = null;
    while (System.currentTimeMillis() < deadline) {
      Map<String, String> now = ask(base);
      Map<String, String> lasting = new LinkedHashMap<>(now);
      lasting.computeIfPresent("allexecutors", (k, v) -> v.replaceAll(UPTIME, ""));
      if (isFinal(now, jobs) && lasting.equals(before)) {
        return now;
      }
      before = lasting;
      Thread.sleep(100);
    }
    throw new IllegalStateException("no final answer: " + before);
  }

  private static boolean isFinal(Map<String, String> answers, int jobs) {
    int listed = 0;
    Matcher job = JOB.matcher(answers.get("jobs"));
    while (job.find()) {
      listed++;
    }
    return listed == jobs
        && answers.values().stream().noneMatch(answer -> UNFINISHED.matcher(answer).find());
  }

  private static Map<String, String> ask(String base) throws IOException {
    Map<String, String> answers = new LinkedHashMap<>();
    put(answers, "jobs", base + "/jobs");
    put(answers, "stages", base + "/stages");
    put(answers, "allexecutors", base + "/allexecutors");
    put(answers, "sql", base + "/sql?details=true&planDescription=true&length=1000");
    Matcher stage = STAGE.matcher(answers.get("stages"));
    while (stage.find()) {
      if (stage.group(1).equals("SKIPPED")) {
        continue;
      }
      String name = "stage-" + stage.group(2) + "-" + stage.group(3);
      String url = base + "/stages/" + stage.group(2) + "/" + stage.group(3);
      put(answers, name + "-tasks", url + "/taskList?length=100000");
      put(answers, name + "-summary", url + "/taskSummary?quantiles=0,0.25,0.5,0.75,0.95,1");
    }
    return answers;
  }

  /**
   * An answer of 404, of a Spark that lacks the page or a stage without successful tasks, is none.
   */
  private static void put(Map<String, String> answers, String name, String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setConnectTimeout(10_000);
    connection.setReadTimeout((int) PATIENCE_MILLIS);
    if (connection.getResponseCode() == 404) {
      return;
    }
    try (InputStream in = connection.getInputStream()) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        body.write(buffer, 0, n);
      }
      answers.put(name, new String(body.toByteArray(), StandardCharsets.UTF_8));
    }
  }
}
