package io.sparkotel.agent.cli;

import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.ReplaySummary;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/** A bar on a terminal that says how much of all logs is read, and how fast; silent elsewhere. */
final class ProgressLine implements LongConsumer {

  private static final int BAR_WIDTH = 30;
  private static final long REDRAW_NANOS = 200_000_000L;
  private static final double NANOS = 1e9;

  private final PrintStream err;
  private final boolean terminal = isTerminal();
  private final long startNanos = System.nanoTime();
  private long total;
  private long read;
  private long events;
  private long drawnNanos;
  private String name = "";

  ProgressLine(PrintStream err, List<EventLog> logs) {
    this.err = err;
    for (EventLog log : logs) {
      total += Math.max(0, log.size());
    }
  }

  /** From Java 22 on there is a console without a terminal too. */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      // Before Java 22: a console is a terminal.
      return true;
    }
  }

  void start(EventLog log) {
    name = log.name();
  }

  @Override
  public void accept(long bytes) {
    read += bytes;
    long now = System.nanoTime();
    if (terminal && now - drawnNanos > REDRAW_NANOS) {
      drawnNanos = now;
      draw(now);
    }
  }

  void end(ReplaySummary summary) {
    events += summary.events;
    if (terminal) {
      err.print("\r\u001b[K");
    }
  }

  private void draw(long now) {
    double seconds = (now - startNanos) / NANOS;
    double done = total == 0 ? 0 : Math.min(1, (double) read / total);
    StringBuilder bar = new StringBuilder();
    for (int i = 0; i < BAR_WIDTH; i++) {
      bar.append(i < done * BAR_WIDTH ? '#' : '.');
    }
    err.printf(
        Locale.ROOT,
        "\r\u001b[K[%s] %3.0f %%  %.1f MB/s  %,.0f events/s  %s",
        bar,
        100 * done,
        read / 1e6 / seconds,
        events / seconds,
        name);
    err.flush();
  }
}
