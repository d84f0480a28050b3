package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.internal.OtlpConfigUtil;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.sparkotel.agent.config.OtlpConfig.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Our reading of each standard key against what the SDK's own autoconfigure makes of it. The one
 * difference is the default protocol: http/protobuf here, grpc there.
 */
class StandardSettingsTest {

  private static final String P = "otel.exporter.otlp.";

  /** What the SDK would hand to its exporter. */
  private static final class Sdk {
    String protocol;
    String endpoint;
    final Map<String, String> headers = new LinkedHashMap<>();
    String compression;
    Long timeoutMillis;
    byte[] trusted;
    byte[] clientKey;
    byte[] clientCertificate;

    static Sdk read(Map<String, String> properties) {
      DefaultConfigProperties config = DefaultConfigProperties.createFromMap(properties);
      Sdk sdk = new Sdk();
      sdk.protocol = OtlpConfigUtil.getOtlpProtocol(OtlpConfigUtil.DATA_TYPE_TRACES, config);
      OtlpConfigUtil.configureOtlpExporterBuilder(
          OtlpConfigUtil.DATA_TYPE_TRACES,
          config,
          loader -> {},
          endpoint -> sdk.endpoint = endpoint,
          sdk.headers::put,
          compression -> sdk.compression = compression,
          timeout -> sdk.timeoutMillis = timeout.toMillis(),
          trusted -> sdk.trusted = trusted,
          (key, certificate) -> {
            sdk.clientKey = key;
            sdk.clientCertificate = certificate;
          },
          retry -> {},
          memory -> {},
          version -> {});
      return sdk;
    }
  }

  static Stream<Arguments> wellFormed() {
    return Stream.of(
            "",
            P + "protocol=grpc",
            P + "protocol=http/protobuf",
            P + "protocol=grpc|" + P + "traces.protocol=http/protobuf",
            P + "traces.protocol=grpc",
            P + "endpoint=http://collector:4318",
            P + "endpoint=http://collector:4318/",
            P + "endpoint=https://collector/prefix",
            P + "endpoint=https://collector/prefix/",
            P + "endpoint=http://[::1]:4318/a%20b",
            P + "endpoint=HTTP://my_collector:4318",
            P + "traces.endpoint=http://collector:4318",
            P + "traces.endpoint=http://collector:4318/",
            P + "traces.endpoint=http://collector:4318/custom",
            P + "endpoint=http://general:1|" + P + "traces.endpoint=http://traces:2/x",
            P + "endpoint=http://collector:4317",
            P + "protocol=grpc|" + P + "endpoint=http://collector:4317",
            P + "protocol=grpc|" + P + "endpoint=https://collector",
            P
                + "protocol=grpc|"
                + P
                + "endpoint=https://general:1|"
                + P
                + "traces.endpoint=http://t:2",
            P + "headers=a=b",
            P + "headers= a = b , c = d ,",
            P + "headers=authorization=Basic%20dXNlcjpwYXNz%3D%3D,x-scope=a=b",
            P + "headers=authorization=Basic a+b/c==",
            P + "headers=a=1,a=2",
            P + "headers=empty=,a=b",
            P + "headers=a=b|" + P + "traces.headers=c=d",
            P + "headers=a=b|" + P + "traces.headers=empty=",
            P + "compression=gzip",
            P + "compression=none",
            P + "compression=gzip|" + P + "traces.compression=none",
            P + "timeout=2500",
            P + "timeout=0",
            P + "timeout=3s",
            P + "timeout=2 m",
            P + "timeout=20ms",
            P + "timeout=1|" + P + "traces.timeout=7h",
            P + "timeout=5000000us")
        .map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("wellFormed")
  void exporterIsSetUpAsTheSdkWould(String line) {
    Map<String, String> properties = properties(line);
    Map<String, String> forSdk = new LinkedHashMap<>(properties);
    forSdk.putIfAbsent(P + "protocol", "http/protobuf");
    Sdk sdk = Sdk.read(forSdk);
    OtlpConfig ours = load(properties).otlp();

    assertThat(ours.protocol())
        .isEqualTo(sdk.protocol.equals("grpc") ? Protocol.GRPC : Protocol.HTTP_PROTOBUF);
    String defaultEndpoint =
        ours.protocol() == Protocol.GRPC
            ? "http://localhost:4317"
            : "http://localhost:4318/v1/traces";
    String endpoint = sdk.endpoint == null ? defaultEndpoint : sdk.endpoint;
    if (ours.protocol() == Protocol.GRPC && endpoint.endsWith("/")) {
      endpoint = endpoint.substring(0, endpoint.length() - 1);
    }
    assertThat(ours.endpoint()).isEqualTo(endpoint);
    assertThat(ours.headers()).isEqualTo(sdk.headers);
    assertThat(ours.gzip()).isEqualTo("gzip".equals(sdk.compression));
    assertThat(ours.timeoutMillis())
        .isEqualTo(sdk.timeoutMillis == null ? 10_000 : sdk.timeoutMillis);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "endpoint=collector:4318",
        "endpoint=ftp://collector:4318",
        "endpoint=/v1/traces",
        "endpoint=http://collector:4318?a=b",
        "endpoint=http://collector:4318#a",
        "traces.endpoint=collector",
        "headers=a",
        "headers==b",
        "headers=a=%",
        "headers=a=%zz",
        "timeout=soon",
        "timeout=10x",
        "timeout=1.5s",
        "certificate=/does/not/exist.pem",
        "client.key=/does/not/exist.pem",
        "client.certificate=/does/not/exist.pem",
      })
  void whatTheSdkRefusesIsAProblemAndTheDefaultHere(String line) {
    Map<String, String> properties = properties(P + line + "|" + P + "protocol=http/protobuf");
    assertThatThrownBy(() -> Sdk.read(properties)).isInstanceOf(RuntimeException.class);

    AgentConfig config = load(properties);
    assertThat(config.problems()).hasSize(1);
    assertThat(config.problems().get(0)).startsWith(P + line.substring(0, line.indexOf('=')) + "=");
    OtlpConfig defaults = load(Map.of()).otlp();
    assertThat(config.otlp()).usingRecursiveComparison().isEqualTo(defaults);
  }

