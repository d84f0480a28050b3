package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A physical plan as text, one line a node, drawn as Spark's own tree: generated code is a mark
 * ({@code *(2) }) on its nodes, not a node.
 */
final class PlanText {

  private static final int MAX_LINE_BYTES = 500;

  /** What is read of one node: its redaction has to see more than is kept. */
  private static final int MAX_READ_CHARS = 8192;

  private static final int MAX_NODES = 20_000;

  /** Deeper nodes are drawn at this depth: their lines would be nothing but indentation. */
  private static final int MAX_DRAWN_DEPTH = 40;

  private static final int SHAPE_WORDS = 4;

  private static final String OMISSION = "... ";
  private static final String LEFT_OUT = " left out";

  private PlanText() {}

  /**
   * The lines of a plan.
   *
   * @param root may be null: no lines
   * @param shape true for node and table names only, without expressions and paths
   * @param redactor applied to each line before it is cut; null for none
   * @param metrics what was measured for the nodes, shown behind each
   * @param maxBytes of all lines together, newlines included; a last line counts the nodes for
   *     which there was no room
   * @return lines of at most 500 bytes and valid UTF-8, without what differs from run to run
   *     (expression ids, plan ids, object hashes)
   */
  static List<String> render(
      PlanNode root, boolean shape, Redactor redactor, SqlMetrics metrics, int maxBytes) {
    if (root == null) {
      return Collections.emptyList();
    }
    List<String> lines = new ArrayList<>();
    ArrayDeque<Entry> open = new ArrayDeque<>();
    open.push(new Entry(root, "", "", "", null, 0));
    // Room for the line that counts what was left out.
    int left = maxBytes - 40;
    int omitted = 0;
    int seen = 0;
    while (!open.isEmpty() && seen < MAX_NODES) {
      Entry entry = open.pop();
      PlanNode node = entry.node;
      seen++;
      if (node.children().size() == 1 && isHidden(node.name())) {
        String mark = node.name().startsWith("Input") ? "" : codegenMark(node.name());
        open.push(entry.carry(node.children().get(0), mark));
        continue;
      }
      if (omitted == 0) {
        String line = line(entry, shape, redactor, metrics);
        int bytes = Truncation.utf8Length(line) + 1;
        if (bytes <= left) {
          lines.add(line);
          left -= bytes;
        } else {
          omitted = 1;
        }
      } else {
        omitted++;
      }
      // What is reused is drawn where it ran.
      int children = isReused(node.name()) ? 0 : node.children().size();
      for (int i = Math.min(children, MAX_NODES) - 1; i >= 0; i--) {
        open.push(entry.child(node.children().get(i), i == children - 1));
      }
    }
    if (!open.isEmpty()) {
      lines.add(OMISSION + "more than " + (omitted + open.size()) + " nodes" + LEFT_OUT);
    } else if (omitted > 0) {
      lines.add(OMISSION + omitted + (omitted == 1 ? " node" : " nodes") + LEFT_OUT);
    }
    return Collections.unmodifiableList(lines);
  }

  /** Whether the last of these lines counts the nodes for which there was no room. */
  static boolean leavesOut(List<String> lines) {
    String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    return last.startsWith(OMISSION) && last.endsWith(LEFT_OUT);
  }

  /**
   * The leading words of a node name that are names: letters, digits and {@code _ -}, with {@code
   * dots} also {@code . `}; bare numbers, ids, paths and expressions end it. Empty for none.
   */
  static String words(String name, int max, boolean dots) {
    StringBuilder out = new StringBuilder();
    int i = 0;
    for (int count = 0; count < max; count++) {
      while (i < name.length() && name.charAt(i) == ' ') {
        i++;
      }
      int start = i;
      boolean letters = false;
      while (i < name.length() && isWordChar(name.charAt(i), dots)) {
        letters |= Character.isLetter(name.charAt(i));
        i++;
      }
      boolean path = i < name.length() && "/:.\\".indexOf(name.charAt(i)) >= 0;
      if (!letters || path) {
        break;
      }
      if (out.length() > 0) {
        out.append(' ');
      }
      out.append(name, start, i);
      if (i < name.length() && name.charAt(i) != ' ') {
        break;
      }
    }
    return out.toString();
  }

  static boolean isWordChar(char c, boolean dots) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-' || (dots && (c == '.' || c == '`'));
  }

  static boolean isHidden(String name) {
    return name.equals("InputAdapter") || name.startsWith("WholeStageCodegen");
  }

  static boolean isReused(String name) {
    return name.startsWith("Reused");
  }

  /** It has a plan of its own, which no code that was generated for this one runs. */
  static boolean isSubquery(String name) {
    return name.startsWith("Subquery") || name.startsWith("ReusedSubquery");
  }

  private static String codegenMark(String name) {
    int open = name.indexOf('(');
    int close = name.indexOf(')', open);
    return open < 0 || close < 0 || close - open > 12
        ? ""
        : "*" + name.substring(open, close + 1) + ' ';
  }

  private static String line(Entry entry, boolean shape, Redactor redactor, SqlMetrics metrics) {
    PlanNode node = entry.node;
    String text;
    if (shape) {
      text = words(bounded(node.name()), SHAPE_WORDS, true);
      if (text.isEmpty()) {
        text = "?";
      }
    } else {
      text = bounded(node.simpleString().isEmpty() ? node.name() : node.simpleString());
      // The ids tell a column from a literal.
      text = PlanIds.without(redactor == null ? text : redactor.text(text));
    }
    String measured = MetricText.of(node, entry.codegen, metrics);
    return cut(
            entry.prefix + entry.connector + entry.mark + text, MAX_LINE_BYTES - measured.length())
        + measured;
  }

  static String bounded(String text) {
    return Truncation.toChars(text, MAX_READ_CHARS).text();
  }

  private static String cut(String line, int maxBytes) {
    Truncation whole = Truncation.toBytes(line, maxBytes);
    return whole.isCut() ? Truncation.toBytes(line, maxBytes - 3).text() + "..." : whole.text();
  }

  /** A node that is still to be drawn, and where. */
  private static final class Entry {
    final PlanNode node;
    final String prefix;
    final String connector;
    final String mark;

    /** The node of the generated code that begins here, or null. */
    final PlanNode codegen;

    final int depth;

    Entry(
        PlanNode node, String prefix, String connector, String mark, PlanNode codegen, int depth) {
      this.node = node;
      this.prefix = prefix;
      this.connector = connector;
      this.mark = mark;
      this.codegen = codegen;
      this.depth = depth;
    }

    /** That node in place of this one. */
    Entry carry(PlanNode other, String otherMark) {
      return new Entry(other, prefix, connector, otherMark, node, depth);
    }

    Entry child(PlanNode child, boolean last) {
      String inner = prefix;
      if (!connector.isEmpty() && depth < MAX_DRAWN_DEPTH) {
        inner += connector.charAt(0) == ':' ? ":  " : "   ";
      }
      String childMark = isSubquery(child.name()) ? "" : mark;
      return new Entry(child, inner, last ? "+- " : ":- ", childMark, null, depth + 1);
    }
  }
}
