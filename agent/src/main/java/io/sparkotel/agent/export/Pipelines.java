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
  private Pipeline told;

  /**
   * @param log takes the lines of every pipeline
   */
  public Pipelines(AgentConfig config, Consumer<String> log) {
    for (AgentConfig.Exporter exporter : config.exporters()) {
      if (exporter != AgentConfig.Exporter.NONE) {
        Pipeline pipeline =
            new Pipeline(() -> Exporters.create(exporter, config), config.bufferBytes(), log);
        pipelines.add(pipeline);
        if (told == null || exporter == AgentConfig.Exporter.OTLP) {
          told = pipeline;
        }
      }
    }
  }

  public void start() {
    for (Pipeline pipeline : pipelines) {
      pipeline.start();
    }
  }

  /** See {@link Pipeline#awaitRoom}; false where one of them gave up. */
  public boolean awaitRoom(long aliveMillis, long deadMillis) {
    boolean room = true;
    for (Pipeline pipeline : pipelines) {
      room &= pipeline.awaitRoom(aliveMillis, deadMillis);
    }
    return room;
  }

  /** See {@link Pipeline#drain}; false where one of them gave up. */
  public boolean drain(long aliveMillis, long deadMillis) {
    boolean empty = true;
    for (Pipeline pipeline : pipelines) {
      empty &= pipeline.drain(aliveMillis, deadMillis);
    }
    return empty;
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

  /** What is told of an export is told of the collector, else of the first exporter named. */
  public ExportCounts counts() {
    return told.counts();
  }

  /** Of every exporter that is named. */
  public List<ExportCounts> allCounts() {
    List<ExportCounts> counts = new ArrayList<>();
    for (Pipeline pipeline : pipelines) {
      counts.add(pipeline.counts());
    }
    return counts;
  }
}
