package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;

/**
 * What all spans of one application share: ids, resource and scope. One instance each, because the
 * exporter groups spans by the identity of resource and scope.
 */
public final class TraceIdentity {

  private final SpanIds ids;
  private final SpanContext parent;
  private final Resource resource;
  private final InstrumentationScopeInfo scope;

  /**
   * @param parent the inherited parent of the application span, or {@link SpanContext#getInvalid()}
   */
  public TraceIdentity(
      SpanIds ids, SpanContext parent, Resource resource, InstrumentationScopeInfo scope) {
    this.ids = ids;
    this.parent = parent;
    this.resource = resource;
    this.scope = scope;
  }

  public SpanIds ids() {
    return ids;
  }

  public SpanContext parent() {
    return parent;
  }

  public Resource resource() {
    return resource;
  }

  public InstrumentationScopeInfo scope() {
    return scope;
  }
}
