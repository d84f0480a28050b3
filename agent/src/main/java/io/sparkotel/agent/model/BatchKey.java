package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobProperties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The micro-batch that something runs for, as Spark marks it; or the query only, before its first
 * batch and in continuous mode, where there are none.
 */
final class BatchKey {

  /** Spark's own description of what a query runs; the line breaks of Spark 2 are HTML. */
  private static final Pattern DESCRIPTION =
      Pattern.compile(
          "(?s)(?:(.*?)(?:\n|<br/>))?id = ([-0-9a-f]{36})(?:\n|<br/>)runId = ([-0-9a-f]{36})"
              + "(?:\n|<br/>)batch = (?:(\\d{1,18})|init)");

  private static final String MARK = "runId = ";
  private static final int MAX_CHARS = 10_000;

  private static final long NONE = -1;

  final String queryId;

  /** Null where only the query is known. */
  final String runId;

  /** {@link #NONE} outside of batches. */
  final long batchId;

  /** Null where it is not told or the query has none. */
  final String name;

  private BatchKey(String queryId, String runId, long batchId, String name) {
    this.queryId = queryId;
    this.runId = runId;
    this.batchId = batchId;
    this.name = name;
  }

  /** Null of what no query describes. */
  static BatchKey of(String description) {
    if (description == null
        || description.length() > MAX_CHARS
        || description.lastIndexOf(MARK) < 0) {
      return null;
    }
    Matcher matcher = DESCRIPTION.matcher(description);
    if (!matcher.matches()) {
      return null;
    }
    String name = matcher.group(1);
    String batch = matcher.group(4);
    return new BatchKey(
        matcher.group(2),
        matcher.group(3),
        batch == null ? NONE : Long.parseLong(batch),
        name == null || name.isEmpty() ? null : name);
  }

  boolean isOfBatch() {
    return batchId != NONE;
  }

  /**
   * The description first: the other marks are those of the batch before while the sources are
   * asked for the next one. But a user may describe what {@code foreachBatch} runs.
   */
  static BatchKey of(JobProperties properties) {
    BatchKey described = of(properties.description);
    if (described != null || properties.streamId == null || properties.streamBatch == null) {
      return described;
    }
    return new BatchKey(properties.streamId, null, properties.streamBatch, null);
  }
}
