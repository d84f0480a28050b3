package io.sparkotel.agent.cli;

import io.sparkotel.agent.replay.ReplaySummary;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The table at the end of a replay: a row an application, and the events that are not read. */
final class ReplayTable {

  private static final String[] HEADINGS = {
    "application", "jobs", "stages", "tasks", "failed", "spans", "anomalies", "bad lines"
  };

  private final List<String[]> rows = new ArrayList<>();
  private final Map<String, Long> unknownEvents = new TreeMap<>();

  void add(ReplaySummary summary) {
    for (Map.Entry<String, Long> entry : summary.unknownEvents.entrySet()) {
      unknownEvents.merge(entry.getKey(), entry.getValue(), Long::sum);
    }
    if (summary.applicationId == null) {
      return;
    }
    rows.add(
        new String[] {
          summary.applicationId,
          Long.toString(summary.totals.jobs),
          Long.toString(summary.totals.stages),
          Long.toString(summary.totals.tasks),
          Long.toString(summary.totals.tasksFailed),
          Long.toString(summary.spans),
          Long.toString(summary.anomalies),
          Long.toString(summary.badLines)
        });
  }

  void print(PrintStream out) {
    if (rows.isEmpty()) {
      return;
    }
    int[] widths = new int[HEADINGS.length];
    rows.add(0, HEADINGS);
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String format = i == 0 ? "%-" + widths[i] + "s" : "  %" + widths[i] + "s";
        line.append(String.format(format, row[i]));
      }
      out.println(line);
    }
    if (!unknownEvents.isEmpty()) {
      out.println("events that are not read: " + unknownEvents);
    }
  }
}
