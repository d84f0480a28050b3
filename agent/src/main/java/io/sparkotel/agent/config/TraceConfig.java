package io.sparkotel.agent.config;

import java.util.Locale;
import java.util.Map;

/**
 * What has a trace of its own. Ids depend on it, so that a live run records it in the SparkConf and
 * a replay goes by that. Immutable.
 */
public final class TraceConfig {

  /** What has a trace of its own. */
  public enum Unit {
    APPLICATION,
    SQL,
    BATCH,
    GROUP,
    AUTO
  }

  private final Unit unit;
  private final long maxJobs;

  TraceConfig(SettingReader reader) {
    this(reader.read(Settings.TRACE_UNIT), reader.read(Settings.TRACE_MAX_JOBS));
  }

  private TraceConfig(Unit unit, long maxJobs) {
    this.unit = unit;
    this.maxJobs = maxJobs;
  }

  public Unit unit() {
    return unit;
  }

  /** How many jobs share a trace; 0 without a limit. */
  public long maxJobs() {
    return maxJobs;
  }

  /** For {@link #recordedIn}. */
  public void record(Map<String, String> sparkConf) {
    sparkConf.put(Settings.TRACE_UNIT.sparkName(), unit.name().toLowerCase(Locale.ROOT));
    sparkConf.put(Settings.TRACE_MAX_JOBS.sparkName(), Long.toString(maxJobs));
  }

  /** That of the run that the SparkConf is of; where it tells nothing legal, this one. */
  public TraceConfig recordedIn(Map<String, String> sparkConf) {
    return new TraceConfig(
        recorded(sparkConf, Settings.TRACE_UNIT, unit),
        recorded(sparkConf, Settings.TRACE_MAX_JOBS, maxJobs));
  }

  private static <T> T recorded(Map<String, String> sparkConf, Setting<T> setting, T otherwise) {
    String text = sparkConf.get(setting.sparkName());
    T value = text == null ? null : setting.type().parse(text, new StringBuilder());
    return value == null ? otherwise : value;
  }
}
