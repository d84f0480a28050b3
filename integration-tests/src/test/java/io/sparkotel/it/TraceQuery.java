package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A search for one span: a TraceQL selector {@code { scope.key OP value && ... }} with the scopes
 * span, event and resource, or the tags of Jaeger's search, {@code key=value key="value"}.
 */
final class TraceQuery {

  private record Condition(String scope, String key, String operator, Object value) {}

  private static final Pattern SELECTOR = Pattern.compile("\\{ (.*) }", Pattern.DOTALL);
  private static final Pattern CONDITION =
      Pattern.compile(
          "(span|event|resource)\\.([\\w.]+) (=|!=|=~|<|<=|>|>=)"
              + " (?:\"([^\"]*)\"|(true|false)|(\\d+(?:\\.\\d+)?))");
  private static final Pattern TAG = Pattern.compile("([\\w.]+)=(?:\"([^\"]*)\"|([^\\s\"]+))");
  private static final String STATUS = "status = error";

  private final List<Condition> conditions = new ArrayList<>();
  private boolean failed;

  private TraceQuery() {}

  /** Fails where it is no such selector. */
  static TraceQuery ofTraceQl(String text) {
    Matcher selector = SELECTOR.matcher(text.strip());
    if (!selector.matches()) {
      throw new AssertionError("not one selector: " + text);
    }
    TraceQuery query = new TraceQuery();
    for (String part : selector.group(1).split("\\s+&&\\s+")) {
      Matcher condition = CONDITION.matcher(part);
      if (part.equals(STATUS)) {
        query.failed = true;
      } else if (condition.matches()) {
        query.conditions.add(
            new Condition(
                condition.group(1), condition.group(2), condition.group(3), value(condition)));
      } else {
        throw new AssertionError("not a condition: " + part);
      }
    }
    return query;
  }

  private static Object value(Matcher condition) {
    if (condition.group(4) != null) {
      return condition.group(4);
    }
    return condition.group(5) != null
        ? (Object) Boolean.valueOf(condition.group(5))
        : Double.valueOf(condition.group(6));
  }

  /** Fails where these are no tags. */
  static TraceQuery ofJaegerTags(String line) {
    TraceQuery query = new TraceQuery();
    Matcher tag = TAG.matcher(line);
    int end = 0;
    while (tag.find()) {
      if (!line.substring(end, tag.start()).isBlank()) {
        break;
      }
      String value = tag.group(2) == null ? tag.group(3) : tag.group(2);
      if (tag.group(1).equals("error")) {
        query.failed = value.equals("true");
      } else {
        query.conditions.add(new Condition("tag", tag.group(1), "=", value));
      }
      end = tag.end();
    }
    if (end < line.stripTrailing().length() || end == 0) {
      throw new AssertionError("not tags: " + line);
    }
    return query;
  }

  /** The attributes that it asks for. */
  Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    conditions.forEach(condition -> keys.add(condition.key));
    return keys;
  }

  boolean selects(SpanNode span) {
    return (!failed || span.isError())
        && conditions.stream().allMatch(condition -> holds(condition, span));
  }

  private static boolean holds(Condition condition, SpanNode span) {
    return switch (condition.scope) {
      case "span" -> holds(condition, span.attribute(condition.key));
      case "resource" -> holds(condition, span.resource().get(condition.key));
      case "event" ->
          span.events().stream()
              .anyMatch(event -> holds(condition, event.attributes().get(condition.key)));
      default -> {
        Object own = span.attribute(condition.key);
        Object value = own == null ? span.resource().get(condition.key) : own;
        yield value != null && value.toString().equals(condition.value);
      }
    };
  }

  private static boolean holds(Condition condition, Object actual) {
    if (actual instanceof List<?> list) {
      return list.stream().anyMatch(element -> holds(condition, element));
    }
    if (condition.value instanceof Double expected) {
      return actual instanceof Number number
          && holds(condition.operator, Double.compare(number.doubleValue(), expected));
    }
    return switch (condition.operator) {
      case "=" -> condition.value.equals(actual);
      case "!=" -> actual != null && !condition.value.equals(actual);
      case "=~" -> actual != null && actual.toString().matches(condition.value.toString());
      default -> throw new AssertionError("no order: " + condition);
    };
  }

  private static boolean holds(String operator, int compared) {
    return switch (operator) {
      case "=" -> compared == 0;
      case "!=" -> compared != 0;
      case "<" -> compared < 0;
      case "<=" -> compared <= 0;
      case ">" -> compared > 0;
      case ">=" -> compared >= 0;
      default -> throw new AssertionError("not for numbers: " + operator);
    };
  }
}
