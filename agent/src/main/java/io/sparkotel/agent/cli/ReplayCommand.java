package io.sparkotel.agent.cli;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.export.ExportCounts;
import io.sparkotel.agent.export.Pipelines;
import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.Replay;
import io.sparkotel.agent.replay.ReplaySummary;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** {@code replay PATH...}: sends event logs as traces. */
final class ReplayCommand {

  private static final String HELP =
      "Usage: java [-Dotel.key=value ...] -jar spark-otel-agent.jar replay [OPTION...] PATH...\n"
          + "\n"
          + "Sends Spark event logs as the traces that the agent would have sent. PATH is a log, plain\n"
          + "or compressed (gz, zstd, lz4, lzf, snappy), a rolling log's directory (eventlog_v2_*), a\n"
          + "directory of logs, or - for standard input.\n"
          + "\n"
          + "Options:\n"
          + "  --dry-run          send nothing, print the summary\n"
          + "  --console          print the traces as trees on stderr instead of sending them\n"
          + "  --file FILE        append OTLP JSON lines to FILE instead of sending them\n"
          + "  --only-unfinished  just the application's span and what was open at the end: what a\n"
          + "                     run that was killed did not send\n"
          + "\n"
          + "All settings of docs/configuration.md hold. The exit code is 1 where a log failed.\n";

  private final PrintStream out;
  private final PrintStream err;
  private final List<String> paths = new ArrayList<>();
  private final Map<String, String> overrides = new HashMap<>();
  private boolean dryRun;
  private boolean onlyUnfinished;

  private ReplayCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  static int run(String[] arguments, File jar, PrintStream out, PrintStream err) {
    ReplayCommand command = new ReplayCommand(out, err);
    String mistake = command.parse(arguments);
    if (mistake == null) {
      return command.replay(jar);
    }
    if (mistake.isEmpty()) {
      out.print(HELP);
      return Main.OK;
    }
    err.println(mistake);
    err.print(HELP);
    return Main.USAGE;
  }

  /** What is wrong with the arguments, empty for a call of help, null where all is right. */
  private String parse(String[] arguments) {
    for (int i = 1; i < arguments.length; i++) {
      String argument = arguments[i];
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
        case "--console":
          overrides.put("otel.traces.exporter", "console");
          break;
        case "--file":
          i++;
          if (i == arguments.length) {
            return "--file needs the name of a file";
          }
          overrides.put("otel.traces.exporter", "otlp_file");
          overrides.put("otel.spark.export.file", arguments[i]);
          break;
        default:
          if (argument.startsWith("-") && !argument.equals("-")) {
            return "unknown option '" + argument + "'";
          }
          paths.add(argument);
      }
    }
    return paths.isEmpty() ? "a PATH is missing" : null;
  }

  private int replay(File jar) {
    AgentConfig config =
        AgentConfig.load(
            new ConfigSources(
                Collections.emptyMap(), null, systemProperties(), System.getenv(), jar));
    for (String problem : config.problems()) {
      err.println(problem);
    }
    List<EventLog> logs = new ArrayList<>();
    int failed = 0;
    for (String path : paths) {
      try {
        logs.addAll(
            path.equals("-")
                ? Collections.singletonList(EventLog.standardInput())
                : EventLog.at(new File(path)));
      } catch (IOException e) {
        failed++;
        err.println(path + ": " + e.getMessage());
      }
    }
    failed +=
        dryRun ? replay(logs, new Replay(config, onlyUnfinished, span -> {})) : send(logs, config);
    if (failed > 0) {
      err.println(failed + (failed == 1 ? " log failed" : " logs failed"));
    }
    return failed == 0 ? Main.OK : Main.FAILED;
  }

  private int send(List<EventLog> logs, AgentConfig config) {
    Pipelines pipelines = new Pipelines(config, err::println);
    pipelines.start();
    int failed =
        replay(
            logs,
            new Replay(
                config,
                onlyUnfinished,
                span -> {
                  pipelines.awaitRoom(config.flushTimeoutMillis());
                  pipelines.offer(span);
                }));
    pipelines.flush(config.flushTimeoutMillis(), config.deadFlushTimeoutMillis());
    pipelines.shutdown();
    ExportCounts counts = pipelines.counts();
    out.println(counts.exported() + " spans sent, " + counts.dropped() + " not sent");
    if (counts.dropped() > 0) {
      err.println(counts.dropped() + " spans were not sent: " + counts.lastError());
      return failed + 1;
    }
    return failed;
  }

  private int replay(List<EventLog> logs, Replay replay) {
    ProgressLine progress = new ProgressLine(err, logs);
    ReplayTable table = new ReplayTable();
    int failed = 0;
    for (EventLog log : logs) {
      progress.start(log);
      ReplaySummary summary = replay.run(log, progress);
      progress.end(summary);
      if (summary.problem != null) {
        failed++;
        err.println(summary.log + ": " + summary.problem);
      }
      table.add(summary);
    }
    table.print(out);
    return failed;
  }

  private Map<String, String> systemProperties() {
    Map<String, String> all = new HashMap<>();
    Properties properties = System.getProperties();
    for (String name : properties.stringPropertyNames()) {
      all.put(name, properties.getProperty(name));
    }
    all.putAll(overrides);
    return all;
  }
}
