package io.sparkotel.agent.model;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

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

  /**
   * Whether Spark hides such a value of a setting where it writes settings down.
   *
   * @param regex what the SparkConf holds, or null
   */
  static boolean hides(String regex, String value) {
    try {
      return Pattern.compile(regex == null ? SPARKS_DEFAULT : regex).matcher(value).find();
    } catch (PatternSyntaxException | StackOverflowError e) {
      // Spark itself can write nothing down with it.
      return false;
    }
  }

  /** What the application set: our rules hide the headers without a regex; null for null. */
  static String narrowed(String regex) {
    boolean widened = regex != null && regex.endsWith(ADDED);
    return widened ? regex.substring(0, regex.length() - ADDED.length()) : regex;
  }
}
