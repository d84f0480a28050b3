package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A section of docs/reading-a-trace.md beside the run that it shows, or that another version of
 * Spark makes of the same problem. Its first block of text is the tree on the console, the second
 * one what it quotes of spans; then its queries. With {@code -Ddocs.update=true} the two are
 * written anew.
 */
record TraceSection(String heading, boolean isShown, Trace trace, String tree) {

  static final DocPage PAGE = DocPage.of("reading-a-trace.md");

  private static final String TEXT = "text";

  void showsTree() {
    assertShows(0, tree, ConsoleTree.comparable(tree));
  }

  void quotes(Quote... quotes) {
    String text = Stream.of(quotes).map(Quote::text).collect(Collectors.joining("\n"));
    assertShows(1, text, Quote.comparable(text));
  }

  private void assertShows(int index, String actual, String comparable) {
    if (!isShown) {
      return;
    }
    if (Boolean.getBoolean("docs.update")) {
      PAGE.replace(heading, TEXT, index, actual);
    }
    String shown = PAGE.blocks(heading, TEXT).get(index);
    assertThat(index == 0 ? ConsoleTree.comparable(shown) : Quote.comparable(shown))
        .as("block %d of \"%s\" in %s: run with -Ddocs.update=true", index, heading, PAGE.path())
        .isEqualTo(comparable);
  }

  /**
   * Each query asks for attributes that there are, and finds this trace.
   *
   * @param scale what the queries say of real data, with what stands for it in this run
   */
  void isFound(Map<String, String> scale) {
    List<String> selectors = PAGE.blocks(heading, "traceql");
    List<String> tags = PAGE.blocks(heading, "logfmt").stream().flatMap(String::lines).toList();
    assertThat(selectors).isNotEmpty();
    assertThat(tags).isNotEmpty();
    scale.keySet().forEach(real -> assertThat(selectors).anyMatch(one -> one.contains(real)));
    for (String selector : selectors) {
      String scaled = DocQueries.scaled(selector, scale);
      assertFinds(scaled, TraceQuery.ofTraceQl(scaled));
    }
    for (String line : tags) {
      String scaled = DocQueries.scaled(line, scale);
      assertFinds(scaled, TraceQuery.ofJaegerTags(scaled));
    }
  }

  private void assertFinds(String text, TraceQuery query) {
    assertThat(TraceAssert.Declared.undeclared(query.keys())).as(text).isEmpty();
    assertThat(trace.spans()).as(text).anyMatch(query::selects);
  }
}
