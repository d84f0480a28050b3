package io.sparkotel.agent.export;

import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Draws spans as a tree with durations, bars on a common time axis and key numbers. */
public final class TraceTree {

  private static final int LABEL_WIDTH = 52;
  private static final int BAR_WIDTH = 24;
  private static final int MAX_TASKS = 8;
  private static final int MAX_LINES = 500;
  private static final Comparator<Row> BY_START =
      Comparator.comparingLong((Row row) -> row.startNanos).thenComparing(row -> row.spanId);

  private static final String RED = "\u001b[31m";
  private static final String DIM = "\u001b[2m";
  private static final String RESET = "\u001b[0m";

  private final boolean unicode;
  private final boolean colour;

  /**
   * @param unicode whether lines and bars may be drawn with box characters
   * @param colour whether ANSI escapes may be used
   */
  public TraceTree(boolean unicode, boolean colour) {
    this.unicode = unicode;
    this.colour = colour;
  }

  /** One span: what is drawn of it. */
  public static final class Row {
    private final String spanId;
    private final String parentId;
    private final String entity;
    private final String label;
    private final long startNanos;
    private final long endNanos;
    private final String error;
    private final String numbers;

    /**
     * @param parentId the parent's span id; of a root null, empty or of a span that is not drawn
     * @param startNanos since the epoch
     * @param endNanos since the epoch
     * @param error null without an error, else its description, which may be empty
     * @param attributes from a key to its value (String, Boolean, Long or Double) or null
     */
    public Row(
        String spanId,
        String parentId,
        String name,
        long startNanos,
        long endNanos,
        String error,
        Function<String, Object> attributes) {
      this.spanId = spanId;
      this.parentId = parentId;
      this.startNanos = startNanos;
      this.endNanos = endNanos;
      this.error = error;
      this.entity = String.valueOf(attributes.apply(Names.ENTITY.name()));
      this.label = isTask() ? name + ' ' + attributes.apply(Names.TASK_INDEX.name()) : name;
      this.numbers = numbers(attributes);
    }

    private boolean isTask() {
      return Entity.TASK.label().equals(entity);
    }

    private long duration() {
      return endNanos - startNanos;
    }
  }

  /** The drawing, each line ended by {@code \n}; at most some 500 lines, the rest is counted. */
  public String render(List<Row> rows) {
    Map<String, List<Row>> children = new HashMap<>();
    for (Row row : rows) {
      children.put(row.spanId, new ArrayList<>());
    }
    List<Row> roots = new ArrayList<>();
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (Row row : rows) {
      List<Row> siblings = row.parentId == null ? null : children.get(row.parentId);
      (siblings == null ? roots : siblings).add(row);
      start = Math.min(start, row.startNanos);
      end = Math.max(end, row.endNanos);
    }
    Drawing drawing = new Drawing(children, start, Math.max(1, end - start));
    drawing.siblings(roots, null);
    if (drawing.left > 0) {
      drawing.out.append(unicode ? "… " : "... ").append(drawing.left).append(" more spans\n");
    }
    return drawing.out.toString();
  }

  private final class Drawing {
    private final Map<String, List<Row>> children;
    private final long start;
    private final double length;
    private final StringBuilder out = new StringBuilder();
    private int lines;
    private int left;

    Drawing(Map<String, List<Row>> children, long start, long length) {
      this.children = children;
      this.start = start;
      this.length = length;
    }

    /**
     * @param indent what stands before the siblings' branches; null at the roots, which have none
     */
    void siblings(List<Row> rows, String indent) {
      List<Row> drawn = choose(rows);
      int more = rows.size() - drawn.size();
      for (int i = 0; i < drawn.size(); i++) {
        boolean last = i == drawn.size() - 1 && more == 0;
        Row row = drawn.get(i);
        if (lines == MAX_LINES) {
          left++;
        } else {
          lines++;
          line(row, indent == null ? "" : indent + branch(last));
        }
        String below = indent == null ? "" : indent + (last ? "   " : unicode ? "│  " : "|  ");
        siblings(children.getOrDefault(row.spanId, Collections.emptyList()), below);
      }
      if (more > 0 && lines < MAX_LINES) {
        lines++;
        String text = (unicode ? "… " : "... ") + more + " more tasks\n";
        out.append(indent == null ? "" : indent + branch(true)).append(text);
      } else {
        left += more;
      }
    }

    private String branch(boolean last) {
      if (unicode) {
        return last ? "└─ " : "├─ ";
      }
      return last ? "`- " : "|- ";
    }

