package io.sparkotel.agent.model;

import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.UserAttributes;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** The attributes of the user's that a job brought by its local properties, fit to be shown. */
final class UserAttributeList {

  static final UserAttributeList NONE = new UserAttributeList(Collections.emptyMap());

  private final Map<String, String> attributes;

  private UserAttributeList(Map<String, String> attributes) {
    this.attributes = attributes;
  }

  /**
   * @param conf the application's SparkConf: what it says is on the resource, and a session of
   *     Spark SQL hands it on to its jobs
   */
  static UserAttributeList of(
      JobProperties properties, Map<String, String> conf, Redactor redactor) {
    if (properties.attributes.isEmpty()) {
      return NONE;
    }
    Map<String, String> shown = new TreeMap<>();
    for (Map.Entry<String, String> of : UserAttributes.in(properties.attributes).entrySet()) {
      String key = of.getKey();
      if (!of.getValue().equals(conf.get(UserAttributes.PREFIX + key))) {
        shown.put(key, redactor.conf(key, of.getValue()));
      }
    }
    return shown.isEmpty() ? NONE : new UserAttributeList(shown);
  }

  void put(AttributeList.Builder span) {
    for (Map.Entry<String, String> of : attributes.entrySet()) {
      Limits.putText(span, of.getKey(), of.getValue(), UserAttributes.MAX_VALUE);
    }
  }
}
