package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.TraceStateBuilder;

/** Reads the two texts of W3C Trace Context. */
public final class Traceparent {

  /** In front of the value in a tag, by which an operation of Spark Connect tells its caller. */
  public static final String TAG = "traceparent=";

  private static final int LENGTH = 55;
  private static final int TRACE_ID = 3;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;
  private static final int MAX_MEMBERS = 32;

  /** What everybody has to pass on. The list is on every span of the trace. */
  static final int MAX_STATE_CHARS = 512;

  private Traceparent() {}

  /** Whether it is one: of version 00, or of a later one that may go on after another dash. */
  public static boolean isValid(String text) {
    return text.length() >= LENGTH
        && isHex(text, 0, 2)
        && text.charAt(2) == '-'
        && isHex(text, TRACE_ID, 35)
        && text.charAt(35) == '-'
        && isHex(text, SPAN_ID, 52)
        && text.charAt(52) == '-'
        && isHex(text, FLAGS, LENGTH)
        && !text.startsWith("ff")
        && !isZero(text, TRACE_ID, 35)
        && !isZero(text, SPAN_ID, 52)
        && (text.length() == LENGTH || (!text.startsWith("00") && text.charAt(LENGTH) == '-'));
  }

  /**
   * @param text may be null
   * @param tracestate may be null; one that is none counts as absent
   * @return {@link SpanContext#getInvalid()} for anything that is no traceparent
   */
  public static SpanContext parse(String text, String tracestate) {
    String traceparent = text == null ? "" : text.trim();
    if (!isValid(traceparent)) {
      return SpanContext.getInvalid();
    }
    return SpanContext.createFromRemoteParent(
        traceparent.substring(TRACE_ID, 35),
        traceparent.substring(SPAN_ID, 52),
        TraceFlags.fromHex(traceparent, FLAGS),
        state(tracestate));
  }

  /** As a tag tells it, of version 00. */
  public static String tag(SpanContext caller) {
    return TAG
        + "00-"
        + caller.getTraceId()
        + '-'
        + caller.getSpanId()
        + '-'
        + caller.getTraceFlags().asHex();
  }

  /** Whole members from the left, which are the newest, as far as the length goes. */
  private static TraceState state(String tracestate) {
    if (tracestate == null || tracestate.trim().isEmpty()) {
      return TraceState.getDefault();
    }
    String[] members = tracestate.split(",", MAX_MEMBERS + 1);
    if (members.length > MAX_MEMBERS) {
      return TraceState.getDefault();
    }
    int kept = 0;
    int chars = 0;
    while (kept < members.length && chars + members[kept].length() <= MAX_STATE_CHARS) {
      chars += members[kept].length() + 1;
      kept++;
    }
    TraceStateBuilder state = TraceState.builder();
    int expected = 0;
    // The builder puts each before those that it has.
    for (int i = kept - 1; i >= 0; i--) {
      String member = members[i].trim();
      int equals = member.indexOf('=');
      if (!member.isEmpty()) {
        expected++;
        if (equals > 0) {
          state.put(member.substring(0, equals), member.substring(equals + 1));
        }
      }
    }
    TraceState built = state.build();
    // It leaves out what is not of the form; one bad member makes the whole list none.
    return built.size() == expected ? built : TraceState.getDefault();
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) != '0') {
        return false;
      }
    }
    return true;
  }
}
