package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The way of finished spans out of the application: a buffer bounded by bytes, and a daemon thread
 * that empties it into an exporter and tries again for as long as the buffer has room.
 *
 * <p>Structure goes before tasks, and is lost after them: a structural span that finds the buffer
 * full takes the place of the latest task spans. The buffer includes what is under way. All state
 * is guarded by one lock, which is never held during an export.
 */
public final class Pipeline {

  static final int MAX_BATCH_SPANS = 512;
  static final int MAX_BATCH_BYTES = 3 * 1024 * 1024;
  private static final int FULL_ENOUGH_BYTES = 1024 * 1024;
  private static final long LINGER_MILLIS = 1_000;
  private static final long MIN_BACKOFF_MILLIS = 1_000;
  private static final long MAX_BACKOFF_MILLIS = 30_000;
  private static final long MAX_RETRY_AFTER_MILLIS = 60_000;
  private static final long FLUSH_BACKOFF_MILLIS = 250;
  private static final long SHUTDOWN_MILLIS = 250;

  /** Exporters answer within their own timeout: this is for one that forgot to. */
  private static final long FORGOTTEN_MINUTES = 10;

  private final Supplier<SpanExporter> exporterFactory;
  private final long bufferBytes;
  private final Consumer<String> log;
  private final long lingerMillis;
  private final long minBackoffMillis;
  private final ExportCounts counts = new ExportCounts();
  private final Thread thread = new Thread(this::run, "spark-otel-export");

  private final Object lock = new Object();
  private final ArrayDeque<FinishedSpan> structure = new ArrayDeque<>();
  private final ArrayDeque<FinishedSpan> tasks = new ArrayDeque<>();
  private SpanExporter exporter;
  private long heldBytes;
  private long queuedBytes;
  private long queuedSinceNanos;
  private int structureUnderWay;
  private int tasksUnderWay;
  private long settled;
  private int flushes;
  private long flushStartNanos;
  private long flushAliveMillis;
  private long flushDeadMillis;
  private boolean alive;
  private boolean stopping;
  private boolean ended;

  // Of the exporter thread alone.
  private boolean failureLogged;
  private boolean recoveryLogged;

  /**
   * @param exporterFactory called once, on the pipeline's thread
   * @param bufferBytes most estimated bytes of spans that are held at a time
   * @param log takes at most two lines: the first failed delivery and the first success after it
   */
  public Pipeline(Supplier<SpanExporter> exporterFactory, long bufferBytes, Consumer<String> log) {
    this(exporterFactory, bufferBytes, log, LINGER_MILLIS, MIN_BACKOFF_MILLIS);
  }

  Pipeline(
      Supplier<SpanExporter> exporterFactory,
      long bufferBytes,
      Consumer<String> log,
      long lingerMillis,
      long minBackoffMillis) {
    this.exporterFactory = exporterFactory;
    this.bufferBytes = bufferBytes;
    this.log = log;
    this.lingerMillis = lingerMillis;
    this.minBackoffMillis = minBackoffMillis;
    thread.setDaemon(true);
    thread.setContextClassLoader(Pipeline.class.getClassLoader());
  }

  public void start() {
    thread.start();
  }

  public ExportCounts counts() {
    return counts;
  }

  /** Of the spans that wait or are under way, estimated. */
  long heldBytes() {
    synchronized (lock) {
      return heldBytes;
    }
  }

  /** Takes the span or drops and counts it; never waits for an export. */
  public void offer(FinishedSpan span) {
    int bytes = span.estimatedBytes();
    synchronized (lock) {
      if (stopping || ended || !makeRoom(span, bytes)) {
        countDropped(span);
        return;
      }
      boolean wasEmpty = queued() == 0;
      boolean wasFullEnough = isFullEnough();
      (span.entity().isStructure() ? structure : tasks).add(span);
      heldBytes += bytes;
      queuedBytes += bytes;
      if (wasEmpty) {
        queuedSinceNanos = System.nanoTime();
      }
      if (wasEmpty || (!wasFullEnough && isFullEnough())) {
        lock.notifyAll();
      }
    }
  }

