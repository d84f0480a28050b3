package io.sparkotel.agent.cli;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.sparkotel.agent.config.AgentConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What of the settings keeps applications from being traced. */
final class ApplicationGate {

  static final String TURNED_OFF =
      "the agent is turned off by otel.spark.enabled or otel.sdk.disabled: nothing is sent";
  static final String NO_EXPORTER = "otel.traces.exporter is none: nothing is sent";
  static final String NAMED = " is not traced: ";
  static final String UNNAMED =
      "only some applications are traced; --conf spark.app.name=NAME tells whether that one is";
  static final String PARENT_NOT_SAMPLED =
      "the parent in otel.spark.traceparent is not sampled: nothing is sent";
  static final String NOT_SAMPLED = "otel.traces.sampler takes no application: nothing is sent";
  static final String SOME_SAMPLED = "otel.traces.sampler takes a part of the applications";

  /** A sampler by ratio takes the one first, and the other last. */
  private static final String FIRST_TAKEN = TraceId.fromLongs(1, 1);

  private static final String LAST_TAKEN = TraceId.fromLongs(1, Long.MAX_VALUE);

  private final AgentConfig config;
  private final List<String> closed = new ArrayList<>();
  private final List<String> narrow = new ArrayList<>();

  /**
   * @param name the application's name, or null where it is not known
   * @param parent the inherited one, or {@link SpanContext#getInvalid()}
   */
  ApplicationGate(AgentConfig config, String name, SpanContext parent) {
    this.config = config;
    if (!config.enabled()) {
      closed.add(TURNED_OFF);
    }
    if (config.exporters().contains(AgentConfig.Exporter.NONE)) {
      closed.add(NO_EXPORTER);
    }
    if (name != null) {
      String user = System.getProperty("user.name");
      String refusal = config.rollout().refusal(name, user, config.serviceNameOf(name));
      if (refusal != null) {
        closed.add(name + NAMED + refusal);
      }
    } else if (config.rollout().isPartial()) {
      narrow.add(UNNAMED);
    }
    Context context = Context.root();
    if (parent.isValid()) {
      context = context.with(Span.wrap(parent));
    }
    if (!samples(context, FIRST_TAKEN)) {
      boolean byParent = parent.isValid() && samples(Context.root(), FIRST_TAKEN);
      closed.add(byParent ? PARENT_NOT_SAMPLED : NOT_SAMPLED);
    } else if (!samples(context, LAST_TAKEN)) {
      narrow.add(SOME_SAMPLED);
    }
  }

  /** Reasons for which no application is traced. */
  List<String> closed() {
    return closed;
  }

  /** Reasons for which only some are. */
  List<String> narrow() {
    return narrow;
  }

  private boolean samples(Context context, String traceId) {
    return config
            .sampler()
            .shouldSample(
                context,
                traceId,
                "spark.application",
                SpanKind.INTERNAL,
                Attributes.empty(),
                Collections.emptyList())
            .getDecision()
        == SamplingDecision.RECORD_AND_SAMPLE;
  }
}
