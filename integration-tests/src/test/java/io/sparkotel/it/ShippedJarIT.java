package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The one file that users get. */
class ShippedJarIT {

  private static final int JAVA_8 = 52;
  private static final long MAX_BYTES = 8L << 20;

  /** What a plain JVM with the agent pays for: it reads the outer jar's directory. */
  private static final int MAX_ENTRIES = 30;

  /** What spark-submit is to find. */
  private static final List<String> JOB =
      List.of(
          "io.sparkotel.replay.HadoopFiles",
          "io.sparkotel.replay.ReplayJob",
          "io.sparkotel.replay.ReplayJob$RunTask");

  /** What the parent pom says in {@code project.build.outputTimestamp}. */
  private static final LocalDateTime BUILT = LocalDateTime.of(2026, 11, 29, 0, 0);

  static Stream<byte[]> jars() throws IOException {
    return Stream.of(Files.readAllBytes(Layout.agentJar()), ShippedJar.inner());
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("jars")
  void everyClassRunsOnJava8(byte[] jar) {
    Map<String, byte[]> files = ShippedJar.files(jar);
    assertThat(files.keySet()).noneMatch(name -> name.startsWith("META-INF/versions/"));
    files.forEach(
        (name, bytes) -> {
          if (name.endsWith(".class")) {
            int major = (bytes[6] & 0xff) << 8 | (bytes[7] & 0xff);
            assertThat(major).as(name).isLessThanOrEqualTo(JAVA_8);
          }
        });
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("jars")
  void holdsNoClassUnderItsOriginalName(byte[] jar) {
    assertThat(ShippedJar.classes(jar))
        .isNotEmpty()
        .allMatch(name -> name.startsWith("io.sparkotel."));
  }

  @Test
  void showsTheBootstrapClassesAndTheJobAlone() {
    assertThat(ShippedJar.classes(bytes()))
        .filteredOn(name -> !name.startsWith("io.sparkotel.bootstrap."))
        .containsExactlyInAnyOrderElementsOf(JOB);
    assertThat(ShippedJar.classes(ShippedJar.inner()))
        .allMatch(
            name ->
                name.startsWith("io.sparkotel.agent.") || name.startsWith("io.sparkotel.shaded."))
        .contains("io.sparkotel.agent.AgentMain");
  }

  @Test
  void isSmall() throws IOException {
    assertThat(Files.size(Layout.agentJar())).isLessThanOrEqualTo(MAX_BYTES);
    try (ZipFile outer = new ZipFile(Layout.agentJar().toFile())) {
      assertThat(outer.size()).isLessThanOrEqualTo(MAX_ENTRIES);
    }
  }

  @Test
  void storesTheInnerJarUncompressed() throws IOException {
    try (ZipFile outer = new ZipFile(Layout.agentJar().toFile())) {
      assertThat(outer.getEntry(ShippedJar.INNER).getMethod()).isEqualTo(ZipEntry.STORED);
    }
  }

  @Test
  void hasTheAgentsManifest() throws IOException {
    try (JarFile outer = new JarFile(Layout.agentJar().toFile())) {
      Attributes manifest = outer.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Premain-Class"))
          .isEqualTo("io.sparkotel.bootstrap.SparkOtelAgent");
      assertThat(manifest.getValue("Can-Retransform-Classes")).isEqualTo("true");
      assertThat(manifest.getValue("Implementation-Title")).isEqualTo("spark-otel-agent");
      assertThat(Layout.agentJar().getFileName().toString())
          .isEqualTo("spark-otel-agent-" + manifest.getValue("Implementation-Version") + ".jar");
      // Each of these would cost every JVM, or show more than the bootstrap classes.
      assertThat(manifest.keySet())
          .doesNotContain(
              new Attributes.Name("Boot-Class-Path"),
              Attributes.Name.CLASS_PATH,
              new Attributes.Name("Launcher-Agent-Class"));
    }
  }

  @Test
  void namesTheLicenseOfEverythingInIt() {
    Map<String, byte[]> files = ShippedJar.outer();
    assertThat(text(files, "META-INF/LICENSE")).contains("Apache License", "Version 2.0");
    String notice = text(files, "META-INF/NOTICE");
    assertThat(notice).doesNotContain("${").contains("Neither the name of the copyright holders");

    Map<String, String> names =
        Map.of(
            "airlift", "aircompressor",
            "bytebuddy", "Byte Buddy",
            "jackson", "Jackson",
            "kotlin", "Kotlin",
            "ning", "compress-lzf",
            "okhttp3", "OkHttp",
            "okio", "Okio",
            "opentelemetry", "OpenTelemetry");
    List<String> bundled =
        ShippedJar.classes(ShippedJar.inner()).stream()
            .filter(name -> name.startsWith("io.sparkotel.shaded."))
            .map(name -> name.split("\\.")[3])
            .distinct()
            .toList();
    assertThat(bundled).containsExactlyInAnyOrderElementsOf(names.keySet());
    assertThat(notice).contains(names.values());
    assertThat(ShippedJar.files(ShippedJar.inner()).keySet())
        .as("Mozilla's list, under a license that NOTICE does not name")
        .noneMatch(name -> name.endsWith("PublicSuffixDatabase.list"));
  }

  /** What makes two builds differ: clocks, and the order in which a disk lists its files. */
  @Test
  void holdsNothingOfTheBuildersMachine() throws IOException {
    try (ZipFile outer = new ZipFile(Layout.agentJar().toFile())) {
      for (ZipEntry entry : Collections.list(outer.entries())) {
        assertThat(entry.getTimeLocal()).as(entry.getName()).isEqualTo(BUILT);
      }
    }
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(ShippedJar.inner()))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        assertThat(entry.getTimeLocal()).as(entry.getName()).isBeforeOrEqualTo(BUILT);
      }
    }
    List<String> bootstrap =
        ShippedJar.outer().keySet().stream().filter(name -> name.endsWith(".class")).toList();
    assertThat(bootstrap).isSorted();
  }

  private static byte[] bytes() {
    try {
      return Files.readAllBytes(Layout.agentJar());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(Map<String, byte[]> files, String name) {
    return new String(files.get(name), StandardCharsets.UTF_8);
  }
}
