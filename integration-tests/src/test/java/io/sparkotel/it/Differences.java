package io.sparkotel.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** What came of comparing the spans of a trace with Spark's answers. */
final class Differences {

  /**
   * Where the two differ.
   *
   * @param entity of the span
   * @param id Spark's own, of a stage with its attempt as {@code 3.0}
   * @param key an attribute, or {@code start}, {@code end} or {@code parent}
   * @param ours null where it is absent
   * @param sparks null where Spark has no such number
   */
  record Difference(String entity, String id, String key, Object ours, Object sparks) {}

  private final List<Difference> all = new ArrayList<>();
  private final Set<String> untold = new TreeSet<>();
  private int compared;

  void compare(String entity, String id, String key, Object ours, Object sparks) {
    compared++;
    if (!Objects.equals(sparks, ours)) {
      all.add(new Difference(entity, id, key, ours, sparks));
    }
  }

  /** Spark says 0 of a sum that no task below the span told. */
  void addUntold(String key) {
    compared++;
    untold.add(key);
  }

  List<Difference> all() {
    return all;
  }

  /** The keys of such sums. */
  Set<String> untold() {
    return untold;
  }

  /** How many values were compared. */
  int compared() {
    return compared;
  }
}
