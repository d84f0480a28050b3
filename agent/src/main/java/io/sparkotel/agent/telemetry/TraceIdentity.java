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
  private final Caller.Mode callers;
  private final Caller caller;
  private final Resource resource;
  private final InstrumentationScopeInfo scope;

  /**
   * @param callers what becomes of the callers of its actions
   * @param caller the application's own
   */
  public TraceIdentity(
      SpanIds ids,
      Caller.Mode callers,
      Caller caller,
      Resource resource,
      InstrumentationScopeInfo scope) {
    this.ids = ids;
    this.callers = callers;
    this.caller = caller;
    this.resource = resource;
    this.scope = scope;
  }

  public SpanIds ids() {
    return ids;
  }

  public Caller.Mode callers() {
    return callers;
  }

  public Caller caller() {
    return caller;
  }

  /** The inherited parent of the application span, or {@link SpanContext#getInvalid()}. */
  public SpanContext parent() {
    return caller.parent();
  }

  public Resource resource() {
    return resource;
  }

  public InstrumentationScopeInfo scope() {
    return scope;
  }
}
