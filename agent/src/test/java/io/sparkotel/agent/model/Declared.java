package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributeType;
import io.opentelemetry.sdk.trace.data.EventData;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Holds spans against the registry of attributes, and against what every receiver demands. */
final class Declared {

  /** Of the attributes that a user gives in these tests. */
  static final String USERS_PREFIX = "acme.";

  private static final Pattern PLAN_PART = Pattern.compile("spark\\.sql\\.plan_\\d+");

  private Declared() {}

  static void check(FinishedSpan span) {
    Set<String> seen = new HashSet<>();
    span.getAttributes()
        .forEach(
            (key, value) -> {
              assertThat(seen.add(key.getKey())).as("%s twice", key).isTrue();
              Attribute declared = check(key, value);
              if (declared != null) {
                assertThat(declared.on()).as("spans with %s", key).contains(span.entity());
              }
            });
    assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
    text(span.getName());
    assertThat(span.getName()).isNotEmpty().hasSizeLessThanOrEqualTo(128);
    text(span.getStatus().getDescription());
    for (EventData event : span.getEvents()) {
      assertThat(event.getEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
      event.getAttributes().forEach(Declared::check);
    }
  }

  /** The declaration, null for the documented keys that carry a name or a number of their own. */
  private static Attribute check(AttributeKey<?> key, Object value) {
    assertThat(value).as("value of %s", key).isInstanceOf(type(key.getType()));
    if (value instanceof String string) {
      text(string);
    } else if (value instanceof List<?> list) {
      list.forEach(element -> text((String) element));
    }
    String name = key.getKey();
    if (name.endsWith(Names.TRUNCATED_SUFFIX)) {
      assertThat(key.getType()).isEqualTo(AttributeType.BOOLEAN);
      name = name.substring(0, name.length() - Names.TRUNCATED_SUFFIX.length());
      if (!isDynamic(name)) {
        assertThat(Names.find(name)).as("declaration of %s", name).isNotNull();
      }
      return null;
    }
    if (isDynamic(name)) {
      assertThat(key.getType()).isEqualTo(AttributeType.STRING);
      return null;
    }
    Attribute declared = Names.find(name);
    assertThat(declared).as("declaration of %s", name).isNotNull();
    assertThat(declared.key()).isEqualTo(key);
    return declared;
  }

  private static boolean isDynamic(String name) {
    return name.startsWith(Names.CONF_PREFIX)
        || name.startsWith(USERS_PREFIX)
        || PLAN_PART.matcher(name).matches();
  }

  private static void text(String text) {
    assertThat(TextSamples.isValidUtf8(text)).as("valid UTF-8: %s", text).isTrue();
    assertThat(TextSamples.bytes(text)).isLessThanOrEqualTo(Limits.STACK_TRACE);
  }

  private static Class<?> type(AttributeType type) {
    return switch (type) {
      case STRING -> String.class;
      case LONG -> Long.class;
      case DOUBLE -> Double.class;
      case BOOLEAN -> Boolean.class;
      case STRING_ARRAY -> List.class;
      default -> throw new AssertionError("a type that is not used: " + type);
    };
  }
}
