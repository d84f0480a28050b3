package io.sparkotel.agent.config;

import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.sparkotel.agent.config.Settings.SamplerName;
import java.io.File;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Everything that can be set, read once for one SparkContext. Immutable. */
public final class AgentConfig {

  /** Where spans go. */
  public enum Exporter {
    OTLP,
    OTLP_FILE,
    CONSOLE,
    NONE
  }

  /** Which tasks become spans. */
  public enum TaskPolicy {
    ALL,
    AUTO,
    FAILED,
    NONE
  }

  /** How much of a SQL text is shown. */
  public enum SqlText {
    MASKED,
    FULL,
    NONE
  }

  /** How much of a physical plan is shown. */
  public enum SqlPlan {
    FULL,
    SHAPE,
    NONE
  }

  /** What the agent writes to the driver's stderr. */
  public enum LogLevel {
    NONE,
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  private static final long MAX_DEFAULT_BUFFER_BYTES = 64L << 20;
  private static final String SERVICE_NAME = "service.name";
  private static final String SERVICE_NAMESPACE = "service.namespace";

  private final boolean enabled;
  private final Rollout rollout;
  private final List<Exporter> exporters;
  private final OtlpConfig otlp;
  private final File file;
  private final long bufferBytes;
  private final long flushTimeoutMillis;
  private final long deadFlushTimeoutMillis;
  private final Sampler sampler;
  private final ServiceName serviceName;
  private final String serviceNamespace;
  private final Map<String, String> resourceAttributes;
  private final TaskPolicy tasks;
  private final TraceConfig trace;
  private final int streamingEvery;
  private final int traceMaxSpans;
  private final long traceMaxBytes;
  private final SqlText sqlText;
  private final SqlPlan sqlPlan;
  private final int planMaxBytes;
  private final List<String> confAllowList;
  private final Pattern redactionPattern;
  private final String historyUrl;
  private final FindingsConfig findings;
  private final ParentConfig parent;
  private final Map<String, String> platform;
  private final LogLevel logLevel;
  private final List<String> problems;
  private final Set<String> sparkKeysToRemove;

  private AgentConfig(SettingReader reader, ConfigSources sources, ConfigProblems problems) {
    // One after the other, so that both switches' mistakes are seen.
    boolean on = reader.read(Settings.ENABLED);
    boolean off = reader.read(Settings.SDK_DISABLED);
    enabled = on && !off;
    rollout = new Rollout(reader);
    exporters = reader.read(Settings.EXPORTERS);
    otlp = OtlpConfig.read(reader);
    file = reader.read(Settings.EXPORT_FILE);
    Long buffer = reader.read(Settings.BUFFER_BYTES);
    bufferBytes = buffer == null ? defaultBufferBytes() : buffer;
    flushTimeoutMillis = reader.read(Settings.FLUSH_TIMEOUT);
    deadFlushTimeoutMillis = reader.read(Settings.DEAD_FLUSH_TIMEOUT);
    sampler = readSampler(reader);
    Map<String, String> attributes = new LinkedHashMap<>(reader.read(Settings.RESOURCE_ATTRIBUTES));
    String attributeName = attributes.remove(SERVICE_NAME);
    String name = reader.read(Settings.SERVICE_NAME);
    serviceName = new ServiceName(reader, name == null ? attributeName : name);
    serviceNamespace = attributes.remove(SERVICE_NAMESPACE);
    resourceAttributes = Collections.unmodifiableMap(attributes);
    tasks = reader.read(Settings.TASKS);
    trace = new TraceConfig(reader);
    streamingEvery = reader.read(Settings.STREAMING_EVERY).intValue();
    traceMaxSpans = reader.read(Settings.TRACE_MAX_SPANS).intValue();
    traceMaxBytes = reader.read(Settings.TRACE_MAX_BYTES);
    sqlText = reader.read(Settings.SQL_TEXT);
    sqlPlan = reader.read(Settings.SQL_PLAN);
    planMaxBytes = reader.read(Settings.PLAN_MAX_BYTES).intValue();
    confAllowList = reader.read(Settings.CONF_ALLOW_LIST);
    redactionPattern = reader.read(Settings.REDACTION);
    historyUrl = reader.read(Settings.HISTORY_URL);
    findings = new FindingsConfig(reader);
    parent = new ParentConfig(reader, sources, problems);
    platform = PlatformIdentity.of(sources.sparkConf(), sources.environment());
    sources.reportAttributes(problems);
    logLevel = reader.read(Settings.LOG_LEVEL);
    // For the complaint where a source that may not gives one; the file itself is read by now.
    reader.read(Settings.CONFIG_FILE);
    reader.read(Settings.LOCKED);
    sparkKeysToRemove = sources.sparkKeysToRemove();
    this.problems = problems.lines();
  }

  /** Reads everything; whatever is wrong is in {@link #problems()}, and nothing is thrown. */
  public static AgentConfig load(ConfigSources sources) {
    ConfigProblems problems = new ConfigProblems();
    return new AgentConfig(new SettingReader(sources, problems), sources, problems);
  }

  private static long defaultBufferBytes() {
    return Math.min(MAX_DEFAULT_BUFFER_BYTES, Runtime.getRuntime().maxMemory() / 16);
  }

