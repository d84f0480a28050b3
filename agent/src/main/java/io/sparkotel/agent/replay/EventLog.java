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

/** One application's log: a file, the parts of a rolling log, or standard input. */
public final class EventLog {

  private static final String ROLLING_PREFIX = "eventlog_v2_";
  private static final String PART_PREFIX = "events_";
  private static final String COMPACT_ENDING = ".compact";

  private final String name;
  private final List<File> parts;

  private EventLog(String name, List<File> parts) {
    this.name = name;
    this.parts = parts;
  }

  public static EventLog standardInput() {
    return new EventLog("standard input", Collections.emptyList());
  }

  /**
   * The logs at a path: itself, or of a directory every log in it, in the order of their names.
   *
   * @throws IOException where there is nothing to read, with a message that says what
   */
  public static List<EventLog> at(File path) throws IOException {
    if (!path.exists()) {
      throw new IOException("no such file");
    }
    List<EventLog> logs = new ArrayList<>();
    if (path.isFile()) {
      logs.add(file(path));
      return logs;
    }
    if (path.getName().startsWith(ROLLING_PREFIX)) {
      logs.add(rolling(path));
      return logs;
    }
    File[] children = path.listFiles();
    if (children == null) {
      throw new IOException("cannot be read");
    }
    Arrays.sort(children);
    for (File child : children) {
      if (child.getName().startsWith(".") || child.getName().startsWith("_")) {
        continue;
      }
      if (child.isFile()) {
        logs.add(file(child));
      } else if (child.getName().startsWith(ROLLING_PREFIX)) {
        logs.add(rolling(child));
      }
    }
    if (logs.isEmpty()) {
      throw new IOException("a directory without event logs");
    }
    return logs;
  }

  private static EventLog file(File file) {
    return new EventLog(file.getPath(), Collections.singletonList(file));
  }

  /** In the order of their numbers; a compacted part stands for those up to its number. */
  private static EventLog rolling(File directory) throws IOException {
    File[] files = directory.listFiles((parent, name) -> name.startsWith(PART_PREFIX));
    if (files == null) {
      throw new IOException("cannot be read");
    }
    List<File> parts = new ArrayList<>(Arrays.asList(files));
    parts.removeIf(part -> number(part) < 0);
    parts.sort(Comparator.comparingLong(EventLog::number).thenComparing(EventLog::isCompacted));
    int first = 0;
    for (int i = 0; i < parts.size(); i++) {
      if (isCompacted(parts.get(i))) {
        first = i;
      }
    }
    if (parts.isEmpty()) {
      throw new IOException("a rolling event log without parts");
    }
    return new EventLog(directory.getPath(), parts.subList(first, parts.size()));
  }

  private static boolean isCompacted(File part) {
    return part.getName().endsWith(COMPACT_ENDING);
  }

  /** Of {@code events_<number>_<application>}; -1 for anything else. */
  private static long number(File part) {
    String name = part.getName();
    int end = name.indexOf('_', PART_PREFIX.length());
    try {
      return end < 0 ? -1 : Long.parseLong(name.substring(PART_PREFIX.length(), end));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  public String name() {
    return name;
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
