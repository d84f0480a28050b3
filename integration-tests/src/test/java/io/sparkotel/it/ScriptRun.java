package io.sparkotel.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One start of a script of a real Spark distribution, or of {@code python}, as a user types it. It
 * has a directory of its own, with a {@code SPARK_CONF_DIR} whose log configuration is quiet and
 * whose {@code spark-defaults.conf} holds local[2], no UI and what {@link #defaults} adds.
 */
final class ScriptRun {

  /** The lines of Spark whose distribution is tried. */
  static final List<String> VERSIONS = List.of("3.5.9", "4.3.0");

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path scripts;
  private final String script;
  private final Path dir;
  private final List<String> args = new ArrayList<>();
  private final Map<String, String> defaults = new TreeMap<>();
  private final Map<String, String> env = new LinkedHashMap<>();
  private final Map<String, String> confFiles = new LinkedHashMap<>();
  private boolean withInput;
  private Duration timeout = Duration.ofMinutes(3);

  private ScriptRun(Path scripts, String version, String script) {
    this.scripts = scripts;
    this.script = script;
    String name =
        String.format(
            "%s-%d-%d-%s", script, ProcessHandle.current().pid(), COUNT.incrementAndGet(), version);
    dir = Layout.workDir().resolve("runs").resolve(name);
    defaults.put("spark.master", "local[2]");
    defaults.put("spark.driver.host", "127.0.0.1");
    defaults.put("spark.ui.enabled", "false");
    defaults.put("spark.sql.shuffle.partitions", "2");
    defaults.put("spark.sql.warehouse.dir", dir.resolve("warehouse").toString());
    env.put("PATH", scripts + File.pathSeparator + System.getenv("PATH"));
    env.put("JAVA_HOME", System.getProperty("java.home"));
    env.put("SPARK_CONF_DIR", dir.resolve("conf").toString());
    env.put("SPARK_LOCAL_IP", "127.0.0.1");
    env.put("SPARK_LOCAL_DIRS", dir.resolve("local").toString());
  }

  /**
   * @param version of Spark, such as {@code 3.5.9}
   * @param script such as {@code spark-submit}
   */
  static ScriptRun of(String version, String script) {
    return new ScriptRun(PythonPackages.sparkScripts(version), version, script);
  }

  ScriptRun args(Object... more) {
    for (Object arg : more) {
      args.add(arg.toString());
    }
    return this;
  }

  /** A line of {@code spark-defaults.conf}. */
  ScriptRun defaults(String key, Object value) {
    defaults.put(key, value.toString());
    return this;
  }

  /** Another file of the configuration's directory. */
  ScriptRun confFile(String name, String text) {
    confFiles.put(name, text);
    return this;
  }

  ScriptRun env(String name, String value) {
    env.put(name, value);
    return this;
  }

  /** An agent that was put in by whatever means sends there. */
  ScriptRun exportTo(OtlpReceiver receiver) {
    return defaults("spark.otel.exporter.otlp.endpoint", receiver.httpEndpoint());
  }

  /** With a standard input that is open until {@link SparkProcess#type}; else it is empty. */
  ScriptRun withInput() {
    withInput = true;
    return this;
  }

  /** The longest that the run may take; three minutes if not said. */
  ScriptRun timeout(Duration longest) {
    timeout = longest;
    return this;
  }

  /** The directory of this run; exists once it is started. */
  Path dir() {
    return dir;
  }

  SparkProcess start() {
    try {
      Files.createDirectories(dir.resolve("local"));
      writeConf();
      List<String> command = new ArrayList<>(List.of(scripts.resolve(script).toString()));
      command.addAll(args);
      Files.write(dir.resolve("command"), command);
      ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
      if (!withInput) {
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
      }
      // The run must not depend on what the one who builds has set.
      builder
          .environment()
          .keySet()
          .removeIf(
              name ->
                  name.matches(
                      "(OTEL|SPARK|PYSPARK|PYTHON|IPYTHON|JUPYTER|HADOOP)_?.*"
                          + "|TRACEPARENT|TRACESTATE|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|MASTER"));
      builder.environment().putAll(env);
      return new SparkProcess(builder.start(), dir, timeout);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs to the end; whatever the exit code. */
  SparkProcess run() {
    SparkProcess process = start();
    process.waitFor();
    return process;
  }

  private void writeConf() throws IOException {
    Path conf = Files.createDirectories(dir.resolve("conf"));
    Files.copy(Layout.sparkConf().resolve("log4j2.properties"), conf.resolve("log4j2.properties"));
    List<String> lines = new ArrayList<>();
    defaults.forEach((key, value) -> lines.add(key + " " + value));
    Files.write(conf.resolve("spark-defaults.conf"), lines);
    for (Map.Entry<String, String> file : confFiles.entrySet()) {
      Files.writeString(conf.resolve(file.getKey()), file.getValue());
    }
  }
}
