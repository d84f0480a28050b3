package io.sparkotel.agent.replay;

import io.sparkotel.agent.event.EventLogParser;
import io.sparkotel.agent.event.EventLogReader;
import io.sparkotel.agent.model.ApplicationTotals;
import io.sparkotel.agent.model.TraceModel;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What became of one event log. */
public final class ReplaySummary implements Serializable {
  private static final long serialVersionUID = 1;

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

  /** Read whole, and there is no event in it. */
  public final boolean isNoEventLog;

  /**
   * @param broken what broke the reading off, or null
   */
  ReplaySummary(
      String log,
      String broken,
      TraceModel model,
      EventLogReader reader,
      EventLogParser parser,
      long spans) {
    this.log = log;
    this.applicationId = model.applicationId();
    this.totals = model.totals();
    this.events = reader.events();
    this.bytes = reader.bytes();
    this.badLines = reader.badLines();
    this.unknownEvents = parser.unknownEvents();
    this.anomalies = model.anomalies();
    this.spans = spans;
    this.isNoEventLog = broken == null && events == 0;
    this.problem = problem(broken, reader.firstProblem());
  }

  private String problem(String broken, String firstProblem) {
    if (isNoEventLog) {
      return bytes == 0 ? "empty" : "not an event log";
    }
    List<String> problems = new ArrayList<>();
    if (broken != null) {
      problems.add(broken);
    }
    if (events > 0 && applicationId == null) {
      problems.add("no SparkListenerApplicationStart in it, so nothing can be shown");
    }
    if (badLines > 0) {
      problems.add(
          (badLines == 1 ? "a bad line: " : badLines + " bad lines, the first: ") + firstProblem);
    }
    return problems.isEmpty() ? null : String.join("; ", problems);
  }
}
