package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskInfo;
import java.util.Locale;

/** The parts of a finding's sentence. */
final class FindingText {

  /** Four digits are read at a glance. */
  private static final int GROUPED_FROM = 10_000;

  private FindingText() {}

  /** Such as {@code task 17 on executor 4}. */
  static String task(TaskInfo task, Redactor redactor) {
    String executor = redactor.text(task.executorId);
    return "task "
        + task.index
        + (executor == null
            ? ""
            : " on executor " + Truncation.toBytes(executor, Limits.WORD).text());
  }

  /** Such as {@code 38} or {@code 5.3}, without a unit. */
  static String ratio(double value) {
    return value < 10 ? String.format(Locale.ROOT, "%.1f", value) : number(value);
  }

  /** Such as {@code 30 %}. */
  static String share(double part, double whole) {
    return String.format(Locale.ROOT, "%.0f %%", whole <= 0 ? 0 : 100 * part / whole);
  }

  static String share(long part, long whole) {
    return share((double) part, (double) whole);
  }

  /** Such as {@code 9999} or {@code 10,000}. */
  static String number(double value) {
    return String.format(Locale.ROOT, value < GROUPED_FROM ? "%.0f" : "%,.0f", value);
  }

  static String number(long value) {
    return String.format(Locale.ROOT, value < GROUPED_FROM ? "%d" : "%,d", value);
  }

  /** Such as {@code 1 task} or {@code 3 tasks}. */
  static String count(long value, String one) {
    return number(value) + " " + one + (value == 1 ? "" : "s");
  }

  /** Such as {@code 2.1 GiB}. */
  static String bytes(double value) {
    return MetricText.bytes((long) value);
  }

  static String bytes(long value) {
    return MetricText.bytes(value);
  }

  /** Such as {@code 12.0 m}. */
  static String time(double millis) {
    return MetricText.time((long) millis);
  }

  static String time(long millis) {
    return MetricText.time(millis);
  }
}
