package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a page quotes of a span, or of an event of it: a line that names it, then its attributes,
 * those with an exact value, those that vary from run to run, and parts of long texts.
 */
final class Quote {

  private static final int KEY_WIDTH = 42;
  private static final String INDENT = "  ";
  private static final String PLAN = "spark.sql.plan";

  /** Each run has its data in a directory of its own; programs are where the repository is. */
  private static final Pattern PLACE =
      Pattern.compile("/[^ \",\\]]*(/runs/[^/]+(?=/data)|/src/test/python(?=/))");

  private final String title;
  private final Map<String, Object> attributes;
  private final Map<String, String> shown = new LinkedHashMap<>();

  private Quote(String title, Map<String, Object> attributes) {
    this.title = title;
    this.attributes = attributes;
  }

  /** The plan of a SQL execution counts as one text. */
  static Quote of(SpanNode span) {
    Map<String, Object> attributes = new TreeMap<>(span.attributes());
    attributes.computeIfPresent(PLAN, (key, first) -> PlanTruth.plan(span));
    return new Quote(title(span), attributes);
  }

  /** The only event of that name. */
  static Quote event(SpanNode span, String event) {
    List<SpanNode.Event> found =
        span.events().stream().filter(one -> one.name().equals(event)).toList();
    assertThat(found).as("%s of %s", event, span).hasSize(1);
    return new Quote("event " + event + " of " + title(span), found.get(0).attributes());
  }

  private static String title(SpanNode span) {
    return span.entity().equals("task")
        ? "task " + span.attribute("spark.task.index")
        : span.name();
  }

  /** Exactly that value; an int stands for a long. */
  Quote with(String key, Object value) {
    Object expected = value instanceof Integer number ? (Object) number.longValue() : value;
    assertThat(attributes.get(key)).as("%s of %s", key, title).isEqualTo(expected);
    return show(key, attributes.get(key));
  }

  /** Whatever value. */
  Quote shows(String... keys) {
    for (String key : keys) {
      assertThat(attributes).as(title).containsKey(key);
      show(key, attributes.get(key));
    }
    return this;
  }

  /** Of a text the groups of an expression that is found in it, with dots between them. */
  Quote part(String key, String regex) {
    String value = String.valueOf(attributes.get(key));
    Matcher found = Pattern.compile(regex).matcher(value);
    assertThat(found.find()).as("%s in %s of %s: %s", regex, key, title, value).isTrue();
    StringBuilder parts = new StringBuilder(shown.containsKey(key) ? shown.get(key) + "\n" : "");
    for (int group = 1; group <= found.groupCount(); group++) {
      parts.append(group == 1 ? "" : " … ").append(found.group(group));
    }
    return put(key, parts.toString());
  }

  private Quote show(String key, Object value) {
    if (value instanceof List<?> list) {
      return put(key, String.join("\n", list.stream().map(String::valueOf).toList()));
    }
    return value instanceof Double number
        ? put(key, String.format(Locale.ROOT, number < 10 ? "%.2f" : "%.1f", number))
        : put(key, value.toString());
  }

  private Quote put(String key, String value) {
    shown.put(key, PLACE.matcher(value).replaceAll(""));
    return this;
  }

  /** The lines, each ended by {@code \n}. What has several lines stands below its key. */
  String text() {
    StringBuilder out = new StringBuilder(title).append('\n');
    shown.forEach(
        (key, value) -> {
          out.append(INDENT).append(key);
          if (value.length() + KEY_WIDTH > 116 || value.indexOf('\n') >= 0) {
            value.lines().forEach(line -> out.append('\n').append(INDENT.repeat(2)).append(line));
          } else {
            out.append(" ".repeat(Math.max(2, KEY_WIDTH - key.length()))).append(value);
          }
          out.append('\n');
        });
    return out.toString();
  }

  /** Of the lines of quotes what two runs share: no times, no sizes and what comes of them. */
  static String comparable(String lines) {
    StringBuilder out = new StringBuilder();
    String key = "";
    for (String line : lines.lines().toList()) {
      if (line.matches(" {2}[a-z].*")) {
        key = line.strip().split(" ")[0];
      }
      String shared = line;
      if (key.startsWith("spark.finding")) {
        shared = line.replaceAll("[\\d.]+( (ms|s|m|h|B|[KMGT]iB))?\\b", "N");
      } else if (key.matches(".*(_ms|bytes|_ms\\..*|bytes\\..*|skew|utilization|_mib_s)")) {
        shared = line.replaceAll(" [\\d.]+$", " N");
      } else if (key.endsWith("_reason")) {
        shared = line.replaceAll("partition \\d+", "partition N");
      } else if (key.equals("spark.sql.plan_hash")) {
        shared = line.replaceAll(" [0-9a-f]{16}$", " hash");
      } else if (key.equals(PLAN)) {
        shared =
            line.replaceAll("(?<=[{,])[^{},]* [\\d.]+ (ms|s|m|h|B|[KMGT]iB)(?=[,}])", "")
                .replaceAll("[\\d.]+ (ms|s|m|h|B|[KMGT]iB)\\b", "N")
                .replaceAll("\\{,+ ", "{")
                .replaceAll(",+(?=[,}])", "");
      }
      out.append(shared.replaceAll(" +", " ")).append('\n');
    }
    return out.toString();
  }
}
