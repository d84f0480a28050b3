package io.sparkotel.agent.replay;

import io.sparkotel.agent.event.EventLogParser;
import io.sparkotel.agent.event.EventLogReader;
import io.sparkotel.agent.model.ApplicationTotals;
import io.sparkotel.agent.model.TraceModel;
import java.util.Map;

/** What became of one event log. */
public final class ReplaySummary {
  public final String log;

  /** What was wrong with it, or null. */
  public final String problem;

  /** Null where the log tells of no application. */
  public final String applicationId;

  public final ApplicationTotals totals;
  public final long events;

  /** Uncompressed. */
  public final long bytes;

  public final long badLines;

  /** How often each event that is not read was seen. */
  public final Map<String, Long> unknownEvents;

  /** Events that did not fit what came before. */
  public final long anomalies;

  public final long spans;

  ReplaySummary(
      String log,
      String problem,
      TraceModel model,
      EventLogReader reader,
      EventLogParser parser,
      long spans) {
    this.log = log;
    this.problem = problem;
    this.applicationId = model.applicationId();
    this.totals = model.totals();
    this.events = reader.events();
    this.bytes = reader.bytes();
    this.badLines = reader.badLines();
    this.unknownEvents = parser.unknownEvents();
    this.anomalies = model.anomalies();
    this.spans = spans;
  }
}