  /**
   * Waits until half of the buffer is free, for a caller that can wait.
   *
   * @param aliveMillis how long after the last delivery to give up, while the collector's latest
   *     answer was a sign of life
   * @param deadMillis the same while it was not, or none came yet
   * @return false where the wait was given up or interrupted, or nothing will be sent any more
   */
  boolean awaitRoom(long aliveMillis, long deadMillis) {
    return awaitHeld(bufferBytes / 2, aliveMillis, deadMillis);
  }

  /** As {@link #awaitRoom}, until nothing is left. */
  boolean drain(long aliveMillis, long deadMillis) {
    return awaitHeld(0, aliveMillis, deadMillis);
  }

  private boolean awaitHeld(long maxBytes, long aliveMillis, long deadMillis) {
    synchronized (lock) {
      if (heldBytes <= maxBytes || ended) {
        return !ended;
      }
      flushes++;
      flushStartNanos = System.nanoTime();
      flushAliveMillis = aliveMillis;
      flushDeadMillis = deadMillis;
      lock.notifyAll();
      long deliveries = settled;
      try {
        while (heldBytes > maxBytes && !ended) {
          if (settled != deliveries) {
            deliveries = settled;
            flushStartNanos = System.nanoTime();
          }
          long left = flushEndNanos() - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          TimeUnit.NANOSECONDS.timedWait(lock, left);
        }
        return !ended;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } finally {
        flushes--;
      }
    }
  }

