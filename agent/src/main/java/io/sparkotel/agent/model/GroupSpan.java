package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.SpanIds;

/**
 * What somebody asked a shared application for, with a trace of its own: an operation of a server,
 * or the actions that follow each other in a job group or under the same tags.
 */
final class GroupSpan {

  /** What says which actions belong together. */
  enum Kind {
    THRIFT("thrift"),
    CONNECT("connect"),
    JOB_GROUP("job group"),
    TAGS("tags");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  final Totals totals = new Totals();
  final TraceUnit unit;

  private final Kind kind;
  private final String id;
  private final String key;
  private final long number;
  private final SpanFactory application;
  private final Caller caller;

  /** Null where it is none of a server. */
  private final ServerOperation operation;

  private String description;
  private long start;
  private long lastEnd;
  private int open;
  private long actions;

  /** Of the last action, where that failed; else null. */
  private ActionEnd.Failure failure;

  /**
   * An operation of a server.
   *
   * @param units make its trace
   */
  GroupSpan(ServerEvent started, Units units) {
    this(
        kind(started),
        started.operationId,
        key(started),
        // Clients choose the ids of Spark Connect: one may come again.
        "operation\n" + started.key() + '\n' + started.time,
        new ServerOperation(started),
        Caller.of(units.home().spans.identity.callers(), ServerOperation.caller(started)),
        started.time,
        units);
  }

  /**
   * Actions of a job group or of the same tags.
   *
   * @param id the group, or the tags
   * @param first the first action, which tells one occurrence from the others for ever
   * @param start of that action, epoch milliseconds
   */
  GroupSpan(Kind kind, String id, String first, long start, Units units) {
    this(
        kind,
        id,
        key(kind, id),
        kind.label + '\n' + id + '\n' + first,
        null,
        Caller.NONE,
        start,
        units);
  }

  private GroupSpan(
      Kind kind,
      String id,
      String key,
      String occurrence,
      ServerOperation operation,
      Caller caller,
      long start,
      Units units) {
    this.kind = kind;
    this.id = id;
    this.key = key;
    this.operation = operation;
    this.caller = caller;
    this.start = start;
    lastEnd = start;
    application = units.home().spans;
    SpanFactory spans =
        caller.parent().isValid()
            ? application.in(caller.parent())
            : application.unit(Entity.GROUP.label(), occurrence);
    number = SpanIds.number(occurrence);
    SpanContext top = spans.context(Entity.GROUP, number, 0);
    unit = new TraceUnit(spans, top, units.newBudget(), units::accept, this);
  }

  /** Tells it from all that are open beside it. */
  String key() {
    return key;
  }

  static String key(ServerEvent event) {
    return key(kind(event), event.key());
  }

  static String key(Kind kind, String id) {
    return kind.name() + '\n' + id;
  }

  private static Kind kind(ServerEvent event) {
    return event.server == ServerEvent.Server.THRIFT ? Kind.THRIFT : Kind.CONNECT;
  }

  /** Of an operation what its jobs carry; null where it is not known. */
  String jobsKey() {
    return operation == null ? null : operation.jobsKey();
  }

  /** Of an operation of the Thrift server that has not ended; else null. */
  String runningStatement() {
    return operation == null ? null : operation.runningStatement();
  }

  /** When the last that is known of it happened, epoch milliseconds. */
  long last() {
    return operation == null ? lastEnd : operation.closedOr(lastEnd);
  }

  int stateSize() {
    return operation == null ? 1 : 1 + operation.stateSize();
  }

  boolean isIdle() {
    return open == 0;
  }

  /** Of an operation: nothing of it follows. */
  boolean isDone() {
    return operation.isClosed() && open == 0;
  }

  /** Of an operation: its end was told, without which its close may have come first. */
  boolean hasEnded() {
    return operation.hasEnded();
  }

  boolean isOperation() {
    return operation != null;
  }

  void state(ServerEvent event) {
    operation.state(event);
  }

  /** What the first of its jobs says. */
  void describe(String text) {
    if (description == null && operation == null) {
      description = text;
    }
  }

  /** An action runs that may be of it. */
  void hold() {
    open++;
  }

  /** It is known whether it is. */
  void release() {
    open--;
  }

  /** An action of it runs. */
  void entered(long actionStart) {
    open++;
    actions++;
    start = Math.min(start, actionStart);
  }

  /** An action of it is complete; a failure is the group's until another action follows. */
  void left(ActionEnd action) {
    open--;
    totals.add(action.totals);
    failure = action.failure;
    lastEnd = Math.max(lastEnd, action.end);
  }

  /**
   * @param closeTime the end where none is known, epoch milliseconds
   */
  FinishedSpan build(long closeTime, UnitLinks links) {
    SpanFactory spans = unit.spans;
    SpanFactory.Draft draft = spans.draft(Entity.GROUP, number, 0);
    boolean running = operation != null && !operation.hasEnded() && !operation.isClosed();
    boolean unfinished = running || open > 0;
    long last = operation == null ? lastEnd : operation.endOr(lastEnd);
    draft.time(start, unfinished ? Math.max(closeTime, last) : last);
    draft.incomplete(unfinished);
    if (caller.parent().isValid()) {
      draft.parent(caller.parent());
    } else {
      links.add(draft);
    }
    draft.link(application.application());
    if (caller.link().isValid()) {
      draft.link(caller.link());
    }
    AttributeList.Builder attributes = draft.attributes;
    attributes.put(Names.GROUP_KIND, kind.label);
    Limits.putText(attributes, Names.GROUP_ID, spans.redactor.text(id), Limits.MESSAGE);
    if (operation != null) {
      operation.put(spans, draft);
    } else {
      draft.name("group " + GroupLabels.ofGroup(id, description));
      Limits.putText(
          attributes, Names.GROUP_DESCRIPTION, spans.description(description), Limits.MESSAGE);
    }
    attributes.put(Names.GROUP_ACTIONS, actions);
    totals.put(attributes, Entity.GROUP);
    putError(spans, draft);
    return draft.build();
  }

  private void putError(SpanFactory spans, SpanFactory.Draft draft) {
    if (operation != null) {
      operation.putError(spans, draft, failure == null ? null : failure.type);
    } else if (failure != null) {
      failure.put(draft, spans.redactor);
    }
  }
}
