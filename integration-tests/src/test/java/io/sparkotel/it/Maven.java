package io.sparkotel.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Gets what only a started JVM needs, with the build's own Maven, repository and settings. */
final class Maven {

  private static final String DEPENDENCY_PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:";
  private static final int RESOLVE_MINUTES = 10;

  private Maven() {}

  /** The jar of {@code group:artifact:version}. */
  static Path jar(String coordinates) {
    String[] parts = coordinates.split(":");
    Path folder = Layout.workDir().resolve("jars");
    Path jar = folder.resolve(parts[1] + "-" + parts[2] + ".jar");
    return Exclusively.get(
        () -> {
          if (!Files.exists(jar)) {
            run(
                folder.resolve(parts[1] + ".log"),
                "copy",
                "-Dartifact=" + coordinates,
                "-DoutputDirectory=" + folder);
          }
          return jar;
        });
  }

  /** The jars of a module for one Scala and all that it needs, as entries of a class path. */
  static List<Path> classpath(String group, String module, String scalaBinary, String version) {
    String name = module + "_" + scalaBinary + "-" + version;
    return Exclusively.get(
        () -> {
          Path cache = Layout.workDir().resolve("spark").resolve(name + ".classpath");
          List<Path> known = Files.exists(cache) ? read(cache) : List.of();
          if (!known.isEmpty() && known.stream().allMatch(Files::isRegularFile)) {
            return known;
          }
          run(
              cache.resolveSibling(name + ".log"),
              "build-classpath",
              "-f",
              Layout.runtimePom().toString(),
              "-Dspark.group=" + group,
              "-Dspark.module=" + module,
              "-Dscala.binary.version=" + scalaBinary,
              "-Dspark.version=" + version,
              "-Dmdep.outputFile=" + cache);
          return read(cache);
        });
  }

  private static List<Path> read(Path cache) {
    try {
      return Stream.of(Files.readString(cache).strip().split(File.pathSeparator))
          .map(Path::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs a goal of the dependency plugin.
   *
   * @param log takes the output; its folder is made where it is missing
   */
  static void run(Path log, String goal, String... arguments) {
    List<String> command = new ArrayList<>();
    String home = System.getProperty("maven.home");
    command.add(home == null ? "mvn" : Path.of(home, "bin", "mvn").toString());
    command.addAll(List.of("-q", "-B"));
    String repository = System.getProperty("maven.repo.local");
    if (repository != null) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    String settings = System.getProperty("maven.settings");
    if (settings != null && Files.isRegularFile(Path.of(settings))) {
      command.addAll(List.of("-s", settings));
    }
    Collections.addAll(command, arguments);
    command.add(DEPENDENCY_PLUGIN + goal);
    try {
      Files.createDirectories(log.getParent());
      run(command, log);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(List<String> command, Path log) throws IOException {
    Process maven =
        new ProcessBuilder(command)
            .directory(log.getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      if (!maven.waitFor(RESOLVE_MINUTES, TimeUnit.MINUTES) || maven.exitValue() != 0) {
        throw new IllegalStateException(
            "Maven failed: "
                + String.join(" ", command)
                + "\n"
                + Files.readString(log, StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      maven.destroyForcibly();
    }
  }
}
