package io.sparkotel.agent.model;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why an executor was lost, from the words that Spark, YARN and Kubernetes have for it. What they
 * say plainly goes before what an exit code may mean.
 */
final class LossReason {

  /**
   * The closed list of {@code spark.executor.loss_cause}; docs/failures.md says what each means.
   */
  enum Cause {
    JVM_OUT_OF_MEMORY,
    CONTAINER_OUT_OF_MEMORY,
    KILLED,
    TERMINATED,
    CRASHED,
    UNCAUGHT_EXCEPTION,
    DISK_FAILED,
    HEARTBEAT_LOST,
    CONNECTION_LOST,
    NODE_LOST,
    DECOMMISSIONED,
    PREEMPTED,
    EVICTED,
    POD_DELETED,
    STOPPED_BY_DRIVER,
    TASK_NOT_STOPPING,
    EXITED,
    UNKNOWN;

    /** As it is exported. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** In the order in which they are tried: an evicted pod was killed, too. */
  private static final Object[][] WORDS = {
    {Cause.PREEMPTED, "was preempted", "brief reason: preempting"},
    {Cause.EVICTED, "brief reason: evicted", "node was low on resource", "pod was evicted"},
    {
      Cause.CONTAINER_OUT_OF_MEMORY,
      "oomkilled",
      "exceeding memory limits",
      "exceeding physical memory limits",
      "exceeding virtual memory limits",
      "running beyond physical memory limits",
      "running beyond virtual memory limits",
      "'physical' memory limit",
      "'virtual' memory limit",
    },
    {Cause.DECOMMISSIONED, "decommission"},
    {Cause.HEARTBEAT_LOST, "heartbeat timed out", "unable to send heartbeats"},
    {
      Cause.NODE_LOST,
      "worker lost",
      "slave lost",
      "lost worker",
      "worker shutting down",
      "lost* node",
      "lost node",
      "nodelost",
      "node shutdown",
      "brief reason: nodeshutdown",
      "brief reason: shutdown",
    },
    {Cause.STOPPED_BY_DRIVER, "killed by driver", "explicit termination request"},
    {Cause.TASK_NOT_STOPPING, "killed by taskreaper"},
    {
      Cause.POD_DELETED,
      "was deleted by a user or the framework",
      "was not found in the cluster",
      "were not detected in the kubernetes cluster",
    },
    {Cause.JVM_OUT_OF_MEMORY, "outofmemoryerror", "(jvm oom)"},
    {Cause.DISK_FAILED, "failed to create local directory", "failed to create temp dir"},
  };

  private static final String[] CONNECTION = {"disassociated", "executor process lost"};

  /** Where a number is the exit code of a process, or YARN's status of a container. */
  private static final Pattern EXIT_CODE =
      Pattern.compile("exit(?:ed)?.{0,10}(?:code|status)[ :(=]{0,4}(-?)(\\d{1,9})(?![\\dx])");

  /** The number where the reason tells one, or null. */
  final Integer exitCode;

  final Cause cause;

  private LossReason(Integer exitCode, Cause cause) {
    this.exitCode = exitCode;
    this.cause = cause;
  }

  /**
   * @param reason as Spark tells it, or null
   */
  static LossReason of(String reason) {
    if (reason == null) {
      return new LossReason(null, Cause.UNKNOWN);
    }
    String lower = reason.toLowerCase(Locale.ROOT);
    Integer code = exitCode(lower);
    for (Object[] row : WORDS) {
      for (int i = 1; i < row.length; i++) {
        if (lower.contains((String) row[i])) {
          return new LossReason(code, (Cause) row[0]);
        }
      }
    }
    if (code != null) {
      return new LossReason(code, ofCode(code));
    }
    for (String words : CONNECTION) {
      if (lower.contains(words)) {
        return new LossReason(null, Cause.CONNECTION_LOST);
      }
    }
    return new LossReason(
        null, lower.startsWith("uncaught exception") ? Cause.UNCAUGHT_EXCEPTION : Cause.UNKNOWN);
  }

  /** Spark's own codes, those of signals (128 and the signal's number), YARN's below 0. */
  private static Cause ofCode(int code) {
    switch (code) {
      case 50:
      case 51:
        return Cause.UNCAUGHT_EXCEPTION;
      case 52:
        return Cause.JVM_OUT_OF_MEMORY;
      case 53:
      case 54:
      case 55:
      case -101:
        return Cause.DISK_FAILED;
      case 56:
        return Cause.HEARTBEAT_LOST;
      case 57:
        return Cause.TASK_NOT_STOPPING;
      case 132:
      case 134:
      case 135:
      case 136:
      case 139:
        return Cause.CRASHED;
      case 137:
        return Cause.KILLED;
      case 143:
        return Cause.TERMINATED;
      case -102:
        return Cause.PREEMPTED;
      case -103:
      case -104:
        return Cause.CONTAINER_OUT_OF_MEMORY;
      case -105:
      case -107:
        return Cause.STOPPED_BY_DRIVER;
      default:
        return code < 0 ? Cause.UNKNOWN : Cause.EXITED;
    }
  }

  /** Spark on Kubernetes says -1 where it knows none, YARN -1000. */
  private static Integer exitCode(String lower) {
    Matcher matcher = EXIT_CODE.matcher(lower);
    if (!matcher.find()) {
      return null;
    }
    int number = Integer.parseInt(matcher.group(2));
    if (matcher.group(1).isEmpty()) {
      return number;
    }
    return number == 1 || number == 1000 ? null : Integer.valueOf(-number);
  }
}
