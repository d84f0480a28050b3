package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.Caller;

/** The span that the application runs for. Immutable. */
public final class ParentConfig {

  static final String TRACEPARENT = "TRACEPARENT";
  private static final String TRACESTATE = "TRACESTATE";

  private final Caller.Mode mode;
  private final String traceparent;
  private final String tracestate;

  ParentConfig(SettingReader reader, ConfigSources sources, ConfigProblems problems) {
    mode = reader.read(Settings.PARENT);
    String set = reader.read(Settings.TRACEPARENT);
    String setState = reader.read(Settings.TRACESTATE);
    boolean inherits =
        set == null && !reader.isLocked(Settings.TRACEPARENT) && mode != Caller.Mode.IGNORE;
    String inherited = inherits ? sources.environment(TRACEPARENT) : null;
    if (inherited == null) {
      traceparent = set;
      tracestate = set == null ? null : setState;
    } else {
      traceparent = valid(inherited, problems);
      // A list belongs to the parent that it came with.
      tracestate = traceparent == null ? null : sources.environment(TRACESTATE);
    }
  }

  private static String valid(String inherited, ConfigProblems problems) {
    StringBuilder complaint = new StringBuilder();
    String parent = Settings.TRACEPARENT.type().parse(inherited, complaint);
    if (parent == null) {
      problems.badValue(
          Settings.TRACEPARENT,
          inherited,
          "environment " + TRACEPARENT,
          complaint.toString(),
          "no parent");
    }
    return parent;
  }

  public Caller.Mode mode() {
    return mode;
  }

  /** A valid W3C traceparent, or null. */
  public String traceparent() {
    return traceparent;
  }

  /** What came with it, whatever it is, or null. */
  public String tracestate() {
    return tracestate;
  }
}
