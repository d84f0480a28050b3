package io.sparkotel.agent.model;

import io.sparkotel.agent.config.AgentConfig;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the settings of the live run make of the resource, as it stands in the SparkConf for a
 * replay to find: {@code key=value,key=value}, percent-encoded, without secrets.
 */
public final class RecordedResource {

  private static final String UTF_8 = "UTF-8";

  private RecordedResource() {}

  /** By key; with {@code service.name} in any case. */
  static Map<String, String> of(AgentConfig config, String applicationName) {
    Redactor redactor = new Redactor(null, null);
    Map<String, String> attributes = new TreeMap<>(config.resourceAttributes());
    String name = config.serviceNameOf(applicationName == null ? "spark" : applicationName);
    attributes.put("service.name", redactor.text(name));
    if (config.serviceNamespace() != null) {
      attributes.put("service.namespace", config.serviceNamespace());
    }
    attributes
        .entrySet()
        .removeIf(
            entry -> !entry.getValue().equals(redactor.conf(entry.getKey(), entry.getValue())));
    return attributes;
  }

  public static String encode(AgentConfig config, String applicationName) {
    StringBuilder recorded = new StringBuilder();
    for (Map.Entry<String, String> entry : of(config, applicationName).entrySet()) {
      recorded.append(recorded.length() == 0 ? "" : ",");
      recorded.append(escape(entry.getKey())).append('=').append(escape(entry.getValue()));
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

  private static String escape(String text) {
    try {
      return URLEncoder.encode(text, UTF_8);
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }
}
