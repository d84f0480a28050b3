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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Reads event logs one after the other and hands their spans on. One thread. */
public final class Replay {

  private final AgentConfig config;
  private final boolean onlyUnfinished;
  private final Consumer<FinishedSpan> sink;
  private final Map<String, List<SpanContext>> attempts = new HashMap<>();

  /**
   * @param onlyUnfinished hand on just the application's span and what was open at the log's end:
   *     what a run that was killed did not send
   * @param sink takes every span, on the caller's thread
   */
  public Replay(AgentConfig config, boolean onlyUnfinished, Consumer<FinishedSpan> sink) {
    this.config = config;
    this.onlyUnfinished = onlyUnfinished;
    this.sink = sink;
  }

  /**
   * Replays one log; whatever is wrong with it is in the summary, and nothing is thrown that the
   * sink does not throw.
   *
   * @param progress takes the compressed bytes that were read since it was called last
   */
  public ReplaySummary run(EventLog log, LongConsumer progress) {
    SpanCounter counter = new SpanCounter();
    TraceModel model = new TraceModel(config, AttributeList.builder().build(), counter);
    EventLogParser parser = new EventLogParser(model);
    EventLogReader reader = new EventLogReader(parser);
    counter.open = !onlyUnfinished;
    String problem = read(log, reader, progress);
    counter.open = true;
    model.closeOpen();
    FinishedSpan application = model.application(Outcome.UNKNOWN, null, earlierAttempts(model));
    if (application != null) {
      counter.accept(application);
      attempts
          .computeIfAbsent(model.applicationId(), id -> new ArrayList<>())
          .add(application.getSpanContext());
    } else if (problem == null) {
      problem =
          reader.events() == 0 ? "not an event log" : "no SparkListenerApplicationStart in it";
    }
    if (problem == null && reader.badLines() > 0) {
      problem = reader.badLines() + " lines could not be read; " + reader.firstProblem();
    }
    return new ReplaySummary(log.name(), problem, model, reader, parser, counter.spans);
  }

  private static String read(EventLog log, EventLogReader reader, LongConsumer progress) {
    String problem = null;
    for (int part = 0; part < log.parts(); part++) {
      try (InputStream raw = log.open(part);
          InputStream in = Codecs.open(new CountingStream(raw, progress))) {
        reader.read(in);
      } catch (IOException | RuntimeException e) {
        // Decompressors tell broken input by exceptions of their own.
        if (problem == null) {
          String what = e.getMessage() == null ? e.toString() : e.getMessage();
          problem =
              log.partName(part) + " breaks off after " + reader.events() + " events: " + what;
        }
      }
    }
    return problem;
  }

  private List<SpanContext> earlierAttempts(TraceModel model) {
    String id = model.applicationId();
    return new ArrayList<>(attempts.getOrDefault(id, new ArrayList<>()));
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
    private final LongConsumer progress;

    CountingStream(InputStream in, LongConsumer progress) {
      super(in);
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      progress.accept(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      progress.accept(Math.max(0, count));
      return count;
    }
  }
}
