package io.sparkotel.agent.export;

import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Draws spans as a tree with durations, bars on a common time axis and key numbers, in lines of at
 * most 120 columns. The description of an error has a line of its own.
 */
public final class TraceTree {

  private static final int WIDTH = 120;
  private static final int MAX_LABEL_WIDTH = 58;
  private static final int DURATION_WIDTH = 9;
  private static final int BAR_WIDTH = 20;
  private static final int MAX_TASKS = 8;
  private static final int MAX_LINES = 500;

  /** Blocks of one to eight eighths of a cell. */
  private static final String EIGHTHS = "▏▎▍▌▋▊▉█";

  /** A thinner bar cannot be seen. */
  private static final int MIN_EIGHTHS = 2;

  private static final Comparator<Row> BY_START =
      Comparator.comparingLong((Row row) -> row.startNanos).thenComparing(row -> row.spanId);

  private static final String FAILED = " failed";

  /** Outcomes of tasks that are to be seen without their name. */
  private static final List<String> UNREMARKABLE = Arrays.asList("Success", "ExceptionFailure");

  private static final String PLAIN = "";
  private static final String BOLD = "\u001b[1m";
  private static final String DIM = "\u001b[2m";
  private static final String RED = "\u001b[31m";
  private static final String GREEN = "\u001b[32m";
  private static final String YELLOW = "\u001b[33m";
  private static final String BLUE = "\u001b[34m";
  private static final String CYAN = "\u001b[36m";
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
    private final boolean retry;
    private final long startNanos;
    private final long endNanos;
    private final String error;
    private final List<String> numbers;

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
      this.error = error == null ? null : error(error, attributes.apply(Names.ERROR_TYPE.name()));
      this.entity = String.valueOf(attributes.apply(Names.ENTITY.name()));
      long attempt = number(attributes, isTask() ? Names.TASK_ATTEMPT : Names.STAGE_ATTEMPT);
      boolean copy = isTrue(attributes, Names.TASK_SPECULATIVE);
      this.retry = attempt > 0 && !copy;
      this.label =
          firstLine(name)
              + (is(Entity.CONTINUED) ? " " + attributes.apply(Names.TRACE_PART.name()) : "")
              + (isTask() ? " " + attributes.apply(Names.TASK_INDEX.name()) : "")
              + (copy ? ", speculative" : retry ? ", retry " + attempt : "");
      this.numbers = isTask() ? taskNumbers(attributes) : sums(attributes);
    }

    private boolean is(Entity other) {
      return other.label().equals(entity);
    }

    private boolean isTask() {
      return is(Entity.TASK);
    }

    private long duration() {
      return endNanos - startNanos;
    }

    private String labelStyle() {
      if (error != null) {
        return RED;
      }
      return retry ? YELLOW : is(Entity.APPLICATION) ? BOLD : isTask() ? DIM : PLAIN;
    }

    private String barStyle() {
      if (error != null) {
        return RED;
      }
      if (retry) {
        return YELLOW;
      }
      return is(Entity.SQL)
          ? CYAN
          : is(Entity.JOB) ? BLUE : is(Entity.STAGE) || isTask() ? GREEN : PLAIN;
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
    Layout layout = new Layout(children);
    layout.siblings(roots, null, "");
    return new Drawing(layout, start, Math.max(1, end - start)).text();
  }

  /** A line of the drawing: of a span, or a remark. */
  private static final class Line {
    final String indent;
    final Row row;
    final String remark;

    /**
     * @param row null where the remark is of no span
     * @param remark null for the line of the span itself
     */
    Line(String indent, Row row, String remark) {
      this.indent = indent;
      this.row = row;
      this.remark = remark;
    }
  }

  /** Which lines there are, so that the columns can be as narrow as these allow. */
  private final class Layout {
    private final Map<String, List<Row>> children;
    private final List<Line> lines = new ArrayList<>();
    private int rows;
    private int left;

    Layout(Map<String, List<Row>> children) {
      this.children = children;
    }

    /**
     * @param indent what stands before the siblings' branches; null at the roots, which have none
     * @param said the error that is told of the parent, not to be told again; empty for none
     */
    void siblings(List<Row> siblings, String indent, String said) {
      List<Row> drawn = choose(siblings);
      int more = siblings.size() - drawn.size();
      for (int i = 0; i < drawn.size(); i++) {
        boolean last = i == drawn.size() - 1 && more == 0;
        Row row = drawn.get(i);
        List<Row> nested = children.getOrDefault(row.spanId, Collections.emptyList());
        String below = indent == null ? "" : indent + rail(!last);
        if (rows == MAX_LINES) {
          left++;
        } else {
          rows++;
          lines.add(new Line(indent == null ? "" : indent + branch(last), row, null));
          if (row.error != null && !row.error.equals(said)) {
            lines.add(new Line(nested.isEmpty() ? below : below + rail(true), row, row.error));
          }
        }
        siblings(nested, below, row.error == null ? "" : row.error);
      }
      if (more > 0 && rows < MAX_LINES) {
        rows++;
        String text = ellipsis() + " " + more + " more tasks";
        lines.add(new Line(indent == null ? "" : indent + branch(true), null, text));
      } else {
        left += more;
      }
    }

    int labelWidth() {
      int width = 0;
      for (Line line : lines) {
        if (line.remark == null) {
          width = Math.max(width, line.indent.length() + line.row.label.length());
        }
      }
      return Math.min(width, MAX_LABEL_WIDTH);
    }

    private String branch(boolean last) {
      if (unicode) {
        return last ? "└─ " : "├─ ";
      }
      return last ? "`- " : "|- ";
    }

    private String rail(boolean goesOn) {
      return goesOn ? (unicode ? "│  " : "|  ") : "   ";
    }
  }

  private final class Drawing {
    private final Layout layout;
    private final int labelWidth;
    private final long start;
    private final double length;
    private final StringBuilder out = new StringBuilder();

    Drawing(Layout layout, long start, long length) {
      this.layout = layout;
      this.labelWidth = layout.labelWidth();
      this.start = start;
      this.length = length;
    }

    String text() {
      for (Line line : layout.lines) {
        paint(DIM, line.indent);
        if (line.remark == null) {
          row(line.row, labelWidth - line.indent.length());
        } else if (line.row == null) {
          paint(DIM, line.remark);
        } else {
          String text = (unicode ? "✗ " : "! ") + line.remark;
          paint(RED, cutMiddle(text, WIDTH - line.indent.length()));
        }
        out.append('\n');
      }
      if (layout.left > 0) {
        out.append(ellipsis()).append(' ').append(layout.left).append(" more spans\n");
      }
      return out.toString();
    }

    private void row(Row row, int width) {
      String label = cut(row.label, width);
      paint(row.labelStyle(), label);
      for (int i = label.length(); i < width; i++) {
        out.append(' ');
      }
      String format = " %" + DURATION_WIDTH + "s ";
      out.append(String.format(Locale.ROOT, format, duration(row.duration())));
      bar(row);
      int room = WIDTH - labelWidth - DURATION_WIDTH - 2 - BAR_WIDTH;
      for (int i = 0; i < row.numbers.size(); i++) {
        String number = row.numbers.get(i);
        room -= number.length() + 2;
        if (room < 0) {
          break;
        }
        out.append(i == 0 ? "  " : ", ");
        paint(number.endsWith(FAILED) ? RED : DIM, number);
      }
    }

    private void bar(Row row) {
      int from = (int) Math.min(BAR_WIDTH - 1, (row.startNanos - start) / length * BAR_WIDTH);
      long exact = Math.round(row.duration() / length * BAR_WIDTH * 8);
      int eighths = (int) Math.min((BAR_WIDTH - from) * 8L, Math.max(MIN_EIGHTHS, exact));
      StringBuilder full = new StringBuilder();
      for (int left = eighths; left > 0; left -= 8) {
        full.append(unicode ? EIGHTHS.charAt(Math.min(left, 8) - 1) : '#');
      }
      paint(DIM, ground(from));
      paint(row.barStyle(), full.toString());
      paint(DIM, ground(BAR_WIDTH - from - full.length()));
    }

    private String ground(int cells) {
      StringBuilder ground = new StringBuilder();
      for (int i = 0; i < cells; i++) {
        ground.append(unicode ? '·' : '.');
      }
      return ground.toString();
    }

    private String cut(String text, int width) {
      if (text.length() <= width) {
        return text;
      }
      int end = Math.max(0, width - ellipsis().length());
      if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
        end--;
      }
      return text.substring(0, end) + ellipsis();
    }

    /** Spark puts the cause of an error behind where it happened: both ends are worth reading. */
    private String cutMiddle(String text, int width) {
      int end = width * 2 / 5;
      if (text.length() <= width) {
        return text;
      }
      int rest = text.length() - (width - end);
      rest += Character.isLowSurrogate(text.charAt(rest)) ? 1 : 0;
      return cut(text.substring(0, end + 1), end) + text.substring(rest);
    }

    private void paint(String style, String text) {
      if (colour && !style.isEmpty() && !text.isEmpty()) {
        out.append(style).append(text).append(RESET);
      } else {
        out.append(text);
      }
    }
  }

  private String ellipsis() {
    return unicode ? "…" : "...";
  }

  /** All but tasks; of many tasks the failed, the retries and the longest. By start. */
  private static List<Row> choose(List<Row> rows) {
    List<Row> chosen = new ArrayList<>();
    List<Row> tasks = new ArrayList<>();
    for (Row row : rows) {
      (row.isTask() ? tasks : chosen).add(row);
    }
    if (tasks.size() > MAX_TASKS) {
      tasks.sort(
          Comparator.comparing((Row row) -> row.error == null)
              .thenComparing(row -> !row.retry)
              .thenComparing(Comparator.comparingLong(Row::duration).reversed())
              .thenComparing(BY_START));
      tasks = tasks.subList(0, MAX_TASKS);
    }
    chosen.addAll(tasks);
    chosen.sort(BY_START);
    return chosen;
  }

  /** Of all that is above a task. The last ones are left out where a line has no room. */
  private static List<String> sums(Function<String, Object> attributes) {
    List<String> numbers = new ArrayList<>();
    if (isTrue(attributes, Names.INCOMPLETE)) {
      numbers.add("incomplete");
    }
    long tasks = number(attributes, Names.TASKS_TOTAL);
    if (tasks > 0) {
      numbers.add(tasks + (tasks == 1 ? " task" : " tasks"));
    }
    long failed = number(attributes, Names.TASKS_FAILED);
    if (failed > 0) {
      numbers.add(failed + FAILED);
    }
    addSize(numbers, attributes, TaskMetric.DISK_SPILLED, "spilled");
    addSize(numbers, attributes, TaskMetric.INPUT_BYTES, "in");
    addSize(numbers, attributes, TaskMetric.OUTPUT_BYTES, "out");
    addSize(numbers, attributes, TaskMetric.SHUFFLE_READ_BYTES, "shuffle in");
    addSize(numbers, attributes, TaskMetric.SHUFFLE_WRITE_BYTES, "shuffle out");
    long runMillis = number(attributes.apply(TaskMetric.RUN_TIME.key()));
    if (runMillis > 0) {
      numbers.add("run " + duration(runMillis * 1_000_000));
    }
    return numbers;
  }

  /** The stage above has the sums: of a task only what is peculiar to it. */
  private static List<String> taskNumbers(Function<String, Object> attributes) {
    List<String> numbers = new ArrayList<>();
    Object outcome = attributes.apply(Names.TASK_OUTCOME.name());
    if (isTrue(attributes, Names.INCOMPLETE)) {
      numbers.add("incomplete");
    } else if (outcome != null && !UNREMARKABLE.contains(outcome)) {
      numbers.add(outcome.toString());
    }
    addSize(numbers, attributes, TaskMetric.DISK_SPILLED, "spilled");
    return numbers;
  }

  /** The description, with the class of the error in front where it is not a part of it. */
  private static String error(String description, Object type) {
    String text = firstLine(description);
    if (type == null && text.isEmpty()) {
      return "failed";
    }
    if (type == null || text.contains(type.toString())) {
      return text;
    }
    String name = type.toString().substring(type.toString().lastIndexOf('.') + 1);
    return text.isEmpty() ? name : name + ": " + text;
  }

  private static void addSize(
      List<String> numbers, Function<String, Object> attributes, TaskMetric metric, String what) {
    long value = number(attributes.apply(metric.key()));
    if (value > 0) {
      numbers.add(what + ' ' + size(value));
    }
  }

  private static boolean isTrue(Function<String, Object> attributes, Attribute attribute) {
    return Boolean.TRUE.equals(attributes.apply(attribute.name()));
  }

  private static long number(Function<String, Object> attributes, Attribute attribute) {
    return number(attributes.apply(attribute.name()));
  }

  private static long number(Object value) {
    return value instanceof Number ? ((Number) value).longValue() : 0;
  }

  /** Without control characters, which could move the cursor. */
  private static String firstLine(String text) {
    String trimmed = text.trim();
    int end = trimmed.indexOf('\n');
    return (end < 0 ? trimmed : trimmed.substring(0, end)).replaceAll("\\p{Cntrl}", " ");
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
