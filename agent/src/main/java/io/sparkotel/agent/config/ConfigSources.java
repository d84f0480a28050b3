package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.UserAttributes;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** The five places that settings come from, and what they hold that is no setting. */
public final class ConfigSources {

  /** Name of the platform's file beside the agent's jar. */
  public static final String FILE_NAME = "spark-otel-agent.properties";

  private static final int MAX_KEY_CHARS = 120;

  /** Strongest first. */
  enum Source {
    SPARK_CONF,
    AGENT_ARGUMENT,
    SYSTEM_PROPERTY,
    ENVIRONMENT,
    PLATFORM_FILE
  }

  private final Map<String, String> sparkConf;
  private final String agentArgs;
  private final Map<String, String> systemProperties;
  private final Map<String, String> environment;
  private final File agentJar;

  private Map<String, String> arguments = Collections.emptyMap();
  private Map<String, String> fileValues = Collections.emptyMap();
  private File file;

  /**
   * @param sparkConf the whole SparkConf, or those of its keys that start with {@code spark.otel.}
   * @param agentArgs {@code key=value;key=value}, or null
   * @param agentJar the jar beside which the platform's file is looked for, or null
   */
  public ConfigSources(
      Map<String, String> sparkConf,
      String agentArgs,
      Map<String, String> systemProperties,
      Map<String, String> environment,
      File agentJar) {
    this.sparkConf = sparkConf;
    this.agentArgs = agentArgs == null ? "" : agentArgs;
    this.systemProperties = systemProperties;
    this.environment = environment;
    this.agentJar = agentJar;
  }

  /** Reads the agent arguments and the platform's file. */
  void open(ConfigProblems problems) {
    arguments = parseArguments(problems);
    File beside = agentJar == null ? null : new File(agentJar.getParentFile(), FILE_NAME);
    if (beside != null && !beside.exists()) {
      beside = null;
    }
    Map<String, String> besideValues = beside == null ? null : readFile(beside, problems);
    if (besideValues != null) {
      file = beside;
      fileValues = besideValues;
    }
    useConfigFile(problems);
  }

  private void useConfigFile(ConfigProblems problems) {
    for (Source source : Source.values()) {
      String path = raw(source, Settings.CONFIG_FILE);
      if (path == null || !allows(source, Settings.CONFIG_FILE)) {
        continue;
      }
      if (raw(Source.PLATFORM_FILE, Settings.LOCKED) != null) {
        problems.ignored(
            Settings.CONFIG_FILE,
            path,
            describe(source, Settings.CONFIG_FILE),
            file + " locks settings and cannot be replaced");
        return;
      }
      File other = new File(path);
      Map<String, String> values = readFile(other, problems);
      if (values != null) {
        file = other;
        fileValues = values;
      }
      return;
    }
  }

  /**
   * The value, trimmed, or null where it is unset or empty: OpenTelemetry takes them for the same.
   */
  String raw(Source source, Setting<?> setting) {
    String value;
    switch (source) {
      case SPARK_CONF:
        value = inSparkConf(setting);
        break;
      case AGENT_ARGUMENT:
        value = arguments.get(setting.key());
        break;
      case SYSTEM_PROPERTY:
        value = systemProperties.get(setting.key());
        break;
      case ENVIRONMENT:
        value = environment.get(setting.environmentName());
        break;
      default:
        value = fileValues.get(setting.key());
        break;
    }
    if (value == null) {
      return null;
    }
    value = value.trim();
    return value.isEmpty() ? null : value;
  }

  /**
   * That of this run. A SparkConf that a checkpoint of DStreams brings back, or that was copied
   * from another application's, holds what was set then, and what the agent recorded of it.
   */
  private String inSparkConf(Setting<?> setting) {
    String value = sparkConf.get(setting.sparkName());
    if (!sparkConf.containsKey(Settings.OUTPUT_TRACE_ID)) {
      return value;
    }
    // spark-submit hands on what it is given as system properties.
    String given = systemProperties.get(setting.sparkName());
    return given == null && !Settings.RECORDED.contains(setting) ? value : given;
  }

  /** A variable of the environment that is no setting of its own, or null. */
  String environment(String name) {
    String value = environment.get(name);
    return value == null || value.trim().isEmpty() ? null : value.trim();
  }

  Map<String, String> sparkConf() {
    return sparkConf;
  }

  Map<String, String> environment() {
    return environment;
  }

