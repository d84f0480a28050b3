package io.sparkotel.agent.model;

import io.opentelemetry.api.common.AttributeKey;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import java.util.List;

/** How long a value may get, in bytes, and how many events a span carries. */
final class Limits {

  /** What Tempo keeps of a value. */
  static final int MESSAGE = 2_000;

  /** What is one word where nothing is wrong: an id, a host, a class. */
  static final int WORD = 256;

  static final int CALL_SITE = 2_000;
  static final int STACK_TRACE = 8_192;
  static final int EVENTS = 32;

  private Limits() {}

  /** Puts a text, cut at a code point and flagged where it is too long; null is no attribute. */
  static void putText(AttributeList.Builder attributes, Attribute key, String text, int maxBytes) {
    if (text == null) {
      return;
    }
    put(attributes, key, Truncation.toBytes(text, maxBytes));
  }

  static void put(AttributeList.Builder attributes, Attribute key, Truncation text) {
    attributes.put(key, text.text());
    if (text.isCut()) {
      putTruncated(attributes, key.name());
    }
  }

  /** For a key that carries a name of the user's. */
  static void putText(AttributeList.Builder attributes, String key, String text, int maxBytes) {
    Truncation kept = Truncation.toBytes(text, maxBytes);
    attributes.put(AttributeKey.stringKey(key), kept.text());
    if (kept.isCut()) {
      putTruncated(attributes, key);
    }
  }

  /**
   * The plan, cut into parts of at most {@link #MESSAGE} bytes at line boundaries.
   *
   * @param cut true where the text is not all of it
   */
  static void putPlan(AttributeList.Builder attributes, String text, int maxBytes, boolean cut) {
    Truncation.Split split = Truncation.splitLines(text, MESSAGE, maxBytes);
    List<String> parts = split.parts();
    for (int i = 0; i < parts.size(); i++) {
      if (i == 0) {
        attributes.put(Names.SQL_PLAN, parts.get(i));
      } else {
        String key = Names.SQL_PLAN.name() + "_" + (i + 1);
        attributes.put(AttributeKey.stringKey(key), parts.get(i));
      }
    }
    if (cut || split.isCut()) {
      putTruncated(attributes, Names.SQL_PLAN.name());
    }
  }

  private static void putTruncated(AttributeList.Builder attributes, String key) {
    attributes.put(AttributeKey.booleanKey(key + Names.TRUNCATED_SUFFIX), true);
  }
}
