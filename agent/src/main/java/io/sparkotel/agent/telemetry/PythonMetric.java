package io.sparkotel.agent.telemetry;

import java.util.EnumSet;

/** What Spark measures of Python workers, for each node of a plan that runs Python. */
public enum PythonMetric {
  ROWS("rows", "1", "number of output rows", "Rows that came out of Python"),
  DATA_SENT("data_sent_bytes", "By", "data sent to Python workers", "Data sent to Python workers"),
  DATA_RECEIVED(
      "data_received_bytes",
      "By",
      "data returned from Python workers",
      "Data that Python workers sent back"),
  START_TIME(
      "start_time_ms",
      "ms",
      "time to start Python workers",
      "Time until Python workers were there, Spark 4.0 and later"),
  INIT_TIME(
      "init_time_ms",
      "ms",
      "time to initialize Python workers",
      "Time in which Python workers made ready, Spark 4.0 and later"),
  RUN_TIME(
      "run_time_ms",
      "ms",
      "time to run Python workers",
      "Time from the request for a worker to the end of its work, with start and waits for data, Spark 4.0 and later"),
  CODE_TIME(
      "code_time_ms",
      "ms",
      "time to execute Python code",
      "Time in the user's own code, Spark 4.2 and later");

  private final String key;
  private final String unit;
  private final String source;
  private final String doc;

  @SuppressWarnings("ImmutableEnumChecker") // Written once, while Names is initialised.
  private Attribute attribute;

  PythonMetric(String key, String unit, String source, String doc) {
    this.key = "spark.python." + key;
    this.unit = unit;
    this.source = source;
    this.doc = doc;
  }

  /** The name that a node of a plan has for it. */
  public String source() {
    return source;
  }

  /** The sum over a plan. */
  public Attribute attribute() {
    return attribute;
  }

  void declare() {
    attribute =
        Names.integer(
            key,
            unit,
            Attribute.Cardinality.HIGH,
            EnumSet.of(Entity.SQL),
            doc + ": sum over the plan's nodes that run Python");
  }
}
