package io.sparkotel.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SpanIdsTest {

  private static final SpanContext NONE = SpanContext.getInvalid();

  private static SpanIds ids(String app, String attempt, long start, String host, String port) {
    return SpanIds.of(app, attempt, start, host, port, NONE);
  }

  /** A replay years later has to find the spans of today: these values never change. */
  @Test
  void idsAreFixedForever() {
    SpanIds ids = ids("app-20260101000000-0001", "1", 1_767_225_600_000L, "driver", "7077");
    assertThat(ids.traceId()).isEqualTo("b7045d41ed1cc37c0148eb464beee65a");
    assertThat(ids.context(Entity.APPLICATION, 0, 0).getSpanId()).isEqualTo("3a43e8bf0a755c76");
    assertThat(ids.context(Entity.STAGE, 7, 1).getSpanId()).isEqualTo("6583a374a6456496");
  }

  @Test
  void everyPartOfTheIdentityCounts() {
    Set<String> traceIds = new HashSet<>();
    traceIds.add(ids("a", null, 1, "h", "1").traceId());
    traceIds.add(ids("b", null, 1, "h", "1").traceId());
    traceIds.add(ids("a", "1", 1, "h", "1").traceId());
    traceIds.add(ids("a", null, 2, "h", "1").traceId());
    traceIds.add(ids("a", null, 1, "i", "1").traceId());
    traceIds.add(ids("a", null, 1, "h", "2").traceId());
    traceIds.add(ids("a", null, 1, null, null).traceId());
    assertThat(traceIds).hasSize(7);
  }

  @Test
  void spanIdsOfOneTraceDoNotCollide() {
    SpanIds ids = ids("a", null, 1, "h", "1");
    Set<String> seen = new HashSet<>();
    int made = 0;
    for (Entity entity : Entity.values()) {
      for (int id = 0; id < 20_000; id++) {
        for (int attempt = 0; attempt < 3; attempt++) {
          seen.add(ids.context(entity, id, attempt).getSpanId());
          made++;
        }
      }
    }
    assertThat(seen).hasSize(made);
  }

  @Test
  void twoApplicationsInOneInheritedTraceHaveDifferentSpans() {
    SpanContext parent =
        SpanContext.createFromRemoteParent(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.getDefault());
    SpanIds first = SpanIds.of("a", null, 1, "h", "1", parent);
    SpanIds second = SpanIds.of("b", null, 1, "h", "1", parent);
    assertThat(first.traceId()).isEqualTo(parent.getTraceId()).isEqualTo(second.traceId());
    assertThat(first.context(Entity.JOB, 0, 0).getSpanId())
        .isNotEqualTo(second.context(Entity.JOB, 0, 0).getSpanId());
  }
}