    private void line(Row row, String prefix) {
      String label = cut(prefix + row.label, LABEL_WIDTH);
      out.append(row.error == null ? label : paint(RED, label));
      for (int i = label.length(); i < LABEL_WIDTH; i++) {
        out.append(' ');
      }
      out.append(String.format(Locale.ROOT, " %9s ", duration(row.duration())));
      out.append(paint(row.error == null ? DIM : RED, bar(row)));
      String text = row.error == null ? row.numbers : join(row.numbers, failed(row.error));
      out.append(text.isEmpty() ? "" : "  " + text).append('\n');
    }

    private String failed(String error) {
      return paint(RED, error.isEmpty() ? "failed" : "failed: " + cut(firstLine(error), 100));
    }

    private String bar(Row row) {
      int from = (int) Math.min(BAR_WIDTH - 1, (row.startNanos - start) / length * BAR_WIDTH);
      int cells = (int) Math.round(row.duration() / length * BAR_WIDTH);
      int to = Math.min(BAR_WIDTH, from + Math.max(1, cells));
      StringBuilder bar = new StringBuilder(BAR_WIDTH);
      for (int i = 0; i < BAR_WIDTH; i++) {
        boolean full = i >= from && i < to;
        bar.append(full ? (unicode ? '█' : '#') : (unicode ? '·' : '.'));
      }
      return bar.toString();
    }

    private String cut(String text, int width) {
      if (text.length() <= width) {
        return text;
      }
      String mark = unicode ? "…" : "...";
      return text.substring(0, width - mark.length()) + mark;
    }

    private String paint(String code, String text) {
      return colour ? code + text + RESET : text;
    }
  }

  /** All but tasks; of many tasks the failed and the longest. In the order of their start. */
  private static List<Row> choose(List<Row> rows) {
    List<Row> chosen = new ArrayList<>();
    List<Row> tasks = new ArrayList<>();
    for (Row row : rows) {
      (row.isTask() ? tasks : chosen).add(row);
    }
    if (tasks.size() > MAX_TASKS) {
      tasks.sort(
          Comparator.comparing((Row row) -> row.error == null)
              .thenComparing(Comparator.comparingLong(Row::duration).reversed())
              .thenComparing(BY_START));
      tasks = tasks.subList(0, MAX_TASKS);
    }
    chosen.addAll(tasks);
    chosen.sort(BY_START);
    return chosen;
  }

  private static String numbers(Function<String, Object> attributes) {
    String text = count(attributes, Names.TASKS_TOTAL, "tasks");
    text = join(text, count(attributes, Names.TASKS_FAILED, "failed"));
    text = join(text, millis(attributes, TaskMetric.RUN_TIME, "run"));
    text = join(text, bytes(attributes, TaskMetric.INPUT_BYTES, "in"));
    text = join(text, bytes(attributes, TaskMetric.OUTPUT_BYTES, "out"));
    text = join(text, bytes(attributes, TaskMetric.SHUFFLE_READ_BYTES, "shuffle in"));
    text = join(text, bytes(attributes, TaskMetric.SHUFFLE_WRITE_BYTES, "shuffle out"));
    return join(text, bytes(attributes, TaskMetric.DISK_SPILLED, "spilled"));
  }

  private static String count(Function<String, Object> of, Attribute attribute, String unit) {
    long value = number(of.apply(attribute.name()));
    return value == 0 ? "" : value + " " + unit;
  }

  private static String millis(Function<String, Object> of, TaskMetric metric, String what) {
    long value = number(of.apply(metric.key()));
    return value == 0 ? "" : what + ' ' + duration(value * 1_000_000);
  }

  private static String bytes(Function<String, Object> of, TaskMetric metric, String what) {
    long value = number(of.apply(metric.key()));
    return value == 0 ? "" : what + ' ' + size(value);
  }

  private static long number(Object value) {
    return value instanceof Number ? ((Number) value).longValue() : 0;
  }

  private static String join(String left, String right) {
    return left.isEmpty() || right.isEmpty() ? left + right : left + ", " + right;
  }

  private static String firstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  private static String duration(long nanos) {
    long millis = nanos / 1_000_000;
    if (millis < 1_000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
    }
    long seconds = millis / 1_000;
    return seconds < 3_600
        ? String.format(Locale.ROOT, "%d m %02d s", seconds / 60, seconds % 60)
        : String.format(Locale.ROOT, "%d h %02d m", seconds / 3_600, seconds / 60 % 60);
  }

  private static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double value = bytes / 1024.0;
    String units = "KMGTPE";
    int unit = 0;
    while (value >= 1024) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %ciB", value, units.charAt(unit));
  }
}
