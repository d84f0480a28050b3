package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The batch of DStreams that something runs for, as Spark marks it. */
final class DStreamKey {

  private static final String START = "Streaming job from <a href=\"/streaming/batch/?id=";

  /** Spark's own description of what an output operation runs. */
  private static final Pattern DESCRIPTION =
      Pattern.compile(
          Pattern.quote(START)
              + "(\\d{1,18})\">\\[output operation (\\d{1,9}), batch time [^]]*].*");

  /** Spark's name of the batch: when it was due, epoch milliseconds. */
  final long time;

  /** The output operation; null where it is not known. */
  final Long output;

  private DStreamKey(long time, Long output) {
    this.time = time;
    this.output = output;
  }

  /** Null of what no output operation describes. */
  static DStreamKey of(String description) {
    if (description == null || !description.startsWith(START)) {
      return null;
    }
    Matcher matcher = DESCRIPTION.matcher(description);
    return matcher.matches()
        ? of(Long.parseLong(matcher.group(1)), Long.valueOf(matcher.group(2)))
        : null;
  }

  /** Null of a job that no output operation runs. */
  static DStreamKey of(JobProperties properties) {
    return properties.dstreamBatch == null
        ? of(properties.description)
        : of(properties.dstreamBatch, properties.dstreamOutput);
  }

  private static DStreamKey of(long time, Long output) {
    return time > 0 && time <= FinishedSpan.MAX_MILLIS ? new DStreamKey(time, output) : null;
  }
}
