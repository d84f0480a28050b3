package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A search for one span: a TraceQL selector {@code { scope.key OP value && ... }} with the scopes
 * span, event and resource, {@code duration}, {@code status} and an attribute of the span as the
 * value, too; what {@code | select(...)} or {@code | max_over_time(...) by (...)} shows of the
 * spans does not select. Or the tags of Jaeger's search, {@code key=value key="value"}.
 */
final class TraceQuery {

  private record Condition(String scope, String key, String operator, Object value) {

    /** With the value that it has in the span. */
    Condition of(SpanNode span) {
      if (!(value instanceof Other other)) {
        return this;
      }
      Object actual = span.attribute(other.key);
      return new Condition(
          scope, key, operator, actual instanceof Number n ? (Object) n.doubleValue() : actual);
    }
  }

  private static final String ATTRIBUTE = "span\\.[\\w.]+";
  private static final Pattern SELECTOR =
      Pattern.compile(
          "\\{ (.*) }(?:\\s+\\| (select\\(A(?:, A)*\\)|max_over_time\\(A\\)(?: by \\(A\\))?))?"
              .replace("A", ATTRIBUTE),
          Pattern.DOTALL);
  private static final Pattern SHOWN = Pattern.compile("span\\.([\\w.]+)");
  private static final Pattern CONDITION =
      Pattern.compile(
          "(span|event|resource)\\.([\\w.]+) (=|!=|=~|<|<=|>|>=)"
              + " (?:\"([^\"]*)\"|(true|false)|(\\d+(?:\\.\\d+)?)|span\\.([\\w.]+))");
  private static final Pattern DURATION = Pattern.compile("duration (<|<=|>|>=) (\\d+)(ms|s|m|h)");
  private static final Pattern TAG = Pattern.compile("([\\w.]+)=(?:\"([^\"]*)\"|([^\\s\"]+))");
  private static final String STATUS = "status = error";

  /** The value of another attribute. */
  private record Other(String key) {}

  private final List<Condition> conditions = new ArrayList<>();
  private final List<String> shown = new ArrayList<>();
  private boolean failed;

  private TraceQuery() {}

  /** Fails where it is no such selector. */
  static TraceQuery ofTraceQl(String text) {
    Matcher selector = SELECTOR.matcher(text.strip());
    if (!selector.matches()) {
      throw new AssertionError("not one selector: " + text);
    }
    TraceQuery query = new TraceQuery();
    if (selector.group(2) != null) {
      SHOWN.matcher(selector.group(2)).results().forEach(key -> query.shown.add(key.group(1)));
    }
    for (String part : selector.group(1).split("\\s+&&\\s+")) {
      Matcher condition = CONDITION.matcher(part);
      Matcher duration = DURATION.matcher(part);
      if (part.equals(STATUS)) {
        query.failed = true;
      } else if (duration.matches()) {
        double nanos = Double.parseDouble(duration.group(2)) * nanos(duration.group(3));
        query.conditions.add(new Condition("duration", "", duration.group(1), nanos));
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
    if (condition.group(7) != null) {
      return new Other(condition.group(7));
    }
    return condition.group(5) != null
        ? (Object) Boolean.valueOf(condition.group(5))
        : Double.valueOf(condition.group(6));
  }

  private static long nanos(String unit) {
    return switch (unit) {
      case "ms" -> 1_000_000L;
      case "s" -> 1_000_000_000L;
      case "m" -> 60_000_000_000L;
      default -> 3_600_000_000_000L;
    };
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
    Set<String> keys = new TreeSet<>(shown);
    for (Condition condition : conditions) {
      if (!condition.key.isEmpty()) {
        keys.add(condition.key);
      }
      if (condition.value instanceof Other other) {
        keys.add(other.key);
      }
    }
    return keys;
  }

  boolean selects(SpanNode span) {
    return (!failed || span.isError())
        && conditions.stream().allMatch(condition -> holds(condition, span));
  }

  private static boolean holds(Condition condition, SpanNode span) {
    return switch (condition.scope) {
      case "span" -> holds(condition.of(span), span.attribute(condition.key));
      case "duration" -> holds(condition, span.endNanos() - span.startNanos());
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
      case "=" -> actual != null && actual.equals(condition.value);
      case "!=" -> actual != null && !actual.equals(condition.value);
      case "=~" -> actual != null && actual.toString().matches(condition.value.toString());
      default -> {
        if (condition.value == null) {
          yield false;
        }
        throw new AssertionError("no order: " + condition);
      }
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
