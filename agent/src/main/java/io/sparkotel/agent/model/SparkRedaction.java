package io.sparkotel.agent.model;

/**
 * {@code spark.redaction.regex}, widened by the agent where the headers of its requests stand in
 * settings: the copies that a session or the command line keeps are then redacted by Spark.
 */
public final class SparkRedaction {

  public static final String KEY = "spark.redaction.regex";

  private static final String SPARKS_DEFAULT = "(?i)secret|password|token|access[.]?key";
  private static final String ADDED = "|otel[.]exporter[.]otlp[.](traces[.])?headers";

  private SparkRedaction() {}

  /**
   * @param regex what the application set, or null
   */
  public static String widened(String regex) {
    String own = regex == null ? SPARKS_DEFAULT : regex;
    return own.endsWith(ADDED) ? own : own + ADDED;
  }

  /** What the application set: our rules hide the headers without a regex; null for null. */
  static String narrowed(String regex) {
    boolean widened = regex != null && regex.endsWith(ADDED);
    return widened ? regex.substring(0, regex.length() - ADDED.length()) : regex;
  }
}
