package io.sparkotel.agent.event;

/** What a command was called with, out of the description of a physical plan. */
public final class CommandArguments {

  private static final String EXECUTE = "Execute ";
  private static final String ARGUMENTS = "\nArguments: ";
  private static final String NEXT_NODE = "\n\n";

  /** A description can have megabytes; commands have the first and small ones of its nodes. */
  private static final int MAX_READ_CHARS = 100_000;

  private CommandArguments() {}

  /**
   * The arguments, cut as the text of a node is; null where the plan is none of a command, or where
   * its own text or nothing tells them.
   *
   * @param description in the format that Spark calls formatted, or null
   */
  public static String of(PlanNode plan, String description) {
    if (plan == null
        || description == null
        || !plan.name().startsWith(EXECUTE)
        || !plan.simpleString().trim().equals(plan.name())) {
      return null;
    }
    String head = ") " + plan.name().substring(EXECUTE.length()) + ARGUMENTS;
    int at = description.indexOf(head);
    if (at < 0 || at > MAX_READ_CHARS) {
      return null;
    }
    int start = at + head.length();
    int end = description.indexOf(NEXT_NODE, start);
    return PlanBudget.text(
        description.substring(start, end < 0 ? description.length() : end).trim());
  }
}
