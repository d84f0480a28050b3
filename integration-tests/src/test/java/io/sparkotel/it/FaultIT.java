package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ChangedFile;
import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.ManyTasks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The agent is broken on purpose, in copies of the shipped jar: the application's output and exit
 * code stay, and one line says that something is wrong.
 */
class FaultIT {

  private static final String ADAPTER = "io/sparkotel/agent/spark/SparkEventAdapter.class";
  private static final String AGENT = "io/sparkotel/agent/AgentMain.class";
  private static final String TASK_END = "org/apache/spark/scheduler/SparkListenerTaskEnd";

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource
  void aFailingCallbackIsCountedAndSaidOnce(Faults fault) {
    Path jar = jar(ShippedJar.innerWith(ADAPTER, before -> fault.in(before, "dispatch", TASK_END)));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ManyTasks.class)
              .args(3)
              .exportOverHttp(receiver)
              .agent(jar, "")
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 3");
      assertThat(AgentLines.complaints(process))
          .singleElement()
          .asString()
          .startsWith("failed inside, the application goes on: java.lang.");
      Trace trace = receiver.trace();
      assertThat(trace.application().attribute("spark.otel.errors")).isEqualTo(3L);
      assertThat(trace.application().isError()).isFalse();
      assertThat(trace.all("job")).hasSize(1);
      assertThat(trace.all("stage")).hasSize(1);
    }
  }

  @Test
  void aCallbackThatFailsAHundredTimesTurnsTheAgentOff() {
    Path jar =
        jar(
            ShippedJar.innerWith(
                ADAPTER, before -> Faults.NO_SUCH_METHOD_ERROR.in(before, "dispatch", null)));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ManyTasks.class)
              .args(120)
              .exportOverHttp(receiver)
              .agent(jar, "")
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 120");
      assertThat(AgentLines.complaints(process))
          .hasSize(2)
          .anyMatch(line -> line.startsWith("failed inside, the application goes on: "))
          .anyMatch(line -> line.startsWith("off for this application after 100 failures"));
    }
  }

  @Test
  void anAgentWithoutItsClassIsOneLine() {
    assertOff(run(jar(ShippedJar.innerWith(AGENT, before -> null))));
  }

  @Test
  void anAgentWhoseClassIsBrokenIsOneLine() {
    assertOff(run(jar(ShippedJar.innerWith(AGENT, before -> new byte[before.length]))));
  }

  @Test
  void aTruncatedInnerJarIsOneLine() {
    byte[] inner = ShippedJar.inner();
    assertOff(run(jar(Arrays.copyOf(inner, inner.length / 2))));
  }

  @Test
  void aBrokenDirectoryOfTheInnerJarIsOneLine() {
    byte[] inner = ShippedJar.inner();
    Arrays.fill(inner, inner.length - 100_000, inner.length - 50_000, (byte) 0x5a);
    assertOff(run(jar(inner)));
  }

  @Test
  void brokenClassesInTheInnerJarAreOneLine() {
    byte[] inner = ShippedJar.inner();
    Arrays.fill(inner, 0, inner.length / 4 * 3, (byte) 0x5a);
    assertOff(run(jar(inner)));
  }

  @ParameterizedTest
  @CsvSource({"delete, early", "overwrite, early", "delete, late", "overwrite, late"})
  void theJarMayChangeWhileItIsUsed(String what, String when) throws Exception {
    Path jar = Files.copy(Layout.agentJar(), temp.resolve("agent.jar"));
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ChangedFile.class)
              .args(what, when, jar)
              .exportOverHttp(receiver)
              .agent(jar, "")
              .run();

      AgentLines.assertUnchanged(process, 0, "count: 3");
      if (when.equals("early")) {
        assertOff(process);
      } else if (what.equals("delete")) {
        assertThat(AgentLines.complaints(process)).isEmpty();
        assertThat(receiver.trace().all("job")).hasSize(1);
      } else {
        assertThat(AgentLines.complaints(process)).hasSizeLessThanOrEqualTo(2);
      }
    }
  }

  private static void assertOff(SparkProcess process) {
    process.waitFor();
    assertThat(AgentLines.of(process))
        .singleElement()
        .asString()
        .startsWith("off, the application runs untraced: ");
  }

  private Path jar(byte[] inner) {
    return ShippedJar.copyWithInner(temp.resolve("patched.jar"), inner);
  }

  /** Exits with 3 and prints the count. */
  private static SparkProcess run(Path jar) {
    SparkProcess process =
        SparkRun.of(SparkVersion.V3_5_9, ExitCode.class)
            .agent(jar, "otel.traces.exporter=otlp_file;otel.spark.export.file=trace.jsonl")
            .run();
    AgentLines.assertUnchanged(process, 3, "count: 3");
    return process;
  }
}
