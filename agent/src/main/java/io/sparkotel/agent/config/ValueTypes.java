package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Traceparent;
import java.io.File;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The types of settings. */
final class ValueTypes {

  static final ValueType<Boolean> BOOLEAN =
      new Choice<>(
          "value", new String[] {"true", "false"}, new Boolean[] {Boolean.TRUE, Boolean.FALSE});
  static final ValueType<String> TEXT = new Text();
  static final ValueType<File> PATH = new Path();
  static final ValueType<URL> ENDPOINT = new EndpointType();
  static final ValueType<Map<String, String>> HEADERS = new KeyValueType(true);
  static final ValueType<Map<String, String>> RESOURCE_ATTRIBUTES = new KeyValueType(false);
  static final ValueType<List<String>> KEYS = new TextList(false);
  static final ValueType<List<String>> KEY_PATTERNS = new TextList(true);
  static final ValueType<Pattern> REGEX = new Regex();
  static final ValueType<byte[]> CERTIFICATES = new PemType(true);
  static final ValueType<byte[]> PRIVATE_KEY = new PemType(false);
  static final ValueType<String> HISTORY_URL = new HistoryUrl();
  static final ValueType<String> TRACEPARENT = new TraceparentText();
  static final ValueType<ServiceNameTemplate> SERVICE_NAME_TEMPLATE = new Template();

  private ValueTypes() {}

  static <E extends Enum<E>> ValueType<E> choice(String noun, E[] values) {
    String[] labels = new String[values.length];
    for (int i = 0; i < values.length; i++) {
      labels[i] = values[i].name().toLowerCase(Locale.ROOT);
    }
    return new Choice<>(noun, labels, values);
  }

  static <E> ValueType<E> choice(String noun, String[] labels, E[] values) {
    return new Choice<>(noun, labels, values);
  }

  /** Labels of {@code values}, comma separated, each counted once. */
  static <E extends Enum<E>> ValueType<List<E>> choices(String noun, E[] values) {
    return new ChoiceList<>(choice(noun, values));
  }

  static ValueType<Long> number(long min, long max) {
    return new NumberType.Quantity("a whole number", min, max, new String[0], new long[0]);
  }

  static ValueType<Double> number(double min, double max) {
    return new NumberType.Decimal(min, max);
  }

  static ValueType<Long> bytes(long min, long max) {
    return new NumberType.Quantity(
        "bytes, or a number with k, m or g",
        min,
        max,
        new String[] {"k", "m", "g"},
        new long[] {1L << 10, 1L << 20, 1L << 30});
  }

  static ValueType<Long> millis(long min, long max) {
    return new NumberType.Duration(min, max);
  }

  /** No constant: the thresholds are made of types themselves. */
  static ValueType<Map<FindingThreshold, Double>> findingThresholds() {
    return new FindingThresholds();
  }

  static ValueType<Set<FindingCode>> findingCodes() {
    return new FindingCodes();
  }

  private static final class Choice<E> extends ValueType<E> {
    private final String noun;
    private final String[] labels;
    private final E[] values;

    Choice(String noun, String[] labels, E[] values) {
      super(String.join(", ", labels));
      this.noun = noun;
      this.labels = labels;
      this.values = values;
    }

    @Override
    E parse(String text, StringBuilder complaint) {
      String label = text.toLowerCase(Locale.ROOT);
      for (int i = 0; i < labels.length; i++) {
        if (labels[i].equals(label)) {
          return values[i];
        }
      }
      complaint.append("unknown ").append(noun);
      return null;
    }
  }

  private static final class ChoiceList<E> extends ValueType<List<E>> {
    private final ValueType<E> choice;

    ChoiceList(ValueType<E> choice) {
      super(choice.legal() + "; several with commas between them");
      this.choice = choice;
    }

    @Override
    List<E> parse(String text, StringBuilder complaint) {
      List<E> list = new ArrayList<>();
      for (String part : text.split(",")) {
        complaint.setLength(0);
        E value = choice.parse(part.trim(), complaint);
        if (value == null) {
          return null;
        }
        if (!list.contains(value)) {
          list.add(value);
        }
      }
      return Collections.unmodifiableList(list);
    }
  }

