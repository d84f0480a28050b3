package io.sparkotel.agent.replay;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
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
  private final List<File> parts;
  private final boolean certain;
  private final String gap;

  private EventLog(String name, List<File> parts, boolean certain, String gap) {
    this.name = name;
    this.parts = parts;
    this.certain = certain;
    this.gap = gap;
  }

  public static EventLog standardInput() {
    return new EventLog("standard input", Collections.emptyList(), true, null);
  }

  /**
   * The logs at a path: itself, or of a directory every log directly in it, in the order of their
   * names with numbers in them as numbers, so that attempts of an application are in theirs.
   *
   * @throws IOException where there is nothing to read, with a message that says what
   */
  public static List<EventLog> at(File path) throws IOException {
    if (!path.exists()) {
      throw new IOException("no such file");
    }
    List<EventLog> logs = new ArrayList<>();
    if (!path.isDirectory()) {
      logs.add(file(path, true));
      return logs;
    }
    File[] children = children(path);
    EventLog rolling = rolling(path, children);
    if (rolling != null) {
      logs.add(rolling);
      return logs;
    }
    EventLog databricks = databricks(path, children);
    if (databricks != null) {
      logs.add(databricks);
    }
    for (File child : children) {
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

  private static void addDirectory(List<EventLog> logs, File directory) {
    try {
      File[] children = children(directory);
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

  /** Without hidden files, and those that Hadoop regards as such; sorted. */
  private static File[] children(File directory) throws IOException {
    File[] children =
        directory.listFiles((parent, name) -> !name.startsWith(".") && !name.startsWith("_"));
    if (children == null) {
      throw new IOException("cannot be read");
    }
    Arrays.sort(children, Comparator.comparing(EventLog::sortKey));
    return children;
  }

  /** Numbers are filled up with zeros. */
  private static String sortKey(File file) {
    String name = file.getName();
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

  private static EventLog file(File file, boolean certain) {
    return new EventLog(file.getPath(), Collections.singletonList(file), certain, null);
  }

  /**
   * In the order of their numbers; a compacted part stands for those up to its number. Null where
   * the directory is no rolling log.
   */
  private static EventLog rolling(File directory, File[] children) throws IOException {
    boolean isRolling = directory.getName().startsWith(ROLLING_PREFIX);
    List<File> parts = new ArrayList<>();
    for (File child : children) {
      isRolling |= child.getName().startsWith(STATUS_PREFIX);
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
    return new EventLog(directory.getPath(), parts, true, gap(parts));
  }

  /** Which part is missing, or null. */
  private static String gap(List<File> parts) {
    long expected = isCompacted(parts.get(0)) ? number(parts.get(0)) : 1;
    for (File part : parts) {
      if (number(part) > expected) {
        return "part " + expected + " is missing";
      }
      expected = number(part) + 1;
    }
    return null;
  }

  private static boolean isCompacted(File part) {
    return part.getName().endsWith(COMPACT_ENDING);
  }

  /** Of {@code events_<number>_<application>}; -1 for anything else. */
  private static long number(File part) {
    Matcher matcher = PART.matcher(part.getName());
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** Null where the directory is none of Databricks'. */
  private static EventLog databricks(File directory, File[] children) {
    List<File> parts = new ArrayList<>();
    for (File child : children) {
      if (DATABRICKS_PART.matcher(child.getName()).matches() && !child.isDirectory()) {
        parts.add(child);
      }
    }
    if (parts.isEmpty()) {
      return null;
    }
    File live = new File(directory, DATABRICKS_LIVE);
    if (live.isFile()) {
      parts.add(live);
    }
    return new EventLog(directory.getPath(), parts, true, null);
  }

  public String name() {
    return name;
  }

  /** The application's id where the log itself tells none. */
  String shortName() {
    return parts.isEmpty() ? "stdin" : new File(name).getName();
  }

  /** False for what was found in a directory and may be any file. */
  public boolean isCertain() {
    return certain;
  }

  /** Which part is missing, or null. */
  String gap() {
    return gap;
  }

  /** Compressed bytes of all parts, or -1 where they are not known. */
  public long size() {
    long size = 0;
    for (File part : parts) {
      size += part.length();
    }
    return parts.isEmpty() ? -1 : size;
  }

  /** How many streams {@link #open} gives. */
  int parts() {
    return Math.max(1, parts.size());
  }

  /** The compressed stream of one part. */
  InputStream open(int part) throws IOException {
    return parts.isEmpty() ? System.in : new FileInputStream(parts.get(part));
  }

  String partName(int part) {
    return parts.isEmpty() ? name : parts.get(part).getName();
  }
}
