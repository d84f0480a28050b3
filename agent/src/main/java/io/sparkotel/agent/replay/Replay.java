package io.sparkotel.agent.replay;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.EventLogParser;
import io.sparkotel.agent.event.EventLogReader;
import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/** Reads event logs one after the other and hands their spans on. One thread. */
public final class Replay {

  /** Is told how far a replay is. */
  public interface Progress {
    /**
     * @param bytes compressed, since the last call
     * @param events of the log so far
     */
    void read(long bytes, long events);
  }

  private final AgentConfig config;
  private final boolean onlyUnfinished;
  private final Consumer<FinishedSpan> sink;

  /** Of more, the attempts of the first one are forgotten, so that any number can be replayed. */
  private static final int MAX_APPLICATIONS = 100_000;

  /** The start of each application span by its context, by application. */
  private final Map<String, Map<SpanContext, Long>> attempts = new LinkedHashMap<>();

  /**
   * @param onlyUnfinished hand on just the application's span and what was open at the log's end:
   *     what a run that was killed did not send
   * @param sink takes every span, on the caller's thread; ends the replay by a
   *     CancellationException
   */
  public Replay(AgentConfig config, boolean onlyUnfinished, Consumer<FinishedSpan> sink) {
    this.config = config;
    this.onlyUnfinished = onlyUnfinished;
    this.sink = sink;
  }

  /**
   * Replays one log; whatever is wrong with it is in the summary.
   *
   * @throws CancellationException where the sink threw it
   */
  public ReplaySummary run(EventLog log, Progress progress) {
    SpanCounter counter = new SpanCounter();
    TraceModel model = new TraceModel(config, AttributeList.builder().build(), counter);
    EventLogParser parser = new EventLogParser(model, log.shortName());
    EventLogReader reader = new EventLogReader(parser);
    counter.open = !onlyUnfinished;
    String problem = read(log, reader, progress);
    parser.end();
    counter.open = true;
    model.closeOpen();
    FinishedSpan application = application(model);
    if (application != null) {
      counter.accept(application);
    }
    return new ReplaySummary(log.name(), problem, model, reader, parser, counter.spans);
  }

  /** Null where the log tells of none. */
  private FinishedSpan application(TraceModel model) {
    FinishedSpan application =
        model.application(Outcome.UNKNOWN, null, Collections.<SpanContext>emptyList());
    if (application == null) {
      return null;
    }
    Map<SpanContext, Long> known =
        attempts.computeIfAbsent(model.applicationId(), id -> new LinkedHashMap<>());
    if (attempts.size() > MAX_APPLICATIONS) {
      attempts.remove(attempts.keySet().iterator().next());
    }
    List<SpanContext> earlier = new ArrayList<>();
    // A log that is given twice is no attempt before itself.
    known.forEach(
        (context, start) -> {
          if (start < application.getStartEpochNanos()) {
            earlier.add(context);
          }
        });
    known.put(application.getSpanContext(), application.getStartEpochNanos());
    return earlier.isEmpty() ? application : model.application(Outcome.UNKNOWN, null, earlier);
  }

  /** Gives what broke off first, or null. */
  private static String read(EventLog log, EventLogReader reader, Progress progress) {
    String problem = log.gap();
    for (int part = 0; part < log.parts(); part++) {
      String broken = readPart(log, part, reader, progress);
      if (problem == null) {
        problem = broken;
      }
    }
    return problem;
  }

  private static String readPart(EventLog log, int part, EventLogReader reader, Progress progress) {
    InputStream raw;
    try {
      raw = log.open(part);
    } catch (IOException e) {
      return "cannot be read: " + e.getMessage();
    }
    try (InputStream counted = new CountingStream(raw, reader, progress);
        InputStream in = Codecs.open(counted)) {
      reader.read(in);
      return null;
    } catch (CancellationException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Decompressors tell broken input by exceptions of their own.
      String what = e.getMessage() == null ? e.toString() : e.getMessage();
      return log.partName(part) + " breaks off after " + reader.events() + " events: " + what;
    }
  }

  private final class SpanCounter implements Consumer<FinishedSpan> {
    boolean open;
    long spans;

    @Override
    public void accept(FinishedSpan span) {
      if (open) {
        spans++;
        sink.accept(span);
      }
    }
  }

  private static final class CountingStream extends FilterInputStream {
    private final EventLogReader reader;
    private final Progress progress;

    CountingStream(InputStream in, EventLogReader reader, Progress progress) {
      super(in);
      this.reader = reader;
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      progress.read(value < 0 ? 0 : 1, reader.events());
      return value;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      progress.read(Math.max(0, count), reader.events());
      return count;
    }
  }
}
