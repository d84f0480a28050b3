package io.sparkotel.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares a received trace with an expected tree, written as nested expressions:
 *
 * <pre>
 * assertThatTrace(receiver.trace())
 *     .isTree(
 *         application("spark.application",
 *             started(),
 *             job("count at Report.java:31",
 *                 stage("count at Report.java:31", task().times(4)).with("spark.tasks.total", 4))));
 * </pre>
 *
 * Children are in order of start, then of Spark's ids. In names {@code *} stands for any text. On a
 * mismatch the whole actual tree is printed in the same notation, ready to be pasted.
 */
public final class TraceAssert {

  private final Trace trace;
  private final Set<String> users = new HashSet<>();
  private String inheritedParent = "";

  private TraceAssert(Trace trace) {
    this.trace = trace;
  }

  public static TraceAssert assertThatTrace(Trace trace) {
    return new TraceAssert(trace);
  }

  public static SpanPattern application(String name, Expected... children) {
    return new SpanPattern("application", name, children);
  }

  /** The marker of a running application. */
  public static SpanPattern started() {
    return new SpanPattern("started", SpanPattern.STARTED_NAME);
  }

  /** The root of a trace in which an application goes on; it is linked to the application. */
  public static SpanPattern continued(Expected... children) {
    return new SpanPattern("continued", "spark.application.continued", children).linkOutside();
  }

  /** A run of a streaming query; it is linked to its marker. */
  public static SpanPattern query(String name) {
    return new SpanPattern("query", name).linkOutside();
  }

  /** The root of the trace of a micro-batch; it is linked to the application and its query. */
  public static SpanPattern batch(String name, Expected... children) {
    return new SpanPattern("batch", name, children).linkOutside().linkOutside();
  }

  /** What somebody asked a shared application for; it is linked to the application. */
  public static SpanPattern group(String name, Expected... children) {
    return new SpanPattern("group", name, children).linkOutside();
  }

  public static SpanPattern sql(String name, Expected... children) {
    return new SpanPattern("sql", name, children);
  }

  public static SpanPattern job(String name, Expected... children) {
    return new SpanPattern("job", name, children);
  }

  public static SpanPattern stage(String name, Expected... children) {
    return new SpanPattern("stage", name, children);
  }

  public static SpanPattern task() {
    return new SpanPattern("task", SpanPattern.TASK_NAME);
  }

  /** An application with one good job of one stage of one task. */
  public static SpanPattern oneJob(String callSite) {
    return application(
        "spark.application",
        started(),
        job(
                "job " + callSite,
                stage("stage " + callSite, task().with("spark.task.outcome", "Success")))
            .with("spark.job.result", "succeeded"));
  }

  /** Siblings that follow each other in any order. */
  public static Expected inAnyOrder(SpanPattern... patterns) {
    return new AnyOrder(patterns);
  }

  /** The root is a child of that span, which is not of this trace's senders. */
  public TraceAssert inherits(String parentSpanId) {
    inheritedParent = parentSpanId;
    return this;
  }

  /** Attributes of the user's, which no reference can tell of. */
  public TraceAssert brings(String... keys) {
    users.addAll(List.of(keys));
    return this;
  }

  /** What holds of every trace, and exactly this tree. */
  public TraceAssert isTree(SpanPattern root) {
    List<String> problems = new ArrayList<>(insane());
    SpanPattern.matchAll(List.of(root), trace.roots(), trace, "", problems);
    Map<String, Set<String>> keys = new TreeMap<>();
    root.collectKeys(keys);
    return check(problems, keys);
  }

  /**
   * What holds of every trace: one root, parents that exist, ids that differ, no end before its
   * start, one resource and scope, and no attribute that the reference lacks.
   */
  public TraceAssert isSane() {
    return check(insane(), Map.of());
  }

  private TraceAssert check(List<String> problems, Map<String, Set<String>> keys) {
    if (!problems.isEmpty()) {
      throw new AssertionError(
          String.join("\n", problems) + "\n\nThe actual tree:\n" + trace.toString(keys));
    }
    return this;
  }

  private List<String> insane() {
    List<String> problems = new ArrayList<>();
    if (trace.roots().size() != 1) {
      problems.add("expected one root but was " + trace.roots());
    }
    for (SpanNode root : trace.roots()) {
      if (!root.parentId().equals(inheritedParent)) {
        problems.add(root + ": its parent " + root.parentId() + " was not received");
      }
    }
    Set<String> ids = new HashSet<>();
    Set<Object> senders = new HashSet<>();
    Set<String> undeclared = new TreeSet<>();
    for (SpanNode span : trace.spans()) {
      if (!ids.add(span.id())) {
        problems.add(span + ": its id " + span.id() + " came twice");
      }
      if (span.endNanos() < span.startNanos() || span.startNanos() <= 0) {
        problems.add(span + ": from " + span.startNanos() + " to " + span.endNanos());
      }
      senders.add(List.of(span.resource(), span.scope()));
      undeclared.addAll(Declared.undeclared(span.attributes().keySet()));
      for (SpanNode.Event event : span.events()) {
        undeclared.addAll(Declared.undeclared(event.attributes().keySet()));
      }
    }
    undeclared.removeAll(users);
    if (senders.size() > 1) {
      problems.add("more than one resource or scope: " + senders);
    }
    if (!undeclared.isEmpty()) {
      problems.add("not in " + Layout.telemetryReference() + ": " + undeclared);
    }
    return problems;
  }

  /** The keys that the generated reference names, each in backquotes. */
  static final class Declared {
    private static final String REFERENCE = read();

    private static String read() {
      try {
        return Files.readString(Layout.telemetryReference());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Cut values are flagged, plans go on under numbered keys: neither is listed key by key. */
    static Set<String> undeclared(Set<String> keys) {
      Set<String> missing = new TreeSet<>();
      for (String key : keys) {
        String base = key.replaceFirst("_truncated$", "").replaceFirst("_\\d+$", "");
        if (!REFERENCE.contains("`" + base + "`") && !base.startsWith("spark.conf.")) {
          missing.add(key);
        }
      }
      return missing;
    }
  }
}
