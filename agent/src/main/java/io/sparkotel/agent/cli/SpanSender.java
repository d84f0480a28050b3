package io.sparkotel.agent.cli;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.export.ExportCounts;
import io.sparkotel.agent.export.Pipelines;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/** Sends the spans of a replay, which waits where the collector is slower than the reading. */
final class SpanSender implements Consumer<FinishedSpan>, AutoCloseable {

  /** A collector that says it is busy gets so long, from its last delivery on. */
  private static final long BUSY_MILLIS = 60_000;

  private final Pipelines pipelines;
  private final boolean console;
  private final long deadMillis;
  private final long aliveMillis;

  /**
   * @param log takes the pipelines' lines
   */
  SpanSender(AgentConfig config, Consumer<String> log) {
    console = config.exporters().contains(AgentConfig.Exporter.CONSOLE);
    deadMillis = config.flushTimeoutMillis();
    aliveMillis = Math.max(deadMillis, BUSY_MILLIS);
    pipelines = new Pipelines(config, log);
    pipelines.start();
  }

  /**
   * Takes a span once there is room.
   *
   * @throws CancellationException where the collector was given up
   */
  @Override
  public void accept(FinishedSpan span) {
    // Structure overtakes tasks on its way, and the console draws when the application's span
    // comes.
    boolean endsTree = console && span.entity() == Entity.APPLICATION;
    if (endsTree ? !drain() : !pipelines.awaitRoom(aliveMillis, deadMillis)) {
      throw new CancellationException();
    }
    pipelines.offer(span);
  }

  /** Waits until all is sent; false where the collector was given up. */
  boolean drain() {
    return pipelines.drain(aliveMillis, deadMillis);
  }

  /** Ends the sending; what is left is lost. */
  @Override
  public void close() {
    pipelines.shutdown();
  }

  long sent() {
    return pipelines.counts().exported();
  }

  /** By all exporters; whole after {@link #close}. */
  long lost() {
    long lost = 0;
    for (ExportCounts counts : pipelines.allCounts()) {
      lost += counts.dropped();
    }
    return lost;
  }

  /** Why spans were lost, or null. */
  String error() {
    String error = null;
    for (ExportCounts counts : pipelines.allCounts()) {
      error = counts.dropped() > 0 ? counts.lastError() : error;
    }
    return error;
  }
}
