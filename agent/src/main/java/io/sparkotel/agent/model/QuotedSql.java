package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;

/**
 * The statement that Spark quotes in the messages of its errors, below a line {@code == SQL ==} or
 * {@code == SQL (line 1, position 8) ==}.
 */
final class QuotedSql {

  private static final String HEADER = "== SQL";
  private static final String HEADER_END = "==\n";
  private static final String NEXT_HEADER = "\n== ";
  private static final String STACK_FRAME = "\n\tat ";

  private QuotedSql() {}

  /** The text with what it quotes as that mode allows; the same instance where it quotes none. */
  static String shown(String text, AgentConfig.SqlText mode) {
    int header = mode == AgentConfig.SqlText.FULL ? -1 : text.indexOf(HEADER);
    if (header < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    int done = 0;
    int stack = 0;
    while (header >= 0) {
      int from = text.indexOf(HEADER_END, header + HEADER.length());
      if (from < 0) {
        break;
      }
      from += HEADER_END.length();
      stack = stack < from ? orEnd(text, text.indexOf(STACK_FRAME, from)) : stack;
      int end = Math.min(stack, orEnd(text, text.indexOf(NEXT_HEADER, from)));
      out.append(text, done, from);
      out.append(mode == AgentConfig.SqlText.NONE ? "?" : SqlText.mask(text.substring(from, end)));
      done = end;
      header = text.indexOf(HEADER, end);
    }
    return out.append(text, done, text.length()).toString();
  }

  private static int orEnd(String text, int index) {
    return index < 0 ? text.length() : index;
  }
}
