package io.sparkotel.it;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Where things are: told by the build through system properties, guessed when run from an IDE. */
final class Layout {

  private static final Path MODULE = module();

  private Layout() {}

  private static Path module() {
    String told = System.getProperty("module.dir");
    if (told != null) {
      return Path.of(told);
    }
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("spark-runtime"))
        ? here
        : here.resolve("integration-tests");
  }

  static Path workDir() {
    return property("work.dir", MODULE.resolve("target"));
  }

  static Path scenarioClasses() {
    return property("scenario.classes", MODULE.resolve("target/classes"));
  }

  /** With what benchmarks run inside of Spark's JVM. */
  static Path testClasses() {
    return MODULE.resolve("target/test-classes");
  }

  /** Holds the log configuration of the started JVMs. */
  static Path sparkConf() {
    return MODULE.resolve("spark-conf");
  }

  static Path runtimePom() {
    return MODULE.resolve("spark-runtime").resolve("pom.xml");
  }

  /** The generated reference of every attribute. */
  static Path telemetryReference() {
    return MODULE.resolveSibling("docs").resolve("telemetry.md");
  }

  /** A script of the pages for platforms. */
  static Path snippet(String name) {
    return MODULE.resolveSibling("docs").resolve("snippets").resolve(name);
  }

  /** A program of {@code src/test/python}. */
  static Path pythonProgram(String name) {
    return MODULE.resolve("src/test/python").resolve(name);
  }

  static Path readme() {
    return MODULE.resolveSibling("README.md");
  }

  /** Real event logs, which may not be there. */
  static Path corpus() {
    Path repository = MODULE.getParent();
    return property("sparkotel.eventlogs", repository.resolveSibling("shared/eventlogs"));
  }

  /** What a JVM is given to run with the shipped jar. */
  static String agentFlag() {
    return "-javaagent:" + agentJar();
  }

  /** The shipped jar; fails when it was not built. */
  static Path agentJar() {
    Path target = MODULE.resolveSibling("agent").resolve("target");
    Path jar = property("agent.jar", target.resolve("spark-otel-agent-0.1.0-SNAPSHOT.jar"));
    if (!Files.isRegularFile(jar)) {
      throw new IllegalStateException("not built: " + jar);
    }
    return jar;
  }

  private static Path property(String key, Path otherwise) {
    String value = System.getProperty(key);
    return value == null ? otherwise : Path.of(value);
  }

  /** The scenario classes as the jar that spark-submit is given; written once a JVM. */
  static Path scenarioJar() {
    return ScenarioJar.PATH;
  }

  private static final class ScenarioJar {
    static final Path PATH = write();

    private static Path write() {
      Path jar = workDir().resolve("scenarios.jar");
      Path classes = scenarioClasses();
      try (Stream<Path> walk = Files.walk(classes)) {
        List<Path> files = walk.filter(Files::isRegularFile).sorted().toList();
        try (OutputStream file = Files.newOutputStream(jar);
            JarOutputStream out = new JarOutputStream(file)) {
          for (Path path : files) {
            out.putNextEntry(new JarEntry(classes.relativize(path).toString().replace('\\', '/')));
            Files.copy(path, out);
            out.closeEntry();
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return jar;
    }
  }
}
