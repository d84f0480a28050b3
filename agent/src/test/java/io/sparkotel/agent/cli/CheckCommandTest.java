package io.sparkotel.agent.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class CheckCommandTest {

  private static final String WELL = "all is well";
  private static final String NOT_WELL = "not all is well, see above";

  @TempDir Path temp;

  private final List<ResourceSpans> received = new CopyOnWriteArrayList<>();
  private HttpServer collector;
  private String endpoint;
  private List<String> out;
  private String err;

  @BeforeEach
  void listen() throws IOException {
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/v1/traces",
        exchange -> {
          received.addAll(
              ExportTraceServiceRequest.parseFrom(exchange.getRequestBody())
                  .getResourceSpansList());
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    endpoint = "spark.otel.exporter.otlp.endpoint=http://127.0.0.1:" + port();
  }

  @AfterEach
  void stop() {
    collector.stop(0);
  }

  private int port() {
    return collector.getAddress().getPort();
  }

  /** Nothing is sent unless the arguments say so: somebody may listen at the default. */
  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("check", "--conf", "spark.otel.traces.exporter="));
    all.set(2, all.get(2) + "console");
    all.addAll(List.of(arguments));
    return runAsItIs(all.toArray(new String[0]));
  }

  private int runAsItIs(String... arguments) {
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    int code =
        Main.run(
            arguments,
            temp.resolve("agent.jar").toFile(),
            new PrintStream(outBytes, true, UTF_8),
            new PrintStream(errBytes, true, UTF_8));
    out = outBytes.toString(UTF_8).lines().toList();
    err = errBytes.toString(UTF_8);
    return code;
  }

  /** The lines below a heading. */
  private List<String> below(String heading) {
    List<String> lines = out.subList(out.indexOf(heading) + 1, out.size());
    int end = lines.indexOf("");
    return lines.subList(0, end).stream().map(String::trim).toList();
  }

  private List<String> set() {
    return below("What is set (*** hides a secret):");
  }

  private List<String> wrong() {
    return below("What is wrong with it:");
  }

  private List<String> traced() {
    return below("Which applications are traced:");
  }

  @ParameterizedTest
  @CsvSource({
    "check --conf, --conf needs KEY=VALUE",
    "check -c spark.otel.tasks, -c needs KEY=VALUE",
    "check --properties-file, --properties-file needs the name of a file",
    "check --properties-file absent.conf, --properties-file absent.conf: no such file",
    "check --verbose, unknown option '--verbose'",
    "check http://collector:4318, check takes no 'http://collector:4318'",
  })
  void wrongArguments(String line, String mistake) {
    assertThat(runAsItIs(line.split(" "))).isEqualTo(2);
    assertThat(err)
        .startsWith(mistake + System.lineSeparator())
        .contains("Usage: java", "--properties-file FILE", "--conf KEY=VALUE");
    assertThat(out).isEmpty();
  }

  @Test
  void help() {
    assertThat(runAsItIs("check", "--help")).isZero();
    assertThat(out).first().asString().startsWith("Usage: java");
  }

  @Test
  void aTestSpanReachesTheCollector() {
    int code =
        runAsItIs("check", "--conf", endpoint, "--conf", "spark.app.name=sales report 2026-11-30");
    assertThat(code).isZero();
    assertThat(out).last().isEqualTo(WELL);
    assertThat(received).hasSize(1);
    assertThat(received.get(0).getResource().getAttributesList())
        .filteredOn(attribute -> attribute.getKey().equals("service.name"))
        .extracting(KeyValue::getValue)
        .extracting(value -> value.getStringValue())
        .containsExactly("sales report");
    Span span = received.get(0).getScopeSpans(0).getSpans(0);
    assertThat(span.getName()).isEqualTo("spark-otel-agent check");
    String trace = HexFormat.of().formatHex(span.getTraceId().toByteArray());
    assertThat(out)
        .contains("  Look for trace " + trace + " of service sales report in your back end.");
  }

  @Test
  void everyCheckIsATraceOfItsOwn() {
    runAsItIs("check", "--conf", endpoint);
    runAsItIs("check", "--conf", endpoint);
    assertThat(received)
        .extracting(one -> one.getScopeSpans(0).getSpans(0).getTraceId())
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  @Test
  void aCollectorThatRefuses() {
    int code = runAsItIs("check", "--conf", endpoint + "/elsewhere");
    assertThat(code).isEqualTo(1);
    assertThat(out)
        .contains(
            "  failed: there is no OTLP at this path: HTTP 404, a web page at http://127.0.0.1:"
                + port()
                + "/elsewhere/v1/traces")
        .last()
        .isEqualTo(NOT_WELL);
  }

  @Test
  void settingsAreShownWithTheirSource() throws IOException {
    Path file =
        Files.writeString(
            temp.resolve("spark-defaults.conf"),
            """
            spark.otel.tasks            all
            spark.otel.sql.text         none
            spark.driver.extraJavaOptions  -Xmx1g "-Dotel.spark.sql.plan=shape" \\
              -javaagent:/absent/spark-otel-agent.jar=otel.traces.sampler.arg=0.5;x
            otel.spark.enabled          false
            """);
    Files.writeString(
        temp.resolve("spark-otel-agent.properties"),
        "otel.exporter.otlp.protocol=grpc\notel.exporter.otlp.headers=api-key=secret\n");
    int code =
        run("--properties-file", file.toString(), "-c", "spark.otel.tasks=failed", "-c", "a=b");
    assertThat(code).isEqualTo(1);
    assertThat(set())
        .containsExactly(
            "otel.traces.exporter=console (SparkConf spark.otel.traces.exporter)",
            "otel.exporter.otlp.protocol=grpc (file "
                + temp.resolve("spark-otel-agent.properties")
                + ")",
            "otel.exporter.otlp.headers=*** (file "
                + temp.resolve("spark-otel-agent.properties")
                + ")",
            "otel.traces.sampler.arg=0.5 (agent argument)",
            "otel.spark.tasks=failed (SparkConf spark.otel.tasks)",
            "otel.spark.sql.plan=shape (system property)",
            "otel.spark.sql.text=none (SparkConf spark.otel.sql.text)");
    assertThat(wrong())
        .containsExactly(
            "otel.spark.enabled ("
                + file
                + "): Spark takes no key that does not begin with spark., it is ignored",
            "a (-c): Spark takes no key that does not begin with spark., it is ignored",
            "x (agent argument): not of the form key=value, it is ignored; arguments are"
                + " key=value;key=value, with ; inside a header written as %3B");
    assertThat(below("Where the agent's jar is:"))
        .containsExactly(
            "note: there is no /absent/spark-otel-agent.jar here: a driver that is started here"
                + " does not start");
    assertThat(String.join("\n", out)).doesNotContain("secret\n");
  }

  @Test
  void aStrongerSettingIsNamed() {
    String traces = "spark.otel.exporter.otlp.traces.endpoint=http://b:1/";
    assertThat(run("-c", "spark.otel.exporter.otlp.endpoint=http://a:1", "-c", traces)).isZero();
    assertThat(set())
        .contains(
            "otel.exporter.otlp.endpoint=http://a:1 (SparkConf spark.otel.exporter.otlp.endpoint);"
                + " otel.exporter.otlp.traces.endpoint counts instead");
  }

  @Test
  void mistakesAreToldAsTheAgentTellsThem() {
    assertThat(run("-c", "spark.otel.tasks=some", "-c", "spark.otel.taks=all")).isEqualTo(1);
    assertThat(wrong())
        .containsExactly(
            "spark.otel.taks (SparkConf): unknown key, it is ignored; nearest known key:"
                + " spark.otel.tasks",
            "otel.spark.tasks=some (SparkConf spark.otel.tasks): unknown task policy; legal values:"
                + " all, auto, failed, none; using auto");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          spark.otel.enabled=false                            | the agent is turned off by otel.spark.enabled or otel.sdk.disabled: nothing is sent
          spark.otel.sdk.disabled=true                        | the agent is turned off by otel.spark.enabled or otel.sdk.disabled: nothing is sent
          spark.otel.traces.exporter=none                     | otel.traces.exporter is none: nothing is sent
          spark.otel.traces.sampler=always_off                | otel.traces.sampler takes no application: nothing is sent
          spark.otel.traces.sampler=parentbased_always_off    | otel.traces.sampler takes no application: nothing is sent
          spark.otel.traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00 | the parent in otel.spark.traceparent is not sampled: nothing is sent
          spark.otel.applications.exclude=sales               | sales report is not traced: otel.spark.applications.exclude matches its name or user
          """)
  void whatTracesNothing(String conf, String reason) {
    assertThat(run("-c", conf, "-c", "spark.app.name=sales report")).isEqualTo(1);
    assertThat(traced()).containsExactly("failed: " + reason);
    assertThat(out).last().isEqualTo(NOT_WELL);
  }

  @Test
  void whatTracesSome() {
    int code =
        run(
            "-c", "spark.otel.traces.sampler=traceidratio",
            "-c", "spark.otel.traces.sampler.arg=0.5",
            "-c", "spark.otel.applications.include=sales");
    assertThat(code).isZero();
    assertThat(traced())
        .containsExactly(
            "note: only some applications are traced; --conf spark.app.name=NAME tells whether"
                + " that one is",
            "note: otel.traces.sampler takes a part of the applications");
    assertThat(run("-c", "spark.otel.applications.include=sales", "-c", "spark.app.name=sales"))
        .isZero();
    assertThat(out).doesNotContain("Which applications are traced:");
  }

  @Test
  void aFileThatCanBeWritten() throws IOException {
    Path file = temp.resolve("traces.jsonl");
    String[] arguments = {
      "-c", "spark.otel.traces.exporter=otlp_file,console", "-c", "spark.otel.export.file=" + file
    };
    assertThat(run(arguments)).isZero();
    assertThat(below("To the file " + file + ":"))
        .containsExactly("ok: it can be written here; the path counts from the driver's directory");
    assertThat(out).contains("To the driver's stderr, as a tree: nothing to check.");
    assertThat(file).doesNotExist();
    Files.writeString(file, "a line\n");
    assertThat(run(arguments)).isZero();
    assertThat(file).hasContent("a line\n");
  }

  @Test
  void aFileThatCannotBeWritten() {
    Path file = temp.resolve("absent/traces.jsonl");
    assertThat(
            run(
                "-c",
                "spark.otel.traces.exporter=otlp_file",
                "-c",
                "spark.otel.export.file=" + file))
        .isEqualTo(1);
    assertThat(below("To the file " + file + ":").get(0))
        .startsWith("failed: the file cannot be written: " + file);
  }
}
