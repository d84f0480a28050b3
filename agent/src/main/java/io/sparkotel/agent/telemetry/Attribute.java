package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * One declared attribute: key, type, unit, the spans that carry it, cardinality, one line of doc.
 */
public final class Attribute {

  /** How many values a key takes over the runs of one application. */
  public enum Cardinality {
    /** A fixed or slowly growing set: fit to group by. */
    LOW,
    /** As many values as runs, spans or measurements. */
    HIGH
  }

  private final AttributeKey<?> key;
  private final String unit;
  private final Cardinality cardinality;
  private final Set<Entity> on;
  private final String doc;

  Attribute(
      AttributeKey<?> key, String unit, Cardinality cardinality, EnumSet<Entity> on, String doc) {
    this.key = key;
    this.unit = unit;
    this.cardinality = cardinality;
    this.on = Collections.unmodifiableSet(on);
    this.doc = doc;
  }

  /** The OpenTelemetry key, made once. */
  public AttributeKey<?> key() {
    return key;
  }

  public String name() {
    return key.getKey();
  }

  /** {@code ms}, {@code By}, {@code MiBy.s}, {@code 1} or empty, as in UCUM. */
  public String unit() {
    return unit;
  }

  public Cardinality cardinality() {
    return cardinality;
  }

  public Set<Entity> on() {
    return on;
  }

  public String doc() {
    return doc;
  }

  @Override
  public String toString() {
    return name();
  }
}