  static boolean allows(Source source, Setting<?> setting) {
    switch (setting.scope()) {
      case ANY:
        return true;
      case LAUNCH:
        return source != Source.SPARK_CONF && source != Source.PLATFORM_FILE;
      default:
        return source == Source.PLATFORM_FILE;
    }
  }

  /** The source in words, with the name under which it knows the setting. */
  String describe(Source source, Setting<?> setting) {
    switch (source) {
      case SPARK_CONF:
        return "SparkConf " + setting.sparkName();
      case AGENT_ARGUMENT:
        return "agent argument";
      case SYSTEM_PROPERTY:
        return "system property";
      case ENVIRONMENT:
        return "environment " + setting.environmentName();
      default:
        return "file " + file;
    }
  }

  /** What the platform's file locks; a lock on a general setting holds for its traces-only form. */
  Set<Setting<?>> locked(ConfigProblems problems) {
    String text = raw(Source.PLATFORM_FILE, Settings.LOCKED);
    if (text == null) {
      return Collections.emptySet();
    }
    Set<Setting<?>> locked = new HashSet<>();
    for (String part : text.split(",")) {
      String key = part.trim();
      boolean found = key.isEmpty();
      for (Setting<?> setting : Settings.all()) {
        boolean named = setting.key().equals(key);
        found |= named;
        if (named || (setting.general() != null && setting.general().key().equals(key))) {
          locked.add(setting);
        }
      }
      if (!found) {
        problems.add(
            Settings.LOCKED
                + " ("
                + describe(Source.PLATFORM_FILE, Settings.LOCKED)
                + "): unknown key "
                + ConfigProblems.cut(key)
                + " is not locked; nearest known key: "
                + nearest(key, Source.PLATFORM_FILE).key());
      }
    }
    return locked;
  }

  /** Names every key that looks like a setting of ours and is none. */
  void reportUnknown(ConfigProblems problems) {
    report(Source.SPARK_CONF, unknownSparkKeys(), problems);
    report(Source.AGENT_ARGUMENT, unknown(Source.AGENT_ARGUMENT, arguments, ""), problems);
    report(
        Source.SYSTEM_PROPERTY,
        unknown(Source.SYSTEM_PROPERTY, systemProperties, "otel.spark."),
        problems);
    report(Source.ENVIRONMENT, unknown(Source.ENVIRONMENT, environment, "OTEL_SPARK_"), problems);
    report(Source.PLATFORM_FILE, unknown(Source.PLATFORM_FILE, fileValues, ""), problems);
  }

  /** Names every attribute of the user's that cannot be one. */
  void reportAttributes(ConfigProblems problems) {
    int legal = 0;
    for (String name : new TreeSet<>(userAttributes())) {
      String key = name.substring(UserAttributes.PREFIX.length());
      String complaint = UserAttributes.complaint(key);
      if (complaint == null && ++legal > UserAttributes.MAX) {
        complaint = "more than " + UserAttributes.MAX + " attributes";
      }
      if (complaint != null) {
        problems.add(ConfigProblems.cut(name) + " (SparkConf): " + complaint + "; it is ignored");
      }
    }
  }

  private Set<String> userAttributes() {
    Set<String> names = new HashSet<>();
    for (String key : sparkConf.keySet()) {
      if (key != null && key.startsWith(UserAttributes.PREFIX)) {
        names.add(key);
      }
    }
    return names;
  }

  /** Keys of the SparkConf whose values are secret, misspelt ones included. */
  Set<String> sparkKeysToRemove() {
    Set<String> keys = new TreeSet<>();
    for (Setting<?> setting : Settings.all()) {
      String value = sparkConf.get(setting.sparkName());
      boolean endpoint = setting == Settings.ENDPOINT || setting == Settings.TRACES_ENDPOINT;
      if (value != null && (setting.isSecret() || (endpoint && value.indexOf('@') >= 0))) {
        keys.add(setting.sparkName());
      }
    }
    for (String key : unknownSparkKeys()) {
      if (nearest(key, Source.SPARK_CONF).isSecret()) {
        keys.add(key);
      }
    }
    return Collections.unmodifiableSet(keys);
  }

  private Set<String> unknownSparkKeys() {
    Set<String> keys = unknown(Source.SPARK_CONF, sparkConf, "spark.otel.");
    keys.remove(Settings.OUTPUT_TRACE_ID);
    keys.remove(Settings.OUTPUT_RESOURCE);
    keys.removeAll(userAttributes());
    return keys;
  }

  private static Set<String> unknown(Source source, Map<String, String> values, String prefix) {
    Set<String> keys = new TreeSet<>();
    for (String key : values.keySet()) {
      if (key != null && key.startsWith(prefix) && !isKnown(source, key)) {
        keys.add(key);
      }
    }
    return keys;
  }

