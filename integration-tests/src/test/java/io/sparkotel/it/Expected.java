package io.sparkotel.it;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is expected of some siblings that follow each other. */
public sealed interface Expected permits SpanPattern, AnyOrder {

  /** How many siblings it is about. */
  int count();

  /** Adds to the problems what is wrong with those spans, which are {@link #count()}. */
  void match(List<SpanNode> actual, Trace trace, String path, List<String> problems);

  /** Adds the attribute keys that this expectation names, by entity. */
  void collectKeys(Map<String, Set<String>> byEntity);
}
