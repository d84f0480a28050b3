package io.sparkotel.agent.event;

import java.util.function.Function;

/**
 * The local properties of a job that are read: an allow-list, for the rest is whole session confs.
 */
public final class JobProperties {
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
    group = properties.apply("spark.jobGroup.id");
    description = properties.apply("spark.job.description");
    tags = properties.apply("spark.job.tags");
    pool = properties.apply("spark.scheduler.pool");
    callSiteShort = properties.apply("callSite.short");
    callSiteLong = properties.apply("callSite.long");
    sqlExecutionId = number(properties.apply("spark.sql.execution.id"));
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
