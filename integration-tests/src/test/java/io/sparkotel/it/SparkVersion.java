package io.sparkotel.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One release of Spark, had from Maven when it is first used.
 *
 * @param version such as {@code 3.5.9}
 * @param scalaBinary {@code 2.12} or {@code 2.13}
 */
public record SparkVersion(String version, String scalaBinary) {

  public static final SparkVersion V3_0_3 = new SparkVersion("3.0.3", "2.12");
  public static final SparkVersion V3_1_3 = new SparkVersion("3.1.3", "2.12");
  public static final SparkVersion V3_2_4 = new SparkVersion("3.2.4", "2.12");
  public static final SparkVersion V3_3_4 = new SparkVersion("3.3.4", "2.12");
  public static final SparkVersion V3_4_4 = new SparkVersion("3.4.4", "2.12");
  public static final SparkVersion V3_5_9 = new SparkVersion("3.5.9", "2.12");
  public static final SparkVersion V3_5_9_SCALA_2_13 = new SparkVersion("3.5.9", "2.13");
  public static final SparkVersion V4_0_4 = new SparkVersion("4.0.4", "2.13");
  public static final SparkVersion V4_1_3 = new SparkVersion("4.1.3", "2.13");
  public static final SparkVersion V4_2_0 = new SparkVersion("4.2.0", "2.13");

  /** The Scala library of Spark 3.5, which runs on Java 17; that of Spark 3.0 to 3.2 does not. */
  private static final String SCALA_FOR_JAVA_17 = "2.12.18";

  private static final int RESOLVE_MINUTES = 10;

  /** What Spark opens for itself on Java 9 and later (its JavaModuleOptions). */
  private static final List<String> OPENED =
      List.of(
          "java.base/java.lang",
          "java.base/java.lang.invoke",
          "java.base/java.lang.reflect",
          "java.base/java.io",
          "java.base/java.net",
          "java.base/java.nio",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/jdk.internal.ref",
          "java.base/sun.nio.ch",
          "java.base/sun.nio.cs",
          "java.base/sun.security.action",
          "java.base/sun.util.calendar",
          "java.security.jgss/sun.security.krb5");

  /** The flags that spark-submit would give the JVM, harmless on Java 8. */
  public List<String> jvmFlags() {
    List<String> flags = new ArrayList<>();
    flags.add("-XX:+IgnoreUnrecognizedVMOptions");
    for (String opened : OPENED) {
      flags.add("--add-opens=" + opened + "=ALL-UNNAMED");
    }
    flags.add("-Djdk.reflect.useDirectMethodHandle=false");
    flags.add("-Dio.netty.tryReflectionSetAccessible=true");
    return flags;
  }

  /** The jars of spark-sql and all that it needs. */
  public List<Path> classpath() {
    Path cache = Layout.workDir().resolve("spark").resolve(this + ".classpath");
    try {
      if (Files.exists(cache)) {
        List<Path> jars = read(cache);
        if (jars.stream().allMatch(Files::isRegularFile)) {
          return jars;
        }
      }
      Files.createDirectories(cache.getParent());
      resolve(cache);
      return read(cache);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> read(Path cache) throws IOException {
    return Stream.of(Files.readString(cache).strip().split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  private void resolve(Path cache) throws IOException {
    List<String> command = new ArrayList<>();
    String home = System.getProperty("maven.home");
    command.add(home == null ? "mvn" : Path.of(home, "bin", "mvn").toString());
    command.addAll(List.of("-q", "-B", "-f", Layout.runtimePom().toString()));
    String repository = System.getProperty("maven.repo.local");
    if (repository != null) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    String settings = System.getProperty("maven.settings");
    if (settings != null && Files.isRegularFile(Path.of(settings))) {
      command.addAll(List.of("-s", settings));
    }
    command.add("-Dspark.version=" + version);
    command.add("-Dscala.binary.version=" + scalaBinary);
    if (version.matches("3\\.[0-2]\\..*")) {
      command.add("-Dscala.library.version=" + SCALA_FOR_JAVA_17);
    }
    command.add("org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath");
    command.add("-Dmdep.outputFile=" + cache);

    Path log = cache.resolveSibling(this + ".log");
    Process maven =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      if (!maven.waitFor(RESOLVE_MINUTES, TimeUnit.MINUTES) || maven.exitValue() != 0) {
        throw new IllegalStateException(
            "Maven could not resolve Spark "
                + this
                + ":\n"
                + Files.readString(log, StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      maven.destroyForcibly();
    }
  }

  /** As in artifact names: {@code 3.5.9_2.12}. */
  @Override
  public String toString() {
    return version + "_" + scalaBinary;
  }
}
