package io.sparkotel.agent.config;

import io.sparkotel.agent.telemetry.PlatformAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A service's name with placeholders of the platform's names in it. */
final class ServiceNameTemplate {

  static final String APPLICATION_NAME = "spark.app.name";

  /** Texts and placeholders take turns; a text is first and last. */
  private final List<String> parts = new ArrayList<>();

  private ServiceNameTemplate() {}

  /**
   * @param complaint takes what is wrong
   * @return null where something is
   */
  static ServiceNameTemplate parse(String text, StringBuilder complaint) {
    ServiceNameTemplate template = new ServiceNameTemplate();
    int from = 0;
    for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', from)) {
      int close = text.indexOf('}', open);
      if (close < 0) {
        complaint.append("a placeholder without its }");
        return null;
      }
      String placeholder = text.substring(open + 1, close);
      if (!placeholders().contains(placeholder)) {
        complaint.append("unknown placeholder");
        return null;
      }
      template.parts.add(text.substring(from, open));
      template.parts.add(placeholder);
      from = close + 1;
    }
    if (from == 0) {
      complaint.append("it has no placeholder");
      return null;
    }
    template.parts.add(text.substring(from));
    return template;
  }

  static List<String> placeholders() {
    List<String> names = new ArrayList<>();
    names.add(APPLICATION_NAME);
    for (PlatformAttribute attribute : PlatformAttribute.values()) {
      names.add(attribute.key());
    }
    return names;
  }

  /** Null where the value of a placeholder is not known. */
  String fill(String applicationName, Map<String, String> platform) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (i % 2 == 1) {
        part = part.equals(APPLICATION_NAME) ? applicationName : platform.get(part);
        if (part == null) {
          return null;
        }
      }
      name.append(part);
    }
    return name.toString();
  }
}
