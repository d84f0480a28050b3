package io.sparkotel.it;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A received span. Attribute values are String, Boolean, Long, Double or a List of those. */
public final class SpanNode {

  /** Events of spans are compared by name and attributes. */
  public record Event(String name, long timeUnixNano, Map<String, Object> attributes) {}

  /** The span that is linked to, by hexadecimal id. */
  public record Link(String traceId, String spanId, Map<String, Object> attributes) {}

  /**
   * Start time; of spans that start in one millisecond, marker, SQL, job, stage, task, each by
   * Spark's own id; span ids are hashes and come last.
   */
  static final Comparator<SpanNode> IN_ORDER =
      Comparator.comparingLong(SpanNode::startNanos)
          .thenComparingInt(SpanNode::rank)
          .thenComparingLong(SpanNode::sparkId)
          .thenComparingLong(span -> span.number("spark.stage.attempt"))
          .thenComparing(SpanNode::id);

  private static final List<String> ENTITIES =
      List.of(
          "application",
          "started",
          "continued",
          "query",
          "batch",
          "group",
          "sql",
          "job",
          "stage",
          "task");

  private final Span span;
  private final Map<String, Object> attributes;
  private final Map<String, Object> resource;
  private final InstrumentationScope scope;

  SpanNode(Span span, Resource resource, InstrumentationScope scope) {
    this.span = span;
    this.attributes = map(span.getAttributesList());
    this.resource = map(resource.getAttributesList());
    this.scope = scope;
  }

  /** 32 hexadecimal digits. */
  public String traceId() {
    return hex(span.getTraceId());
  }

  /** 16 hexadecimal digits. */
  public String id() {
    return hex(span.getSpanId());
  }

  /** 16 hexadecimal digits, or empty. */
  public String parentId() {
    return hex(span.getParentSpanId());
  }

  public String name() {
    return span.getName();
  }

  /** The attribute {@code spark.entity}, or empty. */
  public String entity() {
    return attributes.getOrDefault("spark.entity", "").toString();
  }

  public Map<String, Object> attributes() {
    return attributes;
  }

  /** The value, or null. */
  public Object attribute(String key) {
    return attributes.get(key);
  }

  public Map<String, Object> resource() {
    return resource;
  }

  public InstrumentationScope scope() {
    return scope;
  }

  public long startNanos() {
    return span.getStartTimeUnixNano();
  }

  public long endNanos() {
    return span.getEndTimeUnixNano();
  }

  public boolean isError() {
    return span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
  }

  public Status status() {
    return span.getStatus();
  }

  public List<Event> events() {
    return span.getEventsList().stream()
        .map(e -> new Event(e.getName(), e.getTimeUnixNano(), map(e.getAttributesList())))
        .toList();
  }

  public List<Link> links() {
    return span.getLinksList().stream()
        .map(l -> new Link(hex(l.getTraceId()), hex(l.getSpanId()), map(l.getAttributesList())))
        .toList();
  }

  /** As received. */
  public Span proto() {
    return span;
  }

  private int rank() {
    return ENTITIES.indexOf(entity());
  }

  private long sparkId() {
    return switch (entity()) {
      case "sql" -> number("spark.sql.execution.id");
      case "job" -> number("spark.job.id");
      case "stage" -> number("spark.stage.id");
      case "task" -> number("spark.task.id");
      default -> 0;
    };
  }

  private long number(String key) {
    return attributes.get(key) instanceof Long value ? value : 0;
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static Map<String, Object> map(List<KeyValue> entries) {
    Map<String, Object> map = new TreeMap<>();
    for (KeyValue entry : entries) {
      if (map.put(entry.getKey(), value(entry.getValue())) != null) {
        throw new AssertionError("key twice: " + entry.getKey());
      }
    }
    return map;
  }

  private static Object value(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case BOOL_VALUE -> value.getBoolValue();
      case INT_VALUE -> value.getIntValue();
      case DOUBLE_VALUE -> value.getDoubleValue();
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream().map(SpanNode::value).toList();
      default -> throw new AssertionError("no value that a Spark span carries: " + value);
    };
  }

  @Override
  public String toString() {
    return entity() + " \"" + name() + "\"";
  }
}
