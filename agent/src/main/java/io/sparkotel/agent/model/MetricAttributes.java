package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;

/** Writes an array of task metrics as attributes, in the units of the contract. */
final class MetricAttributes {

  private static final double NANOS_PER_MILLI = 1_000_000.0;
  private static final TaskMetric[] METRICS = TaskMetric.values();
  private static final TaskMetric.Group[] GROUPS = new TaskMetric.Group[METRICS.length];
  private static final Attribute[] ATTRIBUTES = new Attribute[METRICS.length];
  private static final int ALL_GROUPS = (1 << TaskMetric.Group.values().length) - 1;

  static {
    for (TaskMetric metric : METRICS) {
      GROUPS[metric.ordinal()] = metric.group();
      ATTRIBUTES[metric.ordinal()] = Names.metric(metric);
    }
  }

  private MetricAttributes() {}

  /** Of a task: a group in which all is 0 is left out. */
  static void putTask(AttributeList.Builder attributes, long[] values) {
    put(attributes, values, usedGroups(values) | bit(TaskMetric.Group.ALWAYS));
  }

  /** From the stage up: every metric that Spark reports, 0 included. */
  static void putTotals(AttributeList.Builder attributes, long[] values) {
    put(attributes, values, ALL_GROUPS);
  }

  private static int usedGroups(long[] values) {
    int used = 0;
    for (int i = 0; i < values.length; i++) {
      if (values[i] > 0) {
        used |= bit(GROUPS[i]);
      }
    }
    return used;
  }

  private static int bit(TaskMetric.Group group) {
    return 1 << group.ordinal();
  }

  private static void put(AttributeList.Builder attributes, long[] values, int groups) {
    for (int i = 0; i < values.length; i++) {
      long value = values[i];
      if (value == TaskMetric.ABSENT || (groups & bit(GROUPS[i])) == 0) {
        continue;
      }
      value = Math.max(0, value);
      if (METRICS[i].unit() == TaskMetric.Unit.NANOS) {
        attributes.put(ATTRIBUTES[i], value / NANOS_PER_MILLI);
      } else {
        attributes.put(ATTRIBUTES[i], value);
      }
    }
  }
}