  @ParameterizedTest
  @CsvSource({
    "otel.exporter.otlp.protocol, http/json",
    "otel.exporter.otlp.protocol, foo",
    "otel.exporter.otlp.compression, zstd",
    "otel.traces.exporter, foo",
    "otel.traces.sampler, foo",
  })
  void whatTheWholeSdkRefusesIsAProblem(String key, String value) {
    Map<String, String> properties = Map.of(key, value);
    assertThatThrownBy(() -> autoConfigure(properties).build())
        .isInstanceOf(RuntimeException.class);
    assertThat(load(properties).problems())
        .singleElement()
        .asString()
        .startsWith(key + "=" + value + " (system property): unknown ");
  }

  @Test
  void theDefaultProtocolIsTheStatedDifference() {
    List<SpanExporter> exporters = new ArrayList<>();
    build(Map.of(), exporters, new ArrayList<>(), new ArrayList<>());
    assertThat(exporters).singleElement().isInstanceOf(OtlpGrpcSpanExporter.class);
    exporters.clear();
    build(Map.of(P + "protocol", "http/protobuf"), exporters, new ArrayList<>(), new ArrayList<>());
    assertThat(exporters).singleElement().isInstanceOf(OtlpHttpSpanExporter.class);
    OtlpConfig ours = load(Map.of()).otlp();
    assertThat(ours.protocol()).isEqualTo(Protocol.HTTP_PROTOBUF);
    assertThat(exporters.get(0).toString()).contains("endpoint=" + ours.endpoint() + ",");
    assertThat(exporters.get(0).toString())
        .contains("timeoutNanos=" + ours.timeoutMillis() * 1_000_000 + ",");
  }

