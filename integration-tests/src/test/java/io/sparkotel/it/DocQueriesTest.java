package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every query of every page: that it is one, and asks for what there is. */
class DocQueriesTest {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\n(.*?)^```$");
  private static final Pattern ELSEWHERE =
      Pattern.compile("\\{ (?:(?:span|resource|event)\\.|(?:status|duration|name) )");

  private static Map<String, String> pages() throws IOException {
    Map<String, String> pages = new TreeMap<>();
    try (Stream<Path> docs = Files.walk(Layout.telemetryReference().getParent())) {
      for (Path page :
          Stream.concat(docs, Stream.of(Layout.readme()))
              .filter(path -> path.toString().endsWith(".md"))
              .toList()) {
        pages.put(page.getFileName().toString(), Files.readString(page));
      }
    }
    return pages;
  }

  private static List<String> blocks(String page, String language) {
    List<String> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(page);
    while (block.find()) {
      if (block.group(1).equals(language)) {
        blocks.add(block.group(2));
      }
    }
    return blocks;
  }

  @Test
  void eachNamesDeclaredAttributes() throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    pages()
        .forEach(
            (name, page) -> {
              List<TraceQuery> queries = new ArrayList<>();
              blocks(page, "traceql").forEach(text -> queries.add(TraceQuery.ofTraceQl(text)));
              for (String block : blocks(page, "logfmt")) {
                block.lines().forEach(line -> queries.add(TraceQuery.ofJaegerTags(line)));
              }
              for (TraceQuery query : queries) {
                assertThat(TraceAssert.Declared.undeclared(query.keys())).as(name).isEmpty();
              }
              if (!queries.isEmpty()) {
                counts.put(name, queries.size());
              }
            });
    assertThat(counts)
        .containsOnlyKeys(
            "cost.md", "findings.md", "reading-a-trace.md", "servers.md", "streaming.md");
  }

  @Test
  void noneIsElsewhere() throws IOException {
    pages()
        .forEach(
            (name, page) -> {
              StringBuilder rest = new StringBuilder();
              Matcher block = BLOCK.matcher(page);
              while (block.find()) {
                block.appendReplacement(
                    rest,
                    block.group(1).equals("traceql")
                        ? ""
                        : Matcher.quoteReplacement(block.group()));
              }
              block.appendTail(rest);
              assertThat(rest).as(name).doesNotContainPattern(ELSEWHERE);
            });
  }
}
