package io.sparkotel.it;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The received spans of one trace. A span that came twice is in it twice. */
public final class Trace {

  static final Comparator<Trace> BY_START =
      Comparator.comparingLong(trace -> trace.spans.get(0).startNanos());

  private final List<SpanNode> spans;
  private final Map<String, SpanNode> byId = new LinkedHashMap<>();
  private final Map<String, List<SpanNode>> byParent = new HashMap<>();

  Trace(Collection<SpanNode> received) {
    spans = received.stream().sorted(SpanNode.IN_ORDER).toList();
    for (SpanNode span : spans) {
      byId.put(span.id(), span);
      byParent.computeIfAbsent(span.parentId(), id -> new ArrayList<>()).add(span);
    }
  }

  /** In order of start, then of Spark's ids. */
  public List<SpanNode> spans() {
    return spans;
  }

  public List<SpanNode> children(SpanNode parent) {
    return byParent.getOrDefault(parent.id(), List.of());
  }

  /** The span of that id, or null. */
  public SpanNode span(String id) {
    return byId.get(id);
  }

  /** Those without a parent in this trace. */
  public List<SpanNode> roots() {
    return spans.stream().filter(span -> !byId.containsKey(span.parentId())).toList();
  }

  /** That of all runs of a streaming query: where nothing is but the markers of their starts. */
  public boolean isOfRuns() {
    return spans.stream()
        .allMatch(
            span ->
                span.entity().equals("started")
                    && span.attribute("spark.streaming.run.id") != null);
  }

  /** The application span, of which there must be one. */
  public SpanNode application() {
    return one("application", span -> true);
  }

  public List<SpanNode> all(String entity) {
    return spans.stream().filter(span -> span.entity().equals(entity)).toList();
  }

  /**
   * The only span of that entity that is wanted; fails with the tree when there is another number.
   */
  public SpanNode one(String entity, Predicate<SpanNode> wanted) {
    List<SpanNode> found = all(entity).stream().filter(wanted).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " " + entity + " spans instead of one in\n" + this);
    }
    return found.get(0);
  }

  /** The stage attempt, which must be there once. */
  public SpanNode stage(long id, long attempt) {
    return one(
        "stage",
        span ->
            span.attribute("spark.stage.id").equals(id)
                && span.attribute("spark.stage.attempt").equals(attempt));
  }

  /** The job, which must be there once. */
  public SpanNode job(long id) {
    return one("job", span -> span.attribute("spark.job.id").equals(id));
  }

  /** The tree in the notation of {@link TraceAssert}. */
  @Override
  public String toString() {
    return new TreeWriter(this, Map.of()).write();
  }

  /** The tree with the attributes of those keys, by entity. */
  String toString(Map<String, Set<String>> keys) {
    return new TreeWriter(this, keys).write();
  }
}
