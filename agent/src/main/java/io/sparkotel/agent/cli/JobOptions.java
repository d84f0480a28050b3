package io.sparkotel.agent.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is said on the command line of a replay on Spark. */
final class JobOptions {

  static final String HELP =
      "Usage: spark-submit [--conf spark.otel.key=value ...] \\\n"
          + "         --class io.sparkotel.replay.ReplayJob spark-otel-agent.jar [OPTION...] PATH...\n"
          + "\n"
          + "Sends Spark event logs as the traces that the agent would have sent, one application a\n"
          + "task. PATH is a log, a rolling log's directory, a directory of logs, or a glob, on any of\n"
          + "Hadoop's file systems.\n"
          + "\n"
          + "Options:\n"
          + "  --since TIME       only logs that were modified since: 2026-05-31, 2026-05-31T06:00:00Z,\n"
          + "                     or so long ago: 90m, 36h, 7d. A date begins in UTC\n"
          + "  --sent DIR         note in DIR what was sent, and skip what is noted there\n"
          + "  --dry-run          send nothing and note nothing, print the summary\n"
          + "  --only-unfinished  just the application's span and what was open at the end: what a\n"
          + "                     run that was killed did not send\n"
          + "  --                 what follows are paths\n"
          + "\n"
          + "All settings of docs/configuration.md hold. The exit code is 1 where a log could not be\n"
          + "read whole or a span could not be sent, 2 where an option is wrong.\n";

  private static final String LEGAL =
      "--since TIME, --sent DIR, --dry-run, --only-unfinished, --help";

  private static final Pattern AGO = Pattern.compile("(\\d{1,9})([smhd])");

  private final List<String> paths = new ArrayList<>();
  private String sinceText;
  private long since = Long.MIN_VALUE;
  private String sent;
  private boolean dryRun;
  private boolean onlyUnfinished;

  /** What is wrong with the arguments, empty for a call of help, null where all is right. */
  String parse(String[] arguments, long nowMillis) {
    boolean options = true;
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (!options || !argument.startsWith("-")) {
        paths.add(argument);
        continue;
      }
      switch (argument) {
        case "--help":
        case "-h":
          return "";
        case "--dry-run":
          dryRun = true;
          break;
        case "--only-unfinished":
          onlyUnfinished = true;
          break;
        case "--since":
        case "--sent":
          i++;
          if (i == arguments.length) {
            return argument + " needs a value";
          }
          if (argument.equals("--sent")) {
            sent = arguments[i];
          } else if (!readSince(arguments[i], nowMillis)) {
            return "--since "
                + arguments[i]
                + ": not a time; legal are 2026-05-31, 2026-05-31T06:00:00Z, and 90m, 36h, 7d ago";
          }
          break;
        case "--":
          options = false;
          break;
        default:
          return "unknown option '" + argument + "'; legal options: " + LEGAL;
      }
    }
    return paths.isEmpty() ? "a PATH is missing" : null;
  }

  private boolean readSince(String text, long nowMillis) {
    sinceText = text;
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      since = nowMillis - unit(ago.group(2)).toMillis(Long.parseLong(ago.group(1)));
      return true;
    }
    try {
      boolean isDate = text.indexOf('T') < 0;
      Instant instant =
          isDate
              ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
              : Instant.parse(text);
      since = instant.toEpochMilli();
      return true;
    } catch (DateTimeException | ArithmeticException e) {
      return false;
    }
  }

  private static TimeUnit unit(String letter) {
    switch (letter) {
      case "s":
        return TimeUnit.SECONDS;
      case "m":
        return TimeUnit.MINUTES;
      case "h":
        return TimeUnit.HOURS;
      default:
        return TimeUnit.DAYS;
    }
  }

  List<String> paths() {
    return paths;
  }

  /** Epoch milliseconds; older logs are passed over. */
  long since() {
    return since;
  }

  /** As it was given, or null. */
  String sinceText() {
    return sinceText;
  }

  /** The directory of the notes of what was sent, or null. */
  String sent() {
    return sent;
  }

  boolean dryRun() {
    return dryRun;
  }

  boolean onlyUnfinished() {
    return onlyUnfinished;
  }
}
