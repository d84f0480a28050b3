package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;

/**
 * Deterministic ids: a replay of the event log makes the same ones as the live run.
 *
 * <p>A trace id is a 128-bit hash of application id, attempt, start time, driver host and port; a
 * span id a 64-bit hash of the trace id, the application and the kind and numbers of the entity.
 * What has a trace of its own in an application has its ids of the application's, its kind and its
 * key; the trace id of what several applications tell of, of the kind and the key alone.
 */
public final class SpanIds {

  private static final long SEED_HIGH = 0x9E3779B97F4A7C15L;
  private static final long SEED_LOW = 0xC2B2AE3D27D4EB4FL;

  private final String traceId;
  private final TraceState traceState;
  private final long seed;

  private SpanIds(String traceId, TraceState traceState, long seed) {
    this.traceId = traceId;
    this.traceState = traceState;
    this.seed = seed;
  }

  /**
   * @param attempt the application attempt, or null
   * @param startMillis the application's start as Spark tells it, epoch milliseconds
   * @param driverHost {@code spark.driver.host}, or null where the event log lacks it
   * @param driverPort {@code spark.driver.port}, or null where the event log lacks it
   * @param parent an inherited parent, whose trace id is taken, or {@link SpanContext#getInvalid()}
   */
  public static SpanIds of(
      String applicationId,
      String attempt,
      long startMillis,
      String driverHost,
      String driverPort,
      SpanContext parent) {
    String application = applicationId + '\n' + text(attempt) + '\n' + startMillis;
    String key = application + '\n' + text(driverHost) + '\n' + text(driverPort);
    String traceId =
        parent.isValid()
            ? parent.getTraceId()
            : TraceId.fromLongs(hash(SEED_HIGH, key), hash(SEED_LOW, key));
    return new SpanIds(
        traceId, parent.getTraceState(), hash(hash(SEED_HIGH, traceId), application));
  }

  /** The same span ids, in the trace of another span. */
  public SpanIds in(SpanContext parent) {
    return new SpanIds(parent.getTraceId(), parent.getTraceState(), seed);
  }

  /**
   * The same span ids, in a trace of its own beside that of the application.
   *
   * @param kind what it is a trace of
   * @param key which one of that kind; both never change, whatever is added
   */
  public SpanIds unit(String kind, String key) {
    String unit = kind + '\n' + key;
    String id = TraceId.fromLongs(hash(seed, unit), hash(seed ^ SEED_LOW, unit));
    return new SpanIds(id, TraceState.getDefault(), seed);
  }

  /**
   * The same span ids, in a trace that other applications have spans in, too.
   *
   * @param kind what they have in common
   * @param key which one of that kind; both never change, whatever is added
   */
  public SpanIds common(String kind, String key) {
    String common = kind + '\n' + key;
    String id = TraceId.fromLongs(hash(SEED_HIGH, common), hash(SEED_LOW, common));
    return new SpanIds(id, TraceState.getDefault(), seed);
  }

  /** A number that stands for a text, to be given as the id of an entity. */
  public static long number(String id) {
    return hash(SEED_HIGH, id);
  }

  public String traceId() {
    return traceId;
  }

  /** The context of an entity's span; the numbers are Spark's own, 0 where there is only one. */
  public SpanContext context(Entity entity, long id, long attempt) {
    return SpanContext.create(
        traceId, spanId(entity, id, attempt), TraceFlags.getSampled(), traceState);
  }

  private String spanId(Entity entity, long id, long attempt) {
    long hash = mix(seed + mix(SEED_LOW + entity.code()));
    hash = mix(hash ^ mix(id + SEED_HIGH));
    hash = mix(hash ^ mix(attempt + SEED_LOW));
    return SpanId.fromLong(hash == 0 ? 1 : hash);
  }

  private static String text(String value) {
    return value == null ? "" : value;
  }

  private static long hash(long seed, String text) {
    long hash = seed;
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash ^ (text.charAt(i) + SEED_LOW)) + SEED_HIGH;
    }
    return mix(hash);
  }

  /** The finalizer of splitmix64: every bit of the input moves every bit of the output. */
  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
