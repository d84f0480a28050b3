package io.sparkotel.agent.model;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What holds of the spans of an application whatever its events were. */
public final class TraceRules {

  private final Map<String, FinishedSpan> byId = new HashMap<>();
  private final List<FinishedSpan> spans;
  private final FinishedSpan application;

  private TraceRules(List<FinishedSpan> spans) {
    this.spans = spans;
    this.application =
        spans.stream().filter(span -> span.entity() == Entity.APPLICATION).findFirst().orElse(null);
  }

  /** Throws an AssertionError that names the first rule that is broken. */
  public static void check(List<FinishedSpan> spans) {
    new TraceRules(spans).check();
  }

  /** As {@link #check(List)}, and held against the events that the spans were made of. */
  static void check(List<FinishedSpan> spans, List<Object> events) {
    TraceRules rules = new TraceRules(spans);
    rules.check();
    rules.checkEvents(events);
  }

  private static void rule(boolean holds, String rule, Object of) {
    if (!holds) {
      throw new AssertionError(rule + ": " + of);
    }
  }

  private static void rule(boolean holds, String rule, FinishedSpan of) {
    if (!holds) {
      throw new AssertionError(rule + ": " + SpanTree.key(of));
    }
  }

  private void check() {
    rule(spans.isEmpty() || application != null, "spans without an application", spans);
    for (FinishedSpan span : spans) {
      rule(byId.put(span.getSpanId(), span) == null, "two spans of one id", span);
      rule(span.getStartEpochNanos() >= 0, "start before 1970", span);
      rule(span.getEndEpochNanos() >= span.getStartEpochNanos(), "end before the start", span);
      rule(span.getName().length() <= 128 && isText(span.getName(), 512), "name", span);
      rule(isText(span.getStatus().getDescription(), Limits.MESSAGE), "description", span);
      span.getAttributes().forEach((key, value) -> attribute(span, key, value));
      for (EventData event : span.getEvents()) {
        rule(event.getEpochNanos() >= span.getStartEpochNanos(), "event before the start", span);
        event.getAttributes().forEach((key, value) -> attribute(span, key, value));
      }
    }
    for (FinishedSpan span : spans) {
      FinishedSpan parent = byId.get(span.getParentSpanId());
      if (parent != null) {
        rule(span.getTraceId().equals(parent.getTraceId()), "trace id", span);
      } else if (span != application) {
        rule(isLinkedTo(span, application), "in another trace without a link", span);
        boolean root = !span.getParentSpanContext().isValid();
        rule(root || span.getParentSpanContext().isRemote(), "parent", span);
      }
      FinishedSpan top = span;
      for (int depth = 0; byId.containsKey(top.getParentSpanId()); depth++) {
        rule(depth < spans.size(), "no way up to the application", span);
        top = byId.get(top.getParentSpanId());
      }
      for (LinkData link : span.getLinks()) {
        FinishedSpan to = byId.get(link.getSpanContext().getSpanId());
        // Of attempts that are told in the wrong order nothing is known.
        boolean retry = to != null && to.entity() == Entity.STAGE;
        rule(to == null || retry || isLinkedTo(span, to), "link into the wrong trace", span);
      }
    }
    if (application != null) {
      application.getResource().getAttributes().forEach(TraceRules::resource);
      counts();
      limits();
    }
  }

  private static boolean isLinkedTo(FinishedSpan span, FinishedSpan to) {
    return span.getLinks().stream().anyMatch(l -> l.getSpanContext().equals(to.getSpanContext()));
  }

  private static void resource(AttributeKey<?> key, Object value) {
    rule(isText((String) value, Limits.MESSAGE), "text in the resource", key);
  }

  /** Ids, attempts and indexes have no unit; what has one is measured or counted. */
  private static void attribute(FinishedSpan span, AttributeKey<?> key, Object value) {
    rule(isText(key.getKey(), Limits.MESSAGE), "key", span);
    if (value instanceof String text) {
      rule(isText(text, Limits.STACK_TRACE), key.getKey(), span);
    } else if (value instanceof List<?> list) {
      list.forEach(one -> rule(isText((String) one, Limits.MESSAGE), key.getKey(), span));
    } else if (value instanceof Number number) {
      Attribute declared = Names.find(key.getKey());
      boolean measured = declared != null && !declared.unit().isEmpty();
      double size = number.doubleValue();
      rule(!measured || (size >= 0 && !Double.isInfinite(size)), key.getKey(), span);
    }
  }