  private static Sampler readSampler(SettingReader reader) {
    SamplerName name = reader.read(Settings.SAMPLER);
    switch (name) {
      case ALWAYS_ON:
        return Sampler.alwaysOn();
      case ALWAYS_OFF:
        return Sampler.alwaysOff();
      case TRACEIDRATIO:
        return Sampler.traceIdRatioBased(reader.read(Settings.SAMPLER_ARG));
      case PARENTBASED_ALWAYS_OFF:
        return Sampler.parentBased(Sampler.alwaysOff());
      case PARENTBASED_TRACEIDRATIO:
        return Sampler.parentBased(Sampler.traceIdRatioBased(reader.read(Settings.SAMPLER_ARG)));
      default:
        return Sampler.parentBased(Sampler.alwaysOn());
    }
  }

  /** False where the agent shall do nothing at all. */
  public boolean enabled() {
    return enabled;
  }

  public Rollout rollout() {
    return rollout;
  }

  /** Where spans go; {@link Exporter#NONE} among them stands for nowhere. */
  public List<Exporter> exporters() {
    return exporters;
  }

  public OtlpConfig otlp() {
    return otlp;
  }

  /** What {@link Exporter#OTLP_FILE} writes. */
  public File file() {
    return file;
  }

  /** Bytes of spans that may wait to be sent. */
  public long bufferBytes() {
    return bufferBytes;
  }

  /** How long the end may be delayed where the collector answers. */
  public long flushTimeoutMillis() {
    return flushTimeoutMillis;
  }

  /** How long the end may be delayed where the collector never answered. */
  public long deadFlushTimeoutMillis() {
    return deadFlushTimeoutMillis;
  }

  public Sampler sampler() {
    return sampler;
  }

  /** The service's name where OpenTelemetry's settings give one, else null. */
  public String serviceName() {
    return serviceName.given();
  }

  /** {@code service.namespace} of the resource attributes, or null. */
  public String serviceNamespace() {
    return serviceNamespace;
  }

  /**
   * What is taken off an application's name; for {@link #serviceNameOf}, which keeps a name from
   * becoming empty.
   */
  public Pattern serviceNameRemove() {
    return serviceName.remove();
  }

  /** {@link #serviceNameOf(String, Map)} on the platform of this driver. */
  public String serviceNameOf(String applicationName) {
    return serviceName.of(applicationName, platform);
  }

  /**
   * The service's name of an application: the configured one, else that of the template, else the
   * application's less what {@link #serviceNameRemove()} matches; never empty where the
   * application's name is not.
   *
   * @param platform as {@link PlatformIdentity} finds it
   */
  public String serviceNameOf(String applicationName, Map<String, String> platform) {
    return serviceName.of(applicationName, platform);
  }

  /** The run of a platform that this driver is, as {@link PlatformIdentity} finds it. */
  public Map<String, String> platform() {
    return platform;
  }

  /**
   * Without {@code service.name} and {@code service.namespace}, which have methods of their own.
   */
  public Map<String, String> resourceAttributes() {
    return resourceAttributes;
  }

  public TaskPolicy tasks() {
    return tasks;
  }

  public TraceConfig trace() {
    return trace;
  }

  /** Which micro-batches are exported: those whose ids it divides. */
  public int streamingEvery() {
    return streamingEvery;
  }

  public int traceMaxSpans() {
    return traceMaxSpans;
  }

  public long traceMaxBytes() {
    return traceMaxBytes;
  }

  public SqlText sqlText() {
    return sqlText;
  }

  public SqlPlan sqlPlan() {
    return sqlPlan;
  }

  public int planMaxBytes() {
    return planMaxBytes;
  }

  /** Keys of the SparkConf to show; one that ends in {@code *} stands for all that start so. */
  public List<String> confAllowList() {
    return confAllowList;
  }

  /** Whether the allow-list names that key of the SparkConf; never one of {@code spark.otel.*}. */
  public boolean allowsConf(String sparkKey) {
    if (sparkKey.startsWith("spark.otel.")) {
      return false;
    }
    for (String allowed : confAllowList) {
      int end = allowed.length() - 1;
      if (allowed.charAt(end) == '*'
          ? sparkKey.startsWith(allowed.substring(0, end))
          : sparkKey.equals(allowed)) {
        return true;
      }
    }
    return false;
  }

  /** What is redacted besides Spark's own expression and the built-in list, or null. */
  public Pattern redactionPattern() {
    return redactionPattern;
  }

  /** With {@code {app_id}} and perhaps {@code {attempt}}, or null. */
  public String historyUrl() {
    return historyUrl;
  }

  public FindingsConfig findings() {
    return findings;
  }

  public ParentConfig parent() {
    return parent;
  }

  public LogLevel logLevel() {
    return logLevel;
  }

  /** Every mistake in one line: key, value, reason, legal values, what is used. No secrets. */
  public List<String> problems() {
    return problems;
  }

  /** Keys of the SparkConf that hold secrets and must be taken out of it. */
  public Set<String> sparkKeysToRemove() {
    return sparkKeysToRemove;
  }
}
