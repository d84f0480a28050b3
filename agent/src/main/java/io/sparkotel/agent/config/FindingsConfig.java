package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** As {@link ValueType#parse}. */
  static Set<FindingCode> parseCodes(String text, StringBuilder complaint) {
    String[] parts = text.toLowerCase(Locale.ROOT).split(",");
    // Who only leaves out wants the rest.
    EnumSet<FindingCode> codes =
        Arrays.stream(parts).allMatch(part -> part.trim().startsWith("-"))
            ? EnumSet.allOf(FindingCode.class)
            : EnumSet.noneOf(FindingCode.class);
    for (String part : parts) {
      String label = part.trim();
      boolean out = label.startsWith("-");
      FindingCode code = code(out ? label.substring(1) : label);
      if (label.equals("all")) {
        codes = EnumSet.allOf(FindingCode.class);
      } else if (label.equals("none")) {
        codes = EnumSet.noneOf(FindingCode.class);
      } else if (code == null) {
        complaint.append("unknown finding");
        return null;
      } else if (out) {
        codes.remove(code);
      } else {
        codes.add(code);
      }
    }
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
    Map<FindingThreshold, Double> map = new EnumMap<>(FindingThreshold.class);
    int number = 0;
    for (String part : text.split(",")) {
      number++;
      int equals = part.indexOf('=');
      FindingThreshold threshold =
          equals < 0 ? null : FindingThreshold.of(part.substring(0, equals).trim());
      StringBuilder wrong = new StringBuilder();
      if (threshold == null) {
        wrong.append(equals < 0 ? "no '='" : "no such threshold");
      } else {
        String value = part.substring(equals + 1).trim().toLowerCase(Locale.ROOT);
        Number parsed = threshold.type().parse(value, wrong);
        if (parsed != null) {
          map.put(threshold, parsed.doubleValue());
        } else {
          wrong.append(" (").append(threshold.type().legal()).append(')');
        }
      }
      if (wrong.length() > 0) {
        complaint.append(complaint.length() == 0 ? "" : ", ");
        complaint.append("entry ").append(number).append(": ").append(wrong);
      }
    }
    return map.isEmpty() ? null : Collections.unmodifiableMap(map);
  }
}
