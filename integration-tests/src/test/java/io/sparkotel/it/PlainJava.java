package io.sparkotel.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import javax.tools.ToolProvider;

/** Small programs without Spark: compiles them, and runs them on the JDKs of this machine. */
final class PlainJava {

  private static final Path INSTALLED = Path.of("/usr/lib/jvm");
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private PlainJava() {}

  /** The JDK of this JVM, and one of every other version from 8 on that is installed. */
  static List<Path> homes() {
    Map<Integer, Path> homes = new TreeMap<>();
    if (Files.isDirectory(INSTALLED)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(INSTALLED)) {
        for (Path home : all) {
          if (Files.isExecutable(home.resolve("bin/java"))
              && Files.exists(home.resolve("release"))) {
            homes.put(version(home), home);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    homes.put(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
    return homes.entrySet().stream()
        .filter(home -> home.getKey() >= 8)
        .map(Map.Entry::getValue)
        .toList();
  }

  /** The feature version, such as 17, of a JDK or runtime. */
  static int version(Path home) {
    Properties release = new Properties();
    try (var in = Files.newInputStream(home.resolve("release"))) {
      release.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String version = release.getProperty("JAVA_VERSION", "0").replace("\"", "");
    return Integer.parseInt(version.replaceFirst("^1\\.", "").split("[.\\-+_]")[0]);
  }

  /**
   * Compiles for Java 8.
   *
   * @param sources by name of the class, with dots
   * @return {@code dir}
   */
  static Path compile(Path dir, Map<String, String> sources) {
    List<String> arguments =
        new ArrayList<>(List.of("-nowarn", "--release", "8", "-Xlint:-options"));
    arguments.addAll(List.of("-d", dir.toString()));
    try {
      for (Map.Entry<String, String> source : sources.entrySet()) {
        Path file = dir.resolve(source.getKey().replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        arguments.add(Files.writeString(file, source.getValue()).toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(new String[0]));
    if (status != 0) {
      throw new AssertionError("does not compile: " + sources);
    }
    return dir;
  }

  /** Runs {@code java} with those arguments, in {@code dir}, to the end. */
  static SparkProcess run(Path home, Path dir, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/java").toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(dir.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("OTEL_") || name.matches("(JAVA_TOOL|JDK_JAVA)_OPTIONS"));
    try {
      SparkProcess process = new SparkProcess(builder.start(), dir, PATIENCE);
      process.waitFor();
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
