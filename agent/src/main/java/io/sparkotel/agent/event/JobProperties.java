package io.sparkotel.agent.event;

import io.sparkotel.agent.telemetry.UserAttributes;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

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
  private static final String STREAM_ID = "sql.streaming.queryId";
  private static final String STREAM_BATCH = "streaming.sql.batchId";
  private static final String DSTREAM_BATCH = "spark.streaming.internal.batchTime";
  private static final String DSTREAM_OUTPUT = "spark.streaming.internal.outputOpId";
  private static final String TRACEPARENT = "traceparent";
  private static final String TRACESTATE = "tracestate";
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
              SQL_ROOT_ID,
              STREAM_ID,
              STREAM_BATCH,
              DSTREAM_BATCH,
              DSTREAM_OUTPUT,
              TRACEPARENT,
              TRACESTATE));

  public final String group;
  public final String description;
  public final String tags;
  public final String pool;
  public final String callSiteShort;
  public final String callSiteLong;
  public final Long sqlExecutionId;

  /** Of the streaming query that it runs for, or null. */
  public final String streamId;

  /** The micro-batch of that query, or null. */
  public final Long streamBatch;

  /** Of the batch of DStreams that it runs for, epoch milliseconds, or null. */
  public final Long dstreamBatch;

  /** The output operation of that batch, or null. */
  public final Long dstreamOutput;

  /** W3C Trace Context of the job's caller, or any other text, or null. */
  public final String traceparent;

  public final String tracestate;

  /** All whose names start with {@link UserAttributes#PREFIX}, by their whole names. */
  public final Map<String, String> attributes;

  /**
   * @param properties those that {@link #reads} tells of, at least
   */
  public JobProperties(Map<String, String> properties) {
    group = properties.get(GROUP);
    description = properties.get(DESCRIPTION);
    tags = properties.get(TAGS);
    pool = properties.get(POOL);
    callSiteShort = properties.get(CALL_SITE_SHORT);
    callSiteLong = properties.get(CALL_SITE_LONG);
    sqlExecutionId = number(properties.get(SQL_ID));
    streamId = properties.get(STREAM_ID);
    streamBatch = number(properties.get(STREAM_BATCH));
    dstreamBatch = number(properties.get(DSTREAM_BATCH));
    dstreamOutput = number(properties.get(DSTREAM_OUTPUT));
    traceparent = properties.get(TRACEPARENT);
    tracestate = properties.get(TRACESTATE);
    attributes = attributes(properties);
  }

  /** Whether a local property is one of those that are read. */
  public static boolean reads(String key) {
    return KEYS.contains(key) || key.startsWith(UserAttributes.PREFIX);
  }

  /** As they stand in the property, in the order of the alphabet; null where there are none. */
  public static String tags(List<String> tags) {
    return tags.isEmpty() ? null : String.join(",", new TreeSet<>(tags));
  }

  private static Map<String, String> attributes(Map<String, String> properties) {
    Map<String, String> attributes = Collections.emptyMap();
    for (Map.Entry<String, String> property : properties.entrySet()) {
      if (property.getKey().startsWith(UserAttributes.PREFIX)) {
        if (attributes.isEmpty()) {
          attributes = new HashMap<>();
        }
        attributes.put(property.getKey(), property.getValue());
      }
    }
    return attributes;
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
