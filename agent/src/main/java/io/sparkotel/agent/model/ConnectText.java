package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * What a client of Spark Connect asked for, in the text form of protocol buffers: SQL where that is
 * all, else the plan or command with what the user's values are left out.
 */
final class ConnectText {

  private static final String MASK = "?";

  /** Names of the user's things, not values: whatever else is in quotes is masked. */
  private static final Set<String> NAMES =
      new HashSet<>(
          Arrays.asList(
              "unparsed_identifier",
              "function_name",
              "source",
              "format",
              "path",
              "paths",
              "table_name",
              "name",
              "column_names",
              "column_name",
              "cols",
              "partitioning_columns",
              "clustering_columns",
              "sort_column_names",
              "using_columns",
              "alias",
              "key"));

  /** Of the plan's own; any other number may be a value of the user's. */
  private static final Set<String> NUMBERS =
      new HashSet<>(
          Arrays.asList(
              "limit",
              "offset",
              "num_partitions",
              "num_rows",
              "truncate",
              "vertical",
              "max_results",
              "bucket_count"));

  private static final Set<String> SQL = new HashSet<>(Arrays.asList("query", "sql", "expression"));

  /** In front of the text: what Spark gives as description, and what as call site. */
  private static final String[] REQUESTS = {"Spark Connect - session_id:", "session_id: \""};

  private final String[] lines;
  private String command;
  private String sql;

  private ConnectText(String text) {
    lines = text.split("\n");
    read();
  }

  static ConnectText of(String text) {
    return new ConnectText(text);
  }

  /** Whether it is a client's whole request, which Spark shows as call site and description. */
  static boolean isRequest(String text) {
    return text != null && (text.startsWith(REQUESTS[0]) || text.startsWith(REQUESTS[1]));
  }

  /** The outermost relation or command, such as {@code write operation}; empty where none is. */
  String command() {
    return command == null ? "" : command.replace('_', ' ');
  }

  /** The statement, where the client sent one and nothing around it; else null. */
  String sql() {
    return sql;
  }

  private void read() {
    int depth = 0;
    int common = -1;
    boolean plain = true;
    for (String line : lines) {
      String part = line.trim();
      if (part.equals("}")) {
        depth--;
        common = common == depth ? -1 : common;
        continue;
      }
      if (part.endsWith(" {")) {
        String name = part.substring(0, part.length() - 2);
        if (name.equals("common")) {
          common = common < 0 ? depth : common;
        } else if (common < 0) {
          command = command == null ? name : command;
          plain &= name.equals("sql_command") || name.equals("input") || name.equals("sql");
        }
        depth++;
      } else if (common < 0) {
        String value = quoted(part, "query");
        value = value == null ? quoted(part, "sql") : value;
        sql = sql == null ? value : sql;
      }
    }
    sql = plain ? sql : null;
  }

  /** The whole of it without values and the numbers of plans, as indented as it was. */
  String masked() {
    StringBuilder out = new StringBuilder();
    int depth = 0;
    int common = -1;
    int literal = -1;
    for (String line : lines) {
      String part = line.trim();
      if (part.equals("}")) {
        depth--;
        if (common == depth) {
          common = -1;
          continue;
        }
        literal = literal == depth ? -1 : literal;
      } else if (part.endsWith(" {")) {
        common = common < 0 && part.equals("common {") ? depth : common;
        literal = literal < 0 && part.equals("literal {") ? depth : literal;
        depth++;
      } else if (common < 0) {
        line = line.substring(0, line.length() - part.length()) + field(part, literal >= 0);
      }
      if (common < 0) {
        out.append(line).append('\n');
      }
    }
    return out.toString().trim();
  }

  private static String field(String part, boolean ofLiteral) {
    int colon = part.indexOf(": ");
    if (colon < 0) {
      return part;
    }
    String name = part.substring(0, colon);
    if (ofLiteral) {
      return name + ": " + MASK;
    }
    if (!part.startsWith("\"", colon + 2)) {
      boolean shown = !isNumber(part, colon + 2) || NUMBERS.contains(name);
      return shown ? part : name + ": " + MASK;
    }
    if (NAMES.contains(name)) {
      return part;
    }
    String value = SQL.contains(name) ? quoted(part, name) : null;
    return name + ": " + (value == null ? MASK : '"' + SqlText.mask(value) + '"');
  }

  private static boolean isNumber(String part, int from) {
    char c = from < part.length() ? part.charAt(from) : ' ';
    return c == '-' || c == '.' || (c >= '0' && c <= '9');
  }

  /** The text of a field of that name, without its escapes; null where it is another one. */
  private static String quoted(String part, String name) {
    String start = name + ": \"";
    if (!part.startsWith(start)) {
      return null;
    }
    int end = part.endsWith("\"") ? part.length() - 1 : part.length();
    StringBuilder out = new StringBuilder();
    for (int i = start.length(); i < end; i++) {
      char c = part.charAt(i);
      if (c != '\\' || i + 1 >= end) {
        out.append(c);
        continue;
      }
      char escaped = part.charAt(++i);
      out.append(escaped == 'n' || escaped == 'r' || escaped == 't' ? ' ' : escaped);
    }
    return out.toString();
  }
}
