package io.sparkotel.agent.cli;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The arguments of {@code check}: the SparkConf that spark-submit would make of the same ones. */
final class CheckOptions {

  private static final String SPARK_PREFIX = "spark.";

  private final Map<String, String> ofFile = new HashMap<>();
  private final Map<String, String> ofLine = new HashMap<>();
  private final List<String> ignored = new ArrayList<>();
  private boolean help;
  private String mistake;

  CheckOptions(String[] arguments) {
    for (int i = 1; i < arguments.length && mistake == null; i++) {
      String argument = arguments[i];
      switch (argument) {
        case "--help":
        case "-h":
          help = true;
          return;
        case "--conf":
        case "-c":
          i++;
          conf(argument, i < arguments.length ? arguments[i] : null);
          break;
        case "--properties-file":
          i++;
          file(i < arguments.length ? arguments[i] : null);
          break;
        default:
          mistake =
              argument.startsWith("-")
                  ? "unknown option '" + argument + "'"
                  : "check takes no '" + argument + "'";
      }
    }
  }

  boolean isHelp() {
    return help;
  }

  /** What is wrong with the arguments, or null. */
  String mistake() {
    return mistake;
  }

  /** As for spark-submit, {@code --conf} is stronger than the file. */
  Map<String, String> sparkConf() {
    Map<String, String> conf = new HashMap<>(ofFile);
    conf.putAll(ofLine);
    return conf;
  }

  /** A line for each key that spark-submit would not take. */
  List<String> ignored() {
    return ignored;
  }

  private void conf(String option, String pair) {
    int equals = pair == null ? -1 : pair.indexOf('=');
    if (equals <= 0) {
      mistake = option + " needs KEY=VALUE";
      return;
    }
    put(ofLine, pair.substring(0, equals).trim(), pair.substring(equals + 1), option);
  }

  private void file(String name) {
    if (name == null) {
      mistake = "--properties-file needs the name of a file";
      return;
    }
    File file = new File(name);
    Properties properties = new Properties();
    try {
      if (!file.isFile()) {
        throw new IOException("no such file");
      }
      byte[] bytes = Files.readAllBytes(file.toPath());
      properties.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
    } catch (IOException | IllegalArgumentException e) {
      mistake = "--properties-file " + name + ": " + e.getMessage();
      return;
    }
    for (String key : properties.stringPropertyNames()) {
      put(ofFile, key, properties.getProperty(key), name);
    }
  }

  private void put(Map<String, String> conf, String key, String value, String where) {
    if (key.startsWith(SPARK_PREFIX)) {
      conf.put(key, value.trim());
    } else {
      ignored.add(
          key
              + " ("
              + where
              + "): Spark takes no key that does not begin with spark., it is ignored");
    }
  }
}
