package io.sparkotel.agent.event;

import java.util.Map;

/** What {@code SparkListenerEnvironmentUpdate} and the log's first line say of the driver. */
public final class Environment {
  public final String sparkVersion;

  /** Without the word "version", or null. */
  public final String scalaVersion;

  public final Map<String, String> sparkProperties;

  public Environment(
      String sparkVersion, String scalaVersion, Map<String, String> sparkProperties) {
    this.sparkVersion = sparkVersion;
    this.scalaVersion = scalaVersion;
    this.sparkProperties = sparkProperties;
  }
}
