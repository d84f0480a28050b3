package io.sparkotel.agent.telemetry;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Attributes of the user's: settings of the application and local properties of its jobs that are
 * named {@code spark.otel.attributes.<key>}.
 */
public final class UserAttributes {

  public static final String PREFIX = "spark.otel.attributes.";

  /** Most of one application, and of one job; those whose keys sort first. */
  public static final int MAX = 32;

  /** Of a key, in characters. */
  public static final int MAX_KEY = 128;

  /** Of a value, in bytes. */
  public static final int MAX_VALUE = 256;

  private static final Set<String> AGENTS_OWN = new HashSet<>();

  static {
    Collections.addAll(AGENTS_OWN, "service.name", "service.instance.id", "host.name");
  }

  private UserAttributes() {}

  /** Those of these properties that are legal and not empty, at most {@link #MAX}, by key. */
  public static Map<String, String> in(Map<String, String> properties) {
    TreeMap<String, String> attributes = new TreeMap<>();
    for (Map.Entry<String, String> entry : properties.entrySet()) {
      String name = entry.getKey();
      String value = entry.getValue();
      if (name == null || !name.startsWith(PREFIX) || value == null || value.isEmpty()) {
        continue;
      }
      String key = name.substring(PREFIX.length());
      if (complaint(key) == null) {
        attributes.put(key, value);
        if (attributes.size() > MAX) {
          attributes.pollLastEntry();
        }
      }
    }
    return attributes;
  }

  /** What is wrong with a key, or null. */
  public static String complaint(String key) {
    if (key.isEmpty() || key.length() > MAX_KEY) {
      return "a key of 1 to " + MAX_KEY + " characters is wanted";
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      boolean letterOrDigit =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && "._-/".indexOf(c) < 0) {
        return "a key has letters, digits and . _ - / alone";
      }
    }
    boolean own =
        key.startsWith("spark.")
            || key.startsWith("telemetry.")
            || key.endsWith(Names.TRUNCATED_SUFFIX)
            || AGENTS_OWN.contains(key)
            || Names.find(key) != null;
    return own ? "the agent itself sets this attribute" : null;
  }
}
