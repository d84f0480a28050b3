package io.sparkotel.agent.cli;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.replay.EventLog;
import io.sparkotel.agent.replay.Replay;
import io.sparkotel.agent.replay.ReplaySummary;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CancellationException;

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
          + "  --                 what follows are paths\n"
          + "\n"
          + "All settings of docs/configuration.md hold. The exit code is 1 where a log could not be\n"
          + "read whole or a span could not be sent, 2 where an option is wrong.\n";

  static final List<AgentConfig.Exporter> NO_EXPORTER =
      Collections.singletonList(AgentConfig.Exporter.NONE);

  private final PrintStream out;
  private final PrintStream err;
  private final List<String> paths = new ArrayList<>();
  private final Set<String> exporters = new LinkedHashSet<>();
  private final Map<String, String> overrides = new HashMap<>();
  private boolean dryRun;
  private boolean onlyUnfinished;
  private int failed;

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
    boolean options = true;
    for (int i = 1; i < arguments.length; i++) {
      String argument = arguments[i];
      if (!options || !argument.startsWith("-") || argument.equals("-")) {
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
        case "--console":
          exporters.add("console");
          break;
        case "--file":
          i++;
          if (i == arguments.length) {
            return "--file needs the name of a file";
          }
          if (overrides.put("otel.spark.export.file", arguments[i]) != null) {
            return "--file is given twice";
          }
          exporters.add("otlp_file");
          break;
        case "--":
          options = false;
          break;
        default:
          return "unknown option '" + argument + "'";
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
    boolean sent = true;
    if (dryRun || config.exporters().equals(NO_EXPORTER)) {
      readAll(logs, new Replay(config, onlyUnfinished, span -> {}));
    } else {
      sent = send(logs, config);
    }
    if (failed > 0) {
      err.println(failed + (failed == 1 ? " log failed" : " logs failed"));
    }
    return failed == 0 && sent ? Main.OK : Main.FAILED;
  }

  /** Whether every span was taken. */
  private boolean send(List<EventLog> logs, AgentConfig config) {
    SpanSender sender = new SpanSender(config, err::println);
    Replay replay = new Replay(config, onlyUnfinished, sender);
    boolean complete = readAll(logs, replay) && sender.drain();
    sender.close();
    long lost = sender.lost();
    String error = sender.error();
    out.println(sender.sent() + " spans sent, " + lost + " not sent");
    if (!complete) {
      err.println("gave up sending" + (error == null ? "" : ": " + error));
    } else if (lost > 0) {
      err.println(lost + " spans were not sent: " + error);
    }
    return complete && lost == 0;
  }

  /** False where the sink had it end before the last log. */
  private boolean readAll(List<EventLog> logs, Replay replay) {
    ProgressLine progress = new ProgressLine(err, logs);
    ReplayTable table = new ReplayTable();
    int read = 0;
    try {
      for (EventLog log : logs) {
        progress.start(log);
        ReplaySummary summary = replay.run(log, progress);
        progress.end(summary);
        table.add(summary);
        tell(log, summary);
        read++;
      }
      return true;
    } catch (CancellationException e) {
      progress.clear();
      err.println(logs.get(read).name() + ": not sent to its end");
      if (logs.size() > read + 1) {
        err.println(logs.size() - read - 1 + " more logs were not read");
      }
      failed += logs.size() - read;
      return false;
    } finally {
      table.print(out);
      progress.print(out);
    }
  }

  private void tell(EventLog log, ReplaySummary summary) {
    if (summary.isNoEventLog && !log.isCertain()) {
      err.println(summary.log + ": skipped: " + summary.problem);
    } else if (summary.problem != null) {
      failed++;
      err.println(summary.log + ": " + summary.problem);
    }
  }

  private Map<String, String> systemProperties() {
    Map<String, String> all = jvmProperties();
    all.putAll(overrides);
    if (!exporters.isEmpty()) {
      all.put("otel.traces.exporter", String.join(",", exporters));
    }
    return all;
  }

  /** The system properties, less what is no text. */
  static Map<String, String> jvmProperties() {
    Map<String, String> all = new HashMap<>();
    Properties properties = System.getProperties();
    for (String name : properties.stringPropertyNames()) {
      all.put(name, properties.getProperty(name));
    }
    return all;
  }
}