  /**
   * Waits until everything offered was delivered, or the bound passed. Waits through interrupts,
   * and leaves the thread's interrupt flag as it was.
   *
   * @param aliveMillis the bound while the collector's latest answer was a sign of life
   * @param deadMillis the bound while it was not, or none came yet
   * @return whether nothing is left, and nothing was lost meanwhile
   */
  public boolean flush(long aliveMillis, long deadMillis) {
    boolean interrupted = false;
    long droppedBefore = counts.dropped();
    synchronized (lock) {
      flushes++;
      flushStartNanos = System.nanoTime();
      flushAliveMillis = aliveMillis;
      flushDeadMillis = deadMillis;
      lock.notifyAll();
      try {
        while (queued() + structureUnderWay + tasksUnderWay > 0) {
          long left = flushEndNanos() - System.nanoTime();
          if (left <= 0 || ended) {
            return false;
          }
          try {
            TimeUnit.NANOSECONDS.timedWait(lock, left);
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
        return !ended && counts.dropped() == droppedBefore;
      } finally {
        flushes--;
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /**
   * Takes no more spans, breaks off an export that is under way and ends the thread. What was not
   * delivered by then counts as dropped. Does nothing when called again.
   */
  public void shutdown() {
    SpanExporter made;
    synchronized (lock) {
      if (stopping) {
        return;
      }
      stopping = true;
      made = exporter;
      lock.notifyAll();
    }
    if (made != null) {
      made.shutdown();
    }
    boolean interrupted = false;
    synchronized (lock) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_MILLIS);
      long left = SHUTDOWN_MILLIS;
      while (!ended && left > 0 && thread.isAlive()) {
        try {
          lock.wait(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      }
      end();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private long flushEndNanos() {
    return flushStartNanos
        + TimeUnit.MILLISECONDS.toNanos(alive ? flushAliveMillis : flushDeadMillis);
  }

  private boolean makeRoom(FinishedSpan span, int bytes) {
    while (heldBytes + bytes > bufferBytes && span.entity().isStructure() && !tasks.isEmpty()) {
      FinishedSpan evicted = tasks.removeLast();
      int freed = evicted.estimatedBytes();
      heldBytes -= freed;
      queuedBytes -= freed;
      countDropped(evicted);
    }
    return heldBytes + bytes <= bufferBytes;
  }

  private void countDropped(FinishedSpan span) {
    boolean isStructure = span.entity().isStructure();
    counts.addDropped(isStructure ? 1 : 0, isStructure ? 0 : 1);
  }

  private int queued() {
    return structure.size() + tasks.size();
  }

  private boolean isFullEnough() {
    return queued() >= MAX_BATCH_SPANS || queuedBytes >= FULL_ENOUGH_BYTES;
  }

  /** The end of the pipeline, for whichever reason: all that is left is lost. */
  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (structureUnderWay + tasksUnderWay > 0 && counts.lastError() == null) {
      counts.error("no answer in time");
    }
    counts.addDropped(structure.size() + structureUnderWay, tasks.size() + tasksUnderWay);
    structure.clear();
    tasks.clear();
    lock.notifyAll();
  }

  private void run() {
    try {
      SpanExporter made = exporterFactory.get();
      boolean late;
      synchronized (lock) {
        exporter = made;
        late = stopping;
      }
      if (late) {
        made.shutdown();
      }
      for (List<FinishedSpan> batch = take(); !batch.isEmpty(); batch = take()) {
        deliver(batch, made);
      }
    } catch (Throwable e) {
      // Nothing above to tell: the counts say what is lost by it.
      counts.error(ExportFailure.describe(e));
      logFailure("no spans are sent: " + counts.lastError());
    } finally {
      synchronized (lock) {
        end();
      }
    }
  }

  /** Waits for a batch that is due; empty when the pipeline stops. */
  private List<FinishedSpan> take() throws InterruptedException {
    synchronized (lock) {
      while (!stopping) {
        if (queued() == 0) {
          lock.wait();
          continue;
        }
        long due = queuedSinceNanos + TimeUnit.MILLISECONDS.toNanos(lingerMillis);
        long left = due - System.nanoTime();
        if (flushes > 0 || isFullEnough() || left <= 0) {
          return nextBatch();
        }
        TimeUnit.NANOSECONDS.timedWait(lock, left);
      }
      return Collections.emptyList();
    }
  }

  private List<FinishedSpan> nextBatch() {
    List<FinishedSpan> batch = new ArrayList<>(Math.min(MAX_BATCH_SPANS, queued()));
    long bytes = 0;
    while (queued() > 0 && batch.size() < MAX_BATCH_SPANS) {
      ArrayDeque<FinishedSpan> next = structure.isEmpty() ? tasks : structure;
      int more = next.element().estimatedBytes();
      bytes += more;
      if (bytes > MAX_BATCH_BYTES && !batch.isEmpty()) {
        break;
      }
      queuedBytes -= more;
      batch.add(next.remove());
    }
    tasksUnderWay = countTasks(batch);
    structureUnderWay = batch.size() - tasksUnderWay;
    queuedSinceNanos = System.nanoTime();
    return batch;
  }

  private static int countTasks(List<FinishedSpan> batch) {
    int tasks = 0;
    for (FinishedSpan span : batch) {
      tasks += span.entity().isStructure() ? 0 : 1;
    }
    return tasks;
  }

  private void deliver(List<FinishedSpan> batch, SpanExporter to) throws InterruptedException {
    for (int attempt = 0; ; attempt++) {
      ExportFailure failure = export(batch, to);
      if (failure == null) {
        logRecovery();
        settle(batch, 0);
        return;
      }
      synchronized (lock) {
        if (stopping) {
          return;
        }
        alive = failure.kind() != ExportFailure.Kind.UNREACHABLE;
        lock.notifyAll();
      }
      counts.error(failure.getMessage());
      switch (failure.kind()) {
        case PARTIAL:
          if (failure.rejected() > 0) {
            logFailure("not all spans are taken: " + failure.getMessage());
          } else {
            logRecovery();
          }
          settle(batch, failure.rejected());
          return;
        case TOO_LARGE:
          if (batch.size() > 1) {
            deliver(batch.subList(0, batch.size() / 2), to);
            deliver(batch.subList(batch.size() / 2, batch.size()), to);
            return;
          }
          logFailure("a span is too large: " + failure.getMessage());
          settle(batch, batch.size());
          return;
        case REFUSED:
          logFailure("spans are refused: " + failure.getMessage());
          settle(batch, batch.size());
          return;
        case BUSY:
        case UNREACHABLE:
          logFailure("cannot send spans, trying again: " + failure.getMessage());
          if (!pause(backoffMillis(attempt), failure.retryAfterMillis())) {
            return;
          }
      }
    }
  }

  /** One request; null when all was delivered. */
  private ExportFailure export(List<FinishedSpan> batch, SpanExporter to) {
    Collection<SpanData> spans = Collections.unmodifiableList(batch);
    CompletableResultCode result;
    try {
      result = to.export(spans).join(FORGOTTEN_MINUTES, TimeUnit.MINUTES);
    } catch (Throwable e) {
      // One batch that the exporter cannot stand must not end the delivery of the others.
      return ExportFailure.of(e);
    }
    if (!result.isDone()) {
      return ExportFailure.timeout();
    }
    return result.isSuccess() ? null : ExportFailure.of(result.getFailureThrowable());
  }

  /**
   * The batch is off our hands. Which spans a collector rejected it does not tell: tasks are
   * counted before structure.
   */
  private void settle(List<FinishedSpan> batch, long rejected) {
    int ofTasks = countTasks(batch);
    int ofStructure = batch.size() - ofTasks;
    long tasksLost = Math.min(rejected, ofTasks);
    long structureLost = Math.min(rejected - tasksLost, ofStructure);
    long bytes = 0;
    for (FinishedSpan span : batch) {
      bytes += span.estimatedBytes();
    }
    synchronized (lock) {
      if (ended) {
        return;
      }
      heldBytes -= bytes;
      tasksUnderWay -= ofTasks;
      structureUnderWay -= ofStructure;
      counts.addExported(batch.size() - tasksLost - structureLost);
      counts.addDropped(structureLost, tasksLost);
      alive = true;
      settled++;
      lock.notifyAll();
    }
  }

  /** Waits before the next attempt, not for long while somebody flushes; false when stopping. */
  private boolean pause(long backoffMillis, long retryAfterMillis) throws InterruptedException {
    long asked = Math.min(retryAfterMillis, MAX_RETRY_AFTER_MILLIS);
    long start = System.nanoTime();
    synchronized (lock) {
      while (!stopping) {
        long end = start + TimeUnit.MILLISECONDS.toNanos(Math.max(backoffMillis, asked));
        if (flushes > 0) {
          end =
              start + TimeUnit.MILLISECONDS.toNanos(Math.min(backoffMillis, FLUSH_BACKOFF_MILLIS));
          long askedEnd = start + TimeUnit.MILLISECONDS.toNanos(asked);
          if (askedEnd - flushEndNanos() < 0 && askedEnd - end > 0) {
            end = askedEnd;
          }
        }
        long left = end - System.nanoTime();
        if (left <= 0) {
          return true;
        }
        TimeUnit.NANOSECONDS.timedWait(lock, left);
      }
      return false;
    }
  }

  private long backoffMillis(int attempt) {
    return backoffMillis(attempt, minBackoffMillis, ThreadLocalRandom.current().nextDouble());
  }

  /**
   * Doubles from {@code min} up to 30 s; {@code random} of 0 to 1 takes off up to a half, so that
   * many drivers do not return to a restarted collector at one moment.
   */
  static long backoffMillis(int attempt, long min, double random) {
    long full = Math.min(MAX_BACKOFF_MILLIS, min << Math.min(attempt, 15));
    return Math.max(min, full - (long) (random * full / 2));
  }

  private void logFailure(String line) {
    if (!failureLogged) {
      failureLogged = true;
      log.accept(line);
    }
  }

  private void logRecovery() {
    if (failureLogged && !recoveryLogged) {
      recoveryLogged = true;
      log.accept("spans are sent again");
    }
  }
}
