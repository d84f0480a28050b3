package io.sparkotel.agent.cli;

import io.sparkotel.agent.Version;
import java.io.File;
import java.io.PrintStream;

/** The command line: {@code java -jar spark-otel-agent.jar <command>}. */
public final class Main {

  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  private static final String HELP =
      "Usage: java [-Dotel.key=value ...] -jar spark-otel-agent.jar COMMAND\n"
          + "\n"
          + "Commands:\n"
          + "  check           show the settings, send a test span; 'check --help' says more\n"
          + "  replay PATH...  send event logs as traces; 'replay --help' says more\n"
          + "  version         print the version\n"
          + "\n"
          + "Settings come from system properties, the environment and the file beside the jar.\n"
          + "To trace an application give the jar to its driver: -javaagent:spark-otel-agent.jar\n";

  private Main() {}

  /**
   * Runs a command.
   *
   * @param jar the agent's jar
   * @return the exit code
   */
  public static int run(String[] arguments, File jar) {
    return run(arguments, jar, System.out, System.err);
  }

  static int run(String[] arguments, File jar, PrintStream out, PrintStream err) {
    String command = arguments.length == 0 ? "" : arguments[0];
    switch (command) {
      case "check":
        return CheckCommand.run(arguments, jar, out, err);
      case "replay":
        return ReplayCommand.run(arguments, jar, out, err);
      case "version":
      case "--version":
        out.println("spark-otel-agent " + Version.AGENT);
        return OK;
      case "help":
      case "--help":
      case "-h":
        out.print(HELP);
        return OK;
      default:
        err.println(
            command.isEmpty() ? "a command is missing" : "unknown command '" + command + "'");
        err.print(HELP);
        return USAGE;
    }
  }
}
