package io.sparkotel.agent.event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code StreamingQueryListener.QueryProgressEvent}: how one trigger of a streaming query went. */
public final class StreamProgress {

  /** More operators, sources or partitions of a topic than a query has. */
  static final int MAX = 100;

  /** A source of the query; a number that was not told is null. */
  public static final class Source {
    public String description;

    /** As its source writes it, mostly JSON; null where there is none. */
    public String startOffset;

    public String endOffset;

    /** Null before Spark 3.2, and of a source that does not tell. */
    public String latestOffset;

    public long inputRows;

    /** Where it is none, not a number: Spark's logs leave out what it divided by nothing. */
    public double inputRowsPerSecond = Double.NaN;

    /** The same. */
    public double processedRowsPerSecond = Double.NaN;
  }

  /** A stateful operator of the query; a number that was not told is -1. */
  public static final class State {
    /** Null before Spark 3.2. */
    public String operator;

    public long rows = -1;
    public long rowsUpdated = -1;
    public long rowsRemoved = -1;
    public long rowsDroppedByWatermark = -1;
    public long memoryBytes = -1;
    public long commitMillis = -1;
  }

  public String queryId;
  public String runId;

  /** Null where the user gave none. */
  public String name;

  /** The start of the trigger, epoch milliseconds; 0 where it was not told. */
  public long time;

  public long batchId = -1;

  /** Of the phases of the trigger, milliseconds, by Spark's names. */
  public final Map<String, Long> durations = new HashMap<>();

  /** {@code watermark}, {@code max} and others, each an instant as a text. */
  public final Map<String, String> eventTime = new HashMap<>();

  public final List<State> states = new ArrayList<>(0);
  public final List<Source> sources = new ArrayList<>(1);

  /** Null where it was not told. */
  public String sink;

  /** -1 where the sink does not count. */
  public long outputRows = -1;

  /** Whether a batch ran; without one the trigger found nothing to do. */
  public boolean hasRun() {
    return durations.containsKey("addBatch");
  }

  public void add(Source source) {
    if (sources.size() < MAX) {
      sources.add(source);
    }
  }

  public void add(State state) {
    if (states.size() < MAX) {
      states.add(state);
    }
  }
}
