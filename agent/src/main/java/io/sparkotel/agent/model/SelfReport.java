package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;

/** What the agent says of itself on the application span of a live run. */
public final class SelfReport {
  private final long spansExported;
  private final long spansDropped;
  private final long eventsDropped;
  private final long errors;

  public SelfReport(long spansExported, long spansDropped, long eventsDropped, long errors) {
    this.spansExported = spansExported;
    this.spansDropped = spansDropped;
    this.eventsDropped = eventsDropped;
    this.errors = errors;
  }

  void put(AttributeList.Builder attributes) {
    attributes.put(Names.SPANS_EXPORTED, spansExported);
    attributes.put(Names.SPANS_DROPPED, spansDropped);
    attributes.put(Names.EVENTS_DROPPED, eventsDropped);
    attributes.put(Names.ERRORS, errors);
  }
}
