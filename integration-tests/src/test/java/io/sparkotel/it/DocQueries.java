package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The queries of a section of a page of docs: one in each block of TraceQL, tags of Jaeger in each
 * line of a block of logfmt.
 */
record DocQueries(List<String> selectors, List<String> tags) {

  static DocQueries of(String page, String heading) {
    DocPage section = DocPage.of(page);
    return new DocQueries(
        section.blocks(heading, "traceql"),
        section.blocks(heading, "logfmt").stream().flatMap(String::lines).toList());
  }

  /**
   * The spans that each one finds, in the order of their start: first those of TraceQL, then those
   * of Jaeger.
   *
   * @param scale what the queries say of real data, with what stands for it in these spans
   */
  List<List<String>> found(
      List<SpanNode> spans, Map<String, String> scale, Function<SpanNode, String> label) {
    for (String real : scale.keySet()) {
      assertThat(Stream.concat(selectors.stream(), tags.stream()))
          .anyMatch(query -> query.contains(real));
    }
    List<TraceQuery> queries = new ArrayList<>();
    selectors.forEach(text -> queries.add(TraceQuery.ofTraceQl(scaled(text, scale))));
    tags.forEach(text -> queries.add(TraceQuery.ofJaegerTags(scaled(text, scale))));
    return queries.stream()
        .map(
            query ->
                spans.stream().sorted(SpanNode.IN_ORDER).filter(query::selects).map(label).toList())
        .toList();
  }

  static String scaled(String query, Map<String, String> scale) {
    String scaled = query;
    for (Map.Entry<String, String> real : scale.entrySet()) {
      scaled = scaled.replace(real.getKey(), real.getValue());
    }
    return scaled;
  }
}
