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

  private static final Set<String> BETWEEN =
      new HashSet<>(
          Arrays.asList("or", "replace", "temp", "temporary", "global", "external", "if", "not"));

  /** The last of them is the rest of the statement. */
  private static final int MAX_WORDS = 8;

  private static final Pattern NO_WORDS = Pattern.compile("[^A-Za-z]+");
  private static final Pattern IDS =
      Pattern.compile(
          "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]*\\d[0-9a-fA-F]*");
  private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}]*");

  private GroupLabels() {}

  /** The first word of a statement, or the first two; empty where there is none. */
  static String ofSql(String maskedSql) {
    String first = "";
    for (String word : NO_WORDS.split(maskedSql.toLowerCase(Locale.ROOT), MAX_WORDS)) {
      if (first.isEmpty()) {
        first = word;
      } else if (!FIRST_OF_TWO.contains(first)) {
        break;
      } else if (!BETWEEN.contains(word)) {
        return bounded((first + " " + word).trim());
      }
    }
    return bounded(first);
  }

  /**
   * A group's id, or else the description, with a star for what is an id or a number.
   *
   * @param description may be null
   */
  static String ofGroup(String id, String description) {
    String label = IDS.matcher(id).replaceAll("*");
    if (NO_LETTERS.matcher(label).matches() && description != null) {
      String line = description.trim();
      int end = line.indexOf('\n');
      String other = IDS.matcher(end < 0 ? line : line.substring(0, end)).replaceAll("*");
      label = NO_LETTERS.matcher(other).matches() ? label : other;
    }
    return bounded(label);
  }

  private static String bounded(String label) {
    return Truncation.toChars(label, MAX_CHARS).text();
  }
}
