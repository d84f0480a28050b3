package io.sparkotel.agent;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes every failure inside the agent, so that none reaches the application: counts it, says the
 * first one, and after too many turns the agent off for this application.
 */
public final class Guard {

  /** A listener that fails this often will not get better. */
  static final int LIMIT = 100;

  private static final int MAX_CAUSES = 16;

  private final AgentLog log;
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean open;

  Guard(AgentLog log) {
    this.log = log;
  }

  /** True once the agent is off. */
  public boolean isOpen() {
    return open;
  }

  public long failures() {
    return failures.get();
  }

  /** Never throws, whatever the failure is. */
  public void failed(Throwable error) {
    try {
      long count = failures.incrementAndGet();
      if (count == 1) {
        log.warn("failed inside, the application goes on: " + describe(error));
        log.debug(error);
      } else if (count == LIMIT) {
        open = true;
        log.error("off for this application after " + LIMIT + " failures inside");
      }
    } catch (Throwable e) {
      // Out of memory or stack: the count above is all that can be done.
      open = open || failures.get() > LIMIT;
    }
  }

  private static String describe(Throwable error) {
    Throwable cause = error;
    for (int depth = 0; cause.getCause() != null && depth < MAX_CAUSES; depth++) {
      cause = cause.getCause();
    }
    StackTraceElement[] stack = cause.getStackTrace();
    return stack.length == 0 ? cause.toString() : cause + " at " + stack[0];
  }
}
