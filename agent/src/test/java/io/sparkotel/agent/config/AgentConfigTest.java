package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.sparkotel.agent.config.AgentConfig.Exporter;
import io.sparkotel.agent.config.AgentConfig.LogLevel;
import io.sparkotel.agent.config.AgentConfig.SqlPlan;
import io.sparkotel.agent.config.AgentConfig.SqlText;
import io.sparkotel.agent.config.AgentConfig.TaskPolicy;
import io.sparkotel.agent.config.OtlpConfig.Protocol;
import io.sparkotel.agent.telemetry.Caller;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentConfigTest {

  private static final String TRACEPARENT =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String OTHER_PARENT =
      "00-11111111111111111111111111111111-2222222222222222-00";

  @TempDir Path dir;

  @Test
  void nothingSetIsTheDocumentedDefaults() {
    AgentConfig config = ConfigFixture.empty().load();
    assertThat(config.problems()).isEmpty();
    assertThat(config.sparkKeysToRemove()).isEmpty();
    assertThat(config.enabled()).isTrue();
    assertThat(config.exporters()).containsExactly(Exporter.OTLP);
    assertThat(config.otlp().protocol()).isEqualTo(Protocol.HTTP_PROTOBUF);
    assertThat(config.otlp().endpoint()).isEqualTo("http://localhost:4318/v1/traces");
    assertThat(config.otlp().headers()).isEmpty();
    assertThat(config.otlp().headersFile()).isNull();
    assertThat(config.otlp().gzip()).isFalse();
    assertThat(config.otlp().timeoutMillis()).isEqualTo(10_000);
    assertThat(config.file()).isEqualTo(new File("spark-otel-traces.jsonl"));
    assertThat(config.bufferBytes())
        .isPositive()
        .isLessThanOrEqualTo(64L << 20)
        .isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 16);
    assertThat(config.flushTimeoutMillis()).isEqualTo(10_000);
    assertThat(config.deadFlushTimeoutMillis()).isEqualTo(2_000);
    assertThat(config.sampler()).isEqualTo(Sampler.parentBased(Sampler.alwaysOn()));
    assertThat(config.serviceName()).isNull();
    assertThat(config.serviceNamespace()).isNull();
    assertThat(config.resourceAttributes()).isEmpty();
    assertThat(config.tasks()).isEqualTo(TaskPolicy.AUTO);
    assertThat(config.trace().unit()).isEqualTo(TraceConfig.Unit.AUTO);
    assertThat(config.trace().maxJobs()).isEqualTo(500);
    assertThat(config.streamingEvery()).isEqualTo(1);
    assertThat(config.traceMaxSpans()).isEqualTo(2_000);
    assertThat(config.traceMaxBytes()).isEqualTo(3_000_000);
    assertThat(config.sqlText()).isEqualTo(SqlText.MASKED);
    assertThat(config.sqlPlan()).isEqualTo(SqlPlan.FULL);
    assertThat(config.planMaxBytes()).isEqualTo(16_384);
    assertThat(config.redactionPattern()).isNull();
    assertThat(config.historyUrl()).isNull();
    assertThat(config.parent().mode()).isEqualTo(Caller.Mode.CHILD);
    assertThat(config.parent().traceparent()).isNull();
    assertThat(config.logLevel()).isEqualTo(LogLevel.INFO);
  }

  /** As a checkpoint of DStreams brings it back: with what the agent wrote in the run before. */
  @Test
  void aSparkConfOfAnEarlierRunSaysNothingOfThisOne() {
    ConfigFixture restored =
        ConfigFixture.empty()
            .spark("spark.otel.trace.id", "0af7651916cd43dd8448eb211c80319c")
            .spark("spark.otel.parent", "link")
            .spark("spark.otel.traceparent", TRACEPARENT)
            .spark("spark.otel.trace.unit", "sql")
            .spark("spark.otel.trace.max-jobs", "7")
            .spark("spark.otel.tasks", "all")
            .spark("spark.otel.exporter.otlp.headers", "")
            .env("OTEL_SPARK_TRACE_UNIT", "application");
    AgentConfig config = restored.load();
    assertThat(config.parent().mode()).isEqualTo(Caller.Mode.CHILD);
    assertThat(config.parent().traceparent()).isNull();
    assertThat(config.trace().unit()).isEqualTo(TraceConfig.Unit.APPLICATION);
    assertThat(config.trace().maxJobs()).isEqualTo(500);
    assertThat(config.tasks()).isEqualTo(TaskPolicy.ALL);

    restored
        .property("spark.otel.trace.unit", "batch")
        .property("spark.otel.tasks", "none")
        .property("spark.otel.exporter.otlp.headers", "key=value");
    AgentConfig given = restored.load();
    assertThat(given.trace().unit()).isEqualTo(TraceConfig.Unit.BATCH);
    assertThat(given.tasks()).isEqualTo(TaskPolicy.NONE);
    assertThat(given.otlp().headers()).containsEntry("key", "value");
  }

  @Test
  void everySettingReachesItsAccessor() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.traces.exporter", "OTLP_FILE")
            .spark("spark.otel.export.file", "/tmp/out.jsonl")
            .spark("spark.otel.exporter.otlp.headers-file", dir.toString())
            .spark("spark.otel.buffer.max-bytes", "8m")
            .spark("spark.otel.flush-timeout", "3s")
            .spark("spark.otel.flush-timeout.dead", "0")
            .spark("spark.otel.tasks", "failed")
            .spark("spark.otel.trace.unit", "sql")
            .spark("spark.otel.trace.max-jobs", "0")
            .spark("spark.otel.streaming.every", "10")
            .spark("spark.otel.trace.max-spans", "7")
            .spark("spark.otel.trace.max-bytes", "5k")
            .spark("spark.otel.sql.text", "none")
            .spark("spark.otel.sql.plan", "shape")
            .spark("spark.otel.sql.plan.max-bytes", "9")
            .spark("spark.otel.redaction.regex", "iban")
            .spark("spark.otel.history-url", "https://h/history/{app_id}/{attempt}")
            .spark("spark.otel.parent", "link")
            .spark("spark.otel.traceparent", TRACEPARENT)
            .spark("spark.otel.tracestate", "a=b")
            .spark("spark.otel.log-level", "debug")
            .load();
    assertThat(config.exporters()).containsExactly(Exporter.OTLP_FILE);
    assertThat(config.file()).isEqualTo(new File("/tmp/out.jsonl"));
    assertThat(config.otlp().headersFile()).isEqualTo(dir.toFile());
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains("headers-file=" + dir, "cannot be read now");
    assertThat(config.bufferBytes()).isEqualTo(8L << 20);
    assertThat(config.flushTimeoutMillis()).isEqualTo(3_000);
    assertThat(config.deadFlushTimeoutMillis()).isZero();
    assertThat(config.tasks()).isEqualTo(TaskPolicy.FAILED);
    assertThat(config.trace().unit()).isEqualTo(TraceConfig.Unit.SQL);
    assertThat(config.trace().maxJobs()).isZero();
    assertThat(config.streamingEvery()).isEqualTo(10);
    assertThat(config.traceMaxSpans()).isEqualTo(7);
    assertThat(config.traceMaxBytes()).isEqualTo(5_120);
    assertThat(config.sqlText()).isEqualTo(SqlText.NONE);
    assertThat(config.sqlPlan()).isEqualTo(SqlPlan.SHAPE);
    assertThat(config.planMaxBytes()).isEqualTo(9);
    assertThat(config.redactionPattern().pattern()).isEqualTo("iban");
    assertThat(config.historyUrl()).isEqualTo("https://h/history/{app_id}/{attempt}");
    assertThat(config.parent().mode()).isEqualTo(Caller.Mode.LINK);
    assertThat(config.parent().traceparent()).isEqualTo(TRACEPARENT);
    assertThat(config.parent().tracestate()).isEqualTo("a=b");
    assertThat(config.logLevel()).isEqualTo(LogLevel.DEBUG);
  }

  @Test
  void theStrongestSourceWins() throws IOException {
    ConfigFixture fixture = ConfigFixture.empty().jar(platformFile("otel.service.name=file"));
    assertThat(fixture.load().serviceName()).isEqualTo("file");
    fixture.env("OTEL_SERVICE_NAME", "environment");
    assertThat(fixture.load().serviceName()).isEqualTo("environment");
    fixture.property("otel.service.name", "property");
    assertThat(fixture.load().serviceName()).isEqualTo("property");
    fixture.args("otel.service.name = a=b ; otel.spark.tasks=all;");
    assertThat(fixture.load().serviceName()).isEqualTo("a=b");
    assertThat(fixture.load().tasks()).isEqualTo(TaskPolicy.ALL);
    fixture.spark("spark.otel.service.name", "spark");
    assertThat(fixture.load().serviceName()).isEqualTo("spark");
    fixture.spark("spark.otel.service.name", " ");
    assertThat(fixture.load().serviceName()).isEqualTo("a=b");
    assertThat(fixture.load().problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "spark.otel.enabled, , ",
    ", OTEL_SPARK_ENABLED, ",
    ", , otel.spark.enabled",
  })
  void theSwitchTurnsTheAgentOff(String spark, String env, String property) {
    ConfigFixture fixture = ConfigFixture.empty();
    if (spark != null) {
      fixture.spark(spark, "false");
    }
    if (env != null) {
      fixture.env(env, "False");
    }
    if (property != null) {
      fixture.property(property, "false");
    }
    assertThat(fixture.load().enabled()).isFalse();
    assertThat(fixture.load().problems()).isEmpty();
  }

  @Test
  void aMistakeIsOneLineWithTheLegalValuesAndTheDefault() {
    AgentConfig config = ConfigFixture.empty().env("OTEL_EXPORTER_OTLP_PROTOCOL", "foo").load();
    assertThat(config.problems())
        .containsExactly(
            "otel.exporter.otlp.protocol=foo (environment OTEL_EXPORTER_OTLP_PROTOCOL): unknown"
                + " protocol; legal values: http/protobuf, grpc; using http/protobuf");
  }

  @Test
  void aMistakeFallsBackToTheNextSource() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.tasks", "some")
            .env("OTEL_SPARK_TASKS", "none")
            .load();
    assertThat(config.tasks()).isEqualTo(TaskPolicy.NONE);
    assertThat(config.problems())
        .containsExactly(
            "otel.spark.tasks=some (SparkConf spark.otel.tasks): unknown task policy; legal values:"
                + " all, auto, failed, none; using none (environment OTEL_SPARK_TASKS)");
  }

  @Test
  void allMistakesAreReportedAtOnce() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.enabled", "yes")
            .spark("spark.otel.trace.max-spans", "-3")
            .spark("spark.otel.trace.max-bytes", "99999999999g")
            .spark("spark.otel.buffer.max-bytes", "lots")
            .spark("spark.otel.flush-timeout", "1 fortnight")
            .spark("spark.otel.redaction.regex", "(")
            .spark("spark.otel.service-name.remove", "(".repeat(100_000))
            .spark("spark.otel.history-url", "https://h/{application}")
            .spark("spark.otel.parent", "sibling")
            .spark("spark.otel.traceparent", "00-0-0-0")
            .spark("spark.otel.service-name.template", "{airflow.dag}")
            .spark("spark.otel.conf.allow-list", "spark.*.memory")
            .spark("spark.otel.exporter.otlp.endpoint", "collector:4318")
            .load();
    assertThat(config.problems())
        .hasSize(13)
        .allSatisfy(line -> assertThat(line).hasLineCount(1).contains("; using "))
        .anyMatch(line -> line.startsWith("otel.spark.enabled=yes") && line.endsWith("using true"))
        .anyMatch(line -> line.contains("max-spans=-3") && line.contains("negative"))
        .anyMatch(line -> line.contains("99999999999g") && line.contains("out of range"))
        .anyMatch(line -> line.contains("=lots") && line.contains("not a whole number"))
        .anyMatch(line -> line.contains("fortnight") && line.contains("unknown unit"))
        .anyMatch(line -> line.contains("parent=sibling") && line.contains("child, link, ignore"))
        .anyMatch(line -> line.contains("{airflow.dag}") && line.contains("{airflow.dag_id}"))
        .anyMatch(line -> line.contains("collector:4318") && line.contains("no scheme"));
    assertThat(config.enabled()).isTrue();
    assertThat(config.traceMaxSpans()).isEqualTo(2_000);
    assertThat(config.parent().mode()).isEqualTo(Caller.Mode.CHILD);
    assertThat(config.parent().traceparent()).isNull();
    assertThat(config.allowsConf("spark.executor.memory")).isTrue();
  }

  @Test
  void unknownKeysAreNamedWithTheNearestOne() throws IOException {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.taks", "x")
            .spark("spark.executor.memory", "1g")
            .args("tasks=all;otel.exporter.otlp.endpont=x;oops")
            .property("otel.spark.sql.txt", "x")
            .property("otel.metrics.exporter", "none")
            .env("OTEL_SPARK_ENABLE", "x")
            .env("OTEL_METRICS_EXPORTER", "none")
            .jar(platformFile("spark.otel.log-level=debug"))
            .load();
    String file = dir.resolve(ConfigSources.FILE_NAME).toString();
    assertThat(config.problems())
        .containsExactlyInAnyOrder(
            "spark.otel.taks (SparkConf): unknown key, it is ignored; nearest known key:"
                + " spark.otel.tasks",
            "tasks (agent argument): unknown key, it is ignored; nearest known key:"
                + " otel.spark.tasks",
            "otel.exporter.otlp.endpont (agent argument): unknown key, it is ignored; nearest known"
                + " key: otel.exporter.otlp.endpoint",
            "oops (agent argument): not of the form key=value, it is ignored; arguments are"
                + " key=value;key=value, with ; inside a header written as %3B",
            "otel.spark.sql.txt (system property): unknown key, it is ignored; nearest known key:"
                + " otel.spark.sql.text",
            "OTEL_SPARK_ENABLE (environment): unknown key, it is ignored; nearest known key:"
                + " OTEL_SPARK_ENABLED",
            "spark.otel.log-level (file "
                + file
                + "): unknown key, it is ignored; nearest known key: otel.spark.log-level");
  }

  @Test
  void keysThatTheAgentWritesAreNeitherReadNorReported() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.trace.id", "nonsense")
            .spark("spark.otel.resource", "service.name=x")
            .load();
    assertThat(config.problems()).isEmpty();
    assertThat(config).usingRecursiveComparison().isEqualTo(ConfigFixture.empty().load());
  }

  @Test
  void headersAreTakenOutOfTheSparkConfAndNeverShown() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.exporter.otlp.headers", "authorization=hunter2,hunter2")
            .spark("spark.otel.exporter.otlp.traces.headers", "hunter2")
            .spark("spark.otel.exporter.otlp.header", "hunter2")
            .spark("spark.otel.exporter.otlp.endpoint", "http://me:hun/ter2@c:4318")
            .spark("spark.otel.exporter.otlp.traces.endpoint", "http://me:hunter2@c:4318/x")
            .spark("spark.otel.tasks", "all")
            .args(
                "otel.exporter.otlp.headers hunter2;otel.exporter.otlp.headers=a=b;hunter2;x=hunter2")
            .load();
    assertThat(config.sparkKeysToRemove())
        .isEqualTo(
            Set.of(
                "spark.otel.exporter.otlp.headers",
                "spark.otel.exporter.otlp.traces.headers",
                "spark.otel.exporter.otlp.header",
                "spark.otel.exporter.otlp.endpoint",
                "spark.otel.exporter.otlp.traces.endpoint"));
    assertThat(config.otlp().headers()).isEqualTo(Map.of("authorization", "hunter2"));
    assertThat(config.otlp().endpoint()).isEqualTo("http://c:4318/x");
    assertThat(config.problems())
        .noneMatch(line -> line.contains("hunter2") || line.contains("ter2@"))
        .anyMatch(line -> line.startsWith("otel.exporter.otlp.headers=***"))
        .anyMatch(line -> line.startsWith("otel.exporter.otlp.traces.headers=***"))
        .anyMatch(line -> line.startsWith("argument 3 (agent argument)"));
  }

  @Test
  void headersThatCouldSmuggleALineAreLeftOut() {
    AgentConfig config =
        ConfigFixture.empty()
            .env("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0D%0Ac: d,e f=g,h=%C3%A9,i=j")
            .load();
    assertThat(config.otlp().headers()).isEqualTo(Map.of("i", "j"));
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains("entry 1 has", "entry 2 has", "entry 3 has");
  }

  @Test
  void whatThePlatformLocksOnlyItsFileSets() throws IOException {
    AgentConfig config =
        ConfigFixture.empty()
            .jar(
                platformFile(
                    "otel.exporter.otlp.endpoint=http://platform:4318",
                    "otel.exporter.otlp.headers=a=platform",
                    "otel.spark.tasks=failed",
                    "otel.spark.locked=otel.exporter.otlp.endpoint, otel.exporter.otlp.headers,\\",
                    "  otel.spark.redaction.regex, otel.spark.redact"))
            .spark("spark.otel.exporter.otlp.endpoint", "http://mine:4318")
            .property("otel.exporter.otlp.traces.endpoint", "http://mine:4318")
            .env("OTEL_EXPORTER_OTLP_HEADERS", "a=mine")
            .args("otel.spark.redaction.regex=mine")
            .spark("spark.otel.tasks", "none")
            .load();
    assertThat(config.otlp().endpoint()).isEqualTo("http://platform:4318/v1/traces");
    assertThat(config.otlp().headers()).isEqualTo(Map.of("a", "platform"));
    assertThat(config.redactionPattern()).isNull();
    assertThat(config.tasks()).isEqualTo(TaskPolicy.NONE);
    assertThat(config.problems())
        .hasSize(5)
        .contains(
            "otel.exporter.otlp.endpoint=http://mine:4318 (SparkConf"
                + " spark.otel.exporter.otlp.endpoint): the platform's file locks this key; the"
                + " value is ignored",
            "otel.exporter.otlp.headers=*** (environment OTEL_EXPORTER_OTLP_HEADERS): the"
                + " platform's file locks this key; the value is ignored",
            "otel.exporter.otlp.traces.endpoint=http://mine:4318 (system property): the platform's"
                + " file locks this key; the value is ignored",
            "otel.spark.redaction.regex=mine (agent argument): the platform's file locks this key;"
                + " the value is ignored")
        .anyMatch(line -> line.contains("unknown key otel.spark.redact is not locked"));
  }

  @Test
  void onlyThePlatformLocks() {
    AgentConfig config =
        ConfigFixture.empty()
            .spark("spark.otel.locked", "otel.spark.tasks")
            .env("OTEL_SPARK_TASKS", "all")
            .load();
    assertThat(config.tasks()).isEqualTo(TaskPolicy.ALL);
    assertThat(config.problems())
        .containsExactly(
            "otel.spark.locked=otel.spark.tasks (SparkConf spark.otel.locked): this key cannot be"
                + " set here; the value is ignored");
  }

  @Test
  void theFileCanBeElsewhereUnlessTheOneBesideTheJarLocks() throws IOException {
    Path other = Files.writeString(dir.resolve("other.properties"), "otel.service.name=other");
    ConfigFixture fixture =
        ConfigFixture.empty()
            .jar(platformFile("otel.service.name=beside"))
            .env("OTEL_SPARK_CONFIG_FILE", other.toString());
    assertThat(fixture.load().serviceName()).isEqualTo("other");
    assertThat(fixture.load().problems()).isEmpty();

    platformFile("otel.service.name=beside", "otel.spark.locked=otel.service.name");
    assertThat(fixture.load().serviceName()).isEqualTo("beside");
    assertThat(fixture.load().problems()).singleElement().asString().contains("cannot be replaced");
  }

  @Test
  void aSparkConfCannotChooseThePlatformsFile() throws IOException {
    Path other = Files.writeString(dir.resolve("other.properties"), "otel.service.name=other");
    AgentConfig config =
        ConfigFixture.empty().spark("spark.otel.config-file", other.toString()).load();
    assertThat(config.serviceName()).isNull();
    assertThat(config.problems()).singleElement().asString().contains("cannot be set here");
  }

  @Test
  void anUnreadableFileIsAProblem() throws IOException {
    File jar = platformFile("otel.service.name=beside");
    Path broken = Files.writeString(dir.resolve("broken.properties"), "a=\\u00zz");
    for (String path : new String[] {"/does/not/exist", dir.toString(), broken.toString()}) {
      AgentConfig config =
          ConfigFixture.empty().jar(jar).property("otel.spark.config-file", path).load();
      assertThat(config.serviceName()).isEqualTo("beside");
      assertThat(config.problems())
          .singleElement()
          .asString()
          .startsWith("platform's file " + path + ": ");
    }
  }

  @Test
  void theFileIsUtf8() throws IOException {
    assertThat(ConfigFixture.empty().jar(platformFile("otel.service.name=é")).load().serviceName())
        .isEqualTo("é");
  }

  @Test
  void theParentIsInherited() throws IOException {
    ConfigFixture fixture =
        ConfigFixture.empty().env("TRACEPARENT", TRACEPARENT).env("TRACESTATE", "env=1");
    assertThat(parent(fixture)).isEqualTo("CHILD " + TRACEPARENT + " env=1");
    fixture.spark("spark.otel.tracestate", "conf=1");
    assertThat(parent(fixture)).isEqualTo("CHILD " + TRACEPARENT + " env=1");
    fixture.spark("spark.otel.traceparent", OTHER_PARENT);
    assertThat(parent(fixture)).isEqualTo("CHILD " + OTHER_PARENT + " conf=1");
    fixture.sparkConf.remove("spark.otel.tracestate");
    assertThat(parent(fixture)).isEqualTo("CHILD " + OTHER_PARENT + " null");
    fixture.jar(platformFile("otel.spark.locked=otel.spark.traceparent"));
    assertThat(parent(fixture)).isEqualTo("CHILD null null");
  }

  @Test
  void anIgnoredParentIsNotEvenReadFromTheEnvironment() {
    ConfigFixture fixture =
        ConfigFixture.empty().env("TRACEPARENT", "nonsense").env("OTEL_SPARK_PARENT", "IGNORE");
    assertThat(parent(fixture)).isEqualTo("IGNORE null null");
  }

  private static String parent(ConfigFixture fixture) {
    ParentConfig parent = fixture.load().parent();
    return parent.mode() + " " + parent.traceparent() + " " + parent.tracestate();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      })
  void aBrokenTraceparentIsAProblem(String text) {
    AgentConfig config = ConfigFixture.empty().env("TRACEPARENT", text).load();
    assertThat(config.parent().traceparent()).isNull();
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains(text, "(environment TRACEPARENT): not a traceparent", "using no parent");
  }

  @Test
  void aTraceparentOfALaterVersionMayGoOn() {
    String later = "01" + TRACEPARENT.substring(2) + "-more";
    AgentConfig config = ConfigFixture.empty().env("TRACEPARENT", later).load();
    assertThat(config.parent().traceparent()).isEqualTo(later);
  }

  @Test
  void theAllowListNamesWhatIsShown() {
    AgentConfig defaults = ConfigFixture.empty().load();
    for (String shown :
        new String[] {
          "spark.executor.memory",
          "spark.dynamicAllocation.maxExecutors",
          "spark.sql.shuffle.partitions",
          "spark.sql.adaptive.enabled",
          "spark.submit.deployMode"
        }) {
      assertThat(defaults.allowsConf(shown)).as(shown).isTrue();
    }
    for (String hidden :
        new String[] {
          "spark.master",
          "spark.executor.extraJavaOptions",
          "spark.hadoop.fs.s3a.secret.key",
          "spark.otel.tasks"
        }) {
      assertThat(defaults.allowsConf(hidden)).as(hidden).isFalse();
    }
    AgentConfig all = ConfigFixture.empty().spark("spark.otel.conf.allow-list", "*").load();
    assertThat(all.allowsConf("spark.master")).isTrue();
    assertThat(all.allowsConf("spark.otel.exporter.otlp.headers")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "daily-2024-01-31, daily",
    "daily_2024_01_31, daily",
    "daily 2024/01/31, daily",
    "report.20240131, report",
    "report-202401, report",
    "report-2024-01, report",
    "load 31.01.2024, load",
    "job_20240131T101500, job",
    "job_20240131101500, job",
    "job-20240131-101500, job",
    "manual__2024-01-31T10:15:00.123456+00:00, manual",
    "scheduled__2024-01-31T10:15:00Z, scheduled",
    "etl 2024-01-31 10:15:00, etl",
    "etl (2024-01-31), etl",
    "poll 10:15:00, poll",
    "x-550e8400-e29b-41d4-a716-446655440000, x",
    "x_2024-01-31_550E8400-E29B-41D4-A716-446655440000, x",
    "etl 1706700000, etl",
    "etl-1706700000123, etl",
    "PySparkShell, PySparkShell",
    "Spark shell, Spark shell",
    "tpcds-q42, tpcds-q42",
    "forecast-2024, forecast-2024",
    "model v3.11.2, model v3.11.2",
    "benchmark_1000_20, benchmark_1000_20",
    "2024-01-31, 2024-01-31",
    "20240131, 20240131",
    "1706700000, 1706700000",
    "20240131 import, 20240131 import",
  })
  void whatDiffersFromRunToRunIsNoPartOfTheServiceName(String application, String service) {
    assertThat(ConfigFixture.empty().load().serviceNameOf(application)).isEqualTo(service);
  }

  @Test
  void noServiceNameBecomesEmpty() {
    AgentConfig defaults = ConfigFixture.empty().load();
    AgentConfig greedy = ConfigFixture.empty().spark("spark.otel.service-name.remove", ".*").load();
    for (String name :
        new String[] {
          "2024-01-31", "550e8400-e29b-41d4-a716-446655440000", " 2024-01-31 ", "10:15", "-"
        }) {
      assertThat(defaults.serviceNameOf(name)).as(name).isNotBlank();
      assertThat(defaults.serviceNameRemove().matcher(name).replaceAll("")).as(name).isNotEmpty();
      assertThat(greedy.serviceNameOf(name)).isEqualTo(name);
    }
  }

  @Test
  void theServiceNameSettingsAreObeyed() {
    String name = "daily-2024-01-31";
    assertThat(
            ConfigFixture.empty()
                .spark("spark.otel.service-name.remove", "none")
                .load()
                .serviceNameOf(name))
        .isEqualTo(name);
    assertThat(
            ConfigFixture.empty()
                .spark("spark.otel.service-name.remove", "^daily-")
                .load()
                .serviceNameOf(name))
        .isEqualTo("2024-01-31");
    assertThat(ConfigFixture.empty().env("OTEL_SERVICE_NAME", "s").load().serviceNameOf(name))
        .isEqualTo("s");
  }

  @Test
  @Timeout(10)
  void aNameMadeToBacktrackTakesNoTime() {
    AgentConfig config = ConfigFixture.empty().load();
    for (int repeats : new int[] {30, 2_000}) {
      String name = "x" + "-2024-01-02-03:04_0102030405".repeat(repeats) + "!";
      assertThat(config.serviceNameOf(name)).isEqualTo(name);
    }
  }

  @Test
  void aLineBreakInAValueStaysInItsLine() {
    AgentConfig config =
        ConfigFixture.empty().spark("spark.otel.tasks", "a\nb\u2028c" + "x".repeat(500)).load();
    assertThat(config.problems()).singleElement().asString().contains("=a?b?cx").contains("... (");
    assertThat(config.problems().get(0).length()).isLessThan(400);
  }

  @Test
  void thousandsOfMistakesAreCutShort() {
    ConfigFixture fixture = ConfigFixture.empty();
    for (int i = 0; i < 500; i++) {
      fixture.spark("spark.otel.x" + i, "y");
    }
    assertThat(fixture.load().problems())
        .hasSize(51)
        .last()
        .isEqualTo("and 450 more problems with the configuration");
  }

  @Test
  void theLocaleDoesNotMatter() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr-TR"));
    try {
      AgentConfig config =
          ConfigFixture.empty()
              .env("OTEL_SPARK_TASKS", "FAILED")
              .env("OTEL_SERVICE_NAME", "x")
              .env("OTEL_EXPORTER_OTLP_COMPRESSION", "GZIP")
              .load();
      assertThat(config.problems()).isEmpty();
      assertThat(config.tasks()).isEqualTo(TaskPolicy.FAILED);
      assertThat(config.otlp().gzip()).isTrue();
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void noInputThrows() throws IOException {
    Random random = new Random(42);
    String[] pieces = {
      "",
      " ",
      "=",
      ";",
      ",",
      "%",
      "%zz",
      "http://",
      ":",
      "//",
      "@",
      "[",
      "(",
      "\\",
      "\0",
      "\n",
      "-1",
      "99999999999999999999",
      "1e400",
      "NaN",
      "{app_id}",
      "*",
      "null",
      "é",
      "\uD800",
      "none"
    };
    for (int i = 0; i < 300; i++) {
      ConfigFixture fixture = ConfigFixture.empty();
      for (Setting<?> setting : Settings.all()) {
        switch (random.nextInt(6)) {
          case 0 -> fixture.spark(setting.sparkName(), text(random, pieces));
          case 1 -> fixture.property(setting.key(), text(random, pieces));
          case 2 -> fixture.env(setting.environmentName(), text(random, pieces));
          default -> {}
        }
      }
      fixture.spark("spark.otel." + text(random, pieces), null);
      fixture.args(text(random, pieces) + ";" + text(random, pieces));
      assertThat(fixture.load()).isNotNull();
    }
  }

  private static String text(Random random, String[] pieces) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i >= 0; i--) {
      text.append(pieces[random.nextInt(pieces.length)]);
    }
    return text.toString();
  }

  /** Writes the platform's file; returns the jar beside it. */
  private File platformFile(String... lines) throws IOException {
    Files.writeString(dir.resolve(ConfigSources.FILE_NAME), String.join("\n", lines) + "\n");
    return dir.resolve("spark-otel-agent.jar").toFile();
  }
}
