package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Traceparent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes a value. Named classes rather than lambdas: these run at the
 * start of every Spark application, where the first lambda of a JVM is dear.
 */
public abstract class ValueType<T> {

  private static final int MAX_FILE_BYTES = 1 << 20;

  static final ValueType<Boolean> BOOLEAN =
      new Choice<>(
          "value", new String[] {"true", "false"}, new Boolean[] {Boolean.TRUE, Boolean.FALSE});
  static final ValueType<String> TEXT = new Text();
  static final ValueType<File> PATH = new Path();
  static final ValueType<URL> ENDPOINT = new Endpoint();
  static final ValueType<Map<String, String>> HEADERS = new KeyValueList(true);
  static final ValueType<Map<String, String>> RESOURCE_ATTRIBUTES = new KeyValueList(false);
  static final ValueType<List<String>> KEYS = new TextList(false);
  static final ValueType<List<String>> KEY_PATTERNS = new TextList(true);
  static final ValueType<Pattern> REGEX = new Regex();
  static final ValueType<byte[]> CERTIFICATES = new Pem(true);
  static final ValueType<byte[]> PRIVATE_KEY = new Pem(false);
  static final ValueType<String> HISTORY_URL = new HistoryUrl();
  static final ValueType<String> TRACEPARENT = new TraceparentText();
  static final ValueType<ServiceNameTemplate> SERVICE_NAME_TEMPLATE = new Template();

  private final String legal;

  private ValueType(String legal) {
    this.legal = legal;
  }

  /** The legal values in words, empty where any text is legal. */
  public String legal() {
    return legal;
  }

