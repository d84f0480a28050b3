package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The tree that the console exporter prints. */
final class ConsoleTree {

  /** So that it is drawn with boxes, whatever the locale of the build. */
  static final List<String> UTF_8 =
      List.of("-Dfile.encoding=UTF-8", "-Dstderr.encoding=UTF-8", "-Dsun.stderr.encoding=UTF-8");

  private static final Pattern PREFIX = Pattern.compile("((?:│  |   |├─ |└─ )*)(.*)");
  private static final Pattern ROW =
      Pattern.compile("(.*?) +\\d+(?: ms|\\.\\d\\d s| m \\d\\d s) [·▏▎▍▌▋▊▉█]{20}(?:  (.*))?");
  private static final String TASK = "task \\d+";
  private static final int NUMBERS = 2;

  private ConsoleTree() {}

  /** What the process printed of its one application, each line ended by {@code \n}. */
  static String of(SparkProcess process) {
    List<String> lines =
        process.stderrLines().stream()
            .dropWhile(line -> !line.startsWith("spark.application "))
            .toList();
    StringBuilder tree = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      if (i > 0 && "├└│ ✗".indexOf((lines.get(i) + "?").charAt(0)) < 0) {
        break;
      }
      tree.append(lines.get(i)).append('\n');
    }
    return tree.toString();
  }

  /**
   * What two runs of the same application share: no times, no bars, sizes without their number, no
   * order of siblings, which may start in the same millisecond; of many tasks not which were slow.
   * Only the first two numbers of a line are always there, the others may have no room.
   */
  static String comparable(String tree) {
    Node root = new Node(-1, "");
    List<Node> open = new ArrayList<>(List.of(root));
    for (String line : tree.lines().toList()) {
      Matcher parts = PREFIX.matcher(line);
      if (!parts.matches()) {
        throw new AssertionError(line);
      }
      String text = parts.group(2);
      Node last = open.get(open.size() - 1);
      if (text.startsWith("✗")) {
        last.error = " " + text.replaceAll("\\d+", "N");
        continue;
      }
      Node node = new Node(parts.group(1).length() / 3, row(text));
      while (open.get(open.size() - 1).depth >= node.depth) {
        open.remove(open.size() - 1);
      }
      open.get(open.size() - 1).children.add(node);
      open.add(node);
    }
    StringBuilder out = new StringBuilder();
    root.children.forEach(child -> child.write("", out));
    return out.toString();
  }

  private static String row(String text) {
    Matcher row = ROW.matcher(text);
    if (!row.matches()) {
      return text;
    }
    if (row.group(2) == null) {
      return row.group(1);
    }
    List<String> numbers =
        Stream.of(row.group(2).split(", "))
            .filter(number -> !number.startsWith("run "))
            .map(number -> number.replaceAll("[\\d.]+ (B|[KMGT]iB)$", "SIZE"))
            .limit(NUMBERS)
            .toList();
    return row.group(1) + (numbers.isEmpty() ? "" : ": " + String.join(", ", numbers));
  }

  private static final class Node {
    private final int depth;
    private final String text;
    private final List<Node> children = new ArrayList<>();
    private String error = "";

    Node(int depth, String text) {
      this.depth = depth;
      this.text = text;
    }

    void write(String indent, StringBuilder out) {
      out.append(indent).append(text).append(error).append('\n');
      boolean chosen = children.stream().anyMatch(child -> child.text.startsWith("… "));
      children.stream()
          .map(
              child -> {
                StringBuilder below = new StringBuilder();
                child.write(indent + "  ", below);
                return chosen ? below.toString().replaceAll(TASK, "task") : below.toString();
              })
          .sorted()
          .forEach(out::append);
    }
  }
}
