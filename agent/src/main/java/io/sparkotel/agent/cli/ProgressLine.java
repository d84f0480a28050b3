package io.sparkotel.agent.cli;

import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.Replay;
import io.sparkotel.agent.replay.ReplaySummary;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** How much of all logs is read, and how fast: a bar on a terminal, and a line at the end. */
final class ProgressLine implements Replay.Progress {

  private static final int BAR_WIDTH = 30;
  private static final long REDRAW_NANOS = 200_000_000L;
  private static final double NANOS = 1e9;
  private static final double MEGA = 1e6;

  private final PrintStream err;
  private final boolean terminal = isTerminal();
  private final long startNanos = System.nanoTime();
  private long total;
  private long read;
  private long events;
  private long uncompressed;
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
  public void read(long bytes, long eventsOfLog) {
    read += bytes;
    long now = System.nanoTime();
    if (terminal && now - drawnNanos > REDRAW_NANOS) {
      drawnNanos = now;
      draw(now, events + eventsOfLog);
    }
  }

  void end(ReplaySummary summary) {
    events += summary.events;
    uncompressed += summary.bytes;
    clear();
  }

  void clear() {
    if (terminal) {
      err.print("\r\u001b[K");
    }
  }

  void print(PrintStream out) {
    double seconds = (System.nanoTime() - startNanos) / NANOS;
    out.printf(
        Locale.ROOT,
        "%,d events, %.1f MB in %.1f s: %,.0f events/s, %.1f MB/s%n",
        events,
        uncompressed / MEGA,
        seconds,
        events / seconds,
        uncompressed / MEGA / seconds);
  }

  private void draw(long now, long eventsSoFar) {
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
        read / MEGA / seconds,
        eventsSoFar / seconds,
        name);
    err.flush();
  }
}
