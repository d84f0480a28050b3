package io.sparkotel.agent.config;

import io.sparkotel.agent.config.Setting.Topic;

/** Writes the page {@code docs/configuration.md} from {@link Settings}. */
final class ReferenceDoc {

  private static final String INTRODUCTION =
      "# Configuration\n"
          + "\n"
          + "<!-- Generated from Settings.java by ReferenceDoc.java; edit those. -->\n"
          + "\n"
          + "Everything has a default: with nothing set, the agent sends to a collector at\n"
          + "`http://localhost:4318`.\n"
          + "\n"
          + "## Where settings come from\n"
          + "\n"
          + "Five sources, strongest first:\n"
          + "\n"
          + "1. the application's SparkConf, `spark.otel.*` (`--conf`, `spark-defaults.conf`, or in code"
          + " before the\n"
          + "   SparkContext is made),\n"
          + "2. agent arguments, `-javaagent:spark-otel-agent.jar=key=value;key=value`,\n"
          + "3. system properties, `otel.*`,\n"
          + "4. environment variables, `OTEL_*`,\n"
          + "5. the platform's file, `"
          + ConfigSources.FILE_NAME
          + "` beside the jar (or where\n"
          + "   `otel.spark.config-file` says): Java properties in UTF-8.\n"
          + "\n"
          + "An empty value counts as unset. A value that is wrong is reported in one line of the"
          + " driver's log, with\n"
          + "the legal values and what is used instead: the value of the next weaker source, else the"
          + " default. It\n"
          + "never stops an application. A key that does not exist is reported with the nearest one"
          + " that does.\n"
          + "\n"
          + "## Names of a setting\n"
          + "\n"
          + "OpenTelemetry's standard settings keep their names and their meaning. Each setting has"
          + " three forms:\n"
          + "\n"
          + "| | agent argument, system property, file | environment | SparkConf |\n"
          + "|---|---|---|---|\n"
          + "| a standard one | `otel.exporter.otlp.endpoint` | `OTEL_EXPORTER_OTLP_ENDPOINT` |"
          + " `spark.otel.exporter.otlp.endpoint` |\n"
          + "| one of the agent | `otel.spark.sql.text` | `OTEL_SPARK_SQL_TEXT` |"
          + " `spark.otel.sql.text` |\n"
          + "\n"
          + "Times are milliseconds, or a number with a unit (`500ms`, `10s`, `1m`). Sizes are bytes, or"
          + " a number with\n"
          + "`k`, `m` or `g` (powers of 1024).\n"
          + "\n"
          + "## What applications cannot change\n"
          + "\n"
          + "The platform's file can list keys in `otel.spark.locked`. Only the file sets these:"
          + " whatever another\n"
          + "source says is ignored and reported. A lock on a setting of the exporter holds for its"
          + " `traces` form too.\n"
          + "Lock the endpoint together with the headers: who chooses where spans go receives the"
          + " headers.\n"
          + "\n"
          + "```properties\n"
          + "otel.exporter.otlp.endpoint=https://collector.example.com:4318\n"
          + "otel.exporter.otlp.headers=Authorization=Bearer%20...\n"
          + "otel.spark.redaction.regex=(?i)iban|card\n"
          + "otel.spark.locked=otel.exporter.otlp.endpoint,otel.exporter.otlp.headers,\\\n"
          + "  otel.spark.redaction.regex\n"
          + "```\n"
          + "\n"
          + "## Keys that the agent writes\n"
          + "\n"
          + "`"
          + Settings.OUTPUT_TRACE_ID
          + "` and `"
          + Settings.OUTPUT_RESOURCE
          + "` in the SparkConf are written by the agent, for people and for the\n"
          + "replay of event logs. They are no settings: a value is never read.\n";

  private ReferenceDoc() {}

  /** The whole page in Markdown. */
  static String page() {
    StringBuilder out = new StringBuilder(INTRODUCTION);
    for (Topic topic : Topic.values()) {
      out.append("\n## ").append(topic.heading()).append("\n\n");
      out.append("| Setting | Default | Legal values | Meaning | Since |\n|---|---|---|---|---|\n");
      for (Setting<?> setting : Settings.all()) {
        if (setting.topic() == topic) {
          appendRow(out, setting);
        }
      }
    }
    return out.toString();
  }

  private static void appendRow(StringBuilder out, Setting<?> setting) {
    String names = "`" + setting.key() + "`";
    switch (setting.scope()) {
      case ANY:
        names += "<br>`" + setting.environmentName() + "`<br>`" + setting.sparkName() + "`";
        break;
      case LAUNCH:
        names += "<br>`" + setting.environmentName() + "`";
        break;
      case FILE:
        break;
    }
    Setting<?> general = setting.general();
    String legal = setting.type().legal();
    appendCell(out.append('|'), names);
    appendCell(out, general == null ? setting.defaultText() : "what `" + general.key() + "` says");
    appendCell(out, legal.isEmpty() ? "any text" : legal);
    appendCell(out, setting.doc());
    appendCell(out, setting.since());
    out.append('\n');
  }

  private static void appendCell(StringBuilder out, String text) {
    // Outside of code a list of patterns would turn into italics, and a placeholder into HTML.
    boolean code = false;
    out.append(' ');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      code ^= c == '`';
      if (c == '|' || (!code && c == '*')) {
        out.append('\\');
      }
      boolean html = c == '<' && !text.startsWith("<br>", i);
      out.append(!code && html ? "&lt;" : String.valueOf(c));
    }
    out.append(" |");
  }
}
