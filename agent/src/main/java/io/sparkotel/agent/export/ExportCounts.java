package io.sparkotel.agent.export;

import java.util.concurrent.atomic.AtomicLong;

/** What became of the spans that were offered; readable from any thread at any time. */
public final class ExportCounts {

  private final AtomicLong exported = new AtomicLong();
  private final AtomicLong droppedStructure = new AtomicLong();
  private final AtomicLong droppedTasks = new AtomicLong();
  private volatile String lastError;

  /** Spans that the collector took. */
  public long exported() {
    return exported.get();
  }

  /** Application, SQL, job and stage spans that were lost. */
  public long droppedStructure() {
    return droppedStructure.get();
  }

  /** Task spans that were lost. */
  public long droppedTasks() {
    return droppedTasks.get();
  }

  /** All spans that were lost. */
  public long dropped() {
    return droppedStructure() + droppedTasks();
  }

  /** The latest failure in one short line, such as {@code connection refused}, or null. */
  public String lastError() {
    return lastError;
  }

  void addExported(long spans) {
    exported.addAndGet(spans);
  }

  void addDropped(long structure, long tasks) {
    droppedStructure.addAndGet(structure);
    droppedTasks.addAndGet(tasks);
  }

  void error(String line) {
    lastError = line;
  }
}
