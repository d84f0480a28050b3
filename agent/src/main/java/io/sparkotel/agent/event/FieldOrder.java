package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * A chain of field names in the order in which events of one kind had them. Spark writes the fields
 * of a kind in one order, and a name that is expected is compared as bytes, at a fraction of what
 * it costs to look it up.
 */
final class FieldOrder {

  /** More than any event has besides free settings, whose number is anybody's. */
  static final int MAX_LENGTH = 1_000;

  private final SerializedString text;
  private final int position;
  private FieldOrder next;

  private FieldOrder(String name, int position) {
    text = new SerializedString(name);
    this.position = position;
  }

  /** The beginning of a chain, before its first name. */
  static FieldOrder start() {
    return new FieldOrder("", 0);
  }

  /** What is expected behind this name, or null. */
  FieldOrder next() {
    return next;
  }

  /** Something else came: that is expected from now on, unless the chain is long enough. */
  FieldOrder follow(String name) {
    FieldOrder behind = new FieldOrder(name, position + 1);
    if (position < MAX_LENGTH) {
      next = behind;
    }
    return behind;
  }

  SerializableString text() {
    return text;
  }

  String name() {
    return text.getValue();
  }
}
