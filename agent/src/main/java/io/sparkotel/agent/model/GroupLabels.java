package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** What groups are called: few different names, without ids. */
final class GroupLabels {

  private static final int MAX_CHARS = 60;

  /** That say little without the next word. */
  private static final Set<String> FIRST_OF_TWO =
      new HashSet<>(
          Arrays.asList(
              "alter",
              "analyze",
              "cache",
              "clear",
              "create",
              "describe",
              "drop",
              "insert",
              "refresh",
              "show",
              "truncate",
              "uncache"));

  private static final Set<String> SECOND =
      new HashSet<>(
          Arrays.asList(
              "cache",
              "catalog",
              "catalogs",
              "columns",
              "create",
              "current",
              "database",
              "databases",
              "directory",
              "extended",
              "formatted",
              "function",
              "functions",
              "history",
              "into",
              "local",
              "namespace",
              "namespaces",
              "overwrite",
              "partitions",
              "query",
              "schema",
              "schemas",
              "table",
              "tables",
              "tblproperties",
              "view",
              "views"));

  private static final Set<String> BETWEEN =
      new HashSet<>(
          Arrays.asList("or", "replace", "temp", "temporary", "global", "external", "if", "not"));

  /** The last of them is the rest of the statement. */
  private static final int MAX_WORDS = 8;

  /** What can be a label is in the beginning. */
  private static final int MAX_READ_CHARS = 200;

  private static final Pattern NO_WORDS = Pattern.compile("[^A-Za-z]+");
  private static final Pattern IDS =
      Pattern.compile(
          "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
              + "|(?<![0-9a-fA-F])[0-9a-fA-F]*\\d[0-9a-fA-F]*");

  /** Words, as front ends describe what they run: no code, no statement. */
  private static final Pattern WORDS = Pattern.compile("[\\p{L} *:#|-]*\\p{L}[\\p{L} *:#|-]*");

  private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}]*");

  private GroupLabels() {}

  /** The first word of a statement, or the first two where Spark knows them. */
  static String ofSql(String maskedSql) {
    if (!SqlText.looksLikeSql(maskedSql)) {
      return "statement";
    }
    String beginning = Truncation.toChars(maskedSql, MAX_READ_CHARS).text();
    String first = "";
    for (String word : NO_WORDS.split(beginning.toLowerCase(Locale.ROOT), MAX_WORDS)) {
      if (first.isEmpty()) {
        first = word;
      } else if (!FIRST_OF_TWO.contains(first)) {
        break;
      } else if (!BETWEEN.contains(word)) {
        return SECOND.contains(word) ? first + " " + word : first;
      }
    }
    return first;
  }

  /**
   * A group's id, or else the description, with a star for what is an id or a number.
   *
   * @param description may be null
   */
  static String ofGroup(String id, String description) {
    String label = starred(id);
    if (description == null || !NO_LETTERS.matcher(label).matches()) {
      return bounded(label);
    }
    if (SqlText.looksLikeSql(description)) {
      return ofSql(SqlText.mask(description));
    }
    String words = starred(description.trim());
    return bounded(WORDS.matcher(words).matches() ? words : label);
  }

  /** The beginning of the first line. */
  private static String starred(String text) {
    String beginning = Truncation.toChars(text, MAX_READ_CHARS).text();
    int end = beginning.indexOf('\n');
    return IDS.matcher(end < 0 ? beginning : beginning.substring(0, end)).replaceAll("*");
  }

  private static String bounded(String label) {
    return Truncation.toChars(label, MAX_CHARS).text();
  }
}
