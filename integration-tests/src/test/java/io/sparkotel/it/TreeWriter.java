package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes a trace as the expression of {@link TraceAssert} that expects it. */
final class TreeWriter {

  private final Trace trace;
  private final Map<String, Set<String>> keys;

  TreeWriter(Trace trace, Map<String, Set<String>> keys) {
    this.trace = trace;
    this.keys = keys;
  }

  String write() {
    return String.join(",\n", expressions(trace.roots(), ""));
  }

  /** One for each span, but for equal neighbours, which are one with {@code times}. */
  private List<String> expressions(List<SpanNode> spans, String indent) {
    List<String> written = new ArrayList<>();
    String last = null;
    int times = 0;
    for (SpanNode span : spans) {
      String expression = expression(span, indent);
      if (!expression.equals(last)) {
        flush(written, last, times);
        last = expression;
        times = 0;
      }
      times++;
    }
    flush(written, last, times);
    return written;
  }

  private static void flush(List<String> written, String expression, int times) {
    if (times > 0) {
      written.add(times == 1 ? expression : expression + ".times(" + times + ")");
    }
  }

  private String expression(SpanNode span, String indent) {
    StringBuilder out = new StringBuilder(indent);
    out.append(span.entity().isEmpty() ? "other" : span.entity()).append('(');
    boolean named =
        !span.name().equals(SpanPattern.TASK_NAME) && !span.name().equals(SpanPattern.STARTED_NAME);
    if (named) {
      out.append(literal(span.name()));
    }
    List<SpanNode> children = trace.children(span);
    if (!children.isEmpty()) {
      out.append(named ? ",\n" : "\n");
      out.append(String.join(",\n", expressions(children, indent + "    ")));
    }
    out.append(')');
    if (span.isError()) {
      out.append(".failed(").append(literal(span.status().getMessage())).append(')');
    }
    for (String key : keys.getOrDefault(span.entity(), Set.of())) {
      Object value = span.attribute(key);
      if (value == null) {
        out.append(".without(").append(literal(key)).append(')');
      } else {
        out.append(".with(").append(literal(key)).append(", ").append(literal(value)).append(')');
      }
    }
    for (SpanNode.Event event : span.events()) {
      out.append(".event(").append(literal(event.name()));
      event.attributes().forEach((key, value) -> appendPair(out, key, value));
      out.append(')');
    }
    for (SpanNode.Link link : span.links()) {
      SpanNode to = trace.span(link.spanId());
      if (to == null) {
        out.append(".linkOutside()");
        continue;
      }
      out.append(".linkTo(").append(literal(to.entity()));
      for (String key : identity(to.entity())) {
        appendPair(out, key, to.attribute(key));
      }
      out.append(')');
    }
    return out.toString();
  }

  private static void appendPair(StringBuilder out, String key, Object value) {
    out.append(", ").append(literal(key)).append(", ").append(literal(value));
  }

  private static List<String> identity(String entity) {
    return switch (entity) {
      case "sql" -> List.of("spark.sql.execution.id");
      case "job" -> List.of("spark.job.id");
      case "stage" -> List.of("spark.stage.id", "spark.stage.attempt");
      case "task" -> List.of("spark.task.id");
      default -> List.of();
    };
  }

  private static String literal(Object value) {
    if (value instanceof String text) {
      return '"'
          + text.replace("\\", "\\\\")
              .replace("\"", "\\\"")
              .replace("\n", "\\n")
              .replace("\t", "\\t")
              .replace("\r", "\\r")
          + '"';
    }
    if (value instanceof List<?> list) {
      return "List.of(" + String.join(", ", list.stream().map(TreeWriter::literal).toList()) + ")";
    }
    if (value instanceof Long number && number != number.intValue()) {
      return number + "L";
    }
    return String.valueOf(value);
  }
}
