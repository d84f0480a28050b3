package io.sparkotel.agent.config;

import io.sparkotel.agent.config.AgentConfig.Exporter;
import io.sparkotel.agent.config.AgentConfig.LogLevel;
import io.sparkotel.agent.config.AgentConfig.SqlPlan;
import io.sparkotel.agent.config.AgentConfig.SqlText;
import io.sparkotel.agent.config.AgentConfig.TaskPolicy;
import io.sparkotel.agent.config.OtlpConfig.Protocol;
import io.sparkotel.agent.config.Setting.Scope;
import io.sparkotel.agent.config.Setting.Topic;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.FindingCode;
import java.io.File;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Every setting, declared once. Parsing, checks, unknown keys and the reference page read this. */
public final class Settings {

  /** Written into the SparkConf by the agent for people; never read. */
  public static final String OUTPUT_TRACE_ID = "spark.otel.trace.id";

  /** Written into the SparkConf by the agent for the replay of an event log; never read here. */
  public static final String OUTPUT_RESOURCE = "spark.otel.resource";

  /** What {@link #SERVICE_NAME_REMOVE} is set to where nothing shall be taken off. */
  static final String REMOVE_NOTHING = "none";

  enum SamplerName {
    ALWAYS_ON,
    ALWAYS_OFF,
    TRACEIDRATIO,
    PARENTBASED_ALWAYS_ON,
    PARENTBASED_ALWAYS_OFF,
    PARENTBASED_TRACEIDRATIO
  }

  private static final String V0_1 = "0.1.0";
  private static final long MAX_FLUSH_MILLIS = 600_000;

  private static final String[] DEFAULT_ALLOW_LIST = {
    "spark.default.parallelism",
    "spark.driver.cores",
    "spark.driver.maxResultSize",
    "spark.driver.memory",
    "spark.driver.memoryOverhead",
    "spark.dynamicAllocation.*",
    "spark.executor.cores",
    "spark.executor.instances",
    "spark.executor.memory",
    "spark.executor.memoryOverhead",
    "spark.executor.pyspark.memory",
    "spark.executor.resource.*",
    "spark.kubernetes.namespace",
    "spark.locality.wait",
    "spark.memory.*",
    "spark.scheduler.mode",
    "spark.serializer",
    "spark.shuffle.service.enabled",
    "spark.speculation",
    "spark.sql.adaptive.*",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.shuffle.partitions",
    "spark.submit.deployMode",
    "spark.task.cpus",
    "spark.task.maxFailures",
    "spark.yarn.queue"
  };

  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Boolean> ENABLED =
      add(
          Topic.SWITCH,
          "otel.spark.enabled",
          ValueTypes.BOOLEAN,
          true,
          "true",
          "`false` turns the agent off for this application.");
  public static final Setting<Boolean> SDK_DISABLED =
      add(
          Topic.SWITCH,
          "otel.sdk.disabled",
          ValueTypes.BOOLEAN,
          false,
          "false",
          "OpenTelemetry's own switch: `true` turns the agent off as well.");
  public static final Setting<Pattern> APPLICATIONS_INCLUDE =
      add(
          Topic.SWITCH,
          "otel.spark.applications.include",
          ValueTypes.REGEX,
          null,
          "every application",
          "Traces only applications whose name or user this matches, anywhere in it unless `^` and"
              + " `$` bind it.");
  public static final Setting<Pattern> APPLICATIONS_EXCLUDE =
      add(
          Topic.SWITCH,
          "otel.spark.applications.exclude",
          ValueTypes.REGEX,
          null,
          "none",
          "Leaves out applications whose name or user this matches, also those that"
              + " `otel.spark.applications.include` names.");
  public static final Setting<Double> ROLLOUT_PERCENT =
      add(
          Topic.SWITCH,
          "otel.spark.rollout.percent",
          ValueTypes.number(0.0, 100.0),
          100.0,
          "100",
          "Percentage of the services that are traced, picked by a hash of the service's name:"
              + " every run of a job is in or out, and a higher percentage keeps those that were"
              + " in. Fractions such as `0.5` are legal.");

