package io.sparkotel.it;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One release of Spark, had when it is first used: from Maven, or where Maven has none from
 * Python's package, which holds a whole distribution.
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
  public static final SparkVersion V3_3_4_SCALA_2_13 = new SparkVersion("3.3.4", "2.13");
  public static final SparkVersion V3_5_9_SCALA_2_13 = new SparkVersion("3.5.9", "2.13");
  public static final SparkVersion V4_0_4 = new SparkVersion("4.0.4", "2.13");
  public static final SparkVersion V4_1_3 = new SparkVersion("4.1.3", "2.13");
  public static final SparkVersion V4_2_0 = new SparkVersion("4.2.0", "2.13");
  public static final SparkVersion V4_3_0 = new SparkVersion("4.3.0", "2.13");

  public static final Comparator<SparkVersion> OLDEST_FIRST =
      Comparator.comparing(SparkVersion::version).thenComparing(SparkVersion::scalaBinary);

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

  /** The jars of spark-sql and all that it needs, as entries of a class path. */
  public List<Path> classpath() {
    if (equals(V4_3_0)) {
      return List.of(PythonPackages.spark(version).resolve("jars").resolve("*"));
    }
    return Maven.classpath("org.apache.spark", "spark-sql", scalaBinary, version);
  }

  /** The jars of spark-hive and what that needs beyond {@link #classpath}. */
  public List<Path> hiveJars() {
    return beyondClasspath("spark-hive", version);
  }

  /**
   * The jars of the module, of that version of its own, and what it needs beyond {@link
   * #classpath}.
   */
  List<Path> beyondClasspath(String module, String moduleVersion) {
    Set<Path> artifacts =
        classpath().stream().map(SparkVersion::artifact).collect(Collectors.toSet());
    return Maven.classpath("org.apache.spark", module, scalaBinary, moduleVersion).stream()
        .filter(jar -> !artifacts.contains(artifact(jar)))
        .toList();
  }

  /** Of a jar in a Maven repository, the directory of all its versions. */
  private static Path artifact(Path jar) {
    return jar.getParent().getParent();
  }

  /** As in artifact names: {@code 3.5.9_2.12}. */
  @Override
  public String toString() {
    return version + "_" + scalaBinary;
  }
}
