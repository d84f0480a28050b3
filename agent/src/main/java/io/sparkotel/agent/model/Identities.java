package io.sparkotel.agent.model;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.sparkotel.agent.Version;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.util.Map;

/**
 * Makes ids, resource and scope of an application; the same live and in a replay, because what
 * comes from settings is recorded in the SparkConf by the live run.
 */
public final class Identities {

  private static final String SCOPE = "io.sparkotel";
  private static final int TRACEPARENT_LENGTH = 55;

  private Identities() {}

  public static TraceIdentity of(
      AgentConfig config, ApplicationStart start, Environment environment) {
    Map<String, String> properties = environment.sparkProperties;
    String host = properties.get("spark.driver.host");
    SpanContext parent = parent(properties.get(Settings.PARENT.sparkName()));
    SpanIds ids =
        SpanIds.of(
            start.id,
            start.attemptId,
            start.time,
            host,
            properties.get("spark.driver.port"),
            parent);
    InstrumentationScopeInfo scope =
        InstrumentationScopeInfo.builder(SCOPE).setVersion(Version.AGENT).build();
    return new TraceIdentity(ids, parent, resource(config, start, environment, host), scope);
  }

  /**
   * @param traceparent a W3C traceparent, or null
   * @return {@link SpanContext#getInvalid()} for anything that is none
   */
  static SpanContext parent(String traceparent) {
    if (traceparent == null || traceparent.length() < TRACEPARENT_LENGTH) {
      return SpanContext.getInvalid();
    }
    String traceId = traceparent.substring(3, 35);
    String spanId = traceparent.substring(36, 52);
    String flagBits = traceparent.substring(53, TRACEPARENT_LENGTH);
    if (!TraceId.isValid(traceId) || !SpanId.isValid(spanId) || !flagBits.matches("[0-9a-f]{2}")) {
      return SpanContext.getInvalid();
    }
    TraceFlags flags = TraceFlags.fromHex(flagBits, 0);
    return SpanContext.createFromRemoteParent(traceId, spanId, flags, TraceState.getDefault());
  }

  private static Resource resource(
      AgentConfig config, ApplicationStart start, Environment environment, String host) {
    AttributesBuilder attributes = Attributes.builder();
    String recorded = environment.sparkProperties.get(Settings.OUTPUT_RESOURCE);
    Map<String, String> configured =
        recorded == null
            ? RecordedResource.of(config, start.name)
            : RecordedResource.decode(recorded);
    Redactor redactor = redactor(config, environment);
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

  private static Redactor redactor(AgentConfig config, Environment environment) {
    return new Redactor(
        SparkRedaction.narrowed(environment.sparkProperties.get(SparkRedaction.KEY)),
        config.redactionPattern() == null ? null : config.redactionPattern().pattern());
  }

  private static void put(AttributesBuilder attributes, String key, String value) {
    if (value != null) {
      attributes.put(key, Truncation.toBytes(value, Limits.MESSAGE).text());
    }
  }
}
