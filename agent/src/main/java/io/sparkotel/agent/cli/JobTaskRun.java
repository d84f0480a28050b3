package io.sparkotel.agent.cli;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.LogFile;
import io.sparkotel.agent.replay.Replay;
import io.sparkotel.agent.replay.ReplaySummary;
import io.sparkotel.agent.replay.StoredFile;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.bootstrap.ReplayFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;

/** One task of a replay on Spark: reads an application's logs and sends their spans. */
final class JobTaskRun {

  private final JobTask task;
  private final ReplayFiles files;
  private final AgentConfig config;
  private final Replay replay;

  /** Null while the spans go nowhere. */
  private SpanSender sender;

  JobTaskRun(JobTask task, ReplayFiles files) {
    this.task = task;
    this.files = files;
    config =
        AgentConfig.load(
            new ConfigSources(
                Collections.emptyMap(), null, task.settings, Collections.emptyMap(), null));
    replay = new Replay(config, task.onlyUnfinished, this::accept);
  }

  /** One result for each log that is due. */
  JobTask.Result[] run() {
    boolean sends = !task.dryRun && !config.exporters().equals(ReplayCommand.NO_EXPORTER);
    List<JobTask.Result> results = new ArrayList<>();
    for (JobTask.Log log : task.logs) {
      List<StoredFile> parts = new ArrayList<>();
      for (ReplayFiles.Status part : log.parts) {
        parts.add(new StoredFile(files, part));
      }
      JobTask.Result result = new JobTask.Result(log);
      if (sends && log.isDue) {
        send(log, parts, result);
      } else {
        read(log, parts, result);
      }
      if (log.isDue) {
        results.add(result);
      }
    }
    return results.toArray(new JobTask.Result[0]);
  }

  private void accept(FinishedSpan span) {
    if (sender != null) {
      sender.accept(span);
    }
  }

  private void read(JobTask.Log log, List<StoredFile> parts, JobTask.Result result) {
    List<LogFile> files = new ArrayList<>(parts);
    try {
      ReplaySummary summary =
          replay.run(new EventLog(log.name, files, log.isCertain, log.gap), (bytes, events) -> {});
      result.summary = summary;
      result.isSkipped = summary.isNoEventLog && !log.isCertain;
      result.problem = summary.problem;
    } catch (CancellationException e) {
      result.problem = "not sent to its end";
    } catch (Throwable e) {
      // A log that we cannot stand must not take the others with it.
      result.problem = e.toString();
    }
  }

  private void send(JobTask.Log log, List<StoredFile> parts, JobTask.Result result) {
    boolean complete;
    try (SpanSender opened =
        new SpanSender(config, line -> System.err.println("[spark-otel-agent] " + line))) {
      sender = opened;
      read(log, parts, result);
      complete = opened.drain();
    }
    result.sent = sender.sent();
    result.lost = sender.lost();
    String error = sender.error() == null ? "" : ": " + sender.error();
    sender = null;
    if (!complete) {
      result.addProblem("gave up sending" + error);
    } else if (result.lost > 0) {
      result.addProblem(result.lost + " spans were not sent" + error);
    } else if (isSent(result) && parts.stream().noneMatch(StoredFile::failed)) {
      note(log, result);
    }
  }

  /** All that can be read of it: what is wrong with a log stays so until it is written anew. */
  private static boolean isSent(JobTask.Result result) {
    return result.summary != null && result.summary.applicationId != null;
  }

  private void note(JobTask.Log log, JobTask.Result result) {
    if (log.note == null) {
      return;
    }
    String text = result.summary.applicationId + ", " + result.sent + " spans\n" + log.name + "\n";
    try {
      files.write(log.note, text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      result.addProblem("sent, which could not be noted: " + e.getMessage());
    }
  }
}
