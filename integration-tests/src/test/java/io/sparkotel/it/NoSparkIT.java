package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs without a Spark that can be traced, on every JDK of this machine. */
class NoSparkIT {

  private static final Map<String, String> HELLO =
      Map.of(
          "Hello",
          """
          public class Hello {
            public static void main(String[] args) {
              System.out.println("hello");
              System.exit(7);
            }
          }
          """);

  /** As a vendor's fork could be: the classes are there, the methods of the hooks are not. */
  private static final Map<String, String> FOREIGN_SPARK =
      Map.of(
          "org.apache.spark.SparkContext",
          """
          package org.apache.spark;

          public class SparkContext {
            public void stop() {
              new org.apache.spark.scheduler.LiveListenerBus().halt();
            }
          }
          """,
          "org.apache.spark.scheduler.LiveListenerBus",
          """
          package org.apache.spark.scheduler;

          public class LiveListenerBus {
            public void halt() {
              System.out.println("halted");
            }
          }
          """,
          "Main",
          """
          public class Main {
            public static void main(String[] args) {
              new org.apache.spark.SparkContext().stop();
              System.exit(7);
            }
          }
          """);

  /** Nothing is as the agent expects it where the hook is. */
  private static final Map<String, String> HOLLOW_SPARK =
      Map.of(
          "org.apache.spark.SparkContext",
          """
          package org.apache.spark;

          public class SparkContext {
            private void setupAndStartListenerBus() {
              System.out.println("started");
            }

            public SparkContext() {
              setupAndStartListenerBus();
            }
          }
          """,
          "Main",
          """
          public class Main {
            public static void main(String[] args) {
              new org.apache.spark.SparkContext();
              System.exit(7);
            }
          }
          """);

  @TempDir Path dir;

  static Stream<Path> homes() {
    return PlainJava.homes().stream();
  }

  @ParameterizedTest
  @MethodSource("homes")
  void aProgramWithoutSparkHearsNothing(Path home) {
    PlainJava.compile(dir, HELLO);
    for (String arguments : new String[] {"", "=otel.spark.taks=all;nonsense"}) {
      assertSilent(
          PlainJava.run(home, dir, Layout.agentFlag() + arguments, "-cp", dir, "Hello"), "hello");
    }
  }

  @ParameterizedTest
  @MethodSource("homes")
  void anAgentThatIsGivenTwiceIsSilent(Path home) {
    PlainJava.compile(dir, HELLO);
    String agent = Layout.agentFlag();
    assertSilent(PlainJava.run(home, dir, agent, agent, "-cp", dir, "Hello"), "hello");
  }

  @ParameterizedTest
  @MethodSource("homes")
  void aSparkWithoutTheHooksIsOneLine(Path home) {
    PlainJava.compile(dir, FOREIGN_SPARK);
    SparkProcess process = PlainJava.run(home, dir, Layout.agentFlag(), "-cp", dir, "Main");

    process.assertExit(7);
    assertThat(process.stdout()).isEqualTo("halted");
    assertThat(process.stderrLines())
        .containsExactly(
            "[spark-otel-agent] Spark found, hook missing: the application runs untraced");
  }

  @ParameterizedTest
  @MethodSource("homes")
  void aSparkThatLacksAllElseIsOneLine(Path home) {
    PlainJava.compile(dir, HOLLOW_SPARK);
    SparkProcess process = PlainJava.run(home, dir, Layout.agentFlag(), "-cp", dir, "Main");

    process.assertExit(7);
    assertThat(process.stdout()).isEqualTo("started");
    assertThat(process.stderrLines())
        .singleElement()
        .asString()
        .startsWith("[spark-otel-agent] failed inside, the application goes on: java.lang.");
  }

  private static void assertSilent(SparkProcess process, String stdout) {
    process.assertExit(7);
    assertThat(process.stdout()).isEqualTo(stdout);
    assertThat(process.stderrLines()).isEmpty();
  }
}
