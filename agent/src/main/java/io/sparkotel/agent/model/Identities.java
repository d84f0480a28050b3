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
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.telemetry.SpanIds;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.Map;
import java.util.TreeMap;

/** Makes ids, resource and scope of an application; the same live and in a replay. */
public final class Identities {

  private static final String SCOPE = "io.sparkotel";
  private static final int TRACEPARENT_LENGTH = 55;

  private Identities() {}

  public static TraceIdentity of(
      AgentConfig config, ApplicationStart start, Environment environment) {
    Map<String, String> properties = environment.sparkProperties;
    String host = properties.get("spark.driver.host");
    SpanContext parent = parent(config.parent());
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
    if (!TraceId.isValid(traceId) || !SpanId.isValid(spanId)) {
      return SpanContext.getInvalid();
    }
    TraceFlags flags = TraceFlags.fromHex(traceparent, 53);
    return SpanContext.createFromRemoteParent(traceId, spanId, flags, TraceState.getDefault());
  }

  private static Resource resource(
      AgentConfig config, ApplicationStart start, Environment environment, String host) {
    AttributesBuilder attributes = Attributes.builder();
    config.resourceAttributes().forEach((key, value) -> attributes.put(key, value));
    attributes.put("service.name", config.serviceNameOf(start.name == null ? "spark" : start.name));
    put(attributes, "service.namespace", config.serviceNamespace());
    put(
        attributes,
        "service.instance.id",
        start.attemptId == null ? start.id : start.id + "_" + start.attemptId);
    put(attributes, "spark.app.id", start.id);
    put(attributes, "spark.app.attempt.id", start.attemptId);
    put(attributes, "spark.app.name", start.name);
    put(attributes, "spark.user", start.user);
    put(attributes, "spark.version", environment.sparkVersion);
    put(attributes, "host.name", host);
    put(attributes, "telemetry.sdk.name", "opentelemetry");
    put(attributes, "telemetry.sdk.language", "java");
    put(attributes, "telemetry.sdk.version", Version.OPENTELEMETRY);
    put(attributes, "telemetry.distro.name", "spark-otel-agent");
    put(attributes, "telemetry.distro.version", Version.AGENT);
    return Resource.create(attributes.build());
  }

  /**
   * What the settings add to the resource, for the replay to find in the SparkConf: {@code
   * key=value} pairs, percent-encoded, without secrets; null where there is nothing.
   */
  public static String recorded(AgentConfig config) {
    Redactor redactor = new Redactor(null, null);
    Map<String, String> all = new TreeMap<>(config.resourceAttributes());
    all.put("service.name", config.serviceName());
    all.put("service.namespace", config.serviceNamespace());
    StringBuilder recorded = new StringBuilder();
    for (Map.Entry<String, String> entry : all.entrySet()) {
      String value = entry.getValue();
      if (value == null || !value.equals(redactor.conf(entry.getKey(), value))) {
        continue;
      }
      recorded.append(recorded.length() == 0 ? "" : ",");
      recorded.append(encode(entry.getKey())).append('=').append(encode(value));
    }
    return recorded.length() == 0 ? null : recorded.toString();
  }

  private static String encode(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void put(AttributesBuilder attributes, String key, String value) {
    if (value != null) {
      attributes.put(key, value);
    }
  }
}
