package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.Collections;
import java.util.List;

/** A span whose entity is complete; immutable, and exported as it is. */
public final class FinishedSpan implements SpanData {

  /** The last time that a span can have, epoch milliseconds: in the year 2262. */
  public static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

  private static final int FIXED_BYTES = 96;
  private static final int EVENT_BYTES = 32;
  private static final int LINK_BYTES = 48;

  /** Its size is not at hand; most traces have none. */
  private static final int TRACE_STATE_BYTES = Traceparent.MAX_STATE_CHARS;

  private final TraceIdentity trace;
  private final Entity entity;
  private final String name;
  private final SpanContext context;
  private final SpanContext parent;
  private final long startNanos;
  private final long endNanos;
  private final AttributeList attributes;
  private final List<EventData> events;
  private final List<LinkData> links;
  private final StatusData status;

  /**
   * @param startMillis epoch milliseconds
   * @param endMillis epoch milliseconds; an end before the start is raised to the start
   * @param parent {@link SpanContext#getInvalid()} for a root
   */
  public FinishedSpan(
      TraceIdentity trace,
      Entity entity,
      String name,
      SpanContext context,
      SpanContext parent,
      long startMillis,
      long endMillis,
      AttributeList attributes,
      List<EventData> events,
      List<LinkData> links,
      StatusData status) {
    this.trace = trace;
    this.entity = entity;
    this.name = name;
    this.context = context;
    this.parent = parent;
    this.startNanos = nanos(startMillis);
    this.endNanos = nanos(Math.max(startMillis, endMillis));
    this.attributes = attributes;
    this.events = events.isEmpty() ? Collections.emptyList() : events;
    this.links = links.isEmpty() ? Collections.emptyList() : links;
    this.status = status;
  }

  /**
   * Epoch nanoseconds; a time that they cannot hold, or before 1970, is the nearest that they can.
   */
  public static long nanos(long millis) {
    return clamp(millis) * 1_000_000L;
  }

  /** Epoch milliseconds that a span can have, the nearest to those given. */
  public static long clamp(long millis) {
    return Math.max(0, Math.min(MAX_MILLIS, millis));
  }

  public Entity entity() {
    return entity;
  }

  /** About what the span takes on the wire and in a buffer, in bytes. */
  public int estimatedBytes() {
    int bytes =
        FIXED_BYTES + name.length() + attributes.estimatedBytes() + links.size() * LINK_BYTES;
    for (EventData event : events) {
      Attributes of = event.getAttributes();
      bytes += EVENT_BYTES;
      bytes += of instanceof AttributeList ? ((AttributeList) of).estimatedBytes() : 64 * of.size();
    }
    if (!context.getTraceState().isEmpty()) {
      bytes += TRACE_STATE_BYTES;
    }
    return bytes + status.getDescription().length();
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public SpanKind getKind() {
    return SpanKind.INTERNAL;
  }

  @Override
  public SpanContext getSpanContext() {
    return context;
  }

  @Override
  public SpanContext getParentSpanContext() {
    return parent;
  }

  @Override
  public StatusData getStatus() {
    return status;
  }

  @Override
  public long getStartEpochNanos() {
    return startNanos;
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public List<EventData> getEvents() {
    return events;
  }

  @Override
  public List<LinkData> getLinks() {
    return links;
  }

  @Override
  public long getEndEpochNanos() {
    return endNanos;
  }

  @Override
  public boolean hasEnded() {
    return true;
  }

  @Override
  public int getTotalRecordedEvents() {
    return events.size();
  }

  @Override
  public int getTotalRecordedLinks() {
    return links.size();
  }

  @Override
  public int getTotalAttributeCount() {
    return attributes.size();
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return trace.scope();
  }

  @Override
  @Deprecated
  public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
    throw new UnsupportedOperationException("replaced by getInstrumentationScopeInfo");
  }

  @Override
  public Resource getResource() {
    return trace.resource();
  }
}
