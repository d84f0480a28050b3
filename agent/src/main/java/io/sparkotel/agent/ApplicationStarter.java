package io.sparkotel.agent;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.OtlpConfig;
import io.sparkotel.agent.config.Settings;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.model.Identities;
import io.sparkotel.agent.model.RecordedResource;
import io.sparkotel.agent.model.SparkRedaction;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** Decides whether an application is traced, says so in one line, and prepares its SparkConf. */
final class ApplicationStarter {

  private static final String CAPACITY = "spark.scheduler.listenerbus.eventqueue.otel.capacity";

  /** Task events come in bursts of a stage's size; Spark's default is 10,000. */
  private static final String DEFAULT_CAPACITY = "100000";

  private final AgentConfig config;
  private final AgentLog log;

  ApplicationStarter(AgentConfig config) {
    this.config = config;
    this.log = new AgentLog(config.logLevel());
  }

  /** Null, with a line that says why unless the agent is switched off, where nothing is sent. */
  LiveApplication start(DriverFacts facts) {
    // Whatever is decided below: no credentials stay where Spark shows them. The key stays, empty:
    // in the properties of a job Spark redacts what its SparkConf knows, and nothing else.
    for (String key : config.sparkKeysToRemove()) {
      facts.confWriter.accept(key, "");
    }
    if (!config.otlp().headers().isEmpty()) {
      // A session's own settings, the command line and system properties stay as they are.
      String regex = facts.conf.get(SparkRedaction.KEY);
      facts.confWriter.accept(SparkRedaction.KEY, SparkRedaction.widened(regex));
    }
    if (!config.enabled()) {
      return null;
    }
    for (String problem : config.problems()) {
      log.warn(problem);
    }
    if (config.exporters().contains(AgentConfig.Exporter.NONE)) {
      log.info("otel.traces.exporter is none: nothing is sent");
      return null;
    }
    String refusal =
        config.rollout().refusal(facts.name, facts.user, config.serviceNameOf(facts.name));
    if (refusal != null) {
      log.info(facts.applicationId + " is not traced: " + refusal);
      return null;
    }
    Map<String, String> recorded = recorded(facts);
    TraceIdentity identity = identity(facts, recorded);
    if (!isSampled(identity)) {
      log.info(facts.applicationId + " is not sampled: nothing is sent");
      return null;
    }
    String traceId = identity.ids().traceId();
    recorded.put(Settings.OUTPUT_TRACE_ID, traceId);
    recorded.forEach(facts.confWriter);
    prepareQueue(facts);
    LiveApplication application = new LiveApplication(config, log, facts);
    log.info(
        Version.AGENT
            + " traces "
            + facts.applicationId
            + " as "
            + traceId
            + ", to "
            + destination());
    return application;
  }

  private void prepareQueue(DriverFacts facts) {
    String capacity = facts.conf.get(CAPACITY);
    if (capacity != null && !capacity.matches("0*[1-9][0-9]{0,8}")) {
      log.warn(CAPACITY + "=" + capacity + ": not a number above 0; using " + DEFAULT_CAPACITY);
      capacity = null;
    }
    if (capacity == null) {
      facts.confWriter.accept(CAPACITY, DEFAULT_CAPACITY);
    }
  }

  /** What a replay has to find in the SparkConf; a null value takes a stale one out. */
  private Map<String, String> recorded(DriverFacts facts) {
    Map<String, String> recorded = new HashMap<>();
    recorded.put(Settings.PARENT.sparkName(), config.parent().mode().label());
    recorded.put(Settings.TRACEPARENT.sparkName(), config.parent().traceparent());
    recorded.put(Settings.TRACESTATE.sparkName(), config.parent().tracestate());
    config.trace().record(recorded);
    recorded.put(
        Settings.OUTPUT_RESOURCE,
        RecordedResource.encode(config, facts.name, facts.conf, config.platform()));
    return recorded;
  }

  private TraceIdentity identity(DriverFacts facts, Map<String, String> recorded) {
    Map<String, String> properties = new HashMap<>(facts.conf);
    properties.putAll(recorded);
    return Identities.of(
        config,
        new ApplicationStart(
            facts.applicationId, facts.attemptId, facts.name, facts.user, facts.startTime),
        new Environment(facts.sparkVersion, null, properties));
  }

  private boolean isSampled(TraceIdentity identity) {
    Context parent = Context.root();
    if (identity.parent().isValid()) {
      parent = parent.with(Span.wrap(identity.parent()));
    }
    SamplingDecision decision =
        config
            .sampler()
            .shouldSample(
                parent,
                identity.ids().traceId(),
                "spark.application",
                SpanKind.INTERNAL,
                Attributes.empty(),
                Collections.emptyList())
            .getDecision();
    return decision == SamplingDecision.RECORD_AND_SAMPLE;
  }

  private String destination() {
    StringBuilder destination = new StringBuilder();
    for (AgentConfig.Exporter exporter : config.exporters()) {
      destination.append(destination.length() == 0 ? "" : " and ");
      switch (exporter) {
        case OTLP:
          boolean grpc = config.otlp().protocol() == OtlpConfig.Protocol.GRPC;
          destination.append(config.otlp().endpoint()).append(grpc ? " (grpc)" : "");
          break;
        case OTLP_FILE:
          destination.append(config.file());
          break;
        default:
          destination.append("the console");
      }
    }
    return destination.toString();
  }
}
