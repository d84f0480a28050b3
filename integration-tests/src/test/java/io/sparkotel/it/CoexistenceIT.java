package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ChangedStatics;
import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.RddShuffle;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Beside other agents, in JVMs that are not what one expects, and where it has no business. */
@Tag("full")
class CoexistenceIT {

  private static final String HOOK = "setupAndStartListenerBus";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path temp;

  /** An agent that platforms run in the same JVM. */
  enum OtherAgent {
    OPEN_TELEMETRY("io.opentelemetry.javaagent:opentelemetry-javaagent:2.28.1", ""),
    DATADOG("com.datadoghq:dd-java-agent:1.54.0", ""),
    JMX_EXPORTER("io.prometheus.jmx:jmx_prometheus_javaagent:1.0.1", "=127.0.0.1:0:%s");

    final String coordinates;
    final String arguments;

    /** {@code %s} in the arguments stands for an empty file of settings. */
    OtherAgent(String coordinates, String arguments) {
      this.coordinates = coordinates;
      this.arguments = arguments;
    }
  }

  static Stream<Arguments> orders() {
    return Stream.of(OtherAgent.values())
        .flatMap(
            other -> Stream.of(true, false).map(otherFirst -> Arguments.of(other, otherFirst)));
  }

  @ParameterizedTest(name = "{0}, which comes first: {1}")
  @MethodSource("orders")
  void besideAnotherAgent(OtherAgent other, boolean otherFirst) throws IOException {
    Path settings = Files.writeString(temp.resolve("other.yaml"), "rules: []\n");
    String flag =
        "-javaagent:" + Maven.jar(other.coordinates) + String.format(other.arguments, settings);
    String closed = "http://127.0.0.1:" + freePort();
    try (OtlpReceiver receiver = OtlpReceiver.start();
        OtlpReceiver others = OtlpReceiver.start()) {
      SparkRun run =
          SparkRun.of(SparkVersion.V3_5_9, RddShuffle.class)
              .master("local[2,3]")
              .jvmFlag("-Dotel.exporter.otlp.endpoint=" + others.httpEndpoint())
              .jvmFlag("-Dotel.metrics.exporter=none")
              .jvmFlag("-Dotel.logs.exporter=none")
              .jvmFlag("-Ddd.trace.agent.url=" + closed)
              .jvmFlag("-Ddd.instrumentation.telemetry.enabled=false")
              .jvmFlag("-Ddd.integration.spark.enabled=true")
              .exportOverHttp(receiver);
      if (otherFirst) {
        run.agentAfter(flag);
      } else {
        run.agentBefore(flag);
      }
      SparkProcess process = run.run().assertExit(0);

      assertThat(process.stdout()).isEqualTo("keys: 3\nsums: 3");
      assertThat(AgentLines.complaints(process)).isEmpty();
      Trace trace = receiver.trace();
      assertThat(trace.all("job")).hasSize(2);
      assertThat(trace.all("stage")).hasSize(3);
      assertThat(trace.all("task")).hasSize(7);
      assertThat(trace.application().attribute("spark.otel.errors")).isEqualTo(0L);
      // Our requests are no spans of the other agent.
      assertThat(others.spans()).extracting(SpanNode::name).noneMatch(n -> n.contains("POST"));
    }
  }

