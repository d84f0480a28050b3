package io.sparkotel.agent;

import io.sparkotel.agent.config.AgentConfig.LogLevel;

/**
 * The agent's lines in the driver's log: on stderr, because applications pipe their stdout. The
 * application's own logging is left alone.
 */
public final class AgentLog {

  private static final String PREFIX = "[spark-otel-agent] ";

  private final LogLevel level;

  public AgentLog(LogLevel level) {
    this.level = level;
  }

  public void info(String line) {
    print(LogLevel.INFO, line);
  }

  public void warn(String line) {
    print(LogLevel.WARN, line);
  }

  public void error(String line) {
    print(LogLevel.ERROR, line);
  }

  /** At level debug also the stack trace, of a failure that was said in a line. */
  public void debug(Throwable error) {
    if (isOn(LogLevel.DEBUG)) {
      error.printStackTrace(System.err);
    }
  }

  private void print(LogLevel of, String line) {
    if (!isOn(of)) {
      return;
    }
    try {
      System.err.println(PREFIX + line);
    } catch (Throwable e) {
      // The application put a stream of its own there that fails: there is nobody left to tell.
      return;
    }
  }

  private boolean isOn(LogLevel of) {
    return of.compareTo(level) <= 0;
  }
}