  /** Of so many bytes at most, without a surrogate that is alone. */
  private static boolean isText(String text, int maxBytes) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else if (Character.isSurrogate(c)) {
        return false;
      } else {
        bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      }
    }
    return bytes <= maxBytes;
  }

  /** No application is faster than it was. */
  private void limits() {
    long duration = (application.getEndEpochNanos() - application.getStartEpochNanos()) / 1_000_000;
    long driverOnly = value(application, CostMetric.DRIVER_ONLY_TIME.attribute());
    for (CostMetric limit : List.of(CostMetric.CRITICAL_PATH, CostMetric.IDEAL_TIME)) {
      Object time = SpanTree.value(application, limit.attribute());
      boolean between = time == null || ((Long) time >= driverOnly && (Long) time <= duration);
      rule(between, limit.attribute().name(), time + " of " + duration);
    }
  }

  private void counts() {
    long jobs = of(Entity.JOB);
    rule(value(application, Names.JOBS_TOTAL) == jobs, "jobs of the application", jobs);
    long stages = of(Entity.STAGE);
    rule(value(application, Names.STAGES_TOTAL) == stages, "stages of the application", stages);
    Map<String, Integer> stagesOfJob = new HashMap<>();
    for (FinishedSpan span : spans) {
      if (span.entity() == Entity.STAGE) {
        stagesOfJob.merge(span.getParentSpanId(), 1, Integer::sum);
      }
    }
    for (FinishedSpan span : spans) {
      if (span.entity() == Entity.JOB) {
        int own = stagesOfJob.getOrDefault(span.getSpanId(), 0);
        rule(value(span, Names.STAGES_TOTAL) == own, "stages of " + SpanTree.key(span), own);
      }
      if (span.entity() == Entity.TASK) {
        boolean ended = SpanTree.value(span, Names.TASK_OUTCOME) != null;
        rule(ended != isIncomplete(span), "flag of an end not seen", span);
      }
    }
  }

  /** Nothing is lost of what was told, and what has no end says so. */
  private void checkEvents(List<Object> events) {
    if (application == null) {
      return;
    }
    Map<String, Boolean> ended = new HashMap<>();
    Set<Object> completed = new HashSet<>();
    long tasks = 0;
    long runTime = 0;
    boolean applicationEnded = false;
    boolean started = false;
    for (Object event : events) {
      started |= event instanceof ApplicationStart;
      if (event instanceof TaskEnd end) {
        tasks++;
        runTime = Totals.sum(runTime, end.metrics == null ? 0 : Math.max(0, runTime(end)));
      } else if (event instanceof NeutralEvents.ApplicationEnd) {
        applicationEnded = true;
      } else if (event instanceof NeutralEvents.StageCompleted stage) {
        completed.add("stage " + stage.info.id + "." + stage.info.attempt);
      } else if (event instanceof JobEnd end) {
        ended.computeIfPresent("job " + end.jobId, (key, old) -> true);
      } else if (event instanceof SqlEnd end) {
        ended.computeIfPresent("sql " + end.executionId, (key, old) -> true);
      } else if (started && event instanceof JobStart start) {
        ended.putIfAbsent("job " + start.jobId, false);
      } else if (started && event instanceof SqlStart start) {
        ended.putIfAbsent("sql " + start.executionId, false);
      }
    }
    rule(value(application, Names.TASKS_TOTAL) == tasks, "task ends of the application", tasks);
    Object sum = SpanTree.value(application, Names.metric(TaskMetric.RUN_TIME));
    rule(runTime == (sum == null ? 0 : (Long) sum), "run time of the application", runTime);
    rule(applicationEnded != isIncomplete(application), "flag of an end not seen", "application");
    for (FinishedSpan span : spans) {
      String key = SpanTree.key(span);
      if (ended.containsKey(key)) {
        rule(ended.remove(key) != isIncomplete(span), "flag of an end not seen", key);
      }
      if (span.entity() == Entity.STAGE) {
        rule(isIncomplete(span) || completed.contains(key), "flag of an end not seen", key);
      }
    }
    rule(ended.isEmpty(), "started, but without a span", ended);
  }

  private static long runTime(TaskEnd end) {
    return end.metrics[TaskMetric.RUN_TIME.ordinal()];
  }

  private long of(Entity entity) {
    return spans.stream().filter(span -> span.entity() == entity).count();
  }

  private static long value(FinishedSpan span, Attribute attribute) {
    return (Long) SpanTree.value(span, attribute);
  }

  private static boolean isIncomplete(FinishedSpan span) {
    return SpanTree.value(span, Names.INCOMPLETE) != null;
  }
}
