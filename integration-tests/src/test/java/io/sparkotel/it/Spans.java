package io.sparkotel.it;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.ByteBuffer;
import java.util.List;

/** Hand-made spans, for the tests of the harness. */
final class Spans {

  private Spans() {}

  /** From start to start + 10 ms; a parent of 0 makes a root. */
  static Span.Builder span(long id, long parent, String entity, String name, long startMillis) {
    Span.Builder span =
        Span.newBuilder()
            .setTraceId(
                ByteString.copyFrom(new byte[15]).concat(ByteString.copyFrom(new byte[] {7})))
            .setSpanId(id(id))
            .setName(name)
            .setStartTimeUnixNano(startMillis * 1_000_000)
            .setEndTimeUnixNano((startMillis + 10) * 1_000_000)
            .addAttributes(text("spark.entity", entity));
    return parent == 0 ? span : span.setParentSpanId(id(parent));
  }

  static ByteString id(long id) {
    return ByteString.copyFrom(ByteBuffer.allocate(8).putLong(id).array());
  }

  static KeyValue text(String key, String value) {
    return KeyValue.newBuilder()
        .setKey(key)
        .setValue(AnyValue.newBuilder().setStringValue(value))
        .build();
  }

  static KeyValue number(String key, long value) {
    return KeyValue.newBuilder()
        .setKey(key)
        .setValue(AnyValue.newBuilder().setIntValue(value))
        .build();
  }

  static ExportTraceServiceRequest request(List<Span> spans) {
    return ExportTraceServiceRequest.newBuilder()
        .addResourceSpans(
            ResourceSpans.newBuilder().addScopeSpans(ScopeSpans.newBuilder().addAllSpans(spans)))
        .build();
  }

  static Trace trace(List<Span> spans) {
    ResourceSpans of = request(spans).getResourceSpans(0);
    return new Trace(
        spans.stream()
            .map(span -> new SpanNode(span, of.getResource(), of.getScopeSpans(0).getScope()))
            .toList());
  }
}
