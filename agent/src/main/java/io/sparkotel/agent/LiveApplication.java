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
import io.sparkotel.agent.export.Pipelines;
import io.sparkotel.agent.model.ApplicationTotals;
import io.sparkotel.agent.model.Identities;
import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.RecordedResource;
import io.sparkotel.agent.model.SelfReport;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TraceIdentity;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * One SparkContext that is traced: its model, its pipeline, and the order in which they end. The
 * bus stops first and everything but the application's span is sent; that one waits until it is
 * known how the program ended.
 */
public final class LiveApplication {

  /** How long after the context's stop the program may take to end. */
  private static final long PROGRAM_END_SECONDS = 5;

  private final AgentConfig config;
  private final AgentLog log;
  private final DriverFacts facts;
  private final Guard guard;
  private final Pipelines pipelines;
  private final TraceModel model;
  private final Map<String, String> confChanges;
  private final CountDownLatch busStopped = new CountDownLatch(1);
  private final CountDownLatch programEnded = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile Outcome outcome = Outcome.UNKNOWN;
  private volatile Runnable onFinished = () -> {};
  private boolean closed;

  private LiveApplication(
      AgentConfig config, AgentLog log, DriverFacts facts, Map<String, String> confChanges) {
    this.config = config;
    this.log = log;
    this.facts = facts;
    this.confChanges = confChanges;
    guard = new Guard(log);
    pipelines = new Pipelines(config, log::warn);
    model = new TraceModel(config, LiveAttributes.of(facts.uiUrl), pipelines::offer);
  }

  /** Starts the pipeline and says so; null, with a line that says why, where nothing is sent. */
  static LiveApplication start(AgentConfig config, AgentLog log, DriverFacts facts) {
    Map<String, String> changes = confChanges(config, facts);
    Map<String, String> properties = new HashMap<>(facts.conf);
    properties.putAll(changes);
    TraceIdentity identity =
        Identities.of(
            config,
            new ApplicationStart(
                facts.applicationId, facts.attemptId, facts.name, facts.user, facts.startTime),
            new Environment(facts.sparkVersion, null, properties));
    if (!isSampled(config, identity)) {
      log.info(facts.applicationId + " is not sampled: nothing is sent");
      return null;
    }
    String traceId = identity.ids().traceId();
    changes.put(Settings.OUTPUT_TRACE_ID, traceId);
    LiveApplication application = new LiveApplication(config, log, facts, changes);
    application.pipelines.start();
    log.info(
        Version.AGENT
            + " traces "
            + facts.applicationId
            + " as "
            + traceId
            + ", to "
            + destination(config));
    return application;
  }

  private static String destination(AgentConfig config) {
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

  private static boolean isSampled(AgentConfig config, TraceIdentity identity) {
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

  /** What changes in the SparkConf; a null value takes the key out. */
  public Map<String, String> confChanges() {
    return confChanges;
  }

  private static Map<String, String> confChanges(AgentConfig config, DriverFacts facts) {
    Map<String, String> changes = new HashMap<>();
    for (String key : config.sparkKeysToRemove()) {
      changes.put(key, null);
    }
    changes.put(Settings.PARENT.sparkName(), config.parent());
    changes.put(Settings.OUTPUT_RESOURCE, RecordedResource.encode(config, facts.name));
    return changes;
  }

  /** Runs when the last span was sent or given up. */
  void onFinished(Runnable action) {
    onFinished = action;
  }

  public Guard guard() {
    return guard;
  }

  /** Called on the listener bus for every event; {@code dispatch} hands it to the model. */
  public void onEvent(Object event, BiConsumer<TraceModel, Object> dispatch) {
    if (guard.isOpen()) {
      return;
    }
    synchronized (model) {
      if (!closed) {
        dispatch.accept(model, event);
      }
    }
  }

  /** No event follows: what is open is closed and sent, without waiting for it here. */
  void busStopped() {
    synchronized (model) {
      if (closed) {
        return;
      }
      closed = true;
      try {
        model.closeOpen();
      } catch (Throwable e) {
        guard.failed(e);
      }
    }
    Thread finisher = new Thread(this::finish, "spark-otel-finish");
    finisher.setDaemon(true);
    finisher.start();
    busStopped.countDown();
  }

  boolean isBusStopped() {
    return busStopped.getCount() == 0;
  }

  /** It is known how the program ended, or it is time to go on without. */
  void programEnded(Outcome how) {
    outcome = how;
    programEnded.countDown();
  }

  /**
   * Waits, in a shutdown hook, for what still has to be sent: Spark's own hook stops the context at
   * the same time.
   */
  void awaitFinish(Outcome how) throws InterruptedException {
    if (!busStopped.await(config.flushTimeoutMillis(), TimeUnit.MILLISECONDS)) {
      busStopped();
    }
    programEnded(how);
    finished.await(config.flushTimeoutMillis(), TimeUnit.MILLISECONDS);
  }

  private void finish() {
    try {
      programEnded.await(PROGRAM_END_SECONDS, TimeUnit.SECONDS);
      // The application's span tells what was sent, so all else has to be sent before it.
      pipelines.flush(config.flushTimeoutMillis(), config.deadFlushTimeoutMillis());
      FinishedSpan span;
      synchronized (model) {
        span = model.application(outcome, report());
      }
      if (span != null) {
        pipelines.offer(span);
        pipelines.flush(config.flushTimeoutMillis(), 0);
      }
      pipelines.shutdown();
      logEnd();
    } catch (Throwable e) {
      guard.failed(e);
    } finally {
      finished.countDown();
      onFinished.run();
    }
  }

  private SelfReport report() {
    return new SelfReport(
        pipelines.counts().exported(),
        pipelines.counts().dropped(),
        facts.droppedEvents.getAsLong(),
        guard.failures());
  }

  private void logEnd() {
    ApplicationTotals totals = model.totals();
    log.info(
        facts.applicationId
            + " ended: jobs "
            + totals.jobs
            + ", stages "
            + totals.stages
            + ", tasks "
            + totals.tasks
            + ", executor run time "
            + totals.runTimeMillis
            + " ms, records read "
            + totals.recordsRead
            + ", records written "
            + totals.recordsWritten
            + "; spans sent "
            + pipelines.counts().exported()
            + ", dropped "
            + pipelines.counts().dropped());
  }
}
