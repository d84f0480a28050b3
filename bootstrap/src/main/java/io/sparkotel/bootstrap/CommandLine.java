package io.sparkotel.bootstrap;

/** Entry point of {@code java -jar}. */
public final class CommandLine {

  private CommandLine() {}

  /** Exits with the code of the command. */
  public static void main(String[] arguments) throws Exception {
    System.exit(AgentClassLoader.runCommand(arguments));
  }
}
