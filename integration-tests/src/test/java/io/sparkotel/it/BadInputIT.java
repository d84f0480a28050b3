package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.ZeroPartitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong, the application runs as it does without agent. */
class BadInputIT {

  /** Longer than the bound of the flush on a slow machine, far shorter than no bound at all. */
  private static final Duration HANG = Duration.ofSeconds(20);

  private static final int MAX_LINES = 10;

  @TempDir Path temp;

  @Test
  void everyMistakeIsOneLineAndTheDefaultIsUsed() throws IOException {
    Path noCertificate = Files.writeString(temp.resolve("certificate.pem"), "nothing like it");
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ExitCode.class)
              .conf("spark.otel.exporter.otlp.endpoint", "http://a b:4318")
              // A weaker source that is right.
              .jvmFlag("-Dotel.exporter.otlp.endpoint=" + receiver.httpEndpoint())
              .conf("spark.otel.exporter.otlp.protocol", "http/json")
              .conf("spark.otel.exporter.otlp.headers", "authorization")
              .conf("spark.otel.exporter.otlp.certificate", temp.resolve("absent.pem"))
              .conf("spark.otel.exporter.otlp.client.certificate", noCertificate)
              .conf("spark.otel.taks", "all")
              // Spark's own key, for the queue that only the agent's listener is in.
              .conf("spark.scheduler.listenerbus.eventqueue.otel.capacity", "abc")
              .env("OTEL_SPARK_TASKS", "some")
              .env("OTEL_SPARK_COLOUR", "red")
              .jvmFlag("-Dotel.exporter.otlp.compression=zstd")
              .jvmFlag("-Dotel.spark.flush-timeout=soon")
              .agent("otel.spark.log-levl=warn;nonsense;otel.traces.sampler=most")
              .run();

      AgentLines.assertUnchanged(process, 3, "count: 3");
      List<String> complaints = AgentLines.complaints(process);
      assertLine(
          complaints,
          "otel.exporter.otlp.endpoint=http://a b:4318 (SparkConf",
          "not a URL",
          "legal values: http://HOST:PORT",
          "using " + receiver.httpEndpoint() + " (system property)");
      assertLine(
          complaints,
          "otel.exporter.otlp.protocol=http/json (SparkConf",
          "unknown protocol",
          "legal values: http/protobuf, grpc",
          "using http/protobuf");
      assertLine(complaints, "otel.exporter.otlp.headers=*** (SparkConf", "using no headers");
      assertLine(
          complaints,
          "otel.exporter.otlp.certificate=" + temp.resolve("absent.pem"),
          "using the JVM's own");
      assertLine(
          complaints, "otel.exporter.otlp.client.certificate=" + noCertificate, "using none");
      assertLine(
          complaints,
          "spark.otel.taks (SparkConf): unknown key",
          "nearest known key: spark.otel.tasks");
      assertLine(
          complaints,
          "otel.spark.tasks=some (environment OTEL_SPARK_TASKS): unknown task policy",
          "legal values: all, auto, failed, none",
          "using auto");
      assertLine(complaints, "OTEL_SPARK_COLOUR (environment): unknown key", "nearest known key:");
      assertLine(
          complaints,
          "otel.exporter.otlp.compression=zstd (system property): unknown compression",
          "legal values: gzip, none",
          "using none");
      assertLine(complaints, "otel.spark.flush-timeout=soon (system property)", "using 10000");
      assertLine(
          complaints,
          "otel.spark.log-levl (agent argument): unknown key",
          "nearest known key: otel.spark.log-level");
      assertLine(complaints, "nonsense (agent argument): not of the form key=value");
      assertLine(
          complaints,
          "otel.traces.sampler=most (agent argument): unknown sampler",
          "legal values: always_on",
          "using parentbased_always_on");
      assertThat(complaints)
          .contains(
              "spark.scheduler.listenerbus.eventqueue.otel.capacity=abc:"
                  + " not a number above 0; using 100000")
          .hasSize(14);
      assertThat(receiver.trace().all("job")).hasSize(1);
    }
  }

  @Test
  void anEndpointThatIsNoneLeavesTheDefault() {
    SparkProcess process =
        SparkRun.of(SparkVersion.V3_5_9, ZeroPartitions.class)
            .conf("spark.otel.exporter.otlp.endpoint", "htp://collector:4318")
            // Nothing is sent: somebody may listen at the default.
            .agent("otel.traces.exporter=none")
            .run();

    AgentLines.assertUnchanged(process, 0, "count: 0");
    assertLine(
        AgentLines.complaints(process),
        "otel.exporter.otlp.endpoint=htp://collector:4318 (SparkConf",
        "legal values: http://HOST:PORT",
        "using http://localhost:4318");
  }

  /** Characters that a URL writes in another way, or that a shell or a parser may take apart. */
  @ParameterizedTest
  @ValueSource(strings = {"with space", "a+b%20c#d&e,f;g!h", "gr\u00fc\u00df\u4e16\u754c"})
  void theJarMayBeAnywhere(String directory) throws IOException {
    Path jar;
    try {
      jar = Files.createDirectories(temp.resolve(directory)).resolve("the agent.jar");
    } catch (InvalidPathException e) {
      assumeTrue(false, "the locale of this JVM cannot name " + directory);
      return;
    }
    Files.copy(Layout.agentJar(), jar);
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run =
          SparkRun.of(SparkVersion.V3_5_9, ZeroPartitions.class).exportOverHttp(receiver);
      SparkProcess process = run.agent(jar, "").run();

      AgentLines.assertUnchanged(process, 0, "count: 0");
      assertThat(AgentLines.complaints(process)).isEmpty();
      assertThat(receiver.trace().all("job")).hasSize(1);
    }
  }

  @Test
  void anAgentThatIsGivenTwiceTracesOnce() throws IOException {
    Path copy = Files.copy(Layout.agentJar(), temp.resolve("copy.jar"));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ZeroPartitions.class)
              .jvmFlag(Layout.agentFlag())
              .jvmFlag("-javaagent:" + copy)
              .exportOverHttp(receiver)
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 0");
      assertThat(AgentLines.of(process)).hasSize(2);
      assertThat(receiver.trace().all("application")).hasSize(1);
      assertThat(receiver.trace().all("job")).hasSize(1);
    }
  }

  /** All other kinds of collectors are in {@link CollectorIT}. */
  @Test
  void aCollectorThatNeverAnswersDelaysTheEndWithinTheBound() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(Behaviour.neverAnswer());
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ExitCode.class).exportOverHttp(receiver).start();
      // The application's last deed before it exits.
      process.awaitLine("count: 3");
      long start = System.nanoTime();
      process.assertExit(3);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(HANG);

      AgentLines.assertUnchanged(process, 3, "count: 3");
      assertThat(receiver.requests()).isNotEmpty();
      assertThat(AgentLines.of(process)).hasSizeBetween(2, MAX_LINES);
      assertThat(AgentLines.of(process)).last().asString().contains("spans sent 0, dropped 5");
    }
  }

  /** One line starts so, and holds the parts. */
  private static void assertLine(List<String> lines, String start, String... parts) {
    assertThat(lines)
        .as("a line that starts with " + start)
        .filteredOn(line -> line.startsWith(start))
        .singleElement()
        .satisfies(line -> assertThat(List.of(parts)).allMatch(line::contains, "in " + line));
  }
}
