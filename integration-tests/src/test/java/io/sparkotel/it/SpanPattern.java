package io.sparkotel.it;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * An expected span with its expected children. What is not said is not there: no error, no event,
 * no link, no child. Attributes are the exception: only those that are named are compared.
 */
public final class SpanPattern implements Expected {

  static final String TASK_NAME = "task";
  static final String STARTED_NAME = "spark.application.started";

  private record Event(String name, Map<String, Object> attributes) {}

  private record LinkTo(String entity, Map<String, Object> attributes) {}

  private final String entity;
  private final String name;
  private final List<Expected> children;
  private final Map<String, Object> attributes = new LinkedHashMap<>();
  private final Set<String> present = new TreeSet<>();
  private final Set<String> absent = new TreeSet<>();
  private final List<Event> events = new ArrayList<>();
  private final List<LinkTo> links = new ArrayList<>();
  private boolean failed;
  private String description;
  private boolean anyChildren;
  private boolean anyEvents;
  private int times = 1;

  SpanPattern(String entity, String name, Expected... children) {
    this.entity = entity;
    this.name = name;
    this.children = List.of(children);
  }

  /** An attribute and its exact value; an int stands for a long, a list for an array. */
  public SpanPattern with(String key, Object value) {
    attributes.put(key, normal(value));
    return this;
  }

  /** An attribute that must be there with whatever value. */
  public SpanPattern has(String... keys) {
    present.addAll(List.of(keys));
    return this;
  }

  /** Attributes that must not be there. */
  public SpanPattern without(String... keys) {
    absent.addAll(List.of(keys));
    return this;
  }

  /** Status ERROR, whatever its description. */
  public SpanPattern failed() {
    failed = true;
    return this;
  }

  /** Status ERROR with that description, in which {@code *} stands for any text. */
  public SpanPattern failed(String expected) {
    failed = true;
    description = expected;
    return this;
  }

  /**
   * An event, in order, with at least those attributes: key, value, key, value. In a text, {@code
   * *} stands for any text.
   */
  public SpanPattern event(String eventName, Object... keysAndValues) {
    events.add(new Event(eventName, pairs(keysAndValues)));
    return this;
  }

  /** Whatever events there are. */
  public SpanPattern anyEvents() {
    anyEvents = true;
    return this;
  }

  /** A link, in order, to the span of this trace with those attributes: key, value, key, value. */
  public SpanPattern linkTo(String linkedEntity, Object... keysAndValues) {
    links.add(new LinkTo(linkedEntity, pairs(keysAndValues)));
    return this;
  }

  /** A link, in order, to a span of another trace. */
  public SpanPattern linkOutside() {
    links.add(null);
    return this;
  }

  /** Whatever is below it. */
  public SpanPattern anyChildren() {
    anyChildren = true;
    return this;
  }

  /** That many such spans, one after the other. */
  public SpanPattern times(int count) {
    times = count;
    return this;
  }

  @Override
  public int count() {
    return times;
  }

  @Override
  public void match(List<SpanNode> actual, Trace trace, String path, List<String> problems) {
    for (SpanNode span : actual) {
      matchOne(span, trace, path, problems);
    }
  }

  private void matchOne(SpanNode span, Trace trace, String path, List<String> problems) {
    if (!span.entity().equals(entity) || !matches(name, span.name())) {
      problems.add(path + ": expected " + this + " but was " + span);
      return;
    }
    String here = path.isEmpty() ? span.toString() : path + " > " + span;
    attributes.forEach(
        (key, value) -> {
          if (!matches(value, span.attribute(key))) {
            problems.add(
                here + ": " + key + " should be " + value + " but was " + span.attribute(key));
          }
        });
    for (String key : present) {
      if (span.attribute(key) == null) {
        problems.add(here + ": " + key + " is missing");
      }
    }
    for (String key : absent) {
      if (span.attribute(key) != null) {
        problems.add(here + ": " + key + " should not be there, was " + span.attribute(key));
      }
    }
    matchStatus(span, here, problems);
    matchEvents(span, here, problems);
    matchLinks(span, trace, here, problems);
    if (!anyChildren) {
      matchAll(children, trace.children(span), trace, here, problems);
    }
  }

