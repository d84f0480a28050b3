package io.sparkotel.agent.event;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/**
 * The local properties of a job that are read: an allow-list, for the rest is whole session confs.
 */
public final class JobProperties {
  private static final String GROUP = "spark.jobGroup.id";
  private static final String DESCRIPTION = "spark.job.description";
  private static final String TAGS = "spark.job.tags";
  private static final String POOL = "spark.scheduler.pool";
  private static final String CALL_SITE_SHORT = "callSite.short";
  private static final String CALL_SITE_LONG = "callSite.long";
  private static final String SQL_ID = "spark.sql.execution.id";
  private static final String SQL_ROOT_ID = "spark.sql.execution.root.id";
  private static final Set<String> KEYS =
      new HashSet<>(
          Arrays.asList(
              GROUP,
              DESCRIPTION,
              TAGS,
              POOL,
              CALL_SITE_SHORT,
              CALL_SITE_LONG,
              SQL_ID,
              SQL_ROOT_ID));

  public final String group;
  public final String description;
  public final String tags;
  public final String pool;
  public final String callSiteShort;
  public final String callSiteLong;
  public final Long sqlExecutionId;

  /**
   * @param properties a lookup by key that gives null for what is absent
   */
  public JobProperties(Function<String, String> properties) {
    group = properties.apply(GROUP);
    description = properties.apply(DESCRIPTION);
    tags = properties.apply(TAGS);
    pool = properties.apply(POOL);
    callSiteShort = properties.apply(CALL_SITE_SHORT);
    callSiteLong = properties.apply(CALL_SITE_LONG);
    sqlExecutionId = number(properties.apply(SQL_ID));
  }

  /** Whether a local property is one of those that are read. */
  static boolean reads(String key) {
    return KEYS.contains(key);
  }

  private static Long number(String text) {
    if (text == null) {
      return null;
    }
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      // A local property is the user's to set: no number is no id.
      return null;
    }
  }
}
