package io.sparkotel.it;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ExitCode;
import io.sparkotel.scenarios.FaultyCallbacks;
import io.sparkotel.scenarios.MainThrows;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every event that the agent listens to, and every call into it from woven code, fails in turn with
 * every kind of failure; the application goes on as without agent.
 */
@Tag("full")
class CallbackFaultIT {

  private static final String ADAPTER = "io/sparkotel/agent/spark/SparkEventAdapter.class";
  private static final String AGENT = "io/sparkotel/agent/AgentMain.class";

  private static final List<String> FAULTS = List.of("exception", "linkage", "stack", "memory");

  /** Those without which there is no trace. */
  private static final List<String> FOUNDATION = List.of("ApplicationStart", "EnvironmentUpdate");

  private static final List<String> REST =
      List.of(
          "ApplicationEnd",
          "ExecutorAdded",
          "JobStart",
          "JobEnd",
          "StageSubmitted",
          "StageCompleted",
          "TaskStart",
          "TaskEnd",
          "SQLExecutionStart",
          "SQLExecutionEnd",
          "SQLAdaptiveExecutionUpdate");

  private static final List<String> ADVICE =
      List.of("contextStarting", "weave", "busStopped", "exiting", "uncaught");

  @TempDir Path temp;

  @OnEachSpark
  void everyEventMayFail(SparkVersion version) {
    List<String> arguments = new ArrayList<>();
    Stream.concat(FOUNDATION.stream(), REST.stream())
        .forEach(event -> FAULTS.forEach(fault -> arguments.add(event + ":" + fault)));
    byte[] inner = ShippedJar.innerWith(ADAPTER, CallbackFaultIT::givingEventsToTheApplication);
    Path jar = ShippedJar.copyWithInner(temp.resolve("patched.jar"), inner);
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process =
          SparkRun.of(version, FaultyCallbacks.class)
              .args(arguments.toArray())
              .exportOverHttp(receiver)
              .agent(jar, "")
              .timeout(Duration.ofMinutes(6))
              .run();

      AgentLines.assertUnchanged(
          process, 0, arguments.stream().map(arg -> arg + ": 10").collect(joining("\n")));
      // Each fault once, for each application once.
      assertThat(AgentLines.complaints(process))
          .hasSameSizeAs(arguments)
          .allMatch(line -> line.startsWith("failed inside, the application goes on: java.lang."));
      assertThat(receiver.traces())
          .extracting(trace -> trace.application().resource().get("spark.app.name"))
          .containsAll(arguments.stream().filter(arg -> REST.contains(event(arg))).toList());
      assertThat(receiver.traces())
          .allSatisfy(
              trace -> {
                SpanNode application = trace.application();
                assertThat((Long) application.attribute("spark.otel.errors")).isPositive();
                assertThat(application.isError()).isFalse();
              });
    }
  }

  private static String event(String argument) {
    return argument.substring(0, argument.indexOf(':'));
  }

  /** As if every event's callback began with a call of what the application left. */
  private static byte[] givingEventsToTheApplication(byte[] adapter) {
    ClassReader reader = new ClassReader(adapter);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    boolean[] found = new boolean[1];
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (!name.equals("dispatch")) {
              return next;
            }
            found[0] = true;
            return new MethodVisitor(Opcodes.ASM9, next) {
              @Override
              public void visitCode() {
                super.visitCode();
                String consumer = "java/util/function/Consumer";
                visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "java/lang/System",
                    "getProperties",
                    "()Ljava/util/Properties;",
                    false);
                visitLdcInsn(FaultyCallbacks.PROPERTY);
                visitMethodInsn(
                    Opcodes.INVOKEVIRTUAL,
                    "java/util/Properties",
                    "get",
                    "(Ljava/lang/Object;)Ljava/lang/Object;",
                    false);
                visitTypeInsn(Opcodes.CHECKCAST, consumer);
                visitVarInsn(Opcodes.ALOAD, 2);
                visitMethodInsn(
                    Opcodes.INVOKEINTERFACE, consumer, "accept", "(Ljava/lang/Object;)V", true);
              }
            };
          }
        },
        0);
    assertThat(found[0]).isTrue();
    return writer.toByteArray();
  }

  static Stream<Arguments> advice() {
    return ADVICE.stream()
        .flatMap(
            method -> Arrays.stream(Faults.values()).map(fault -> Arguments.of(method, fault)));
  }

  @ParameterizedTest
  @MethodSource("advice")
  void everyCallFromWovenCodeMayFail(String method, Faults fault) {
    byte[] inner = ShippedJar.innerWith(AGENT, before -> fault.in(before, method, null));
    Path jar = ShippedJar.copyWithInner(temp.resolve("patched.jar"), inner);
    boolean uncaught = method.equals("uncaught");
    SparkProcess process =
        SparkRun.of(SparkVersion.V3_5_9, uncaught ? MainThrows.class : ExitCode.class)
            .agent(jar, "otel.traces.exporter=otlp_file;otel.spark.export.file=trace.jsonl")
            .run();

    process.assertExit(uncaught ? 1 : 3);
    assertThat(process.stdout()).isEqualTo("count: 3");
    assertThat(AgentLines.of(process)).hasSizeLessThanOrEqualTo(3);
  }
}
