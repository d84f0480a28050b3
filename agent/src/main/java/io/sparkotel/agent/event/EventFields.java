package io.sparkotel.agent.event;

import java.io.IOException;

/**
 * A walk over the fields of JSON objects. {@link #next()} goes to a field of the current object,
 * whose value is then taken or skipped; a value of an unexpected type reads as absent.
 */
abstract class EventFields {

  /** False at the end of the object. */
  abstract boolean next() throws IOException;

  abstract String name();

  abstract void skip() throws IOException;

  /** Goes into the object that is the current value; skips anything else. */
  abstract boolean enter() throws IOException;

  abstract long numberOr(long absent) throws IOException;

  abstract boolean bool() throws IOException;

  /** The value as text, or null where it is none. */
  abstract String text() throws IOException;

  /** 0 where there is none. */
  final long number() throws IOException {
    return numberOr(0);
  }

  /** An id of Spark's, which is never negative; -1 where there is none. */
  final int id() throws IOException {
    return (int) numberOr(-1);
  }
}
