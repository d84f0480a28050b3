package io.sparkotel.agent.cli;

import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.LogFile;
import io.sparkotel.agent.replay.StoredFile;
import io.sparkotel.bootstrap.ReplayFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which logs there are, which of them are to be sent, and which belong to one application. */
final class JobPlan {

  private static final int NAME_CHARS = 100;
  private static final int HASH_BYTES = 12;

  /** What Spark calls the log of an application's attempt. */
  private static final Pattern ATTEMPT =
      Pattern.compile(
          "(?:eventlog_v2_)?((?:application_\\d+_|app-\\d+-|local-)\\d+)(?:_\\d+)?(?:\\..*)?");

  private final JobOptions options;
  private final ReplayFiles files;
  private final PrintStream err;

  private final Map<String, EventLog> logs = new LinkedHashMap<>();
  private final Set<String> notes = new HashSet<>();

  /** Names of the logs to send by their numbers. */
  private final Map<Integer, String> due = new TreeMap<>();

  private final List<List<JobTask.Log>> applications = new ArrayList<>();
  private int failed;
  private int sentBefore;
  private int tooOld;

  JobPlan(JobOptions options, ReplayFiles files, PrintStream err) {
    this.options = options;
    this.files = files;
    this.err = err;
    try {
      findNotes();
    } catch (IOException e) {
      fail("--sent " + options.sent(), e);
      // Without the notes everything would be sent again.
      return;
    }
    for (String path : options.paths()) {
      try {
        find(path);
      } catch (IOException e) {
        fail(path, e);
      }
    }
    plan();
  }

  private void fail(String what, IOException e) {
    failed++;
    err.println(what + ": " + (e.getMessage() == null ? e : e.getMessage()));
  }

  private void findNotes() throws IOException {
    if (options.sent() == null) {
      return;
    }
    for (ReplayFiles.Status directory : files.find(options.sent())) {
      if (!directory.isDirectory) {
        throw new IOException("not a directory");
      }
      for (ReplayFiles.Status note : files.children(directory.path)) {
        notes.add(new StoredFile(files, note).name());
      }
    }
  }

  /** A glob stands for what it matches, as if each of it was named. */
  private void find(String path) throws IOException {
    List<ReplayFiles.Status> found = files.find(path);
    if (found.isEmpty()) {
      throw new IOException("no such file");
    }
    for (ReplayFiles.Status status : found) {
      StoredFile file = new StoredFile(files, status);
      if (found.size() == 1 || !EventLog.isHidden(file)) {
        for (EventLog log : EventLog.at(file)) {
          logs.putIfAbsent(log.name(), log);
        }
      }
    }
  }

  private void plan() {
    Map<String, List<JobTask.Log>> byApplication = new LinkedHashMap<>();
    int number = 0;
    for (EventLog log : logs.values()) {
      number++;
      byApplication
          .computeIfAbsent(application(log), name -> new ArrayList<>())
          .add(new JobTask.Log(number, log, isDue(log), note(log)));
    }
    for (List<JobTask.Log> ofOne : byApplication.values()) {
      int end = 0;
      for (int i = 0; i < ofOne.size(); i++) {
        if (ofOne.get(i).isDue) {
          due.put(ofOne.get(i).number, ofOne.get(i).name);
          end = i + 1;
        }
      }
      if (end > 0) {
        applications.add(new ArrayList<>(ofOne.subList(0, end)));
      }
    }
  }

  /** Attempts are linked, and so have to come into one task; other names say nothing. */
  private static String application(EventLog log) {
    Matcher matcher = ATTEMPT.matcher(log.shortName());
    return matcher.matches() ? matcher.group(1) : log.name();
  }

  private boolean isDue(EventLog log) {
    long modified = Long.MIN_VALUE;
    for (LogFile part : log.files()) {
      modified = Math.max(modified, ((StoredFile) part).status().modified);
    }
    if (modified < options.since()) {
      tooOld++;
      return false;
    }
    if (options.sent() != null && notes.contains(noteName(log))) {
      sentBefore++;
      return false;
    }
    return true;
  }

  /** Null where nothing is to be noted. */
  private String note(EventLog log) {
    return options.sent() == null || options.dryRun() ? null : options.sent() + "/" + noteName(log);
  }

  /** Another one once the log has changed. */
  private String noteName(EventLog log) {
    StringBuilder what = new StringBuilder();
    what.append(options.onlyUnfinished()).append('\n').append(log.name());
    for (LogFile part : log.files()) {
      ReplayFiles.Status status = ((StoredFile) part).status();
      what.append('\n').append(part.name());
      what.append('\n').append(status.length).append('\n').append(status.modified);
    }
    byte[] hash;
    try {
      hash =
          MessageDigest.getInstance("SHA-256")
              .digest(what.toString().getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      // Every JVM has to have it.
      throw new IllegalStateException(e);
    }
    String name = log.shortName();
    StringBuilder note =
        new StringBuilder(name.length() > NAME_CHARS ? name.substring(0, NAME_CHARS) : name);
    note.append('.');
    for (int i = 0; i < HASH_BYTES; i++) {
      note.append(Character.forDigit(hash[i] >> 4 & 0xf, 16));
      note.append(Character.forDigit(hash[i] & 0xf, 16));
    }
    return note.append(".sent").toString();
  }

  /** The logs of each application that has something to send. */
  List<List<JobTask.Log>> applications() {
    return applications;
  }

  /** Names of the logs to send by their numbers. */
  Map<Integer, String> due() {
    return due;
  }

  /** Paths at which nothing was found; told already. */
  int failed() {
    return failed;
  }

  int sentBefore() {
    return sentBefore;
  }

  int tooOld() {
    return tooOld;
  }
}
