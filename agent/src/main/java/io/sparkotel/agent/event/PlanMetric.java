package io.sparkotel.agent.event;

/** One metric of a plan node: its values come by the accumulator's id. Immutable. */
public final class PlanMetric {

  /** How values of several tasks come together. */
  public enum Type {
    SUM,
    /** Bytes. */
    SIZE,
    /** Milliseconds. */
    TIMING,
    /** Nanoseconds. */
    NS_TIMING,
    /** An average, or of a connector's own making: what a sum of them says nobody knows. */
    OTHER;

    private static Type of(String sparks) {
      switch (sparks == null ? "" : sparks) {
        case "sum":
          return SUM;
        case "size":
          return SIZE;
        case "timing":
          return TIMING;
        case "nsTiming":
          return NS_TIMING;
        default:
          return OTHER;
      }
    }
  }

  private final String name;
  private final long accumulatorId;
  private final Type type;

  /**
   * @param name null is an empty one
   * @param type Spark's name of it, such as {@code nsTiming}
   */
  public PlanMetric(String name, long accumulatorId, String type) {
    // The same few dozen names come with every plan.
    this.name = name == null ? "" : name.intern();
    this.accumulatorId = accumulatorId;
    this.type = Type.of(type);
  }

  /** As in Spark's UI, such as {@code number of output rows}; never null. */
  public String name() {
    return name;
  }

  public long accumulatorId() {
    return accumulatorId;
  }

  public Type type() {
    return type;
  }
}