  @ParameterizedTest
  @CsvSource({
    "always_on,",
    "always_off,",
    "traceidratio, 0.25",
    "traceidratio,",
    "parentbased_always_on,",
    "parentbased_always_off,",
    "parentbased_traceidratio, 0.5",
    "parentbased_traceidratio, 1",
    "always_on, nonsense",
    ",",
  })
  void samplerIsTheSdks(String name, String arg) {
    Map<String, String> properties = new LinkedHashMap<>();
    if (name != null) {
      properties.put("otel.traces.sampler", name);
    }
    if (arg != null) {
      properties.put("otel.traces.sampler.arg", arg);
    }
    List<Sampler> samplers = new ArrayList<>();
    build(properties, new ArrayList<>(), samplers, new ArrayList<>());
    AgentConfig config = load(properties);
    assertThat(config.sampler().getDescription()).isEqualTo(samplers.get(0).getDescription());
    assertThat(config.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lots", "-0.1", "1.1"})
  void ratioThatTheSdkRefusesIsAProblemAndOne(String arg) {
    Map<String, String> properties =
        Map.of("otel.traces.sampler", "traceidratio", "otel.traces.sampler.arg", arg);
    assertThatThrownBy(() -> autoConfigure(properties).build())
        .isInstanceOf(RuntimeException.class);
    AgentConfig config = load(properties);
    assertThat(config.sampler()).isEqualTo(Sampler.traceIdRatioBased(1));
    assertThat(config.problems())
        .singleElement()
        .asString()
        .startsWith("otel.traces.sampler.arg=" + arg)
        .endsWith("legal values: a number from 0 to 1; using 1.0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "otel.resource.attributes=a=b,c=d e",
        "otel.resource.attributes=a=%C3%A9%2Cx+y,broken=100%,half=%2,bad=%2G",
        "otel.resource.attributes=a=1,a=2,empty=",
        "otel.resource.attributes=service.name=from-attributes,service.namespace=ns",
        "otel.service.name=direct",
        "otel.service.name=direct|otel.resource.attributes=service.name=from-attributes,x=y",
      })
  void resourceIsTheSdks(String line) {
    Map<String, String> properties = properties(line);
    List<Resource> resources = new ArrayList<>();
    build(properties, new ArrayList<>(), new ArrayList<>(), resources);
    Map<String, String> theirs = new LinkedHashMap<>();
    resources
        .get(0)
        .getAttributes()
        .forEach((key, value) -> theirs.put(key.getKey(), value.toString()));
    theirs.keySet().removeIf(key -> key.startsWith("telemetry.sdk."));
    theirs.remove("service.name", "unknown_service:java");
    // Made by the SDK anew for every process.
    theirs.remove("service.instance.id");

    AgentConfig config = load(properties);
    Map<String, String> ours = new LinkedHashMap<>(config.resourceAttributes());
    if (config.serviceName() != null) {
      ours.put("service.name", config.serviceName());
    }
    if (config.serviceNamespace() != null) {
      ours.put("service.namespace", config.serviceNamespace());
    }
    assertThat(ours).isEqualTo(theirs);
  }

  @Test
  void malformedResourceAttributesKeepWhatIsWellFormed() {
    AgentConfig config = load(Map.of("otel.resource.attributes", "a=b,oops,c=d"));
    assertThat(config.resourceAttributes()).isEqualTo(Map.of("a", "b", "c", "d"));
    assertThat(config.problems())
        .containsExactly(
            "otel.resource.attributes=a=b,oops,c=d (system property): entry 2 has no '='; legal"
                + " values: key=value,key=value with percent-encoded values; using the rest of it");
  }

  @ParameterizedTest
  @CsvSource({"true, false", "TRUE, false", "false, true"})
  void sdkDisabledTurnsTheAgentOff(String value, boolean enabled) {
    List<SpanExporter> exporters = new ArrayList<>();
    build(Map.of("otel.sdk.disabled", value), exporters, new ArrayList<>(), new ArrayList<>());
    assertThat(exporters.isEmpty()).isEqualTo(!enabled);
    assertThat(load(Map.of("otel.sdk.disabled", value)).enabled()).isEqualTo(enabled);
  }

  @Test
  void filesOfTlsAreReadAsTheSdkReadsThem(@TempDir Path dir) throws Exception {
    Path general = Files.writeString(dir.resolve("general.pem"), certificate());
    Path specific =
        Files.writeString(dir.resolve("specific.pem"), "# comment\n" + certificate() + "\n");
    Path key = Files.writeString(dir.resolve("key.pem"), key());
    Map<String, String> properties =
        Map.of(
            P + "protocol", "http/protobuf",
            P + "certificate", general.toString(),
            P + "traces.certificate", specific.toString(),
            P + "client.key", key.toString(),
            P + "traces.client.certificate", general.toString());
    Sdk sdk = Sdk.read(properties);
    AgentConfig config = load(properties);
    assertThat(config.problems()).isEmpty();
    assertThat(config.otlp().trustedCertificates()).isEqualTo(sdk.trusted).isNotEmpty();
    assertThat(config.otlp().clientKey()).isEqualTo(sdk.clientKey).isNotEmpty();
    assertThat(config.otlp().clientCertificate()).isEqualTo(sdk.clientCertificate).isNotEmpty();
  }

  @Test
  void filesOfTlsThatAreNoneAreProblems(@TempDir Path dir) throws IOException {
    Path text = Files.writeString(dir.resolve("text.pem"), "hello");
    AgentConfig config =
        load(
            Map.of(
                P + "certificate", text.toString(),
                P + "client.key", text.toString(),
                P + "client.certificate", dir.toString()));
    assertThat(config.otlp().trustedCertificates()).isNull();
    assertThat(config.otlp().clientKey()).isNull();
    assertThat(config.otlp().clientCertificate()).isNull();
    assertThat(config.problems())
        .hasSize(3)
        .anyMatch(line -> line.contains("certificate=" + text) && line.contains("no certificate"))
        .anyMatch(line -> line.contains("client.key=" + text) && line.contains("no PKCS #8 key"))
        .anyMatch(line -> line.contains("=" + dir + " ") && line.contains("not a regular file"));
  }

  @Test
  void clientKeyAloneIsAProblem(@TempDir Path dir) throws Exception {
    Path key = Files.writeString(dir.resolve("key.pem"), key());
    Map<String, String> properties = Map.of(P + "client.key", key.toString());
    assertThatThrownBy(() -> Sdk.read(properties)).isInstanceOf(RuntimeException.class);
    AgentConfig config = load(properties);
    assertThat(config.otlp().clientKey()).isNull();
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains("without a usable client certificate")
        .endsWith("; using neither");
  }

  @Test
  void emptyVariablesCountAsUnset() {
    ConfigFixture fixture = ConfigFixture.empty();
    for (Setting<?> setting : Settings.all()) {
      fixture.env(setting.environmentName(), "");
    }
    AgentConfig config = fixture.load();
    assertThat(config.problems()).isEmpty();
    assertThat(config).usingRecursiveComparison().isEqualTo(ConfigFixture.empty().load());
  }

  @Test
  void grpcEndpointWithAPathLosesThePath() {
    AgentConfig config =
        load(Map.of(P + "protocol", "grpc", P + "endpoint", "http://c:4317/v1/traces"));
    assertThat(config.otlp().endpoint()).isEqualTo("http://c:4317");
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains("grpc has no path")
        .endsWith("using http://c:4317");
  }

  @ParameterizedTest
  @CsvSource({"http/protobuf, 4317, true", "grpc, 4318, true", "grpc, 4317, false"})
  void portOfTheOtherProtocolIsPointedOut(String protocol, String port, boolean problem) {
    AgentConfig config = load(Map.of(P + "protocol", protocol, P + "endpoint", "http://c:" + port));
    assertThat(config.otlp().endpoint()).startsWith("http://c:" + port);
    assertThat(config.problems()).hasSize(problem ? 1 : 0);
  }

  private static AgentConfig load(Map<String, String> properties) {
    ConfigFixture fixture = ConfigFixture.empty();
    properties.forEach(fixture::property);
    return fixture.load();
  }

  private static Map<String, String> properties(String line) {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String part : line.split("\\|")) {
      if (!part.isEmpty()) {
        properties.put(part.substring(0, part.indexOf('=')), part.substring(part.indexOf('=') + 1));
      }
    }
    return properties;
  }

  private static AutoConfiguredOpenTelemetrySdkBuilder autoConfigure(
      Map<String, String> properties) {
    Map<String, String> all = new LinkedHashMap<>(properties);
    all.put("otel.metrics.exporter", "none");
    all.put("otel.logs.exporter", "none");
    return AutoConfiguredOpenTelemetrySdk.builder()
        .disableShutdownHook()
        .addPropertiesCustomizer(config -> all);
  }

  private static void build(
      Map<String, String> properties,
      List<SpanExporter> exporters,
      List<Sampler> samplers,
      List<Resource> resources) {
    autoConfigure(properties)
        .addSpanExporterCustomizer(
            (exporter, config) -> {
              exporters.add(exporter);
              return exporter;
            })
        .addSamplerCustomizer(
            (sampler, config) -> {
              samplers.add(sampler);
              return sampler;
            })
        .addResourceCustomizer(
            (resource, config) -> {
              resources.add(resource);
              return resource;
            })
        .build()
        .getOpenTelemetrySdk()
        .close();
  }

  private static String certificate() throws Exception {
    KeyStore store =
        KeyStore.getInstance(
            Path.of(System.getProperty("java.home"), "lib", "security", "cacerts").toFile(),
            (char[]) null);
    byte[] encoded = store.getCertificate(store.aliases().nextElement()).getEncoded();
    return pem("CERTIFICATE", encoded);
  }

  private static String key() throws Exception {
    return pem(
        "PRIVATE KEY",
        KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate().getEncoded());
  }

  private static String pem(String label, byte[] encoded) {
    return "-----BEGIN "
        + label
        + "-----\n"
        + Base64.getMimeEncoder().encodeToString(encoded)
        + "\n-----END "
        + label
        + "-----\n";
  }
}
