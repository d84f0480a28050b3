package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What is looked for, and from which numbers on it counts. Immutable. */
public final class FindingsConfig {

  private final Set<FindingCode> codes;
  private final double[] thresholds = new double[FindingThreshold.values().length];

  FindingsConfig(SettingReader reader) {
    codes = reader.read(Settings.FINDINGS);
    for (FindingThreshold threshold : FindingThreshold.values()) {
      thresholds[threshold.ordinal()] = threshold.standard();
    }
    reader
        .read(Settings.FINDING_THRESHOLDS)
        .forEach((threshold, value) -> thresholds[threshold.ordinal()] = value);
  }

  public boolean has(FindingCode code) {
    return codes.contains(code);
  }

  /** In milliseconds, bytes, a share of 1, or as a plain number. */
  public double of(FindingThreshold threshold) {
    return thresholds[threshold.ordinal()];
  }

  /**
   * How many times over a threshold a value is: 1 where it just meets it, 0 where it does not. What
   * there is nothing of never meets one.
   */
  public double excess(FindingThreshold threshold, double value) {
    double limit = of(threshold);
    if (threshold.isMost()) {
      return value > limit ? 0 : Math.max(1, limit / Math.max(1, value));
    }
    if (value <= 0 || value < limit) {
      return 0;
    }
    return limit <= 0 ? 1 + value : value / limit;
  }

  public double excess(FindingThreshold threshold, long value) {
    return excess(threshold, (double) value);
  }

  static String legalCodes() {
    List<String> labels = new ArrayList<>();
    for (FindingCode code : FindingCode.values()) {
      labels.add(code.label());
    }
    return "all, none, "
        + String.join(", ", labels)
        + "; several with commas between them, each with a - before it to leave it out";
  }

  /** As {@link ValueType#parse}. What is left out is, whatever stands beside it. */
  static Set<FindingCode> parseCodes(String text, StringBuilder complaint) {
    EntryComplaints complaints = new EntryComplaints(complaint);
    EnumSet<FindingCode> named = EnumSet.noneOf(FindingCode.class);
    EnumSet<FindingCode> out = EnumSet.noneOf(FindingCode.class);
    boolean all = false;
    int none = 0;
    int number = 0;
    for (String part : text.toLowerCase(Locale.ROOT).split(",", -1)) {
      number++;
      String label = part.trim();
      boolean leftOut = label.startsWith("-");
      FindingCode code = code(leftOut ? label.substring(1).trim() : label);
      if (label.equals("all")) {
        all = true;
      } else if (label.equals("none")) {
        none = number;
      } else if (code != null) {
        (leftOut ? out : named).add(code);
        if (named.contains(code) && out.contains(code)) {
          complaints.add(number, code.label() + " is both named and left out");
        }
      } else if (!label.isEmpty()) {
        complaints.add(number, "unknown finding");
      }
    }
    if (none > 0 && (all || !named.isEmpty())) {
      complaints.add(none, "none beside others");
      none = 0;
    }
    complaints.end();
    if (!all && none == 0 && named.isEmpty() && out.isEmpty()) {
      return null;
    }
    // Who only leaves out wants the rest.
    boolean rest = all || (none == 0 && named.isEmpty());
    EnumSet<FindingCode> codes = rest ? EnumSet.allOf(FindingCode.class) : named;
    codes.removeAll(out);
    return Collections.unmodifiableSet(codes);
  }

  private static FindingCode code(String label) {
    for (FindingCode code : FindingCode.values()) {
      if (code.label().equals(label)) {
        return code;
      }
    }
    return null;
  }

  /** As {@link ValueType#parse}. */
  static Map<FindingThreshold, Double> parseThresholds(String text, StringBuilder complaint) {
    EntryComplaints complaints = new EntryComplaints(complaint);
    Map<FindingThreshold, Double> map = new EnumMap<>(FindingThreshold.class);
    int number = 0;
    for (String part : text.split(",")) {
      number++;
      int equals = part.indexOf('=');
      if (equals < 0) {
        complaints.add(number, "no '='");
        continue;
      }
      String key = part.substring(0, equals).trim().toLowerCase(Locale.ROOT);
      FindingThreshold threshold = FindingThreshold.of(key);
      if (threshold == null) {
        String like = FindingThreshold.keysLike(key);
        complaints.add(number, "no such threshold" + (like.isEmpty() ? "" : ", but " + like));
        continue;
      }
      StringBuilder wrong = new StringBuilder();
      String value = part.substring(equals + 1).trim().toLowerCase(Locale.ROOT);
      Number parsed = threshold.type().parse(value, wrong);
      if (parsed == null) {
        complaints.add(number, wrong + " (" + threshold.type().legal() + ')');
      } else if (map.put(threshold, parsed.doubleValue()) != null) {
        complaints.add(number, key + " again, the last one counts");
      }
    }
    complaints.end();
    return map.isEmpty() ? null : Collections.unmodifiableMap(map);
  }
}
