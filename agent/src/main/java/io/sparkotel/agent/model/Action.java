package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.Traceparent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the user called for: a SQL execution with all that runs for it, or a job outside SQL. All
 * its spans are in one trace, the application's or that of a caller, whom its first job names. What
 * of a SQL execution is complete before that job waits for it here.
 */
final class Action {

  /** More waiting executions than a command nests: then nobody is waited for. */
  static final int MAX_WAITING = 100;

  private final SpanFactory application;
  private List<SqlSpan> waiting = Collections.emptyList();
  private SpanFactory spans;
  private boolean settled;
  private boolean hasInvalidCaller;
  private Caller caller = Caller.NONE;
  private UserAttributeList attributes = UserAttributeList.NONE;

  /**
   * @param application makes the spans of the application's own trace
   */
  Action(SpanFactory application) {
    this.application = application;
    // Who cannot join another trace is not waited for.
    spans = application.identity.callers() == Caller.Mode.CHILD ? null : application;
  }

  /** Whether it is known whom it runs for. */
  boolean isSettled() {
    return settled;
  }

  /** Whether it is known which trace its spans are in. */
  boolean hasTrace() {
    return spans != null;
  }

  /** Its first job has started. */
  void settle(JobProperties first, UserAttributeList attributesOfFirst) {
    settled = true;
    attributes = attributesOfFirst;
    SpanContext context = Traceparent.parse(first.traceparent, first.tracestate);
    boolean ignored = application.identity.callers() == Caller.Mode.IGNORE;
    hasInvalidCaller = first.traceparent != null && !context.isValid() && !ignored;
    // A trace that nobody keeps would lose what joins it.
    if (context.isSampled()) {
      caller = Caller.of(application.identity.callers(), context);
    }
    spans = caller.parent().isValid() ? application.in(caller.parent()) : application;
  }

  /** No job of it will start, as far as is known. */
  void settleWithoutJob() {
    settled = true;
    spans = application;
  }

  /** A nested execution is complete, and its trace is not known. False where there is no room. */
  boolean await(SqlSpan nested) {
    if (waiting.isEmpty()) {
      waiting = new ArrayList<>();
    }
    waiting.add(nested);
    return waiting.size() < MAX_WAITING;
  }

  /** Those that waited until it was settled, in the order of their ends; they wait no more. */
  List<SqlSpan> takeWaiting() {
    List<SqlSpan> taken = waiting;
    waiting = Collections.emptyList();
    return taken;
  }

  boolean isWaiting(long executionId) {
    return waiting.stream().anyMatch(sql -> sql.id() == executionId);
  }

  int waitingCount() {
    return waiting.size();
  }

  /** Whether its spans are in the trace of its caller. */
  boolean isJoined() {
    return caller.parent().isValid();
  }

  /** Whether its first job names a caller that is no traceparent. */
  boolean hasInvalidCaller() {
    return hasInvalidCaller;
  }

  /** Makes the spans of its trace. */
  SpanFactory spans() {
    return spans;
  }

  /**
   * What its topmost span has besides the others.
   *
   * @param parent where it has no caller, or does not join its trace
   */
  void bindTop(SpanFactory.Draft top, SpanContext parent) {
    if (isJoined()) {
      top.parent(caller.parent()).link(application.application());
    } else {
      top.parent(parent);
      if (caller.link().isValid()) {
        top.link(caller.link());
      }
    }
  }

  /** Those that its first job brought. */
  UserAttributeList attributes() {
    return attributes;
  }
}