  /**
   * Reads a trimmed text that is not empty.
   *
   * @param complaint takes what is wrong; never repeats the text, which may be a secret
   * @return the value; with a complaint, what of it is usable; null where nothing is, and without a
   *     complaint where the text sets nothing
   */
  abstract T parse(String text, StringBuilder complaint);

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
    return new Quantity("a whole number", min, max, new String[0], new long[0]);
  }

  static ValueType<Double> number(double min, double max) {
    return new DecimalNumber(min, max);
  }

  static ValueType<Long> bytes(long min, long max) {
    return new Quantity(
        "bytes, or a number with k, m or g",
        min,
        max,
        new String[] {"k", "m", "g"},
        new long[] {1L << 10, 1L << 20, 1L << 30});
  }

  static ValueType<Long> millis(long min, long max) {
    return new Duration(min, max);
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

  private static final class Quantity extends ValueType<Long> {
    private final long min;
    private final long max;
    private final String[] units;
    private final long[] factors;

    Quantity(String noun, long min, long max, String[] units, long[] factors) {
      super(noun + ", " + range(min, max));
      this.min = min;
      this.max = max;
      this.units = units;
      this.factors = factors;
    }

    @Override
    Long parse(String text, StringBuilder complaint) {
      String number = text.toLowerCase(Locale.ROOT);
      long factor = 1;
      for (int i = 0; i < units.length; i++) {
        if (number.endsWith(units[i])) {
          number = number.substring(0, number.length() - units[i].length()).trim();
          factor = factors[i];
          break;
        }
      }
      long value;
      try {
        value = Math.multiplyExact(Long.parseLong(number), factor);
      } catch (NumberFormatException e) {
        complaint.append("not a whole number");
        return null;
      } catch (ArithmeticException e) {
        complaint.append("out of range");
        return null;
      }
      return inRange(value, min, max, complaint);
    }
  }

  private static final class Duration extends ValueType<Long> {
    private static final String[] UNITS = {"ns", "us", "ms", "s", "m", "h", "d"};
    private static final TimeUnit[] TIME_UNITS = {
      TimeUnit.NANOSECONDS,
      TimeUnit.MICROSECONDS,
      TimeUnit.MILLISECONDS,
      TimeUnit.SECONDS,
      TimeUnit.MINUTES,
      TimeUnit.HOURS,
      TimeUnit.DAYS
    };

    private final long min;
    private final long max;

    Duration(long min, long max) {
      super("milliseconds, or a number with ns, us, ms, s, m, h or d, " + range(min, max));
      this.min = min;
      this.max = max;
    }

    @Override
    Long parse(String text, StringBuilder complaint) {
      int end = text.length();
      while (end > 0 && !isDigit(text.charAt(end - 1))) {
        end--;
      }
      String unit = text.substring(end).trim();
      TimeUnit timeUnit = unit.isEmpty() ? TimeUnit.MILLISECONDS : null;
      for (int i = 0; i < UNITS.length; i++) {
        if (UNITS[i].equals(unit)) {
          timeUnit = TIME_UNITS[i];
        }
      }
      long number;
      try {
        number = Long.parseLong(text.substring(0, end).trim());
      } catch (NumberFormatException e) {
        complaint.append("not a whole number with an optional unit");
        return null;
      }
      if (timeUnit == null) {
        complaint.append("unknown unit of time");
        return null;
      }
      // Rounded up: 0 can mean "no limit", so that a short time must not become 0.
      long millis = timeUnit.toMillis(number);
      boolean cut = timeUnit.convert(millis, TimeUnit.MILLISECONDS) < number;
      return inRange(cut ? millis + 1 : millis, min, max, complaint);
    }
  }

  private static final class DecimalNumber extends ValueType<Double> {
    private final double min;
    private final double max;

    DecimalNumber(double min, double max) {
      super("a number from " + (long) min + " to " + (long) max);
      this.min = min;
      this.max = max;
    }

    @Override
    Double parse(String text, StringBuilder complaint) {
      double value;
      try {
        value = Double.parseDouble(text);
      } catch (NumberFormatException e) {
        complaint.append("not a number");
        return null;
      }
      if (!(value >= min && value <= max)) {
        complaint.append("out of range");
        return null;
      }
      return value;
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

  private static final class Endpoint extends ValueType<URL> {
    private static final String NO_SCHEME = "not a URL, it has no scheme";

    Endpoint() {
      super("http://HOST:PORT, https://HOST:PORT, with a path for http/protobuf");
    }

    @Override
    URL parse(String text, StringBuilder complaint) {
      URL url;
      try {
        url = new URL(null, text, NotOpened.HANDLER);
        if (!"http".equals(url.getProtocol()) && !"https".equals(url.getProtocol())) {
          complaint.append(
              text.contains("://") ? "the scheme is neither http nor https" : NO_SCHEME);
          return null;
        }
        url.toURI();
      } catch (MalformedURLException e) {
        complaint.append(text.contains("://") ? "not a URL" : NO_SCHEME);
        return null;
      } catch (URISyntaxException e) {
        complaint.append("not a URL, it has a character that must be percent-encoded");
        return null;
      }
      if (url.getHost().isEmpty() || url.getPort() > 0xFFFF) {
        complaint.append(url.getHost().isEmpty() ? "a URL without a host" : "no such port");
        return null;
      }
      if (url.getQuery() != null || url.getRef() != null) {
        complaint.append("a URL with a query or a fragment");
        return null;
      }
      if (url.getUserInfo() == null) {
        return url;
      }
      complaint.append(
          "a URL with user info, which is never sent: use otel.exporter.otlp.headers for it");
      try {
        return new URL(
            url.getProtocol(), url.getHost(), url.getPort(), url.getFile(), NotOpened.HANDLER);
      } catch (MalformedURLException e) {
        // Cannot be: every part was just read from a URL.
        return null;
      }
    }
  }

  /** Keeps the JVM's handlers out of it: an application may have set a factory of its own. */
  private static final class NotOpened extends URLStreamHandler {
    static final URLStreamHandler HANDLER = new NotOpened();

    @Override
    protected URLConnection openConnection(URL url) {
      throw new UnsupportedOperationException();
    }
  }

  /** Comma-separated {@code key=value} pairs with percent-encoded values. */
  private static final class KeyValueList extends ValueType<Map<String, String>> {
    private final boolean headers;

    KeyValueList(boolean headers) {
      super("key=value,key=value with percent-encoded values");
      this.headers = headers;
    }

    @Override
    Map<String, String> parse(String text, StringBuilder complaint) {
      Map<String, String> map = new LinkedHashMap<>();
      int number = 0;
      for (String part : text.split(",")) {
        String entry = part.trim();
        if (entry.isEmpty()) {
          continue;
        }
        number++;
        int equals = entry.indexOf('=');
        if (equals <= 0) {
          complain(complaint, number, equals < 0 ? "has no '='" : "has no key");
          continue;
        }
        String key = entry.substring(0, equals).trim();
        String encoded = entry.substring(equals + 1).trim();
        if (encoded.isEmpty()) {
          continue;
        }
        String value = decode(encoded);
        if (value == null) {
          complain(complaint, number, "is not percent-encoded");
        } else if (headers && !isHeader(key, value)) {
          complain(complaint, number, "has characters that a header cannot carry");
        } else {
          map.put(key, value);
        }
      }
      return map.isEmpty() ? null : Collections.unmodifiableMap(map);
    }

    private static void complain(StringBuilder complaint, int number, String what) {
      complaint.append(complaint.length() == 0 ? "" : ", ");
      complaint.append("entry ").append(number).append(' ').append(what);
    }

    /**
     * OpenTelemetry's Java SDK reads the two lists differently, and so do we: a plus sign in a
     * header is a space and a broken escape an error; in a resource attribute both stand for
     * themselves.
     */
    private String decode(String encoded) {
      if (encoded.indexOf('%') < 0 && (!headers || encoded.indexOf('+') < 0)) {
        return encoded;
      }
      byte[] in = encoded.getBytes(StandardCharsets.UTF_8);
      byte[] out = new byte[in.length];
      int length = 0;
      for (int i = 0; i < in.length; i++) {
        byte b = in[i];
        if (b == '%') {
          int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
          int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
          if (high >= 0 && low >= 0) {
            b = (byte) (high << 4 | low);
            i += 2;
          } else if (headers) {
            return null;
          }
        } else if (b == '+' && headers) {
          b = ' ';
        }
        out[length++] = b;
      }
      return new String(out, 0, length, StandardCharsets.UTF_8);
    }

    private static boolean isHeader(String key, String value) {
      for (int i = 0; i < key.length(); i++) {
        char c = key.charAt(i);
        if (c <= ' ' || c >= 0x7F || "\"(),/:;<=>?@[\\]{}".indexOf(c) >= 0) {
          return false;
        }
      }
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c != '\t' && (c < ' ' || c >= 0x7F)) {
          return false;
        }
      }
      return true;
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

  private static final class Pem extends ValueType<byte[]> {
    private final boolean certificates;

    Pem(boolean certificates) {
      super(
          certificates
              ? "path of a file of X.509 certificates in PEM"
              : "path of a file with one PKCS #8 key in PEM (BEGIN PRIVATE KEY)");
      this.certificates = certificates;
    }

    @Override
    byte[] parse(String text, StringBuilder complaint) {
      byte[] content;
      try {
        content = readFile(new File(text));
      } catch (IOException e) {
        complaint.append(e.getMessage());
        return null;
      }
      if (certificates ? !isCertificates(content) : !isKey(content)) {
        complaint.append(
            certificates ? "the file holds no certificate" : "the file holds no PKCS #8 key");
        return null;
      }
      return content;
    }

    private static boolean isCertificates(byte[] content) {
      try {
        return !CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(content))
            .isEmpty();
      } catch (CertificateException e) {
        return false;
      }
    }

    private static boolean isKey(byte[] content) {
      return new String(content, StandardCharsets.ISO_8859_1)
          .contains("-----BEGIN PRIVATE KEY-----");
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

  /** The whole content of a regular file of at most 1 MiB; the message of an error says why not. */
  static byte[] readFile(File file) throws IOException {
    // A pipe or a device could block the start of the application, or never end.
    if (!file.isFile()) {
      throw new IOException(file.exists() ? "not a regular file" : "no such file");
    }
    try (FileInputStream in = new FileInputStream(file)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        if (out.size() > MAX_FILE_BYTES) {
          throw new IOException("the file is larger than 1 MiB");
        }
      }
      return out.toByteArray();
    } catch (FileNotFoundException e) {
      throw new IOException("the file cannot be read", e);
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Long inRange(long value, long min, long max, StringBuilder complaint) {
    if (value < min || value > max) {
      complaint.append(value < 0 ? "negative" : "out of range");
      return null;
    }
    return value;
  }

  private static String range(long min, long max) {
    return max == Long.MAX_VALUE ? "at least " + min : "from " + min + " to " + max;
  }
}
