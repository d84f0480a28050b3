package io.sparkotel.agent.model;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.sparkotel.agent.Version;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.PlatformIdentity;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.TraceIdentity;
import io.sparkotel.agent.telemetry.Traceparent;
import java.util.Collections;
import java.util.Map;

/**
 * Makes ids, resource and scope of an application; the same live and in a replay, because what
 * comes from settings is recorded in the SparkConf by the live run.
 */
public final class Identities {

  private static final String SCOPE = "io.sparkotel";
  private static final Map<String, String> NO_ENVIRONMENT = Collections.emptyMap();

  private Identities() {}

  public static TraceIdentity of(
      AgentConfig config, ApplicationStart start, Environment environment) {
    Map<String, String> properties = environment.sparkProperties;
    String host = properties.get("spark.driver.host");
    Caller.Mode mode =
        Caller.Mode.of(properties.get(Settings.PARENT.sparkName()), config.parent().mode());
    SpanContext context =
        Traceparent.parse(
            properties.get(Settings.TRACEPARENT.sparkName()),
            properties.get(Settings.TRACESTATE.sparkName()));
    Caller caller = Caller.of(mode, context);
    SpanIds ids =
        SpanIds.of(
            start.id,
            start.attemptId,
            start.time,
            host,
            properties.get("spark.driver.port"),
            caller.parent());
    InstrumentationScopeInfo scope =
        InstrumentationScopeInfo.builder(SCOPE).setVersion(Version.AGENT).build();
    Resource resource = resource(config, start, environment, host);
    return new TraceIdentity(ids, mode, caller, resource, scope);
  }

  private static Resource resource(
      AgentConfig config, ApplicationStart start, Environment environment, String host) {
    AttributesBuilder attributes = Attributes.builder();
    String recorded = environment.sparkProperties.get(Settings.OUTPUT_RESOURCE);
    Map<String, String> properties = environment.sparkProperties;
    // Nothing is recorded where no agent was: its SparkConf is all that tells of the platform.
    Map<String, String> configured =
        recorded == null
            ? RecordedResource.of(
                config, start.name, properties, PlatformIdentity.of(properties, NO_ENVIRONMENT))
            : RecordedResource.decode(recorded);
    Redactor redactor = redactor(config, properties);
    configured.forEach((key, value) -> put(attributes, key, redactor.conf(key, value)));
    put(
        attributes,
        "service.instance.id",
        start.attemptId == null ? start.id : start.id + "_" + start.attemptId);
    put(attributes, "spark.app.id", start.id);
    put(attributes, "spark.app.attempt.id", start.attemptId);
    put(attributes, "spark.app.name", redactor.text(start.name));
    put(attributes, "spark.user", redactor.text(start.user));
    put(attributes, "spark.version", environment.sparkVersion);
    put(attributes, "host.name", host);
    put(attributes, "telemetry.sdk.name", "opentelemetry");
    put(attributes, "telemetry.sdk.language", "java");
    put(attributes, "telemetry.sdk.version", Version.OPENTELEMETRY);
    put(attributes, "telemetry.distro.name", "spark-otel-agent");
    put(attributes, "telemetry.distro.version", Version.AGENT);
    return Resource.create(attributes.build());
  }

  static Redactor redactor(AgentConfig config, Map<String, String> properties) {
    return new Redactor(
        SparkRedaction.narrowed(properties.get(SparkRedaction.KEY)),
        config.redactionPattern() == null ? null : config.redactionPattern().pattern(),
        config.sqlText());
  }

  private static void put(AttributesBuilder attributes, String key, String value) {
    if (value != null) {
      attributes.put(key, Truncation.toBytes(value, Limits.MESSAGE).text());
    }
  }
}
