package io.sparkotel.agent.config;

import java.util.Map;
import java.util.regex.Pattern;

/** How an application's service is called. */
final class ServiceName {

  private static final int MAX_NAME_CHARS = 1_000;

  private final String given;
  private final ServiceNameTemplate template;
  private final Pattern remove;

  /**
   * @param given what OpenTelemetry's settings say, or null
   */
  ServiceName(SettingReader reader, String given) {
    this.given = given;
    template = reader.read(Settings.SERVICE_NAME_TEMPLATE);
    Pattern expression = reader.read(Settings.SERVICE_NAME_REMOVE);
    boolean nothing = expression != null && expression.pattern().equals(Settings.REMOVE_NOTHING);
    remove = nothing ? Pattern.compile("(?!)") : expression;
  }

  String given() {
    return given;
  }

  Pattern remove() {
    return remove == null ? RunSuffix.PATTERN : remove;
  }

  /** The given one, else the template's, else the application's less what is to be removed. */
  String of(String applicationName, Map<String, String> platform) {
    if (given != null) {
      return given;
    }
    String rest = stripped(applicationName);
    String filled = template == null ? null : template.fill(rest, platform);
    return filled == null ? rest : filled;
  }

  private String stripped(String applicationName) {
    // The search is quadratic, and a longer name is no name with a date behind it.
    if (applicationName.length() > MAX_NAME_CHARS) {
      return applicationName;
    }
    String rest = remove().matcher(applicationName).replaceAll("").trim();
    return rest.isEmpty() ? applicationName : rest;
  }

  /** Compiled only where an application's name is needed. */
  private static final class RunSuffix {
    private static final String SEPARATORS = "[\\s._:@#/(\\[{-]*+";
    private static final String UUID =
        "(?<![0-9a-fA-F])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
    private static final String TIME =
        "\\d{2}(?:[:._h-]?\\d{2}){0,2}(?:[.,]\\d{1,9})?(?:Z|[+-]\\d{2}:?\\d{2})?";
    private static final String DATE =
        "(?<!\\d)(?:(?:19|20)\\d{2}([-_./])\\d{1,2}\\1\\d{1,2}|(?:19|20)\\d{2}[-_/]\\d{2}"
            + "|\\d{1,2}([-_./])\\d{1,2}\\2(?:19|20)\\d{2}|\\d{8})";
    private static final String CLOCK = "(?<!\\d)\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?";
    private static final String DIGITS = "(?<!\\d)\\d{6,}";

    /**
     * Never at the start of a name, so that something is left of it. Possessive and atomic: an
     * application's name must not be able to make it backtrack without end.
     */
    static final Pattern PATTERN =
        Pattern.compile(
            "(?!^)(?:"
                + SEPARATORS
                + "(?>"
                + UUID
                + "|"
                + DATE
                + "(?:T|[\\s_.-](?=\\d))?(?:(?<=[T\\s_.-])"
                + TIME
                + ")?(?!\\d)|"
                + CLOCK
                + "|"
                + DIGITS
                + "))++[\\s)\\]}]*+$");
  }
}