  @ParameterizedTest
  @EnumSource(OtlpReceiver.Protocol.class)
  void inAJvmWhoseStaticsWereChanged(OtlpReceiver.Protocol protocol) {
    boolean http = protocol == OtlpReceiver.Protocol.HTTP;
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run = SparkRun.of(SparkVersion.V3_5_9, ChangedStatics.class);
      assertTraced(http ? run.exportOverHttp(receiver) : run.exportOverGrpc(receiver), receiver);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Xmx64m -Dspark.testing.memory=471859200",
        "-Xshare:off",
        "-Xshare:on",
        "-Djava.io.tmpdir=/proc/none",
        "-Duser.dir=/proc",
        "-Dfile.encoding=US-ASCII",
        "-XX:+UseSerialGC -XX:+DisableAttachMechanism -Xverify:all -ea -esa"
      })
  void inAJvmWithUnusualFlags(String flags) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run = SparkRun.of(SparkVersion.V3_5_9, ExitCode.class);
      for (String flag : flags.split(" ")) {
        run.jvmFlag(flag);
      }
      assertTraced(run.exportOverHttp(receiver), receiver);
    }
  }

  /** As a vendor's fork might be: SparkContext starts its bus in a method of another name. */
  @OnEachSpark
  void aSparkWithoutTheFirstHookIsTracedByTheSecond(SparkVersion version) throws IOException {
    Path renamed = temp.resolve("org/apache/spark/SparkContext.class");
    Files.createDirectories(renamed.getParent());
    Files.write(renamed, RenamedMethod.in(version, "org/apache/spark/SparkContext", HOOK));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run = SparkRun.of(version, ExitCode.class).classpath(temp);
      assertTraced(run.exportOverHttp(receiver), receiver);
    }
  }

  private static void assertTraced(SparkRun run, OtlpReceiver receiver) {
    SparkProcess process = run.run().assertExit(3);

    assertThat(process.stdout()).isEqualTo("count: 3");
    assertThat(AgentLines.complaints(process)).isEmpty();
    assertThatTrace(receiver.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job count at ExitCode.java:17",
                        stage("stage count at ExitCode.java:17", task())))
                .with("spark.exit_code", 3)
                .with("spark.otel.errors", 0)
                .failed("exit code 3"));
  }

  @Test
  void theJdksToolsAndMavenHearNothing() throws Exception {
    String home = System.getProperty("java.home");
    assertSilentTool(Path.of(home, "bin", "java").toString(), "-version");
    assertSilentTool(Path.of(home, "bin", "jps").toString());
    String maven = System.getProperty("maven.home");
    assertSilentTool(maven == null ? "mvn" : Path.of(maven, "bin", "mvn").toString(), "-v");
  }

  private void assertSilentTool(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_TOOL_OPTIONS", Layout.agentFlag());
    Path output = temp.resolve("output");
    Process process = builder.redirectOutput(output.toFile()).start();
    assertThat(process.waitFor()).isZero();
    assertThat(Files.readAllLines(output))
        .isNotEmpty()
        .noneMatch(line -> line.contains("[spark-otel-agent]"));
  }

  @Test
  void aHistoryServerIsNoApplication() throws Exception {
    int port = freePort();
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess server =
            SparkRun.of(SparkVersion.V3_5_9, "org.apache.spark.deploy.history.HistoryServer")
                .conf("spark.history.fs.logDirectory", temp.toUri())
                .conf("spark.history.ui.port", port)
                .exportOverHttp(receiver)
                .start()) {
      awaitAnswer(server, "http://127.0.0.1:" + port + "/api/v1/applications");
      server.terminate();
      server.waitFor();

      assertThat(AgentLines.of(server)).isEmpty();
      assertThat(receiver.requests()).isEmpty();
    }
  }

  private static void awaitAnswer(SparkProcess server, String address) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (server.isAlive() && System.nanoTime() < deadline) {
      try {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create(address).toURL().openConnection();
        if (connection.getResponseCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // Not up yet; the loop is bounded, and fails below.
        Thread.onSpinWait();
      }
    }
    throw new AssertionError("no answer: " + server.stderr());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The flag names a jar that is not there: a JVM's own failure, which no agent can prevent. */
  @Test
  void aJarThatIsMissingStopsTheJvm() {
    SparkProcess process =
        SparkRun.of(SparkVersion.V3_5_9, ExitCode.class)
            .agent(temp.resolve("none.jar"), "")
            .run()
            .assertExit(1);
    assertThat(List.of(process.stdout(), process.stderr()).toString())
        .contains("Error opening zip file or JAR manifest missing");
  }
}
