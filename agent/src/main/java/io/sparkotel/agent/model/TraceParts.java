package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The traces of an application that outgrows one: of jobs, or of SQL executions without a job, so
 * many in each by their ids. The first is the application's own; every other one has a marker as
 * its root, at the start of the first job or execution that it could hold, whose id is known: so it
 * is the same in whatever order the threads of Spark tell of theirs.
 */
final class TraceParts {

  /** What is begun is at most so many parts long; budgets of older ones start anew. */
  static final int KEPT = 8;

  /** One of the traces. */
  final class Part {
    final TraceUnit unit;
    private final long number;
    private Long time;
    private boolean used;

    private Part(long number, TraceUnit unit) {
      this.number = number;
      this.unit = unit;
    }

    /** An action is in it. */
    void use() {
      used = true;
      sendMarker();
    }

    private void started(long first) {
      if (time == null) {
        time = first;
        sendMarker();
      }
    }

    private void sendMarker() {
      if (number > 0 && used && time != null && markers.add(number)) {
        sink.accept(marker(this));
      }
    }

    private boolean awaitsMarker() {
      return number > 0 && used && !markers.contains(number);
    }
  }

  private final Entity counted;
  private final Units units;
  private final long size;
  private final long applicationStart;
  private final Consumer<FinishedSpan> sink;
  private final Part first;
  private final TreeMap<Long, Part> parts = new TreeMap<>();

  /** The parts that have one. */
  private final IdRanges markers = new IdRanges();

  /**
   * @param counted {@link Entity#JOB} or {@link Entity#SQL}
   * @param size how many share a trace; 0 for all
   * @param applicationStart epoch milliseconds
   */
  TraceParts(
      Entity counted, Units units, long size, long applicationStart, Consumer<FinishedSpan> sink) {
    this.counted = counted;
    this.units = units;
    this.size = size;
    this.applicationStart = applicationStart;
    this.sink = sink;
    first = new Part(0, units.home());
  }

  boolean isWhole() {
    return size == 0;
  }

  /** The part of a job or execution. */
  Part of(long id) {
    long number = size == 0 ? 0 : id / size;
    if (number <= 0) {
      return first;
    }
    Part known = parts.get(number);
    if (known != null) {
      return known;
    }
    Part part = new Part(number, newUnit(number));
    parts.put(number, part);
    if (parts.size() > KEPT) {
      // Nothing tells any more when it began.
      parts.pollFirstEntry().getValue().started(applicationStart);
    }
    return part;
  }

  /** One starts; whichever part it is in, its own may begin with it. */
  void started(long id, long time) {
    if (size > 0 && id >= size && id % size == 0) {
      of(id).started(time);
    }
  }

  /** No event follows. */
  void close() {
    parts.values().forEach(part -> part.started(applicationStart));
    parts.clear();
  }

  /** How many parts wait for their marker. */
  int waiting() {
    return (int) parts.values().stream().filter(Part::awaitsMarker).count();
  }

  int memorySize() {
    return parts.size() + markers.ranges();
  }

  private TraceUnit newUnit(long number) {
    SpanFactory spans = units.home().spans.unit(counted.label() + " part", Long.toString(number));
    SpanContext marker = spans.context(Entity.CONTINUED, number, series());
    return new TraceUnit(spans, marker, units.newBudget(), sink);
  }

  private int series() {
    return counted == Entity.SQL ? 1 : 0;
  }

  private FinishedSpan marker(Part part) {
    SpanFactory spans = part.unit.spans;
    SpanFactory.Draft draft = spans.draft(Entity.CONTINUED, part.number, series());
    draft.name("spark.application.continued").time(part.time, part.time);
    draft.link(spans.application());
    draft.attributes.put(Names.TRACE_PART, part.number);
    draft.attributes.put(Names.TRACE_PART_OF, counted.label());
    units.links.add(draft);
    return draft.build();
  }
}
