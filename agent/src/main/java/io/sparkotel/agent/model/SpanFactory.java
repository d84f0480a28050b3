package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.util.ArrayList;
import java.util.List;

/** Puts one span together: what its entity knows, with the ids and limits of the application. */
final class SpanFactory {

  /** The longest status description, in bytes: a first line, not a stack trace. */
  private static final int MAX_DESCRIPTION = 1024;

  private static final int MAX_NAME_CHARS = 128;

  private static final SpanContext NO_PARENT = SpanContext.getInvalid();

  final TraceIdentity identity;
  private final SpanIds ids;
  final Redactor redactor;
  final AgentConfig config;
  final KnownExecutors executors;
  final HistoryPages history;

  SpanFactory(
      TraceIdentity identity,
      Redactor redactor,
      AgentConfig config,
      KnownExecutors executors,
      HistoryPages history) {
    this(identity, identity.ids(), redactor, config, executors, history);
  }

  private SpanFactory(
      TraceIdentity identity,
      SpanIds ids,
      Redactor redactor,
      AgentConfig config,
      KnownExecutors executors,
      HistoryPages history) {
    this.identity = identity;
    this.ids = ids;
    this.redactor = redactor;
    this.config = config;
    this.executors = executors;
    this.history = history;
  }

  /** Makes spans of the same application in the trace of a caller's. */
  SpanFactory in(SpanContext caller) {
    return new SpanFactory(
        identity, identity.ids().in(caller), redactor, config, executors, history);
  }

  /** Makes spans of the same application in a trace of its own. */
  SpanFactory unit(String kind, String key) {
    return new SpanFactory(
        identity, identity.ids().unit(kind, key), redactor, config, executors, history);
  }

  /** Makes spans of the application in a trace that others have spans in, too. */
  SpanFactory common(String kind, String key) {
    return new SpanFactory(
        identity, identity.ids().common(kind, key), redactor, config, executors, history);
  }

  /** A description or SQL text as the settings allow it to be shown, or null. */
  String description(String text) {
    // Values of the user's are in it anywhere; what can be shown of it is on its group.
    if (text == null || ConnectText.isRequest(text)) {
      return null;
    }
    if (SqlText.looksLikeSql(text)) {
      switch (config.sqlText()) {
        case NONE:
          return null;
        case MASKED:
          return redactor.text(SqlText.mask(text));
        default:
      }
    }
    return redactor.text(text);
  }

  Draft draft(Entity entity, long id, long attempt) {
    return new Draft(entity, id, attempt);
  }

  SpanContext context(Entity entity, long id, long attempt) {
    return ids.context(entity, id, attempt);
  }

  /** Of the application, whose span is in one trace alone. */
  SpanContext application() {
    return identity.ids().context(Entity.APPLICATION, 0, 0);
  }

  SpanContext sql(long executionId) {
    return context(Entity.SQL, executionId, 0);
  }

  SpanContext job(int jobId) {
    return context(Entity.JOB, jobId, 0);
  }

  SpanContext stage(int stageId, int attempt) {
    return context(Entity.STAGE, stageId, attempt);
  }

  /** A span in the making. */
  final class Draft {
    final AttributeList.Builder attributes = AttributeList.builder();
    private final Entity entity;
    private final long id;
    private final long attempt;
    private final SpanContext context;
    private final List<EventData> events = new ArrayList<>(0);
    private final List<LinkData> links = new ArrayList<>(0);
    private String name;
    private SpanContext parent = NO_PARENT;
    private long start;
    private long end;
    private StatusData status = StatusData.unset();

    private Draft(Entity entity, long id, long attempt) {
      this.entity = entity;
      this.id = id;
      this.attempt = attempt;
      this.context = SpanFactory.this.context(entity, id, attempt);
      attributes.put(Names.ENTITY, entity.label());
    }

    SpanContext context() {
      return context;
    }

    /** Epoch milliseconds. */
    long start() {
      return start;
    }

    /** Redacted and cut here: where no call site says anything, a label is any text. */
    Draft name(String name) {
      this.name = Truncation.toChars(redactor.text(name.trim()), MAX_NAME_CHARS).text();
      return this;
    }

    Draft parent(SpanContext parent) {
      this.parent = parent;
      return this;
    }

    boolean isBelow(SpanContext other) {
      return parent.equals(other);
    }

    /** Epoch milliseconds. */
    Draft time(long start, long end) {
      this.start = start;
      this.end = end;
      return this;
    }

    Draft link(SpanContext to) {
      links.add(LinkData.create(to));
      return this;
    }

    /** After the time of the span: clocks that disagree put no event before its start. */
    Draft event(EventData event) {
      long first = FinishedSpan.nanos(start);
      events.add(
          event.getEpochNanos() >= first
              ? event
              : EventData.create(
                  first, event.getName(), event.getAttributes(), event.getTotalAttributeCount()));
      return this;
    }

    Draft incomplete(boolean incomplete) {
      if (incomplete) {
        attributes.put(Names.INCOMPLETE, true);
      }
      return this;
    }

    /**
     * @param type for {@code error.type}, or null where it is not known
     * @param message redacted and cut here
     */
    Draft error(String type, String message) {
      Limits.putText(attributes, Names.ERROR_TYPE, type, Limits.WORD);
      history.put(attributes, entity, id, attempt);
      String text = redactor.text(firstLine(message));
      status =
          StatusData.create(StatusCode.ERROR, Truncation.toBytes(text, MAX_DESCRIPTION).text());
      return this;
    }

    FinishedSpan build() {
      return new FinishedSpan(
          identity,
          entity,
          name,
          context,
          parent,
          start,
          end,
          attributes.build(),
          events,
          links,
          status);
    }
  }

  private static String firstLine(String text) {
    if (text == null) {
      return "";
    }
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
