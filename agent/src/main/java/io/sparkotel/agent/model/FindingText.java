package io.sparkotel.agent.model;

import io.sparkotel.agent.event.TaskInfo;
import java.util.Locale;

/** The parts of a finding's sentence. */
final class FindingText {

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
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }

  /** Such as {@code 30 %}. */
  static String share(double part, double whole) {
    return String.format(Locale.ROOT, "%.0f %%", whole <= 0 ? 0 : 100 * part / whole);
  }

  static String share(long part, long whole) {
    return share((double) part, (double) whole);
  }

  /** Such as {@code 1 task} or {@code 3 tasks}. */
  static String count(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
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