  private static final class Text extends ValueType<String> {
    Text() {
      super("");
    }

    @Override
    String parse(String text, StringBuilder complaint) {
      return text;
    }
  }

  private static final class Path extends ValueType<File> {
    Path() {
      super("a path");
    }

    @Override
    File parse(String text, StringBuilder complaint) {
      if (text.indexOf('\0') >= 0) {
        complaint.append("not a path");
        return null;
      }
      return new File(text);
    }
  }

  private static final class Regex extends ValueType<Pattern> {
    Regex() {
      super("a Java regular expression");
    }

    @Override
    Pattern parse(String text, StringBuilder complaint) {
      try {
        return Pattern.compile(text);
      } catch (IllegalArgumentException | StackOverflowError e) {
        // Its message repeats the expression; thousands of open brackets overflow the compiler.
        complaint.append("not a regular expression");
        return null;
      }
    }
  }

  private static final class TextList extends ValueType<List<String>> {
    private final boolean patterns;

    TextList(boolean patterns) {
      super(patterns ? "keys, comma separated; * at the end of one stands for anything" : "keys");
      this.patterns = patterns;
    }

    @Override
    List<String> parse(String text, StringBuilder complaint) {
      List<String> list = new ArrayList<>();
      for (String part : text.split(",")) {
        String entry = part.trim();
        int star = entry.indexOf('*');
        if (patterns && star >= 0 && star < entry.length() - 1) {
          complaint.setLength(0);
          complaint.append("a * stands before the end of an entry");
        } else if (!entry.isEmpty()) {
          list.add(entry);
        }
      }
      return list.isEmpty() ? null : Collections.unmodifiableList(list);
    }
  }

  private static final class HistoryUrl extends ValueType<String> {
    HistoryUrl() {
      super("an http or https URL with {app_id} and, if wanted, {attempt}");
    }

    @Override
    String parse(String text, StringBuilder complaint) {
      String lower = text.toLowerCase(Locale.ROOT);
      if (!lower.startsWith("http://") && !lower.startsWith("https://")) {
        complaint.append("the scheme is neither http nor https");
      } else if (!text.contains("{app_id}")) {
        complaint.append("it lacks {app_id}");
      } else {
        String rest = text.replace("{app_id}", "").replace("{attempt}", "");
        if (rest.indexOf('{') < 0 && rest.indexOf('}') < 0) {
          return text;
        }
        complaint.append("unknown placeholder");
      }
      return null;
    }
  }

  private static final class TraceparentText extends ValueType<String> {
    TraceparentText() {
      super("a W3C traceparent: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>");
    }

    @Override
    String parse(String text, StringBuilder complaint) {
      if (Traceparent.isValid(text)) {
        return text;
      }
      complaint.append("not a traceparent");
      return null;
    }
  }

  private static final class Template extends ValueType<ServiceNameTemplate> {
    Template() {
      super("text with {" + String.join("}, {", ServiceNameTemplate.placeholders()) + "} in it");
    }

    @Override
    ServiceNameTemplate parse(String text, StringBuilder complaint) {
      return ServiceNameTemplate.parse(text, complaint);
    }
  }

  private static final class FindingCodes extends ValueType<Set<FindingCode>> {
    FindingCodes() {
      super(FindingsConfig.legalCodes());
    }

    @Override
    Set<FindingCode> parse(String text, StringBuilder complaint) {
      return FindingsConfig.parseCodes(text, complaint);
    }
  }

  private static final class FindingThresholds extends ValueType<Map<FindingThreshold, Double>> {
    FindingThresholds() {
      super("key=value,key=value with the keys of findings.md");
    }

    @Override
    Map<FindingThreshold, Double> parse(String text, StringBuilder complaint) {
      return FindingsConfig.parseThresholds(text, complaint);
    }
  }
}
