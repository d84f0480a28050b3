package io.sparkotel.agent;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.export.Pipelines;
import io.sparkotel.agent.model.ApplicationTotals;
import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.SelfReport;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.Collections;
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

  /** What is kept of the flush bound for closing the pipelines and the last line in the log. */
  private static final long END_MILLIS = 500;

  private final AgentConfig config;
  private final AgentLog log;
  private final DriverFacts facts;
  private final Guard guard;
  private final Pipelines pipelines;
  private final TraceModel model;
  private final CountDownLatch busStopped = new CountDownLatch(1);
  private final CountDownLatch programEnded = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile Outcome outcome = Outcome.UNKNOWN;
  private volatile Runnable onFinished = () -> {};
  private volatile boolean stoppedByProgram;
  private boolean closed;

  LiveApplication(AgentConfig config, AgentLog log, DriverFacts facts) {
    this.config = config;
    this.log = log;
    this.facts = facts;
    guard = new Guard(log);
    pipelines = new Pipelines(config, log::warn);
    model = new TraceModel(config, LiveAttributes.of(facts.uiUrl), pipelines::offer);
    pipelines.start();
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

  /**
   * What ends the JVM of a context that was stopped before, as a kernel of Jupyter is ended, is no
   * end of the application.
   *
   * @param signalled whether a signal is ending the JVM
   */
  void contextStopped(boolean signalled) {
    stoppedByProgram = !signalled;
    busStopped();
  }

  boolean isStoppedByProgram() {
    return stoppedByProgram;
  }

  /** No event follows: what is open is closed and sent, without waiting for it here. */
  private void busStopped() {
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

  /** Waits for the bus to stop until {@link System#nanoTime()} is there; then it counts as so. */
  void awaitBusStopped(long endNanos) throws InterruptedException {
    if (!busStopped.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      busStopped();
    }
  }

  /** Waits for the last span to be sent or given up, until {@link System#nanoTime()} is there. */
  void awaitFinished(long endNanos) throws InterruptedException {
    finished.await(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  long flushTimeoutMillis() {
    return config.flushTimeoutMillis();
  }

  private void finish() {
    try {
      programEnded.await(PROGRAM_END_SECONDS, TimeUnit.SECONDS);
      long start = System.nanoTime();
      long alive = config.flushTimeoutMillis() - END_MILLIS;
      long dead = config.deadFlushTimeoutMillis();
      // The application's span tells what was sent, so all else has to be sent before it; a part of
      // the time is kept for the span itself.
      pipelines.flush(alive * 3 / 4, dead * 3 / 4);
      FinishedSpan span;
      synchronized (model) {
        span = model.application(outcome, report(), Collections.emptyList());
      }
      if (span != null) {
        pipelines.offer(span);
        long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        pipelines.flush(Math.max(0, alive - passed), Math.max(0, dead - passed));
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
            + pipelines.counts().dropped()
            + whyDropped());
  }

  private String whyDropped() {
    String error = pipelines.counts().lastError();
    return pipelines.counts().dropped() == 0 || error == null ? "" : ": " + error;
  }
}
