package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.PlatformIdentity;
import io.sparkotel.agent.telemetry.UserAttributes;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the settings of the live run make of the resource, as it stands in the SparkConf for a
 * replay to find: {@code key=value,key=value}, percent-encoded, without secrets.
 */
public final class RecordedResource {

  private static final String UTF_8 = "UTF-8";
  private static final String SERVICE_NAME = "service.name";
  private static final String SERVICE_NAMESPACE = "service.namespace";

  private RecordedResource() {}

  /**
   * By key; with {@code service.name} in any case. What the user names is stronger than what the
   * settings of the resource say, and these are stronger than what the platform tells.
   *
   * @param properties the application's SparkConf
   * @param platform as {@link PlatformIdentity} finds it
   */
  static Map<String, String> of(
      AgentConfig config,
      String applicationName,
      Map<String, String> properties,
      Map<String, String> platform) {
    Redactor redactor = Identities.redactor(config, properties);
    Map<String, String> attributes = new TreeMap<>(platform);
    attributes.putAll(config.resourceAttributes());
    if (config.serviceNamespace() != null) {
      attributes.put(SERVICE_NAMESPACE, config.serviceNamespace());
    }
    for (Map.Entry<String, String> of : UserAttributes.in(properties).entrySet()) {
      attributes.put(
          of.getKey(), Truncation.toBytes(of.getValue(), UserAttributes.MAX_VALUE).text());
    }
    attributes
        .entrySet()
        .removeIf(
            entry -> !entry.getValue().equals(redactor.conf(entry.getKey(), entry.getValue())));
    String application = applicationName == null ? "spark" : applicationName;
    String name = config.serviceNameOf(application, platform);
    attributes.put(SERVICE_NAME, redactor.conf(SERVICE_NAME, name));
    return attributes;
  }

  /** As {@link #of}. */
  public static String encode(
      AgentConfig config,
      String applicationName,
      Map<String, String> properties,
      Map<String, String> platform) {
    Map<String, String> attributes = of(config, applicationName, properties, platform);
    String recorded = encode(attributes, false);
    // Spark would hide all of it in the event log for one word of a name.
    return SparkRedaction.hides(properties.get(SparkRedaction.KEY), recorded)
        ? encode(attributes, true)
        : recorded;
  }

  private static String encode(Map<String, String> attributes, boolean everyChar) {
    StringBuilder recorded = new StringBuilder();
    for (Map.Entry<String, String> entry : attributes.entrySet()) {
      recorded.append(recorded.length() == 0 ? "" : ",");
      recorded.append(escape(entry.getKey(), everyChar)).append('=');
      recorded.append(escape(entry.getValue(), everyChar));
    }
    return recorded.toString();
  }

  /** What is not of the form is left out: a SparkConf is anybody's to write. */
  static Map<String, String> decode(String recorded) {
    Map<String, String> attributes = new TreeMap<>();
    for (String pair : recorded.split(",")) {
      int at = pair.indexOf('=');
      if (at > 0) {
        put(attributes, pair.substring(0, at), pair.substring(at + 1));
      }
    }
    return attributes;
  }

  private static void put(Map<String, String> attributes, String key, String value) {
    try {
      attributes.put(URLDecoder.decode(key, UTF_8), URLDecoder.decode(value, UTF_8));
    } catch (IllegalArgumentException | UnsupportedEncodingException e) {
      attributes.put(key, value);
    }
  }

  private static String escape(String text, boolean everyChar) {
    if (everyChar) {
      StringBuilder escaped = new StringBuilder();
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        escaped.append('%').append(Character.forDigit(b >> 4 & 0xf, 16));
        escaped.append(Character.forDigit(b & 0xf, 16));
      }
      return escaped.toString();
    }
    try {
      return URLEncoder.encode(text, UTF_8);
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }
}
