package io.sparkotel.agent.cli;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sparkotel.agent.Version;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigReport;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.export.EndpointCheck;
import io.sparkotel.agent.model.Identities;
import io.sparkotel.agent.model.RecordedResource;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** {@code check}: shows the settings, sends one span, and says in plain words what is wrong. */
final class CheckCommand {

  static final String NAME = "spark-otel-agent check";

  private static final String HELP =
      "Usage: java [-Dotel.key=value ...] -jar spark-otel-agent.jar check [OPTION...]\n"
          + "\n"
          + "Reads the settings as the agent would, sends one test span to where they point, and says\n"
          + "what is wrong where that fails. Run it where the driver runs, as the same user.\n"
          + "\n"
          + "Options, as of spark-submit:\n"
          + "  --properties-file FILE  the settings of a spark-defaults.conf\n"
          + "  --conf KEY=VALUE, -c    a setting of the SparkConf, such as spark.otel.tasks=all\n"
          + "\n"
          + "All settings of docs/configuration.md hold. The exit code is 0 where an application would\n"
          + "be traced and all is well, 1 where something is wrong or nothing would be sent, 2 where an\n"
          + "option is wrong.\n";

  private final CheckOptions options;
  private final DriverOptions driver;
  private final File jar;
  private final PrintStream out;
  private int failures;

  private CheckCommand(CheckOptions options, File jar, PrintStream out) {
    this.options = options;
    this.driver = new DriverOptions(options.sparkConf());
    this.jar = jar;
    this.out = out;
  }

  static int run(String[] arguments, File jar, PrintStream out, PrintStream err) {
    CheckOptions options = new CheckOptions(arguments);
    if (options.isHelp()) {
      out.print(HELP);
      return Main.OK;
    }
    if (options.mistake() != null) {
      err.println(options.mistake());
      err.print(HELP);
      return Main.USAGE;
    }
    return new CheckCommand(options, jar, out).check();
  }

  private int check() {
    ConfigSources sources =
        new ConfigSources(
            options.sparkConf(), driver.agentArguments(), systemProperties(), System.getenv(), jar);
    AgentConfig config = AgentConfig.load(sources);
    out.println(
        "spark-otel-agent "
            + Version.AGENT
            + " in "
            + jar
            + " on Java "
            + System.getProperty("java.version"));
    List<String> set = ConfigReport.lines(sources);
    print(
        "What is set (*** hides a secret):",
        set.isEmpty() ? Collections.singletonList("nothing, every setting has its default") : set);
    List<String> problems = new ArrayList<>(options.ignored());
    problems.addAll(config.problems());
    print("What is wrong with it:", problems);
    failures += problems.size();

    String application = options.sparkConf().get("spark.app.name");
    String name = application == null ? NAME : application;
    SpanContext parent = identity(config, name, config.parent().traceparent()).parent();
    tellGate(new ApplicationGate(config, application, parent));
    tellAgentJar();
    FinishedSpan span = span(identity(config, name, null));
    for (AgentConfig.Exporter exporter : config.exporters()) {
      out.println();
      checkExporter(exporter, config, span, config.serviceNameOf(name));
    }
    out.println();
    out.println(failures == 0 ? "all is well" : "not all is well, see above");
    return failures == 0 ? Main.OK : Main.FAILED;
  }

  /** A heading and what belongs to it, nothing where that is empty. */
  private void print(String heading, List<String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    out.println();
    out.println(heading);
    for (String line : lines) {
      out.println("  " + line);
    }
  }

  private void tellGate(ApplicationGate gate) {
    List<String> lines = new ArrayList<>();
    gate.closed().forEach(reason -> lines.add("failed: " + reason));
    gate.narrow().forEach(reason -> lines.add("note: " + reason));
    failures += gate.closed().size();
    print("Which applications are traced:", lines);
  }

  private void tellAgentJar() {
    String path = driver.agentJar();
    if (path != null && !new File(path).isFile()) {
      print(
          "Where the agent's jar is:",
          Collections.singletonList(
              "note: there is no " + path + " here: a driver that is started here does not start"));
    }
  }

  private void checkExporter(
      AgentConfig.Exporter exporter, AgentConfig config, FinishedSpan span, String service) {
    switch (exporter) {
      case OTLP:
        checkCollector(config, span, service);
        break;
      case OTLP_FILE:
        checkFile(config.file());
        break;
      case CONSOLE:
        out.println("To the driver's stderr, as a tree: nothing to check.");
        break;
      case NONE:
        out.println("To nowhere: otel.traces.exporter is none.");
        break;
    }
  }

  private void checkCollector(AgentConfig config, FinishedSpan span, String service) {
    try {
      if (new EndpointCheck(config, System::getenv, out::println).run(span)) {
        out.println(
            "  Look for trace "
                + span.getSpanContext().getTraceId()
                + " of service "
                + service
                + " in your back end.");
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      out.println("  failed: interrupted");
    }
    failures++;
  }

  /** Opens it as the exporter does, and leaves nothing behind. */
  private void checkFile(File file) {
    out.println("To the file " + file.getAbsolutePath() + ":");
    boolean made = !file.exists();
    try (OutputStream opened = new FileOutputStream(file, true)) {
      opened.flush();
      out.println("  ok: it can be written here; the path counts from the driver's directory");
    } catch (IOException e) {
      failures++;
      out.println("  failed: the file cannot be written: " + e.getMessage());
      out.println("  Its directory has to be there, and the driver's user has to be let in.");
      return;
    }
    if (made && !file.delete()) {
      out.println("  note: the empty file cannot be removed");
    }
  }

  private TraceIdentity identity(AgentConfig config, String name, String parent) {
    Map<String, String> properties = new HashMap<>(options.sparkConf());
    properties.put(Settings.PARENT.sparkName(), config.parent().mode().label());
    properties.put(Settings.TRACEPARENT.sparkName(), parent);
    // As the agent records it, for the environment of this JVM is in it.
    properties.put(
        Settings.OUTPUT_RESOURCE,
        RecordedResource.encode(config, name, options.sparkConf(), config.platform()));
    String id = "check-" + UUID.randomUUID();
    return Identities.of(
        config,
        new ApplicationStart(
            id, null, name, System.getProperty("user.name"), System.currentTimeMillis()),
        new Environment(null, null, properties));
  }

  private static FinishedSpan span(TraceIdentity identity) {
    long now = System.currentTimeMillis();
    return new FinishedSpan(
        identity,
        Entity.APPLICATION,
        NAME,
        identity.ids().context(Entity.APPLICATION, 0, 0),
        SpanContext.getInvalid(),
        now,
        now,
        AttributeList.builder().build(),
        Collections.emptyList(),
        Collections.emptyList(),
        StatusData.unset());
  }

  /** Those of this JVM, and over them those that the driver's would get. */
  private Map<String, String> systemProperties() {
    Map<String, String> all = new HashMap<>();
    Properties properties = System.getProperties();
    for (String name : properties.stringPropertyNames()) {
      all.put(name, properties.getProperty(name));
    }
    all.putAll(driver.systemProperties());
    return all;
  }
}
