package io.sparkotel.it;

/** The flags of the agents that benchmarks put beside this one. */
final class Peers {

  static final String DATADOG_NAME = "dd-java-agent 1.54.0";
  static final String OPEN_TELEMETRY_NAME = "OpenTelemetry Java agent 2.28.1";

  private Peers() {}

  static String datadog() {
    return "-javaagent:" + Maven.jar("com.datadoghq:dd-java-agent:1.54.0");
  }

  static String openTelemetry() {
    return "-javaagent:" + Maven.jar("io.opentelemetry.javaagent:opentelemetry-javaagent:2.28.1");
  }
}
