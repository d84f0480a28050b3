package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.ServerEvent;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.Traceparent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a server tells of an operation: who asked for what in which session, and what became of it.
 */
final class ServerOperation {

  /** Of gRPC, in front of Spark's own message. */
  private static final Pattern STATUS = Pattern.compile("^[A-Z_]{2,30}: (?=\\[)");

  private final ServerEvent started;
  private final List<String> tags = new ArrayList<>(2);
  private final List<EventData> states = new ArrayList<>(4);
  private ServerEvent end;
  private Long closed;

  ServerOperation(ServerEvent started) {
    this.started = started;
    for (String tag : started.tags) {
      if (!tag.startsWith(Traceparent.TAG)) {
        tags.add(tag);
      }
    }
  }

  /** The client's span, where a tag tells one that is sampled; else an invalid one. */
  static SpanContext caller(ServerEvent started) {
    for (String tag : started.tags) {
      if (tag.startsWith(Traceparent.TAG)) {
        SpanContext context = Traceparent.parse(tag.substring(Traceparent.TAG.length()), null);
        if (context.isSampled()) {
          return context;
        }
      }
    }
    return SpanContext.getInvalid();
  }

  /** What its jobs carry; null where it is not known. */
  String jobsKey() {
    return started.group;
  }

  /** Of the Thrift server, where it has not ended; else null. */
  String runningStatement() {
    return isThrift() && end == null ? started.statement : null;
  }

  private boolean isThrift() {
    return started.server == ServerEvent.Server.THRIFT;
  }

  void state(ServerEvent event) {
    if (event.kind.state() == null) {
      return;
    }
    if (event.kind.isEnd() && end == null) {
      end = event;
    }
    if (event.kind == ServerEvent.Kind.CLOSED && closed == null) {
      closed = event.time;
    }
    if (states.size() < Limits.EVENTS) {
      AttributeList.Builder attributes = AttributeList.builder();
      attributes.put(Names.GROUP_STATE, event.kind.state());
      AttributeList built = attributes.build();
      states.add(
          EventData.create(
              FinishedSpan.nanos(event.time), Names.GROUP_STATE_EVENT, built, built.size()));
    }
  }

  /** Its end was told, without which its close may have come first. */
  boolean hasEnded() {
    return end != null;
  }

  boolean isClosed() {
    return closed != null;
  }

  /** When its client closed it, epoch milliseconds; that time where it is open. */
  long closedOr(long time) {
    return closed == null ? time : Math.max(closed, time);
  }

  /** When it ended, or was closed where no end is known; not before that time. */
  long endOr(long time) {
    return end == null ? closedOr(time) : Math.max(end.time, time);
  }

  int stateSize() {
    return states.size() + tags.size();
  }

  /** Gives the draft its name, attributes and events; not its error. */
  void put(SpanFactory spans, SpanFactory.Draft draft) {
    AttributeList.Builder attributes = draft.attributes;
    Limits.putText(
        attributes, Names.GROUP_SESSION, spans.redactor.text(started.sessionId), Limits.WORD);
    Limits.putText(attributes, Names.GROUP_USER, spans.redactor.text(started.user), Limits.WORD);
    if (!tags.isEmpty()) {
      String all = spans.redactor.text(String.join(",", tags));
      String cut = Truncation.toBytes(all, Limits.MESSAGE).text();
      attributes.put(Names.GROUP_TAGS, Arrays.asList(cut.split(",")));
    }
    putStatement(spans, draft);
    if (end != null) {
      attributes.put(Names.GROUP_STATE, end.kind.state());
      attributes.put(Names.GROUP_ROWS, end.rows);
      if (closed != null) {
        attributes.put(Names.GROUP_FETCH_TIME, Math.max(0, closed - end.time));
      }
    } else {
      attributes.put(Names.GROUP_STATE, closed == null ? "running" : "closed");
    }
    // Threads of the server tell of them, not always in order.
    states.sort(Comparator.comparingLong(EventData::getEpochNanos));
    states.forEach(draft::event);
  }

  private void putStatement(SpanFactory spans, SpanFactory.Draft draft) {
    String text = started.statement == null ? "" : started.statement;
    String sql = text;
    String label = null;
    String shown = text;
    if (!isThrift()) {
      ConnectText connect = ConnectText.of(text);
      sql = connect.sql();
      label = sql == null ? connect.command() : null;
      shown = sql == null ? connect.masked() : sql;
    }
    if (label == null) {
      label = GroupLabels.ofSql(SqlText.mask(sql));
    }
    draft.name("group " + label);
    AgentConfig.SqlText mode = spans.config.sqlText();
    if (mode == AgentConfig.SqlText.NONE || shown.isEmpty()) {
      return;
    }
    if (mode == AgentConfig.SqlText.FULL) {
      shown = sql == null ? text : sql;
    } else if (sql != null) {
      shown = SqlText.mask(sql);
    }
    Limits.putText(
        draft.attributes, Names.GROUP_STATEMENT, spans.redactor.text(shown), Limits.MESSAGE);
  }

  /**
   * Its failure; none where somebody gave it up.
   *
   * @param actionType of the error of its last action, where the server does not tell one; may be
   *     null
   */
  void putError(SpanFactory spans, SpanFactory.Draft draft, String actionType) {
    if (end == null || end.kind != ServerEvent.Kind.FAILED || Failures.isCancellation(end.error)) {
      return;
    }
    String message = end.error == null ? "" : STATUS.matcher(end.error).replaceFirst("");
    String told = end.stackTrace == null ? null : Failures.firstClass(end.stackTrace);
    String type = told == null ? actionType : told;
    draft.error(type, message);
    String details = end.stackTrace == null ? message : end.stackTrace;
    FailureDetails.of(details, null).put(draft.attributes, spans.redactor);
    draft.event(Failures.event(type, message, end.stackTrace, end.time, spans.redactor));
  }
}
