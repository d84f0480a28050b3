package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.LoadByName;
import io.sparkotel.scenarios.RddShuffle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The application sees nothing of the agent, and the agent nothing of the application. */
class IsolationIT {

  private static final String SHADED = "io/sparkotel/shaded/";

  /** Original names of what is bundled, but for Jackson, without which Spark cannot run. */
  private static final Map<String, String> ORIGINALS =
      Map.of(
          SHADED + "bytebuddy/", "net/bytebuddy/",
          SHADED + "okhttp3/", "okhttp3/",
          SHADED + "okio/", "okio/",
          SHADED + "kotlin/", "kotlin/",
          SHADED + "opentelemetry/", "io/opentelemetry/");

  @TempDir Path temp;

  static Stream<SparkVersion> versions() {
    return Stream.of(SparkVersion.V3_5_9, SparkVersion.V4_2_0);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void noClassCanBeLoadedByName(SparkVersion version) throws IOException {
    assertHidden(SparkRun.of(version, LoadByName.class));
  }

  @Test
  void noClassCanBeLoadedByNameUnderSparkSubmit() throws IOException {
    assertHidden(
        SparkRun.of(SparkVersion.V3_5_9, LoadByName.class)
            .conf("spark.driver.userClassPathFirst", true)
            .submitted());
  }

  private void assertHidden(SparkRun run) throws IOException {
    List<String> hidden = ShippedJar.classes(ShippedJar.inner());
    List<String> shown =
        ShippedJar.outer().keySet().stream()
            .filter(name -> name.endsWith("/AgentEntry.class"))
            .map(name -> name.replace(".class", "").replace('/', '.'))
            .toList();
    List<String> all = Stream.concat(hidden.stream(), shown.stream()).toList();
    Path names = Files.write(temp.resolve("names"), all);
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkProcess process = run.args(names).exportOverHttp(receiver).run().assertExit(0);

      String found = "[io.sparkotel.bootstrap.AgentEntry] of " + all.size();
      assertThat(hidden).hasSizeGreaterThan(1_000);
      assertThat(process.stdout()).isEqualTo("in a task: " + found + "\nin main: " + found);
      receiver.trace().application();
    }
  }

  @Test
  void brokenLibrariesOfTheApplicationChangeNothing() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run = application().classpath(brokenLibraries());
      assertTraced(run.exportOverHttp(receiver), receiver);
    }
  }

  @Test
  void brokenLibrariesThatComeFirstUnderSparkSubmitChangeNothing() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      SparkRun run =
          application()
              .conf("spark.driver.userClassPathFirst", true)
              .conf("spark.jars", brokenLibraries())
              .submitted();
      // gRPC brings the most libraries in.
      assertTraced(run.exportOverGrpc(receiver), receiver);
    }
  }

  private static SparkRun application() {
    return SparkRun.of(SparkVersion.V3_5_9, RddShuffle.class).master("local[2,3]");
  }

  private static void assertTraced(SparkRun run, OtlpReceiver receiver) {
    SparkProcess process = run.run().assertExit(0);

    assertThat(process.stdout()).isEqualTo("keys: 3\nsums: 3");
    assertThat(AgentLines.complaints(process)).isEmpty();
    Trace trace = receiver.trace();
    assertThat(trace.all("job")).hasSize(2);
    assertThat(trace.all("stage")).hasSize(3);
    assertThat(trace.all("task")).hasSize(7);
    assertThat(trace.application().attribute("spark.otel.errors")).isIn(null, 0L);
  }

  /**
   * Every class of the agent and its libraries, under the names in the jar and under the original
   * ones, failing when it is touched; and service files that name them.
   */
  private Path brokenLibraries() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    ShippedJar.files(ShippedJar.inner())
        .forEach(
            (name, bytes) -> {
              if (name.endsWith(".class")) {
                put(files, name);
                put(files, original(name));
              } else if (name.startsWith("META-INF/services/")) {
                files.put(name, bytes);
                String originals = original(text(bytes).replace('.', '/')).replace('/', '.');
                files.put(
                    "META-INF/services/"
                        + original(name.substring("META-INF/services/".length()).replace('.', '/'))
                            .replace('/', '.'),
                    originals.getBytes(StandardCharsets.UTF_8));
              }
            });
    assertThat(files)
        .containsKeys(
            "io/opentelemetry/api/GlobalOpenTelemetry.class",
            "okhttp3/OkHttpClient.class",
            "META-INF/services/"
                + "io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSpanExporterProvider");
    // The SDK would take them instead of ours, which no service file names.
    for (String sender : List.of("HttpSenderProvider", "GrpcSenderProvider")) {
      files.put(
          "META-INF/services/io.opentelemetry.sdk.common.export." + sender,
          "okhttp3.OkHttpClient".getBytes(StandardCharsets.UTF_8));
    }
    return ShippedJar.write(temp.resolve("broken.jar"), files);
  }

  private static String original(String name) {
    String original = name;
    for (Map.Entry<String, String> entry : ORIGINALS.entrySet()) {
      original = original.replace(entry.getKey(), entry.getValue());
    }
    return original;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void put(Map<String, byte[]> files, String classFile) {
    String name = classFile.substring(0, classFile.length() - ".class".length());
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
    code.visitCode();
    Faults.throwNew(code, "java/lang/AssertionError", "(Ljava/lang/Object;)V");
    code.visitMaxs(0, 0);
    code.visitEnd();
    files.put(classFile, writer.toByteArray());
  }
}
