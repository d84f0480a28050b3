package io.sparkotel.agent.model;

import io.sparkotel.agent.config.FindingsConfig;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What was found to be wrong with a span and what is below it: the worst sentences, a count of the
 * rest, and which codes there are. Bounded; the order of adding does not matter.
 */
final class Findings {

  static final int MAX = 10;
  private static final int MAX_SENTENCE = 500;

  private static final Comparator<Finding> WORST_FIRST =
      Comparator.<Finding>comparingDouble(finding -> -finding.excess)
          .thenComparing(finding -> finding.code)
          .thenComparing(finding -> finding.sentence);

  private final List<Finding> worst = new ArrayList<>(0);
  private final Set<FindingCode> codes = EnumSet.noneOf(FindingCode.class);
  private long count;

  /** Tasks ended, or run, that were not told of: what they used is not known. */
  boolean tasksMissing;

  /**
   * Adds one where it is looked for.
   *
   * @param excess how many times over its threshold it is
   * @param sentence redacted, without a full stop
   */
  void add(FindingsConfig config, FindingCode code, double excess, String sentence) {
    if (config.has(code)) {
      codes.add(code);
      count++;
      keep(new Finding(code, excess, Truncation.toBytes(sentence, MAX_SENTENCE).text(), false));
    }
  }

  /**
   * Adds those of a span below.
   *
   * @param place what that span is, such as {@code stage 3}
   */
  void addAll(Findings below, String place) {
    tasksMissing |= below.tasksMissing;
    codes.addAll(below.codes);
    count += below.count;
    for (Finding finding : below.worst) {
      keep(finding.placed ? finding : finding.at(place));
    }
  }

  private void keep(Finding finding) {
    worst.add(finding);
    worst.sort(WORST_FIRST);
    if (worst.size() > MAX) {
      worst.remove(MAX);
    }
  }

  int stateSize() {
    return worst.size();
  }

  void put(AttributeList.Builder attributes) {
    if (count == 0) {
      return;
    }
    List<String> sentences = new ArrayList<>(worst.size() + 1);
    for (Finding finding : worst) {
      sentences.add(finding.sentence);
    }
    if (count > worst.size()) {
      sentences.add("and " + (count - worst.size()) + " more");
    }
    attributes.put(Names.FINDINGS, sentences);
    for (FindingCode code : codes) {
      attributes.put(code.attribute(), true);
    }
  }

  private static final class Finding {
    final FindingCode code;
    final double excess;
    final String sentence;

    /** Whether the sentence says where. */
    final boolean placed;

    Finding(FindingCode code, double excess, String sentence, boolean placed) {
      this.code = code;
      this.excess = excess;
      this.sentence = sentence;
      this.placed = placed;
    }

    Finding at(String place) {
      return new Finding(code, excess, place + ": " + sentence, true);
    }
  }
}
