package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A number for what a plan does: two runs of a query have the same one where Spark planned them
 * alike. Ids, literals, numbers and the digits in paths are no part of it, and neither are the
 * marks of generated code and of adaptive execution.
 */
final class PlanHash {

  private static final int MAX_NODES = 20_000;
  private static final int NAME_WORDS = 4;

  /** Ids differ in length from run to run, and so does the end of a text that was cut. */
  private static final int MAX_CHARS = 600;

  private static final String LAMBDA = "$$Lambda";

  /** Words that stand without parentheses, ids or colons, and are no literals all the same. */
  private static final Set<String> KEPT =
      new HashSet<>(
          Arrays.asList(
              "Inner",
              "LeftOuter",
              "RightOuter",
              "FullOuter",
              "LeftSemi",
              "LeftAnti",
              "Cross",
              "BuildLeft",
              "BuildRight",
              "SinglePartition",
              "AND",
              "OR",
              "NOT",
              "IN",
              "IS",
              "NULL",
              "AS",
              "ASC",
              "DESC",
              "NULLS",
              "FIRST",
              "LAST"));

  private PlanHash() {}

  /** 16 hexadecimal digits. */
  static String of(PlanNode plan) {
    long hash = 0xcbf29ce484222325L;
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    for (int i = 0; i < MAX_NODES && !open.isEmpty(); i++) {
      PlanNode node = open.pop();
      int children = PlanText.isReused(node.name()) ? 0 : node.children().size();
      if (!isMark(node)) {
        String name = PlanText.words(PlanText.bounded(node.name()), NAME_WORDS, true);
        hash = add(hash, name + '\n' + normal(node.simpleString()) + '\n' + children + '\n');
      }
      for (int child = Math.min(children, MAX_NODES) - 1; child >= 0; child--) {
        open.push(node.children().get(child));
      }
    }
    return String.format("%016x", mix(hash));
  }

  private static boolean isMark(PlanNode node) {
    String name = node.name();
    return node.children().size() == 1
        && (PlanText.isHidden(name)
            || name.startsWith("AdaptiveSparkPlan")
            || name.endsWith("QueryStage"));
  }

  private static long add(long hash, String text) {
    long sum = hash;
    for (int i = 0; i < text.length(); i++) {
      sum = (sum ^ text.charAt(i)) * 0x100000001b3L;
    }
    return sum;
  }

  private static long mix(long value) {
    long z = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return z ^ (z >>> 33);
  }

  /** Columns, functions, labels and paths stay; {@code ?} is for what may be a literal. */
  static String normal(String text) {
    String read = PlanText.bounded(text);
    StringBuilder out = new StringBuilder();
    int i = 0;
    while (i < read.length() && out.length() < MAX_CHARS) {
      char c = read.charAt(i);
      int end = i + 1;
      if (read.startsWith(LAMBDA, i)) {
        // The number of its class and the addresses behind it are those of this JVM.
        end = pathEnd(read, i);
        literal(out);
      } else if (c == '@' && PlanIds.hashEnd(read, i) > i) {
        end = PlanIds.hashEnd(read, i);
      } else if (isPathStart(read, i)) {
        end = pathEnd(read, i);
        path(read, i, end, out);
      } else if (isWord(c)) {
        end = wordEnd(read, i);
        int id = PlanIds.exprIdEnd(read, end);
        if (end < read.length() && read.charAt(end) == '#' && id > end) {
          out.append(read, i, end);
          end = id;
        } else if (isName(read, i, end)) {
          out.append(read, i, end);
        } else {
          literal(out);
        }
      } else if (c == '\'' || c == '"') {
        int close = read.indexOf(c, i + 1);
        end = close < 0 ? read.length() : close + 1;
        literal(out);
      } else if (c == '#' && PlanIds.digitsEnd(read, i + 1) > i + 1) {
        end = PlanIds.digitsEnd(read, i + 1);
        out.append('#');
      } else if (c > ' ') {
        out.append(c);
      } else if (out.length() > 0 && out.charAt(out.length() - 1) != ' ') {
        out.append(' ');
      }
      i = end;
    }
    return out.toString().trim();
  }

  /** One mark for literals that follow each other: how many words a text has is its own. */
  private static void literal(StringBuilder out) {
    int last = out.length();
    while (last > 0 && " ,.-:".indexOf(out.charAt(last - 1)) >= 0) {
      last--;
    }
    if (last > 0 && out.charAt(last - 1) == '?') {
      out.setLength(last);
    } else {
      out.append('?');
    }
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '`' || c == '$';
  }

  private static int wordEnd(String text, int from) {
    int end = from;
    while (end < text.length()
        && (isWord(text.charAt(end)) || (text.charAt(end) == '.' && end > from))
        && !text.startsWith(LAMBDA, end)) {
      end++;
    }
    return end;
  }

  private static boolean isName(String text, int from, int end) {
    if (Character.isDigit(text.charAt(from))) {
      return false;
    }
    char next = end < text.length() ? text.charAt(end) : ' ';
    return next == '('
        || next == ':'
        || next == '<'
        || text.charAt(from) == '`'
        || KEPT.contains(text.substring(from, end));
  }

  /** {@code /} before a name, or a scheme, {@code :/} behind it. */
  private static boolean isPathStart(String text, int at) {
    if (text.charAt(at) == '/') {
      return at + 1 < text.length() && isWord(text.charAt(at + 1));
    }
    if (!Character.isLetter(text.charAt(at))) {
      return false;
    }
    int end = wordEnd(text, at);
    return text.startsWith(":/", end);
  }

  private static int pathEnd(String text, int from) {
    int end = from;
    while (end < text.length() && " ,[](){}".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  /**
   * The scheme as it is; behind it each run of digits, with the dashes, dots and colons of a date
   * or time, is one mark.
   */
  private static void path(String text, int from, int end, StringBuilder out) {
    boolean digits = false;
    int scheme = text.indexOf(":/", from);
    int start = scheme < 0 || scheme > end ? from : scheme;
    out.append(text, from, start);
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      boolean inside = digits && "-.:_".indexOf(c) >= 0 && i + 1 < end;
      if (Character.isDigit(c)) {
        if (!digits) {
          out.append('0');
        }
        digits = true;
      } else if (!(inside && Character.isDigit(text.charAt(i + 1)))) {
        out.append(c);
        digits = false;
      }
    }
  }
}
