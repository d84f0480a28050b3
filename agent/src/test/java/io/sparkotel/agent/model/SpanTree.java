package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.StreamNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The spans of one application, found by Spark's ids and drawn as a tree. */
final class SpanTree {

  private static final Comparator<FinishedSpan> ORDER =
      Comparator.comparing(FinishedSpan::entity)
          .thenComparingLong(span -> id(span, Names.SQL_EXECUTION_ID))
          .thenComparingLong(span -> id(span, Names.JOB_ID))
          .thenComparingLong(span -> id(span, Names.STAGE_ID))
          .thenComparingLong(span -> id(span, Names.STAGE_ATTEMPT))
          .thenComparingLong(span -> id(span, Names.TASK_ID))
          .thenComparingLong(span -> id(span, Names.TRACE_PART))
          .thenComparingLong(span -> id(span, StreamNames.BATCH_ID))
          .thenComparingLong(FinishedSpan::getStartEpochNanos);

  private final Map<String, FinishedSpan> byId = new HashMap<>();
  private final Map<String, FinishedSpan> byKey = new HashMap<>();
  private final Map<String, List<FinishedSpan>> children = new HashMap<>();
  private final long epoch;

  /**
   * No span may come twice, and no parent may be missing but a caller's. What has another trace
   * than the application is below a caller or a root, and linked to the application.
   */
  SpanTree(List<FinishedSpan> spans, long epoch) {
    this.epoch = epoch;
    for (FinishedSpan span : spans) {
      assertThat(byId.put(span.getSpanId(), span)).as("%s twice", key(span)).isNull();
      assertThat(byKey.put(key(span), span)).as("%s twice", key(span)).isNull();
    }
    for (FinishedSpan span : spans) {
      FinishedSpan parent = byId.get(span.getParentSpanId());
      if (parent != null) {
        assertThat(span.getTraceId()).as(key(span)).isEqualTo(parent.getTraceId());
      } else if (span.entity() != Entity.APPLICATION) {
        SpanContext missing = span.getParentSpanContext();
        assertThat(!missing.isValid() || missing.isRemote()).as("parent of %s", key(span)).isTrue();
        assertThat(span.getLinks())
            .as("links of %s", key(span))
            .extracting(LinkData::getSpanContext)
            .contains(byKey.get("application").getSpanContext());
      }
      children.computeIfAbsent(span.getParentSpanId(), id -> new ArrayList<>()).add(span);
    }
    children.values().forEach(list -> list.sort(ORDER));
  }

  /** Such as {@code job 0}, {@code stage 3.1}, {@code task 17}. */
  FinishedSpan get(String key) {
    assertThat(byKey).containsKey(key);
    return byKey.get(key);
  }

  List<String> keys(Entity entity) {
    return byKey.values().stream()
        .filter(span -> span.entity() == entity)
        .sorted(ORDER)
        .map(SpanTree::key)
        .toList();
  }

  Object value(String key, Attribute attribute) {
    return value(get(key), attribute);
  }

  Object value(String key, String attribute) {
    Map<AttributeKey<?>, Object> all = get(key).getAttributes().asMap();
    return all.entrySet().stream()
        .filter(entry -> entry.getKey().getKey().equals(attribute))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /**
   * One line a span: key, name, start and end in milliseconds after the application's start, then
   * what is not ordinary. Markers of what started are left out, and links to them.
   */
  String draw() {
    StringBuilder out = new StringBuilder();
    draw(get("application"), "", out);
    return out.toString();
  }

  /** As {@link #draw()}, of every trace: that of the application first. */
  String drawAll() {
    StringBuilder out = new StringBuilder(draw());
    for (FinishedSpan root : children.getOrDefault(SpanId.getInvalid(), List.of())) {
      if (root.entity() != Entity.APPLICATION && root.entity() != Entity.STARTED) {
        draw(root, "", out);
      }
    }
    return out.toString();
  }

  /** As {@link #draw()}, of that span and what is below it. */
  String draw(String key) {
    StringBuilder out = new StringBuilder();
    draw(get(key), "", out);
    return out.toString();
  }

  private void draw(FinishedSpan span, String indent, StringBuilder out) {
    out.append(indent).append(key(span));
    if (span.entity() != Entity.APPLICATION && span.entity() != Entity.TASK) {
      out.append(" '").append(span.getName()).append('\'');
    }
    out.append(' ').append(relative(span.getStartEpochNanos()));
    out.append("..").append(relative(span.getEndEpochNanos()));
    Object outcome = value(span, Names.TASK_OUTCOME);
    if (outcome != null) {
      out.append(' ').append(outcome);
    }
    if (value(span, Names.INCOMPLETE) != null) {
      out.append(" incomplete");
    }
    if (span.getStatus().getStatusCode() == StatusCode.ERROR) {
      out.append(" ERROR: ").append(span.getStatus().getDescription());
    }
    String links = links(span);
    if (!links.isEmpty()) {
      out.append(" -> ").append(links);
    }
    out.append('\n');
    for (FinishedSpan child : children.getOrDefault(span.getSpanId(), List.of())) {
      if (child.entity() != Entity.STARTED) {
        draw(child, indent + "  ", out);
      }
    }
  }

  private String links(FinishedSpan span) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .map(to -> byId.containsKey(to.getSpanId()) ? key(byId.get(to.getSpanId())) : "nothing")
        .filter(key -> !key.startsWith(Entity.STARTED.label()))
        .collect(Collectors.joining(", "));
  }

  long relative(long epochNanos) {
    return epochNanos / 1_000_000 - epoch;
  }

  static String key(FinishedSpan span) {
    return switch (span.entity()) {
      case APPLICATION -> "application";
      case STARTED -> value(span, StreamNames.RUN_ID) == null ? "started" : "started " + run(span);
      case SQL -> "sql " + value(span, Names.SQL_EXECUTION_ID);
      case JOB -> "job " + value(span, Names.JOB_ID);
      case STAGE -> "stage " + value(span, Names.STAGE_ID) + "." + value(span, Names.STAGE_ATTEMPT);
      case TASK -> "task " + value(span, Names.TASK_ID);
      case QUERY -> "query " + run(span);
      case BATCH -> batch(span);
      case GROUP -> group(span);
      case CONTINUED ->
          "continued " + value(span, Names.TRACE_PART_OF) + " " + value(span, Names.TRACE_PART);
    };
  }

  /** Of DStreams by its time. */
  private static String batch(FinishedSpan span) {
    long id = id(span, StreamNames.BATCH_ID);
    return value(span, StreamNames.BATCH_TIME) == null
        ? "batch " + run(span) + "/" + id
        : "batch at " + (id - ModelFixture.EPOCH);
  }

  /** The first digits of its id. */
  private static String run(FinishedSpan span) {
    String id = String.valueOf(value(span, StreamNames.RUN_ID));
    return id.substring(0, Math.min(8, id.length()));
  }

  /** One that has no id of its own may come again. */
  private static String group(FinishedSpan span) {
    String key = "group " + value(span, Names.GROUP_ID);
    long start = span.getStartEpochNanos() / 1_000_000 - ModelFixture.EPOCH;
    return value(span, Names.GROUP_STATE) == null ? key + " from " + start : key;
  }

  static Object value(FinishedSpan span, Attribute attribute) {
    return span.getAttributes().get(attribute.key());
  }

  private static long id(FinishedSpan span, Attribute attribute) {
    Object value = value(span, attribute);
    return value == null ? -1 : (Long) value;
  }
}
