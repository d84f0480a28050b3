package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * A chain of field names in the order in which events of one kind had them. Spark writes the fields
 * of a kind in one order, and a name that is expected is compared as bytes, at a fraction of what
 * it costs to look it up.
 */
final class FieldOrder {

  private final SerializedString text;
  private FieldOrder next;

  private FieldOrder(String name) {
    text = new SerializedString(name);
  }

  /** The beginning of a chain, before its first name. */
  static FieldOrder start() {
    return new FieldOrder("");
  }

  /** What is expected behind this name, or null. */
  FieldOrder next() {
    return next;
  }

  /** Something else came: that is expected from now on. */
  FieldOrder follow(String name) {
    next = new FieldOrder(name);
    return next;
  }

  SerializableString text() {
    return text;
  }

  String name() {
    return text.getValue();
  }
}
