package io.sparkotel.agent.config;

import java.util.Locale;

/** One declared setting: key, type, default, one paragraph of doc, and where it may be set. */
public final class Setting<T> {

  private static final String STANDARD_PREFIX = "otel.";
  private static final String OWN_PREFIX = "otel.spark.";
  private static final String SPARK_PREFIX = "spark.otel.";
  private static final String OTLP_PREFIX = "otel.exporter.otlp.";

  /** Heading of the reference page under which a setting stands. */
  public enum Topic {
    SWITCH("Switching on and off"),
    EXPORT("Export"),
    TLS("TLS"),
    SAMPLING("Sampling and parent"),
    RESOURCE("Service and resource"),
    TRACE("What a trace holds"),
    LIMITS("Bounds"),
    PRIVACY("Privacy"),
    AGENT("The agent and its file");

    private final String heading;

    Topic(String heading) {
      this.heading = heading;
    }

    public String heading() {
      return heading;
    }
  }

  /** Who may give a value. */
  enum Scope {
    ANY,
    /** Not the application's SparkConf: who starts the JVM decides. */
    LAUNCH,
    /** The platform's file alone. */
    FILE
  }

  private final Topic topic;
  private final String key;
  private final ValueType<T> type;
  private final T defaultValue;
  private final String defaultText;
  private final String since;
  private final String doc;
  private final boolean secret;
  private final Scope scope;
  private final Setting<T> general;

  /**
   * @param defaultValue null where nothing is set by default
   * @param defaultText the default in words, as problems and the reference page show it
   * @param general the setting that this one overrides for traces, or null
   */
  Setting(
      Topic topic,
      String key,
      ValueType<T> type,
      T defaultValue,
      String defaultText,
      String since,
      String doc,
      boolean secret,
      Scope scope,
      Setting<T> general) {
    this.topic = topic;
    this.key = key;
    this.type = type;
    this.defaultValue = defaultValue;
    this.defaultText = defaultText;
    this.since = since;
    this.doc = doc;
    this.secret = secret;
    this.scope = scope;
    this.general = general;
  }

  /** The traces-only form of a setting of the OTLP exporter, as OpenTelemetry names it. */
  Setting<T> forTraces() {
    return new Setting<>(
        topic,
        OTLP_PREFIX + "traces." + key.substring(OTLP_PREFIX.length()),
        type,
        defaultValue,
        defaultText,
        since,
        "As `" + key + "`, for traces alone; where both are set this one counts.",
        secret,
        scope,
        this);
  }

  /** The key as a system property, agent argument and in the platform's file. */
  public String key() {
    return key;
  }

  /** The key as an environment variable. */
  public String environmentName() {
    return key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** The key in a SparkConf. */
  public String sparkName() {
    String prefix = key.startsWith(OWN_PREFIX) ? OWN_PREFIX : STANDARD_PREFIX;
    return SPARK_PREFIX + key.substring(prefix.length());
  }

  public Topic topic() {
    return topic;
  }

  public ValueType<T> type() {
    return type;
  }

  /** Null where nothing is set by default. */
  public T defaultValue() {
    return defaultValue;
  }

  public String defaultText() {
    return defaultText;
  }

  /** The version that first had it. */
  public String since() {
    return since;
  }

  /** Markdown, one paragraph. */
  public String doc() {
    return doc;
  }

  /** True where a value must not be shown anywhere. */
  public boolean isSecret() {
    return secret;
  }

  Scope scope() {
    return scope;
  }

  Setting<T> general() {
    return general;
  }

  @Override
  public String toString() {
    return key;
  }
}
