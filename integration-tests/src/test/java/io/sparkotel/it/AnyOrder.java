package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Siblings that follow each other in an order that is not told. */
final class AnyOrder implements Expected {

  private final List<SpanPattern> patterns;

  AnyOrder(SpanPattern... patterns) {
    this.patterns = List.of(patterns);
  }

  @Override
  public int count() {
    return patterns.stream().mapToInt(SpanPattern::count).sum();
  }

  @Override
  public void match(List<SpanNode> actual, Trace trace, String path, List<String> problems) {
    List<SpanPattern> wanted = new ArrayList<>();
    for (SpanPattern pattern : patterns) {
      for (int i = 0; i < pattern.count(); i++) {
        wanted.add(pattern);
      }
    }
    boolean[][] fits = new boolean[wanted.size()][actual.size()];
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      for (int j = 0; j < actual.size(); j++) {
        List<String> misfits = new ArrayList<>();
        wanted.get(i).match(actual.subList(j, j + 1), trace, path, misfits);
        fits[i][j] = misfits.isEmpty();
        reasons.addAll(misfits);
      }
    }
    int[] takenBy = new int[actual.size()];
    for (int i = 0; i < wanted.size(); i++) {
      if (!assign(i, fits, takenBy, new boolean[actual.size()])) {
        problems.add(path + ": in any order, no span is left for " + wanted.get(i));
        problems.addAll(reasons);
        return;
      }
    }
  }

  /** Finds a span for the pattern, moving other patterns to other spans where needed. */
  private static boolean assign(int pattern, boolean[][] fits, int[] takenBy, boolean[] tried) {
    for (int j = 0; j < takenBy.length; j++) {
      if (fits[pattern][j] && !tried[j]) {
        tried[j] = true;
        if (takenBy[j] == 0 || assign(takenBy[j] - 1, fits, takenBy, tried)) {
          takenBy[j] = pattern + 1;
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public void collectKeys(Map<String, Set<String>> byEntity) {
    patterns.forEach(pattern -> pattern.collectKeys(byEntity));
  }
}
