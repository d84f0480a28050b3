package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.Traceparent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the user called for: a SQL execution with all that runs for it, or a job outside SQL. All
 * its spans are in one trace: that of a caller, whom its first job names, or the one that {@link
 * Units} tells, mostly by its first job. What of a SQL execution is complete before that job waits
 * for it here.
 */
final class Action {

  /** More waiting executions than a command nests: then nobody is waited for. */
  static final int MAX_WAITING = 100;

  private final Units units;

  /** Null of a job outside SQL. */
  private final SqlStart root;

  private final TraceParts.Part withoutJob;

  private StreamPart stream = StreamPart.NONE;

  /** Of the output operation of DStreams that it runs for, or null. */
  private Long output;

  private List<SqlSpan> waiting = Collections.emptyList();
  private TraceUnit unit;

  /** The operation that it seems to run for, until it is settled; or null. */
  private GroupSpan held;

  private boolean settled;
  private boolean hasInvalidCaller;
  private Caller caller = Caller.NONE;
  private UserAttributeList attributes = UserAttributeList.NONE;

  /**
   * @param root the execution that it is, or null of a job outside SQL
   */
  Action(Units units, SqlStart root) {
    this.units = units;
    this.root = root;
    withoutJob = root == null ? null : units.part(root);
    if (root != null) {
      stream = units.stream(root);
      DStreamKey key = DStreamKey.of(root.description);
      output = key == null ? null : key.output;
    }
    // Where no caller's trace is joined, an execution's may be known from its start.
    if (root != null && mode() != Caller.Mode.CHILD && !units.mayBeOfBatch(stream)) {
      enter(units.known(root, stream.batch), root.time);
    }
    if (root != null && unit == null && stream.batch == null) {
      held = units.hold(root);
    }
  }

  private void enter(TraceUnit known, long start) {
    unit = known;
    if (unit != null && unit.group != null) {
      units.groups.entered(unit.group, start);
    }
  }

  /** Where no job says more. */
  private TraceUnit known() {
    if (held != null && held.isOperation() && stream.batch == null) {
      return held.unit;
    }
    return root == null ? null : units.known(root, stream.batch);
  }

  private void release() {
    if (held != null) {
      units.groups.release(held);
      held = null;
    }
  }

  /** Whose trace it is in, or null. */
  private GroupSpan group() {
    return unit == null ? null : unit.group;
  }

  private Caller.Mode mode() {
    return units.home().spans.identity.callers();
  }

  /** Whether it is known whom it runs for. */
  boolean isSettled() {
    return settled;
  }

  /** Whether it is known which trace its spans are in. */
  boolean hasTrace() {
    return unit != null;
  }

  /** Its first job has started. */
  void settle(JobStart first, UserAttributeList attributesOfFirst) {
    settled = true;
    attributes = attributesOfFirst;
    if (stream == StreamPart.NONE) {
      stream = units.stream(first);
    }
    if (output == null) {
      output = first.properties.dstreamOutput;
    }
    String traceparent = first.properties.traceparent;
    SpanContext context = Traceparent.parse(traceparent, first.properties.tracestate);
    hasInvalidCaller = traceparent != null && !context.isValid() && mode() != Caller.Mode.IGNORE;
    // A trace that nobody keeps would lose what joins it.
    if (context.isSampled()) {
      caller = Caller.of(mode(), context);
    }
    if (isJoined()) {
      unit = units.joined(caller.parent());
    } else if (unit == null) {
      TraceUnit known = units.groups.operation(first.properties) == null ? known() : null;
      enter(
          known == null ? units.of(first, root, stream.batch) : known,
          root == null ? first.time : root.time);
    }
    if (group() != null) {
      group().describe(first.properties.description);
    }
    release();
  }

  /** No job of it will start, as far as is known. */
  void settleWithoutJob() {
    settled = true;
    if (unit == null) {
      TraceUnit known = known();
      enter(known == null ? units.withoutJob(root) : known, root.time);
    }
    release();
    if (unit == null) {
      unit = units.of(withoutJob, stream.batch);
    }
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

  private boolean isJoined() {
    return caller.parent().isValid();
  }

  /** Whether its spans are in another trace than the application's own. */
  boolean isElsewhere() {
    return unit != units.home();
  }

  /** Whether its first job names a caller that is no traceparent. */
  boolean hasInvalidCaller() {
    return hasInvalidCaller;
  }

  /** Its trace. */
  TraceUnit unit() {
    return unit;
  }

  /** Makes the spans of its trace. */
  SpanFactory spans() {
    return unit.spans;
  }

  /**
   * What its topmost span has besides the others, once its times are known.
   *
   * @param closed the execution that it ran for, where that is closed and in the application's own
   *     trace; or null
   */
  void bindTop(SpanFactory.Draft top, SpanContext closed) {
    top.parent(closed == null || isElsewhere() ? unit.top : closed);
    SpanContext application = units.home().top;
    if (isJoined()) {
      top.link(application);
    } else {
      if (!unit.top.isValid()) {
        top.link(application);
        units.links.add(top);
      }
      if (caller.link().isValid()) {
        top.link(caller.link());
      }
    }
    stream.link(top);
  }

  /** Its topmost span has been built. */
  void closed(ActionEnd end) {
    stream.closed(end, output);
    if (group() != null) {
      units.groups.left(group(), end);
    }
  }

  /** Of the output operation of DStreams that it runs for, or null. */
  Long output() {
    return output;
  }

  /** Those that its first job brought. */
  UserAttributeList attributes() {
    return attributes;
  }
}
