package io.sparkotel.agent.cli;

import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.LogFile;
import io.sparkotel.agent.replay.ReplaySummary;
import io.sparkotel.agent.replay.StoredFile;
import io.sparkotel.bootstrap.ReplayFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What one task of a replay on Spark has to do: the logs of one application. */
final class JobTask implements Serializable {

  private static final long serialVersionUID = 1;

  /** One log of the application; of several attempts each has one. */
  static final class Log implements Serializable {
    private static final long serialVersionUID = 1;

    /** Among all logs of the job. */
    final int number;

    final String name;
    final boolean isCertain;
    final String gap;
    final List<ReplayFiles.Status> parts = new ArrayList<>();

    /** False for an attempt that is read for the links to it alone. */
    final boolean isDue;

    /** The file that notes that it was sent, or null. */
    final String note;

    Log(int number, EventLog log, boolean isDue, String note) {
      this.number = number;
      this.name = log.name();
      this.isCertain = log.isCertain();
      this.gap = log.gap();
      for (LogFile part : log.files()) {
        parts.add(((StoredFile) part).status());
      }
      this.isDue = isDue;
      this.note = note;
    }
  }

  /** What became of a log. */
  static final class Result implements Serializable {
    private static final long serialVersionUID = 1;

    final int number;

    /** Null where it was not read to its end. */
    ReplaySummary summary;

    /** What is wrong with it, or null. */
    String problem;

    /** It was found in a directory, and is none. */
    boolean isSkipped;

    long sent;
    long lost;

    Result(Log log) {
      number = log.number;
    }

    void addProblem(String more) {
      problem = problem == null ? more : problem + "; " + more;
    }
  }

  /** As system properties. */
  final Map<String, String> settings;

  final boolean dryRun;
  final boolean onlyUnfinished;
  final List<Log> logs;

  JobTask(Map<String, String> settings, JobOptions options, List<Log> logs) {
    this.settings = settings;
    this.dryRun = options.dryRun();
    this.onlyUnfinished = options.onlyUnfinished();
    this.logs = logs;
  }

  /** For the way through Spark, which does not have our classes. */
  static byte[] bytes(Serializable object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes.toByteArray();
  }

  static Object object(byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
