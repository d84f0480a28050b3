package io.sparkotel.agent.config;

import java.io.File;
import java.util.HashMap;
import java.util.Map;

/** The five sources, all empty at first. */
final class ConfigFixture {

  final Map<String, String> sparkConf = new HashMap<>();
  final Map<String, String> systemProperties = new HashMap<>();
  final Map<String, String> environment = new HashMap<>();
  String agentArgs;
  File agentJar;

  static ConfigFixture empty() {
    return new ConfigFixture();
  }

  ConfigFixture spark(String key, String value) {
    sparkConf.put(key, value);
    return this;
  }

  ConfigFixture args(String args) {
    agentArgs = args;
    return this;
  }

  ConfigFixture property(String key, String value) {
    systemProperties.put(key, value);
    return this;
  }

  ConfigFixture env(String key, String value) {
    environment.put(key, value);
    return this;
  }

  ConfigFixture jar(File jar) {
    agentJar = jar;
    return this;
  }

  AgentConfig load() {
    return AgentConfig.load(
        new ConfigSources(sparkConf, agentArgs, systemProperties, environment, agentJar));
  }
}
