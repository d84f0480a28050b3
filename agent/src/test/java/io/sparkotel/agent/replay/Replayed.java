package io.sparkotel.agent.replay;

import io.opentelemetry.api.common.AttributeKey;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One log's replay: the summary and the spans. */
public record Replayed(ReplaySummary summary, List<FinishedSpan> spans) {

  public static Replayed of(File file) throws IOException {
    return of(file, Logs.config());
  }

  public static Replayed of(File file, AgentConfig config) throws IOException {
    return of(EventLog.at(file).get(0), config, false);
  }

  public static Replayed of(EventLog log, AgentConfig config, boolean onlyUnfinished) {
    List<FinishedSpan> spans = new ArrayList<>();
    ReplaySummary summary =
        new Replay(config, onlyUnfinished, spans::add).run(log, (bytes, events) -> {});
    return new Replayed(summary, spans);
  }

  public List<FinishedSpan> of(Entity entity) {
    return spans.stream().filter(span -> span.entity() == entity).toList();
  }

  public FinishedSpan application() {
    return of(Entity.APPLICATION).get(0);
  }

  public FinishedSpan job(long id) {
    return find(Entity.JOB, Names.JOB_ID, id);
  }

  public FinishedSpan task(long id) {
    return find(Entity.TASK, Names.TASK_ID, id);
  }

  public FinishedSpan sql(long id) {
    return find(Entity.SQL, Names.SQL_EXECUTION_ID, id);
  }

  public FinishedSpan stage(long id) {
    return find(Entity.STAGE, Names.STAGE_ID, id);
  }

  private FinishedSpan find(Entity entity, Attribute key, long id) {
    return of(entity).stream()
        .filter(span -> Long.valueOf(id).equals(value(span, key)))
        .findFirst()
        .orElseThrow();
  }

  public static Object value(FinishedSpan span, Attribute attribute) {
    return value(span, attribute.name());
  }

  public static Object value(FinishedSpan span, String key) {
    for (Map.Entry<AttributeKey<?>, Object> entry : span.getAttributes().asMap().entrySet()) {
      if (entry.getKey().getKey().equals(key)) {
        return entry.getValue();
      }
    }
    return null;
  }

  /** All of a span that is sent. */
  public static String print(FinishedSpan span) {
    return span.entity()
        + " "
        + span.getName()
        + " "
        + span.getSpanContext()
        + " "
        + span.getParentSpanId()
        + " "
        + span.getStartEpochNanos()
        + " "
        + span.getEndEpochNanos()
        + " "
        + span.getStatus()
        + " "
        + span.getAttributes().asMap()
        + " "
        + span.getEvents()
        + " "
        + span.getLinks();
  }

  public List<String> printed() {
    return spans.stream().map(Replayed::print).toList();
  }
}