  private static boolean isKnown(Source source, String key) {
    for (Setting<?> setting : Settings.all()) {
      if (nameIn(source, setting).equals(key)) {
        return true;
      }
    }
    return false;
  }

  private void report(Source source, Set<String> keys, ConfigProblems problems) {
    for (String key : keys) {
      problems.add(
          ConfigProblems.cut(key)
              + " ("
              + sourceName(source)
              + "): unknown key, it is ignored; nearest known key: "
              + nameIn(source, nearest(key, source)));
    }
  }

  private String sourceName(Source source) {
    switch (source) {
      case SPARK_CONF:
        return "SparkConf";
      case AGENT_ARGUMENT:
        return "agent argument";
      case SYSTEM_PROPERTY:
        return "system property";
      case ENVIRONMENT:
        return "environment";
      default:
        return "file " + file;
    }
  }

  private static String nameIn(Source source, Setting<?> setting) {
    switch (source) {
      case SPARK_CONF:
        return setting.sparkName();
      case ENVIRONMENT:
        return setting.environmentName();
      default:
        return setting.key();
    }
  }

  private static Setting<?> nearest(String key, Source source) {
    List<String> spellings = new ArrayList<>();
    String cut = key.length() > MAX_KEY_CHARS ? key.substring(0, MAX_KEY_CHARS) : key;
    spellings.add(cut);
    if (source == Source.SPARK_CONF || source == Source.ENVIRONMENT) {
      return nearest(spellings, source);
    }
    // People write the form of another source, or leave the prefix out.
    if (cut.startsWith("spark.otel.")) {
      spellings.add(cut.substring("spark.".length()));
      spellings.add("otel.spark." + cut.substring("spark.otel.".length()));
    } else if (!cut.startsWith("otel.")) {
      spellings.add("otel." + cut);
      spellings.add("otel.spark." + cut);
      spellings.add("otel.exporter.otlp." + cut);
    }
    return nearest(spellings, source);
  }

  private static Setting<?> nearest(List<String> spellings, Source source) {
    Setting<?> best = null;
    int least = Integer.MAX_VALUE;
    for (Setting<?> setting : Settings.all()) {
      for (String spelling : spellings) {
        int distance = editDistance(spelling, nameIn(source, setting));
        if (distance < least) {
          least = distance;
          best = setting;
        }
      }
    }
    return best;
  }

  private static int editDistance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }

  private Map<String, String> parseArguments(ConfigProblems problems) {
    Map<String, String> values = new HashMap<>();
    boolean afterSecret = false;
    int number = 0;
    for (String part : agentArgs.split(";")) {
      String argument = part.trim();
      if (argument.isEmpty()) {
        continue;
      }
      number++;
      int equals = argument.indexOf('=');
      String key = equals < 0 ? argument : argument.substring(0, equals).trim();
      boolean known = isKnown(Source.AGENT_ARGUMENT, key);
      if (equals > 0 && (known || !afterSecret)) {
        values.put(key, argument.substring(equals + 1));
        afterSecret |= nearest(key, Source.AGENT_ARGUMENT).isSecret();
      } else {
        // What follows a header may be the rest of it, cut at a semicolon.
        String name = afterSecret ? "" : leadingKey(key);
        problems.add(
            (name.isEmpty() ? "argument " + number : ConfigProblems.cut(name))
                + " (agent argument): not of the form key=value, it is ignored; arguments are"
                + " key=value;key=value, with ; inside a header written as %3B");
      }
    }
    return values;
  }

  /** What of a malformed argument is surely no secret: the word that it starts with. */
  private static String leadingKey(String text) {
    int end = 0;
    while (end < text.length()
        && (Character.isLetterOrDigit(text.charAt(end)) || ".-_".indexOf(text.charAt(end)) >= 0)) {
      end++;
    }
    return text.substring(0, end);
  }

  /** The file's entries, or null, with a problem, where it cannot be read. */
  private static Map<String, String> readFile(File from, ConfigProblems problems) {
    Properties properties = new Properties();
    try {
      String text = new String(SmallFile.read(from), StandardCharsets.UTF_8);
      properties.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      String reason = e.getMessage();
      problems.add("platform's file " + from + ": " + reason + "; the file is ignored");
      return null;
    }
    Map<String, String> values = new HashMap<>();
    for (String key : properties.stringPropertyNames()) {
      values.put(key, properties.getProperty(key));
    }
    return values;
  }
}
