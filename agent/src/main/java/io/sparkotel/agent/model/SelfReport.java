package io.sparkotel.agent.model;

/** What the agent says of itself on the application span. */
public final class SelfReport {
  public final long spansExported;
  public final long spansDropped;
  public final long eventsDropped;
  public final long errors;

  public SelfReport(long spansExported, long spansDropped, long eventsDropped, long errors) {
    this.spansExported = spansExported;
    this.spansDropped = spansDropped;
    this.eventsDropped = eventsDropped;
    this.errors = errors;
  }
}
