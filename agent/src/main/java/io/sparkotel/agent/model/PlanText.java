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
public final class PlanText {

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
   * @param maxBytes of all lines together, newlines included; a last line counts the nodes for
   *     which there was no room
   * @return lines of at most 500 bytes and valid UTF-8, without what differs from run to run
   *     (expression ids, plan ids, object hashes)
   */
  public static List<String> render(PlanNode root, boolean shape, Redactor redactor, int maxBytes) {
    if (root == null) {
      return Collections.emptyList();
    }
    List<String> lines = new ArrayList<>();
    ArrayDeque<Entry> open = new ArrayDeque<>();
    open.push(new Entry(root, "", "", "", 0));
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
        String line = line(entry, shape, redactor);
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
      for (int i = Math.min(node.children().size(), MAX_NODES) - 1; i >= 0; i--) {
        open.push(entry.child(node.children().get(i), i == node.children().size() - 1));
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

  private static boolean isWordChar(char c, boolean dots) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-' || (dots && (c == '.' || c == '`'));
  }

  private static boolean isHidden(String name) {
    return name.equals("InputAdapter") || name.startsWith("WholeStageCodegen");
  }

  private static String codegenMark(String name) {
    int open = name.indexOf('(');
    int close = name.indexOf(')', open);
    return open < 0 || close < 0 || close - open > 12
        ? ""
        : "*" + name.substring(open, close + 1) + ' ';
  }

  private static String line(Entry entry, boolean shape, Redactor redactor) {
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
      text = withoutIds(redactor == null ? text : redactor.text(text));
    }
    return cut(entry.prefix + entry.connector + entry.mark + text);
  }

  private static String bounded(String text) {
    return Truncation.toChars(text, MAX_READ_CHARS).text();
  }

  private static String cut(String line) {
    Truncation whole = Truncation.toBytes(line, MAX_LINE_BYTES);
    return whole.isCut()
        ? Truncation.toBytes(line, MAX_LINE_BYTES - 3).text() + "..."
        : whole.text();
  }

  /**
   * Takes out {@code #12L}, {@code [id=#52]}, {@code , [plan_id=42]}, {@code @27fafcca}, newlines.
   */
  private static String withoutIds(String text) {
    StringBuilder out = new StringBuilder(text.length());
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      int end = i;
      if (c == '#') {
        end = exprIdEnd(text, i);
      } else if (c == '@') {
        end = hashEnd(text, i);
      } else if (c == '[') {
        end = planIdEnd(text, i);
        if (end > i) {
          trimSeparator(out);
        }
      }
      if (end > i) {
        i = end;
      } else {
        out.append(c == '\n' || c == '\r' || c == '\t' ? ' ' : c);
        i++;
      }
    }
    int length = out.length();
    while (length > 0 && out.charAt(length - 1) == ' ') {
      length--;
    }
    out.setLength(length);
    return out.toString();
  }

  private static int exprIdEnd(String text, int at) {
    char before = at == 0 ? ' ' : text.charAt(at - 1);
    boolean named =
        Character.isLetterOrDigit(before) || before == '_' || ")]`?*%$-'".indexOf(before) >= 0;
    int end = digitsEnd(text, at + 1);
    if (!named || end == at + 1) {
      return at;
    }
    if (end < text.length() && text.charAt(end) == 'L') {
      end++;
    }
    return end < text.length() && isWordChar(text.charAt(end), false) && text.charAt(end) != '-'
        ? at
        : end;
  }

  private static int hashEnd(String text, int at) {
    if (at == 0 || !isWordChar(text.charAt(at - 1), false)) {
      return at;
    }
    int end = at + 1;
    while (end < text.length() && end < at + 10 && Character.digit(text.charAt(end), 16) >= 0) {
      end++;
    }
    boolean ends = end == text.length() || !isWordChar(text.charAt(end), true);
    return ends && end > at + 4 && end <= at + 9 ? end : at;
  }

  private static int planIdEnd(String text, int at) {
    int digits;
    if (text.startsWith("[id=#", at)) {
      digits = at + "[id=#".length();
    } else if (text.startsWith("[plan_id=", at)) {
      digits = at + "[plan_id=".length();
    } else {
      return at;
    }
    int end = digitsEnd(text, digits);
    return end > digits && end < text.length() && text.charAt(end) == ']' ? end + 1 : at;
  }

  private static int digitsEnd(String text, int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private static void trimSeparator(StringBuilder out) {
    int length = out.length();
    while (length > 0 && (out.charAt(length - 1) == ' ' || out.charAt(length - 1) == ',')) {
      length--;
    }
    out.setLength(length);
  }

  /** A node that is still to be drawn, and where. */
  private static final class Entry {
    final PlanNode node;
    final String prefix;
    final String connector;
    final String mark;
    final int depth;

    Entry(PlanNode node, String prefix, String connector, String mark, int depth) {
      this.node = node;
      this.prefix = prefix;
      this.connector = connector;
      this.mark = mark;
      this.depth = depth;
    }

    /** That node in place of this one. */
    Entry carry(PlanNode other, String otherMark) {
      return new Entry(other, prefix, connector, otherMark, depth);
    }

    Entry child(PlanNode child, boolean last) {
      String inner = prefix;
      if (!connector.isEmpty() && depth < MAX_DRAWN_DEPTH) {
        inner += connector.charAt(0) == ':' ? ":  " : "   ";
      }
      return new Entry(child, inner, last ? "+- " : ":- ", mark, depth + 1);
    }
  }
}
