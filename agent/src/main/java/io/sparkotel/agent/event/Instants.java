package io.sparkotel.agent.event;

import java.time.DateTimeException;
import java.time.Instant;

/** The times of streaming queries, which Spark tells as texts. */
public final class Instants {

  private Instants() {}

  /** Epoch milliseconds; 0 of a text that is no instant, and of null. */
  public static long millis(String text) {
    if (text == null) {
      return 0;
    }
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      // Not Spark's: the time is not known.
      return 0;
    }
  }
}
