package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.Spread;
import io.sparkotel.agent.telemetry.TaskMetric;

/** The spread of a stage over its successful tasks, and which of them took longest. */
final class SpreadValues {

  private static final Spread[] SPREADS = Spread.values();
  private static final TaskMetric[] SOURCES = {
    null,
    TaskMetric.INPUT_BYTES,
    TaskMetric.SHUFFLE_READ_BYTES,
    TaskMetric.SHUFFLE_WRITE_BYTES,
    TaskMetric.DISK_SPILLED,
    TaskMetric.GC_TIME
  };

  private final Quantiles[] quantiles = new Quantiles[SPREADS.length];
  private TaskEnd slowest;

  SpreadValues() {
    for (int i = 0; i < quantiles.length; i++) {
      quantiles[i] = new Quantiles();
    }
  }

  void add(TaskEnd end) {
    TaskInfo task = end.task;
    quantiles[0].add(task.duration());
    for (int i = 1; i < SPREADS.length; i++) {
      long value = end.metrics == null ? 0 : end.metrics[SOURCES[i].ordinal()];
      quantiles[i].add(Math.max(0, value));
    }
    TaskInfo other = slowest == null ? null : slowest.task;
    if (other == null
        || task.duration() > other.duration()
        || (task.duration() == other.duration() && task.id < other.id)) {
      slowest = end;
    }
  }

  /** How many numbers are held. */
  long stateSize() {
    long size = 0;
    for (Quantiles of : quantiles) {
      size += of.stateSize();
    }
    return size;
  }

  /** How many tasks it is of. */
  long count() {
    return quantiles[0].count();
  }

  /** There must be a task. */
  long median(Spread of) {
    return quantiles[of.ordinal()].at(0.5);
  }

  /** 0 where there are no tasks. */
  long max(Spread of) {
    return quantiles[of.ordinal()].max();
  }

  /** The end of the longest task, of several the first one; null where there are none. */
  TaskEnd slowest() {
    return slowest;
  }

  void put(AttributeList.Builder attributes) {
    if (slowest == null) {
      return;
    }
    for (int i = 0; i < SPREADS.length; i++) {
      // Duration is always told, the rest where any task had some.
      if (i == 0 || quantiles[i].max() > 0) {
        for (int q = 0; q < Spread.count(); q++) {
          attributes.put(SPREADS[i].attribute(q), quantiles[i].at(Spread.quantile(q)));
        }
      }
    }
    long median = quantiles[0].at(0.5);
    if (median > 0) {
      attributes.put(Names.STAGE_SKEW, (double) quantiles[0].max() / median);
    }
    TaskInfo task = slowest.task;
    attributes.put(Names.STAGE_SLOWEST_INDEX, task.index);
    Limits.putText(attributes, Names.STAGE_SLOWEST_EXECUTOR, task.executorId, Limits.WORD);
    Limits.putText(attributes, Names.STAGE_SLOWEST_HOST, task.host, Limits.WORD);
    for (Quantiles of : quantiles) {
      if (!of.isExact()) {
        attributes.put(Names.STAGE_SPREAD_APPROXIMATE, true);
        return;
      }
    }
  }
}
