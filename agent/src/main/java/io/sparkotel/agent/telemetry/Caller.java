package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.trace.SpanContext;
import java.util.Locale;

/** The span that an application or an action runs for, and how the two are bound to each other. */
public final class Caller {

  /** What becomes of a caller's context. */
  public enum Mode {
    /** What it called joins its trace. */
    CHILD,
    /** What it called keeps its own trace, with a link. */
    LINK,
    IGNORE;

    /** By its name in any case; the fallback for any other text, and for null. */
    public static Mode of(String name, Mode fallback) {
      for (Mode mode : values()) {
        if (mode.label().equalsIgnoreCase(name)) {
          return mode;
        }
      }
      return fallback;
    }

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Nobody. */
  public static final Caller NONE = new Caller(SpanContext.getInvalid(), SpanContext.getInvalid());

  private final SpanContext parent;
  private final SpanContext link;

  private Caller(SpanContext parent, SpanContext link) {
    this.parent = parent;
    this.link = link;
  }

  /**
   * @param context {@link SpanContext#getInvalid()} where there is none
   */
  public static Caller of(Mode mode, SpanContext context) {
    if (!context.isValid() || mode == Mode.IGNORE) {
      return NONE;
    }
    return mode == Mode.CHILD
        ? new Caller(context, SpanContext.getInvalid())
        : new Caller(SpanContext.getInvalid(), context);
  }

  /** The parent, whose trace is joined, or {@link SpanContext#getInvalid()}. */
  public SpanContext parent() {
    return parent;
  }

  /** What to link to, or {@link SpanContext#getInvalid()}. */
  public SpanContext link() {
    return link;
  }
}
