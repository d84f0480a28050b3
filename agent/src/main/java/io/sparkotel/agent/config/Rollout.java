package io.sparkotel.agent.config;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/** Which applications a platform has switched the agent on for. Immutable. */
public final class Rollout {

  /** A longer text is cut: an application must not be able to make a search run on and on. */
  private static final int MAX_SEARCHED_CHARS = 1_000;

  /** So that a hundredth of a percent counts. */
  private static final int BUCKETS_PER_PERCENT = 100;

  private final Pattern include;
  private final Pattern exclude;
  private final double percent;

  Rollout(SettingReader reader) {
    include = reader.read(Settings.APPLICATIONS_INCLUDE);
    exclude = reader.read(Settings.APPLICATIONS_EXCLUDE);
    percent = reader.read(Settings.ROLLOUT_PERCENT);
  }

  /** Whether there may be applications that are not traced. */
  public boolean isPartial() {
    return include != null || exclude != null || percent < 100;
  }

  /**
   * Why an application is not traced, to be put behind "not traced: "; null where it is.
   *
   * @param user who runs it
   */
  public String refusal(String applicationName, String user, String serviceName) {
    if (exclude != null && (found(exclude, applicationName) || found(exclude, user))) {
      return Settings.APPLICATIONS_EXCLUDE.key() + " matches its name or user";
    }
    if (include != null && !found(include, applicationName) && !found(include, user)) {
      return Settings.APPLICATIONS_INCLUDE.key() + " matches neither its name nor its user";
    }
    if (bucket(serviceName) >= percent * BUCKETS_PER_PERCENT) {
      return Settings.ROLLOUT_PERCENT.key() + " leaves out service " + serviceName;
    }
    return null;
  }

  private static boolean found(Pattern pattern, String text) {
    int end = Math.min(text.length(), MAX_SEARCHED_CHARS);
    return pattern.matcher(text).region(0, end).find();
  }

  /** From 0 to below 10,000; the same in every JVM, and whatever the percentage is. */
  private static long bucket(String serviceName) {
    CRC32 hash = new CRC32();
    byte[] bytes = serviceName.getBytes(StandardCharsets.UTF_8);
    hash.update(bytes, 0, bytes.length);
    return hash.getValue() % (100 * BUCKETS_PER_PERCENT);
  }
}
