package io.sparkotel.agent.model;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * Whether an application is one in which people run what has nothing to do with each other: a
 * shell, a notebook. Only what is in the event log as well decides. Of servers their own events
 * tell.
 */
final class SharedApplication {

  private static final String DATABRICKS_CLUSTER = "spark.databricks.clusterUsageTags.clusterName";

  /** Of a cluster that was made for one run of one job. */
  private static final Pattern DATABRICKS_JOB = Pattern.compile("job-\\d+-run-\\d+.*");

  /** The names that front ends give an application where the user gives none. */
  private static final Pattern NAMES =
      Pattern.compile("Spark shell|PySparkShell|SparkR|Zeppelin.*|livy-session-\\d+.*");

  private SharedApplication() {}

  /**
   * @param conf Spark's properties
   * @param name of the application, or null
   */
  static boolean is(Map<String, String> conf, String name) {
    String cluster = conf.get(DATABRICKS_CLUSTER);
    if (cluster != null) {
      return !DATABRICKS_JOB.matcher(cluster).matches();
    }
    return conf.containsKey("spark.repl.class.uri")
        || conf.containsKey("spark.repl.class.outputDir")
        || (name != null && NAMES.matcher(name).matches());
  }
}
