package io.sparkotel.agent.config;

/** What is wrong with the entries of a list, in one short text. */
final class EntryComplaints {

  private static final int MAX = 5;

  private final StringBuilder out;
  private int count;

  /**
   * @param out gets the text
   */
  EntryComplaints(StringBuilder out) {
    this.out = out;
  }

  /**
   * @param number of the entry, from 1
   */
  void add(int number, String what) {
    count++;
    if (count <= MAX) {
      out.append(count == 1 ? "" : ", ").append("entry ").append(number).append(": ").append(what);
    }
  }

  /** Counts those for which there was no room. */
  void end() {
    if (count > MAX) {
      out.append(", and ").append(count - MAX).append(" more");
    }
  }
}
