package io.sparkotel.agent.export;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Prints a trace as a tree when its application span arrives, which is the last one. Of tasks only
 * the first 10,000 are kept.
 */
final class ConsoleExporter implements SpanExporter {

  private static final int MAX_ROWS = 10_000;

  private final PrintStream out;
  private final List<TraceTree.Row> rows = new ArrayList<>();
  private final TraceTree tree =
      new TraceTree(Charset.defaultCharset().newEncoder().canEncode('█'), false);
  private long left;

  ConsoleExporter(PrintStream out) {
    this.out = out;
  }

  @Override
  public synchronized CompletableResultCode export(Collection<SpanData> spans) {
    for (SpanData span : spans) {
      String entity = span.getAttributes().get(AttributeKey.stringKey(Names.ENTITY.name()));
      if (Entity.STARTED.label().equals(entity)) {
        continue;
      }
      if (rows.size() >= MAX_ROWS && !Entity.APPLICATION.label().equals(entity)) {
        left++;
        continue;
      }
      rows.add(row(span));
      if (Entity.APPLICATION.label().equals(entity)) {
        print();
      }
    }
    return CompletableResultCode.ofSuccess();
  }

  private static TraceTree.Row row(SpanData span) {
    boolean failed = span.getStatus().getStatusCode() == StatusCode.ERROR;
    return new TraceTree.Row(
        span.getSpanId(),
        span.getParentSpanId(),
        span.getName(),
        span.getStartEpochNanos(),
        span.getEndEpochNanos(),
        failed ? span.getStatus().getDescription() : null,
        key -> value(span.getAttributes(), key));
  }

  private static Object value(Attributes attributes, String key) {
    Attribute attribute = Names.find(key);
    return attribute == null ? null : attributes.get(attribute.key());
  }

  private void print() {
    String text = tree.render(rows);
    out.print(left == 0 ? text : text + "and " + left + " spans that were not kept\n");
    out.flush();
    rows.clear();
    left = 0;
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  /** What came without an application span is printed as it is. */
  @Override
  public synchronized CompletableResultCode shutdown() {
    if (!rows.isEmpty()) {
      print();
    }
    return CompletableResultCode.ofSuccess();
  }
}
