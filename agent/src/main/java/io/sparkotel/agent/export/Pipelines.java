package io.sparkotel.agent.export;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One pipeline for each exporter that the settings name, each with a buffer and a thread of its
 * own: a dead collector holds up no file.
 */
public final class Pipelines {

  private final List<Pipeline> pipelines = new ArrayList<>();

  /**
   * @param log takes the lines of every pipeline
   */
  public Pipelines(AgentConfig config, Consumer<String> log) {
    for (AgentConfig.Exporter exporter : config.exporters()) {
      if (exporter != AgentConfig.Exporter.NONE) {
        pipelines.add(
            new Pipeline(() -> Exporters.create(exporter, config), config.bufferBytes(), log));
      }
    }
  }

  public void start() {
    for (Pipeline pipeline : pipelines) {
      pipeline.start();
    }
  }

  /** See {@link Pipeline#awaitRoom}. */
  public void awaitRoom(long maxMillis) {
    for (Pipeline pipeline : pipelines) {
      pipeline.awaitRoom(maxMillis);
    }
  }

  /** See {@link Pipeline#offer}. */
  public void offer(FinishedSpan span) {
    for (Pipeline pipeline : pipelines) {
      pipeline.offer(span);
    }
  }

  /** See {@link Pipeline#flush}; one after the other, each within what is left of the bound. */
  public void flush(long aliveMillis, long deadMillis) {
    long start = System.nanoTime();
    for (Pipeline pipeline : pipelines) {
      long passed = (System.nanoTime() - start) / 1_000_000;
      pipeline.flush(Math.max(0, aliveMillis - passed), Math.max(0, deadMillis - passed));
    }
  }

  public void shutdown() {
    for (Pipeline pipeline : pipelines) {
      pipeline.shutdown();
    }
  }

  /** Of the first exporter that is named: what is told of an export is told of that one. */
  public ExportCounts counts() {
    return pipelines.get(0).counts();
  }
}
