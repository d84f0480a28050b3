package io.sparkotel.agent.export;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.util.List;

/** Finished spans of one made-up application, told apart by their numbers. */
final class Spans {

  static final SpanIds IDS =
      SpanIds.of("app-1", null, 1_000, "host", "7077", SpanContext.getInvalid());

  private static final TraceIdentity TRACE =
      new TraceIdentity(
          IDS,
          Caller.Mode.CHILD,
          Caller.NONE,
          Resource.empty(),
          InstrumentationScopeInfo.create("io.sparkotel"));

  private Spans() {}

  static FinishedSpan task(int id) {
    return task(id, 0);
  }

  /** A task span with a value of so many characters. */
  static FinishedSpan task(int id, int padding) {
    return span(Entity.TASK, "task " + id, id, padding, StatusData.unset());
  }

  static FinishedSpan stage(int id) {
    return span(Entity.STAGE, "stage " + id, id, 0, StatusData.unset());
  }

  static FinishedSpan application() {
    return span(Entity.APPLICATION, "application", 0, 0, StatusData.unset());
  }

  static FinishedSpan span(Entity entity, String name, int id, int padding, StatusData status) {
    AttributeList attributes =
        AttributeList.builder()
            .put(Names.ENTITY, entity.label())
            .put(Names.SQL_DESCRIPTION, padding == 0 ? null : "x".repeat(padding))
            .build();
    SpanContext parent =
        switch (entity) {
          case APPLICATION -> SpanContext.getInvalid();
          case TASK -> IDS.context(Entity.STAGE, 0, 0);
          default -> IDS.context(Entity.APPLICATION, 0, 0);
        };
    return new FinishedSpan(
        TRACE,
        entity,
        name,
        IDS.context(entity, id, 0),
        parent,
        1_000 + id,
        2_000 + id,
        attributes,
        List.of(),
        List.of(),
        status);
  }
}
