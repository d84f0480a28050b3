package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.PrintFlags;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/** The places in which a platform sets the flag for all, as the page on deployment says. */
@Tag("full")
@ParameterizedClass(name = "Spark {0}")
@FieldSource("VERSIONS")
class PlatformPlacesIT {

  static final List<String> VERSIONS = ScriptRun.VERSIONS;

  private static final String DEFAULT_OPTIONS = "spark.driver.defaultJavaOptions";
  private static final String EXTRA_OPTIONS = "spark.driver.extraJavaOptions";
  private static final Path MISSING = Path.of("/nowhere/spark-otel-agent.jar");

  private final String version;

  PlatformPlacesIT(String version) {
    this.version = version;
  }

  @Test
  void sparkEnvNextToAUsersOptions() {
    assertTraced(
        submit("--driver-java-options", "-Dv=2").confFile("spark-env.sh", sparkEnv(jar())),
        1,
        "-Dv=2");
  }

  @Test
  void sparkEnvUnderPython() {
    assertTraced(python().confFile("spark-env.sh", sparkEnv(jar())), 1, "");
  }

  @Test
  void sparkEnvWithoutTheJar() {
    assertNotTraced(submit().confFile("spark-env.sh", sparkEnv(MISSING)), "");
    assertNotTraced(python().confFile("spark-env.sh", sparkEnv(MISSING)), "");
  }

  @Test
  void theFlagAloneWithoutTheJar() {
    SparkProcess process = submit().env("SPARK_SUBMIT_OPTS", "-javaagent:" + MISSING).run();

    process.assertExit(1);
    assertThat(process.stdout() + process.stderr())
        .contains("agent library failed to init: instrument");
  }

  @Test
  void defaultOptionsNextToAUsersOptions() {
    assertTraced(
        submit("--conf", EXTRA_OPTIONS + "=-Dv=2").defaults(DEFAULT_OPTIONS, Layout.agentFlag()),
        1,
        "-Dv=2");
  }

  @Test
  void defaultOptionsUnderPython() {
    assertTraced(
        python().args(EXTRA_OPTIONS + "=-Dv=2").defaults(DEFAULT_OPTIONS, Layout.agentFlag()),
        1,
        "-Dv=2");
  }

  @Test
  void twoPlacesAtOnce() {
    assertTraced(
        submit("--driver-java-options", "-Dv=2")
            .confFile("spark-env.sh", sparkEnv(jar()))
            .defaults(DEFAULT_OPTIONS, Layout.agentFlag()),
        2,
        "-Dv=2");
  }

  @Test
  void extraOptionsAreReplacedByAUsers() {
    assertNotTraced(
        submit("--driver-java-options", "-Dv=2").defaults(EXTRA_OPTIONS, Layout.agentFlag()),
        "-Dv=2");
  }

  @Test
  void aPropertiesFileDisplacesTheDefaults() {
    assertNotTraced(
        submit("--properties-file", "conf/user.conf")
            .confFile("user.conf", "spark.master local[1]\n" + EXTRA_OPTIONS + " -Du=1\n")
            .defaults(DEFAULT_OPTIONS, Layout.agentFlag()),
        "-Du=1");
  }

  @Test
  @DisabledIf("isSpark3")
  void aPropertiesFileBesideTheDefaults() {
    assertTraced(
        submit("--properties-file", "conf/user.conf", "--load-spark-defaults")
            .confFile("user.conf", EXTRA_OPTIONS + " -Du=1\n")
            .defaults(DEFAULT_OPTIONS, Layout.agentFlag()),
        1,
        "-Du=1");
  }

  boolean isSpark3() {
    return version.startsWith("3.");
  }

  private ScriptRun submit(Object... options) {
    return ScriptRun.of(version, "spark-submit")
        .args(options)
        .args("--class", PrintFlags.class.getName(), Layout.scenarioJar());
  }

  private ScriptRun python() {
    return ScriptRun.of(version, "python").args(Layout.pythonProgram("report.py"), "flags");
  }

  private static Path jar() {
    return Layout.agentJar();
  }

  private static String sparkEnv(Path jar) {
    return snippet("spark-env.sh").replace("/opt/spark-otel/spark-otel-agent.jar", jar.toString());
  }

  private static String snippet(String name) {
    try {
      return Files.readString(Layout.snippet(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertTraced(ScriptRun run, int agents, String own) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      TracedRun traced = TracedRun.ended(run.exportTo(receiver).start(), receiver, 0);

      assertThat(traced.traces()).hasSize(1);
      assertSaid(traced.process(), agents, own);
    }
  }

  private static void assertNotTraced(ScriptRun run, String own) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = run.exportTo(receiver).run().assertExit(0);

      assertThat(receiver.spans()).isEmpty();
      assertThat(AgentLines.of(process)).isEmpty();
      assertSaid(process, 0, own);
    }
  }

  private static void assertSaid(SparkProcess process, int agents, String own) {
    assertThat(process.stdout().replace("'", ""))
        .endsWith("\nagents: " + agents + "\nown: [" + own + "]");
  }
}
