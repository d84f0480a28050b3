package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The tables and paths that a plan reads, each with its format. */
final class SqlInputs {

  private static final int MAX_NODES = 20_000;
  private static final int MAX_INPUTS = 50;
  private static final int MAX_BYTES = 300;

  /** A quoted part may have blanks. */
  private static final Pattern JDBC_TABLE = Pattern.compile("(?:[\\w.$-]++|\"[^\"]*+\"|`[^`]*+`)+");

  /** Also IcebergCopyOnWriteScan, say. */
  private static final Pattern ICEBERG = Pattern.compile("Iceberg\\w{0,40}Scan");

  private SqlInputs() {}

  /**
   * Such as {@code parquet default.sales}, {@code csv s3://bucket/day}, {@code jdbc orders}, each
   * once, in the order of the plan.
   *
   * @param paths false for tables alone: of a path that is read, its format stays
   */
  static List<String> of(PlanNode plan, boolean paths, Redactor redactor) {
    Set<String> inputs = new LinkedHashSet<>();
    ArrayDeque<PlanNode> open = new ArrayDeque<>();
    open.push(plan);
    for (int i = 0; i < MAX_NODES && !open.isEmpty() && inputs.size() < MAX_INPUTS; i++) {
      PlanNode node = open.pop();
      String input = input(node, paths);
      if (input != null) {
        inputs.add(Truncation.toBytes(redactor.text(input), MAX_BYTES).text());
      }
      for (int child = node.children().size() - 1; child >= 0; child--) {
        open.push(node.children().get(child));
      }
    }
    return new ArrayList<>(inputs);
  }

  private static String input(PlanNode node, boolean paths) {
    String name = NativeNodes.sparks(node.name());
    if (name.startsWith("BatchScan")) {
      return batch(node, name, paths);
    }
    int scan = name.indexOf("Scan ");
    if (scan < 0
        || name.startsWith("Scan ExistingRDD")
        || name.startsWith("Scan In-memory")
        || name.startsWith("Scan OneRowRelation")) {
      return null;
    }
    String what = name.substring(scan + "Scan ".length()).trim();
    if (what.startsWith("JDBCRelation(")) {
      return "jdbc " + jdbcTable(PlanArguments.after(name, "JDBCRelation(", ")"));
    }
    List<String> words = words(what);
    String format = words.isEmpty() ? "" : words.get(0);
    if (!format.matches("[A-Za-z0-9_]+")) {
      return null;
    }
    String location = location(node);
    if (node.name().startsWith("DeltaScan")
        || (location != null && (location.contains("Delta") || location.contains("Tahoe")))) {
      format = "delta";
    }
    String table = table(what, words.get(0));
    if (table != null) {
      return format + " " + table;
    }
    String path = paths ? path(location) : null;
    return path == null ? format : format + " " + path;
  }

  /** Of DataSource V2: the node is named after its table, or a format and a path. */
  private static String batch(PlanNode node, String name, boolean paths) {
    String text = node.simpleString();
    List<String> words = words(name);
    String format = PlanArguments.after(text, ", Format: ", ", ");
    if (format != null) {
      // The location in the text is cut, the name is not.
      String path = words.size() > 2 ? words.get(2) : path(location(node));
      String of = format.replaceFirst("^Comet", "").toLowerCase(Locale.ROOT);
      return path == null || !paths ? of : of + " " + path;
    }
    String table = words.size() > 1 ? table(name, words.get(0)) : null;
    if (ICEBERG.matcher(text).find() || text.contains("(branch=")) {
      return table == null ? "iceberg" : "iceberg " + table;
    }
    return table == null || table.contains("/") ? null : "v2 " + table;
  }

  /** What is behind that word: a name may have blanks. Null for none. */
  private static String table(String text, String before) {
    String rest = PlanText.bounded(text);
    rest = rest.substring(rest.indexOf(before) + before.length());
    int end = rest.indexOf('[');
    String table = (end < 0 ? rest : rest.substring(0, end)).trim();
    if (table.indexOf('(') >= 0) {
      // Not a name alone.
      table = table.split("[ (]", 2)[0];
    }
    return table.isEmpty() ? null : PlanArguments.unquoted(table);
  }

  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    for (String word : PlanText.bounded(text).trim().split("[ \\[]", 4)) {
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    return words;
  }

  /** A query in place of a table is none. */
  private static String jdbcTable(String table) {
    return table == null || table.length() > MAX_BYTES || !JDBC_TABLE.matcher(table).matches()
        ? "(query)"
        : table;
  }

  private static String location(PlanNode node) {
    return node.location() != null
        ? node.location()
        : PlanArguments.after(node.simpleString(), "Location: ", "]");
  }

  /** The first path of {@code InMemoryFileIndex(2 paths)[file:/a, file:/b]}, or null. */
  private static String path(String location) {
    if (location == null) {
      return null;
    }
    String first = PlanArguments.after(location, "[", ",]");
    String count = PlanArguments.after(location, "(", " ");
    boolean several = first != null && count != null && count.matches("\\d+") && !count.equals("1");
    return several ? first + " (" + count + " paths)" : first;
  }
}
