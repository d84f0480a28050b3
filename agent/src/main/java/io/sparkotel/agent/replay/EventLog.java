package io.sparkotel.agent.replay;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One application's log: a file, the parts of a rolling log, or standard input. */
public final class EventLog {

  private static final String ROLLING_PREFIX = "eventlog_v2_";
  private static final String STATUS_PREFIX = "appstatus_";
  private static final Pattern PART = Pattern.compile("events_(\\d{1,18})_.*");
  private static final String COMPACT_ENDING = ".compact";

  /** Databricks rolls by the hour; what is written at the moment has no time in its name. */
  private static final Pattern DATABRICKS_PART =
      Pattern.compile("eventlog-\\d{4}-\\d\\d-\\d\\d--\\d\\d-\\d\\d.*");

  private static final String DATABRICKS_LIVE = "eventlog";
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final int NUMBER_WIDTH = 20;

  private final String name;
  private final List<LogFile> parts;
  private final boolean certain;
  private final String gap;

  /**
   * @param parts in the order in which they are read
   * @param certain see {@link #isCertain}
   * @param gap see {@link #gap}
   */
  public EventLog(String name, List<LogFile> parts, boolean certain, String gap) {
    this.name = name;
    this.parts = parts;
    this.certain = certain;
    this.gap = gap;
  }

  public static EventLog standardInput() {
    return new EventLog("standard input", Collections.emptyList(), true, null);
  }

  /** See {@link #at(LogFile)}. */
  public static List<EventLog> at(File path) throws IOException {
    if (!path.exists()) {
      throw new IOException("no such file");
    }
    return at(new LocalFile(path));
  }

  /**
   * The logs at a path: itself, or of a directory every log directly in it, in the order of their
   * names with numbers in them as numbers, so that attempts of an application are in theirs.
   *
   * @throws IOException where there is nothing to read, with a message that says what
   */
  public static List<EventLog> at(LogFile path) throws IOException {
    List<EventLog> logs = new ArrayList<>();
    if (!path.isDirectory()) {
      logs.add(file(path, true));
      return logs;
    }
    List<LogFile> children = children(path);
    EventLog rolling = rolling(path, children);
    if (rolling != null) {
      logs.add(rolling);
      return logs;
    }
    EventLog databricks = databricks(path, children);
    if (databricks != null) {
      logs.add(databricks);
    }
    for (LogFile child : children) {
      if (child.isDirectory()) {
        addDirectory(logs, child);
      } else if (databricks == null || !databricks.parts.contains(child)) {
        logs.add(file(child, false));
      }
    }
    if (logs.isEmpty()) {
      throw new IOException("a directory without event logs");
    }
    return logs;
  }

  private static void addDirectory(List<EventLog> logs, LogFile directory) {
    try {
      List<LogFile> children = children(directory);
      EventLog log = rolling(directory, children);
      if (log == null) {
        log = databricks(directory, children);
      }
      if (log != null) {
        logs.add(log);
      }
    } catch (IOException e) {
      // Told when it is read.
      logs.add(file(directory, true));
    }
  }

  /** Without hidden ones; sorted. */
  private static List<LogFile> children(LogFile directory) throws IOException {
    List<LogFile> children = new ArrayList<>();
    for (LogFile child : directory.children()) {
      if (!isHidden(child)) {
        children.add(child);
      }
    }
    children.sort(Comparator.comparing(EventLog::sortKey));
    return children;
  }

  /** What Hadoop regards as hidden, too. */
  public static boolean isHidden(LogFile file) {
    return file.name().startsWith(".") || file.name().startsWith("_");
  }

  /** Numbers are filled up with zeros. */
  private static String sortKey(LogFile file) {
    String name = file.name();
    Matcher numbers = NUMBER.matcher(name);
    StringBuilder key = new StringBuilder();
    int copied = 0;
    while (numbers.find()) {
      key.append(name, copied, numbers.start());
      for (int i = numbers.end() - numbers.start(); i < NUMBER_WIDTH; i++) {
        key.append('0');
      }
      key.append(numbers.group());
      copied = numbers.end();
    }
    return key.append(name, copied, name.length()).toString();
  }

  private static EventLog file(LogFile file, boolean certain) {
    return new EventLog(file.path(), Collections.singletonList(file), certain, null);
  }

  /**
   * In the order of their numbers; a compacted part stands for those up to its number. Null where
   * the directory is no rolling log.
   */
  private static EventLog rolling(LogFile directory, List<LogFile> children) throws IOException {
    boolean isRolling = directory.name().startsWith(ROLLING_PREFIX);
    List<LogFile> parts = new ArrayList<>();
    for (LogFile child : children) {
      isRolling |= child.name().startsWith(STATUS_PREFIX);
      if (number(child) >= 0 && !child.isDirectory()) {
        parts.add(child);
      }
    }
    if (!isRolling) {
      return null;
    }
    if (parts.isEmpty()) {
      throw new IOException("a rolling event log without parts");
    }
    parts.sort(Comparator.comparingLong(EventLog::number).thenComparing(EventLog::isCompacted));
    int first = 0;
    for (int i = 0; i < parts.size(); i++) {
      if (isCompacted(parts.get(i))) {
        first = i;
      }
    }
    parts = parts.subList(first, parts.size());
    return new EventLog(directory.path(), parts, true, gap(parts));
  }

  /** Which part is missing, or null. */
  private static String gap(List<LogFile> parts) {
    long expected = isCompacted(parts.get(0)) ? number(parts.get(0)) : 1;
    for (LogFile part : parts) {
      if (number(part) > expected) {
        return "part " + expected + " is missing";
      }
      expected = number(part) + 1;
    }
    return null;
  }

  private static boolean isCompacted(LogFile part) {
    return part.name().endsWith(COMPACT_ENDING);
  }

  /** Of {@code events_<number>_<application>}; -1 for anything else. */
  private static long number(LogFile part) {
    Matcher matcher = PART.matcher(part.name());
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** Null where the directory is none of Databricks'. */
  private static EventLog databricks(LogFile directory, List<LogFile> children) {
    List<LogFile> parts = new ArrayList<>();
    for (LogFile child : children) {
      if (DATABRICKS_PART.matcher(child.name()).matches() && !child.isDirectory()) {
        parts.add(child);
      }
    }
    if (parts.isEmpty()) {
      return null;
    }
    for (LogFile child : children) {
      if (child.name().equals(DATABRICKS_LIVE) && !child.isDirectory()) {
        parts.add(child);
      }
    }
    return new EventLog(directory.path(), parts, true, null);
  }

  public String name() {
    return name;
  }

  /** The application's id where the log itself tells none. */
  public String shortName() {
    return parts.isEmpty() ? "stdin" : new File(name).getName();
  }

  /** False for what was found in a directory and may be any file. */
  public boolean isCertain() {
    return certain;
  }

  /** Which part is missing, or null. */
  public String gap() {
    return gap;
  }

  /** Compressed bytes of all parts, or -1 where they are not known. */
  public long size() {
    long size = 0;
    for (LogFile part : parts) {
      size += part.length();
    }
    return parts.isEmpty() ? -1 : size;
  }

  /** Its parts in their order; none for standard input. */
  public List<LogFile> files() {
    return parts;
  }

  /** How many streams {@link #open} gives. */
  int parts() {
    return Math.max(1, parts.size());
  }

  /** The compressed stream of one part. */
  InputStream open(int part) throws IOException {
    return parts.isEmpty() ? System.in : parts.get(part).open();
  }

  String partName(int part) {
    return parts.isEmpty() ? name : parts.get(part).name();
  }
}
