package io.sparkotel.agent.cli;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a SparkConf has the driver's JVM started with, as far as it concerns the agent. */
final class DriverOptions {

  private static final String JAVA_AGENT = "-javaagent:";
  private static final String[] KEYS = {
    "spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"
  };

  private final Map<String, String> systemProperties = new HashMap<>();
  private String agentJar;
  private String agentArguments;

  DriverOptions(Map<String, String> sparkConf) {
    for (String key : KEYS) {
      for (String option : split(sparkConf.getOrDefault(key, ""))) {
        read(option);
      }
    }
  }

  /** Of the {@code -javaagent} that names this agent, or null. */
  String agentJar() {
    return agentJar;
  }

  /** What stands behind its equals sign, or null. */
  String agentArguments() {
    return agentArguments;
  }

  /** Those that begin with {@code otel.}. */
  Map<String, String> systemProperties() {
    return systemProperties;
  }

  private void read(String option) {
    int equals = option.indexOf('=');
    if (option.startsWith("-Dotel.") && equals > 0) {
      systemProperties.put(option.substring(2, equals), option.substring(equals + 1));
    } else if (option.startsWith(JAVA_AGENT) && agentJar == null) {
      int end = equals < 0 ? option.length() : equals;
      String path = option.substring(JAVA_AGENT.length(), end);
      // The first of several counts, as in a JVM.
      if (new File(path).getName().startsWith("spark-otel-agent")) {
        agentJar = path;
        agentArguments = equals < 0 ? null : option.substring(equals + 1);
      }
    }
  }

  /** Words, as Spark splits them: quotes hold spaces, a backslash takes the next one as it is. */
  private static List<String> split(String text) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && quote != '\'' && i + 1 < text.length()) {
        i++;
        word.append(text.charAt(i));
        inWord = true;
      } else if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
        inWord = true;
      } else if (Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
      } else {
        word.append(c);
        inWord = true;
      }
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }
}
