package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.Traceparent;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the tags of a job are: set by the user, or by Spark for its own ends. */
final class JobTags {

  private static final String OPERATION = "SparkConnect_OperationTag_";

  /** Each holds an id that is new in every run. */
  private static final Pattern SPARKS_OWN =
      Pattern.compile(
          "broadcast exchange \\(runId .*"
              + "|SparkConnect_OperationTag_.*"
              + "|spark-session-[-0-9a-f]{36}(?:-execution-root-id-\\d+)?");

  /** The user's own, as a session of Spark Connect sets it on its jobs. */
  private static final Pattern OF_CONNECT =
      Pattern.compile("SparkConnect_SessionTag_User_.*_Session_[-0-9a-f]{36}_Tag_(.*)");

  /** The same of a session of classic Spark, since 4.0. */
  private static final Pattern OF_SESSION =
      Pattern.compile("spark-session-[-0-9a-f]{36}(?:-thread-[-0-9a-f]{36})?-(.+)");

  private JobTags() {}

  /**
   * Those of the user's.
   *
   * @param tags with commas between them, or null
   */
  static List<String> users(String tags) {
    List<String> users = new ArrayList<>();
    if (tags == null || tags.isEmpty()) {
      return users;
    }
    for (String tag : tags.split(",")) {
      if (!SPARKS_OWN.matcher(tag).matches()) {
        String own = own(tag);
        if (!own.startsWith(Traceparent.TAG)) {
          users.add(own);
        }
      }
    }
    return users;
  }

  private static String own(String tag) {
    for (Pattern pattern : new Pattern[] {OF_CONNECT, OF_SESSION}) {
      Matcher matcher = pattern.matcher(tag);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    return tag;
  }

  /** That of the operation of Spark Connect which the job runs for, or null. */
  static String operation(String tags) {
    if (tags != null && tags.contains(OPERATION)) {
      for (String tag : tags.split(",")) {
        if (tag.startsWith(OPERATION)) {
          return tag;
        }
      }
    }
    return null;
  }
}