  private void matchStatus(SpanNode span, String here, List<String> problems) {
    String actual = span.status().getCode() + " \"" + span.status().getMessage() + "\"";
    if (failed) {
      if (!span.isError()) {
        problems.add(here + ": should be an error, was " + actual);
      } else if (description != null && !matches(description, span.status().getMessage())) {
        problems.add(here + ": status should say \"" + description + "\", was " + actual);
      }
    } else if (span.status().getCodeValue() != 0) {
      problems.add(here + ": status should be unset, was " + actual);
    }
  }

  private void matchEvents(SpanNode span, String here, List<String> problems) {
    List<SpanNode.Event> actual = span.events();
    if (anyEvents) {
      return;
    }
    if (actual.size() != events.size()) {
      problems.add(here + ": expected " + events.size() + " events but was " + actual);
      return;
    }
    for (int i = 0; i < events.size(); i++) {
      Event expected = events.get(i);
      SpanNode.Event event = actual.get(i);
      if (!event.name().equals(expected.name())
          || !matchesAll(expected.attributes(), event.attributes())) {
        problems.add(here + ": expected " + expected + " but was " + event);
      }
    }
  }

  private void matchLinks(SpanNode span, Trace trace, String here, List<String> problems) {
    List<SpanNode.Link> actual = span.links();
    if (actual.size() != links.size()) {
      problems.add(here + ": expected " + links.size() + " links but was " + actual);
      return;
    }
    for (int i = 0; i < links.size(); i++) {
      LinkTo expected = links.get(i);
      SpanNode to =
          actual.get(i).traceId().equals(span.traceId())
              ? trace.span(actual.get(i).spanId())
              : null;
      boolean good =
          expected == null
              ? !actual.get(i).traceId().equals(span.traceId())
              : to != null
                  && to.entity().equals(expected.entity())
                  && matchesAll(expected.attributes(), to.attributes());
      if (!good) {
        problems.add(here + ": expected a link to " + expected + " but it leads to " + to);
      }
    }
  }

  /** Matches a list of siblings against what was expected of them. */
  static void matchAll(
      Collection<Expected> expected,
      List<SpanNode> actual,
      Trace trace,
      String path,
      List<String> problems) {
    int total = expected.stream().mapToInt(Expected::count).sum();
    if (total != actual.size()) {
      problems.add(
          path + ": expected " + total + " children but was " + actual.size() + ": " + actual);
      return;
    }
    int from = 0;
    for (Expected one : expected) {
      one.match(actual.subList(from, from + one.count()), trace, path, problems);
      from += one.count();
    }
  }

  @Override
  public void collectKeys(Map<String, Set<String>> byEntity) {
    Set<String> keys = byEntity.computeIfAbsent(entity, e -> new TreeSet<>());
    keys.addAll(attributes.keySet());
    keys.addAll(absent);
    keys.addAll(present);
    children.forEach(child -> child.collectKeys(byEntity));
  }

  private static boolean matchesAll(Map<String, Object> expected, Map<String, Object> actual) {
    return expected.entrySet().stream()
        .allMatch(entry -> matches(entry.getValue(), actual.get(entry.getKey())));
  }

  private static boolean matches(Object expected, Object actual) {
    if (expected instanceof String pattern
        && pattern.indexOf('*') >= 0
        && actual instanceof String text) {
      String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q");
      return Pattern.compile(regex, Pattern.DOTALL).matcher(text).matches();
    }
    return expected.equals(actual);
  }

  private static Map<String, Object> pairs(Object... keysAndValues) {
    Map<String, Object> pairs = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      pairs.put((String) keysAndValues[i], normal(keysAndValues[i + 1]));
    }
    return pairs;
  }

  private static Object normal(Object value) {
    if (value instanceof Integer number) {
      return number.longValue();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(SpanPattern::normal).toList();
    }
    return value;
  }

  @Override
  public String toString() {
    return entity + " \"" + name + "\"";
  }
}