  public static final Setting<List<Exporter>> EXPORTERS =
      add(
          Topic.EXPORT,
          "otel.traces.exporter",
          ValueTypes.choices("exporter", Exporter.values()),
          Collections.singletonList(Exporter.OTLP),
          "otlp",
          "Where spans go: to a collector (`otlp`), to a file of OTLP JSON lines (`otlp_file`), as"
              + " a readable tree to stderr (`console`), or nowhere (`none`).");
  public static final Setting<Protocol> PROTOCOL =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.protocol",
          ValueTypes.choice("protocol", new String[] {"http/protobuf", "grpc"}, Protocol.values()),
          Protocol.HTTP_PROTOBUF,
          "http/protobuf",
          "Protocol of the collector. OpenTelemetry's Java SDK has `grpc` as its default; this is"
              + " the only default that differs.");
  public static final Setting<Protocol> TRACES_PROTOCOL = add(PROTOCOL.forTraces());
  public static final Setting<URL> ENDPOINT =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.endpoint",
          ValueTypes.ENDPOINT,
          null,
          "http://localhost:4318, for grpc http://localhost:4317",
          "Address of the collector. For `http/protobuf` the path `/v1/traces` is added to it.");
  public static final Setting<URL> TRACES_ENDPOINT =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.traces.endpoint",
          ValueTypes.ENDPOINT,
          null,
          "http://localhost:4318/v1/traces, for grpc http://localhost:4317",
          "As `otel.exporter.otlp.endpoint`, for traces alone, and used as it is: no path is added."
              + " Where both are set this one counts.",
          false,
          Scope.ANY,
          ENDPOINT);
  public static final Setting<Map<String, String>> HEADERS =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.headers",
          ValueTypes.HEADERS,
          Collections.<String, String>emptyMap(),
          "no headers",
          "Headers of every request, such as credentials. As in OpenTelemetry's Java SDK a plus"
              + " sign is a space (write `%2B`). Emptied in the SparkConf before Spark shows or"
              + " logs it; values are never shown. In agent arguments write `;` as `%3B`.",
          true,
          Scope.ANY,
          null);
  public static final Setting<Map<String, String>> TRACES_HEADERS = add(HEADERS.forTraces());
  public static final Setting<File> HEADERS_FILE =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.headers-file",
          ValueTypes.PATH,
          null,
          "none",
          "File with further headers, for credentials that change: it is read again when it changes"
              + " and when the collector answers 401 or 403.");
  public static final Setting<Boolean> COMPRESSION =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.compression",
          ValueTypes.choice(
              "compression",
              new String[] {"gzip", "none"},
              new Boolean[] {Boolean.TRUE, Boolean.FALSE}),
          false,
          "none",
          "Compression of what is sent.");
  public static final Setting<Boolean> TRACES_COMPRESSION = add(COMPRESSION.forTraces());
  public static final Setting<Long> TIMEOUT =
      add(
          Topic.EXPORT,
          "otel.exporter.otlp.timeout",
          ValueTypes.millis(0, Long.MAX_VALUE),
          10_000L,
          "10000",
          "How long one request may take; 0 is no limit.");
  public static final Setting<Long> TRACES_TIMEOUT = add(TIMEOUT.forTraces());
  public static final Setting<File> EXPORT_FILE =
      add(
          Topic.EXPORT,
          "otel.spark.export.file",
          ValueTypes.PATH,
          new File("spark-otel-traces.jsonl"),
          "spark-otel-traces.jsonl",
          "File that the exporter `otlp_file` writes, from the driver's working directory.");

  public static final Setting<byte[]> CERTIFICATE =
      add(
          Topic.TLS,
          "otel.exporter.otlp.certificate",
          ValueTypes.CERTIFICATES,
          null,
          "the JVM's own",
          "Certificates that the collector's is checked against.");
  public static final Setting<byte[]> TRACES_CERTIFICATE = add(CERTIFICATE.forTraces());
  public static final Setting<byte[]> CLIENT_KEY =
      add(
          Topic.TLS,
          "otel.exporter.otlp.client.key",
          ValueTypes.PRIVATE_KEY,
          null,
          "none",
          "Private key of the client certificate; only both together count.");
  public static final Setting<byte[]> TRACES_CLIENT_KEY = add(CLIENT_KEY.forTraces());
  public static final Setting<byte[]> CLIENT_CERTIFICATE =
      add(
          Topic.TLS,
          "otel.exporter.otlp.client.certificate",
          ValueTypes.CERTIFICATES,
          null,
          "none",
          "Certificate chain that the agent shows to the collector.");
  public static final Setting<byte[]> TRACES_CLIENT_CERTIFICATE =
      add(CLIENT_CERTIFICATE.forTraces());

  public static final Setting<SamplerName> SAMPLER =
      add(
          Topic.SAMPLING,
          "otel.traces.sampler",
          ValueTypes.choice("sampler", SamplerName.values()),
          SamplerName.PARENTBASED_ALWAYS_ON,
          "parentbased_always_on",
          "Which applications are traced; decided once for a whole trace.");
  public static final Setting<Double> SAMPLER_ARG =
      add(
          Topic.SAMPLING,
          "otel.traces.sampler.arg",
          ValueTypes.number(0.0, 1.0),
          1.0,
          "1.0",
          "Share of the applications that `traceidratio` and `parentbased_traceidratio` trace.");
  public static final Setting<Caller.Mode> PARENT =
      add(
          Topic.SAMPLING,
          "otel.spark.parent",
          ValueTypes.choice("way to take a parent", Caller.Mode.values()),
          Caller.Mode.CHILD,
          "child",
          "What becomes of a caller's span, that of the application and those of the local property"
              + " `traceparent`: the application or action joins its trace (`child`), keeps its own"
              + " trace with a link to it (`link`), or does neither (`ignore`). Recorded in the"
              + " SparkConf, as the two below are, for the replay of event logs.");
  public static final Setting<String> TRACEPARENT =
      add(
          Topic.SAMPLING,
          "otel.spark.traceparent",
          ValueTypes.TRACEPARENT,
          null,
          "the environment variable TRACEPARENT",
          "Span that the application runs for, such as the span of a workflow's task.");
  public static final Setting<String> TRACESTATE =
      add(
          Topic.SAMPLING,
          "otel.spark.tracestate",
          ValueTypes.TEXT,
          null,
          "with the variable TRACEPARENT the variable TRACESTATE",
          "The W3C tracestate that came with `otel.spark.traceparent`; one that is none counts as"
              + " absent.");

  public static final Setting<String> SERVICE_NAME =
      add(
          Topic.RESOURCE,
          "otel.service.name",
          ValueTypes.TEXT,
          null,
          "the application's name",
          "The service's name. Stronger than a `service.name` in `otel.resource.attributes`.");
  public static final Setting<Map<String, String>> RESOURCE_ATTRIBUTES =
      add(
          Topic.RESOURCE,
          "otel.resource.attributes",
          ValueTypes.RESOURCE_ATTRIBUTES,
          Collections.<String, String>emptyMap(),
          "none",
          "Attributes added to the resource of every span, such as `service.namespace` or"
              + " `deployment.environment.name`.");
  public static final Setting<Pattern> SERVICE_NAME_REMOVE =
      add(
          Topic.RESOURCE,
          "otel.spark.service-name.remove",
          ValueTypes.REGEX,
          null,
          "trailing dates, times, UUIDs and long digit runs",
          "What is taken off the application's name where it serves as the service's name, so that"
              + " not every run becomes a service of its own. `none` takes nothing off. A name of"
              + " which nothing would be left stays whole.");
  public static final Setting<ServiceNameTemplate> SERVICE_NAME_TEMPLATE =
      add(
          Topic.RESOURCE,
          "otel.spark.service-name.template",
          ValueTypes.SERVICE_NAME_TEMPLATE,
          null,
          "none",
          "Makes the service's name of names of the platform, such as"
              + " `{airflow.dag_id}.{airflow.task_id}`. Where a name is not known, the"
              + " application's name serves as without a template; `otel.service.name` is"
              + " stronger.");

  public static final Setting<TaskPolicy> TASKS =
      add(
          Topic.TRACE,
          "otel.spark.tasks",
          ValueTypes.choice("task policy", TaskPolicy.values()),
          TaskPolicy.AUTO,
          "auto",
          "Which tasks become spans: `all`; of a stage of at most 100 tasks all, of a larger one"
              + " the failed, the slowest 20 and the winners of speculation (`auto`); the failed"
              + " (`failed`); `none`. Sums and spreads on stages always count every task.");
  public static final Setting<TraceConfig.Unit> TRACE_UNIT =
      add(
          Topic.TRACE,
          "otel.spark.trace.unit",
          ValueTypes.choice("unit of a trace", TraceConfig.Unit.values()),
          TraceConfig.Unit.AUTO,
          "auto",
          "What has a trace of its own: the `application`; each micro-batch of a streaming query"
              + " (`batch`; the rest is in the application's); besides them each SQL execution with its"
              + " jobs and each job outside SQL (`sql`), or what somebody asked for (`group`): an operation"
              + " of the Thrift or Connect server, what runs in a job group or under the same tags, else"
              + " as `sql`. `auto` is `group` for operations of those servers, in shells and notebooks and"
              + " on all-purpose clusters of Databricks ([servers.md](servers.md)), else `batch`. A"
              + " caller's `traceparent` is stronger. Recorded in the SparkConf, as"
              + " `otel.spark.trace.max-jobs` is, for the replay of event logs.");
  public static final Setting<Long> STREAMING_EVERY =
      add(
          Topic.TRACE,
          "otel.spark.streaming.every",
          ValueTypes.number(1, Integer.MAX_VALUE),
          1L,
          "1",
          "`10` exports every tenth micro-batch of a streaming query, by its id, and besides them each"
              + " that failed, and each whose trigger took longer than any before it, or than twice"
              + " their average. The others are counted on the query's span. Of DStreams about one"
              + " batch in ten is exported, and the application counts the others.");
  public static final Setting<SqlPlan> SQL_PLAN =
      add(
          Topic.TRACE,
          "otel.spark.sql.plan",
          ValueTypes.choice("form of a plan", SqlPlan.values()),
          SqlPlan.FULL,
          "full",
          "The physical plan on SQL spans: with expressions (`full`); names of nodes, tables and"
              + " metrics alone, so without personal data (`shape`); `none`.");
  public static final Setting<List<String>> CONF_ALLOW_LIST =
      add(
          Topic.TRACE,
          "otel.spark.conf.allow-list",
          ValueTypes.KEY_PATTERNS,
          Collections.unmodifiableList(Arrays.asList(DEFAULT_ALLOW_LIST)),
          String.join(", ", DEFAULT_ALLOW_LIST),
          "Keys of the SparkConf that the application span shows as `spark.conf.*`, redacted."
              + " `spark.otel.*` is never shown. A value replaces the default list.");
  public static final Setting<String> HISTORY_URL =
      add(
          Topic.TRACE,
          "otel.spark.history-url",
          ValueTypes.HISTORY_URL,
          null,
          "none",
          "Template of the history server's page of an application, for the attribute"
              + " `spark.history.url`.");
  public static final Setting<Set<FindingCode>> FINDINGS =
      add(
          Topic.TRACE,
          "otel.spark.findings",
          ValueTypes.findingCodes(),
          Collections.unmodifiableSet(EnumSet.allOf(FindingCode.class)),
          "all",
          "What is looked for and said in `spark.findings` ([findings.md](findings.md)).");
  public static final Setting<Map<FindingThreshold, Double>> FINDING_THRESHOLDS =
      add(
          Topic.TRACE,
          "otel.spark.findings.thresholds",
          ValueTypes.findingThresholds(),
          Collections.<FindingThreshold, Double>emptyMap(),
          "those of findings.md",
          "From which numbers on it counts as found, such as `skew.ratio=3,spill.size=10g`; what is"
              + " not named keeps its default.");

  public static final Setting<Long> TRACE_MAX_JOBS =
      add(
          Topic.LIMITS,
          "otel.spark.trace.max-jobs",
          ValueTypes.number(0, Integer.MAX_VALUE),
          500L,
          "500",
          "So many jobs, by their ids, share a trace: an application with more goes on in a next"
              + " trace, linked to the first. SQL executions without a job are counted apart, in the"
              + " same way. 0 is no limit.");
  public static final Setting<Long> TRACE_MAX_SPANS =
      add(
          Topic.LIMITS,
          "otel.spark.trace.max-spans",
          ValueTypes.number(1, Integer.MAX_VALUE),
          2_000L,
          "2000",
          "A trace holds at most this many task spans, unless `otel.spark.tasks` is `all`: tasks"
              + " that failed and winners of speculation may take all of them, the slowest of a"
              + " stage three quarters, any others a half. Those left out are counted.");
  public static final Setting<Long> TRACE_MAX_BYTES =
      add(
          Topic.LIMITS,
          "otel.spark.trace.max-bytes",
          ValueTypes.bytes(1, Long.MAX_VALUE),
          3_000_000L,
          "3000000",
          "The same by the size of a trace.");
  public static final Setting<Long> PLAN_MAX_BYTES =
      add(
          Topic.LIMITS,
          "otel.spark.sql.plan.max-bytes",
          ValueTypes.bytes(1, 1L << 20),
          16_384L,
          "16384",
          "Most bytes of a plan that a SQL span shows.");
  public static final Setting<Long> BUFFER_BYTES =
      add(
          Topic.LIMITS,
          "otel.spark.buffer.max-bytes",
          ValueTypes.bytes(1L << 20, Integer.MAX_VALUE),
          null,
          "64m, at most a sixteenth of the heap",
          "Room for spans that wait to be sent, as large as they are on the wire; in memory they"
              + " take about half as much again. When it is full, task spans are dropped first, and"
              + " counted.");
  public static final Setting<Long> FLUSH_TIMEOUT =
      add(
          Topic.LIMITS,
          "otel.spark.flush-timeout",
          ValueTypes.millis(0, MAX_FLUSH_MILLIS),
          10_000L,
          "10000",
          "How long the end of the application may be delayed to send what is left.");
  public static final Setting<Long> DEAD_FLUSH_TIMEOUT =
      add(
          Topic.LIMITS,
          "otel.spark.flush-timeout.dead",
          ValueTypes.millis(0, MAX_FLUSH_MILLIS),
          2_000L,
          "2000",
          "The same where the collector never answered.");

  public static final Setting<SqlText> SQL_TEXT =
      add(
          Topic.PRIVACY,
          "otel.spark.sql.text",
          ValueTypes.choice("form of SQL text", SqlText.values()),
          SqlText.MASKED,
          "masked",
          "The text of SQL statements: with literals masked, in full, or not at all.");
  public static final Setting<Pattern> REDACTION =
      add(
          Topic.PRIVACY,
          "otel.spark.redaction.regex",
          ValueTypes.REGEX,
          null,
          "none",
          "What is redacted besides `spark.redaction.regex` and the built-in list (passwords,"
              + " tokens, keys, credentials).");

  public static final Setting<LogLevel> LOG_LEVEL =
      add(
          Topic.AGENT,
          "otel.spark.log-level",
          ValueTypes.choice("log level", LogLevel.values()),
          LogLevel.INFO,
          "info",
          "What the agent writes to the driver's stderr. `info` is one line at the start, one at"
              + " the end, and problems.");
  public static final Setting<File> CONFIG_FILE =
      add(
          Topic.AGENT,
          "otel.spark.config-file",
          ValueTypes.PATH,
          null,
          "spark-otel-agent.properties beside the agent's jar",
          "The platform's file, where it is not beside the jar. An agent argument, system property"
              + " or environment variable; ignored where the file beside the jar locks anything.",
          false,
          Scope.LAUNCH,
          null);
  public static final Setting<List<String>> LOCKED =
      add(
          Topic.AGENT,
          "otel.spark.locked",
          ValueTypes.KEYS,
          Collections.<String>emptyList(),
          "none",
          "Keys, comma separated, that only the platform's file can set. In that file alone.",
          false,
          Scope.FILE,
          null);

  /** What a live run writes into the SparkConf, for the ids of a replay depend on it. */
  static final Set<Setting<?>> RECORDED =
      Collections.unmodifiableSet(
          new HashSet<>(
              Arrays.<Setting<?>>asList(
                  PARENT, TRACEPARENT, TRACESTATE, TRACE_UNIT, TRACE_MAX_JOBS)));

  private Settings() {}

  /** Every setting, in the order of the reference page. */
  public static List<Setting<?>> all() {
    return Collections.unmodifiableList(ALL);
  }

  private static <T> Setting<T> add(
      Topic topic, String key, ValueType<T> type, T defaultValue, String defaultText, String doc) {
    return add(topic, key, type, defaultValue, defaultText, doc, false, Scope.ANY, null);
  }

  private static <T> Setting<T> add(
      Topic topic,
      String key,
      ValueType<T> type,
      T defaultValue,
      String defaultText,
      String doc,
      boolean secret,
      Scope scope,
      Setting<T> general) {
    return add(
        new Setting<>(
            topic, key, type, defaultValue, defaultText, V0_1, doc, secret, scope, general));
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
