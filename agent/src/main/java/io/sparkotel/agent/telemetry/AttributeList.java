package io.sparkotel.agent.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Attributes in one array, in the order in which they were put: keys and values alternate. The
 * exporter walks them twice, so they never change once built.
 */
public final class AttributeList implements Attributes {

  private final Object[] entries;
  private final int length;
  private final int bytes;

  private AttributeList(Object[] entries, int length, int bytes) {
    this.entries = entries;
    this.length = length;
    this.bytes = bytes;
  }

  public static Builder builder() {
    // Holds those of a task.
    return new Builder(96);
  }

  /** About what the entries take on the wire, in bytes. */
  public int estimatedBytes() {
    return bytes;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T get(AttributeKey<T> key) {
    for (int i = 0; i < length; i += 2) {
      if (entries[i].equals(key)) {
        return (T) entries[i + 1];
      }
    }
    return null;
  }

  @Override
  public void forEach(BiConsumer<? super AttributeKey<?>, ? super Object> consumer) {
    for (int i = 0; i < length; i += 2) {
      consumer.accept((AttributeKey<?>) entries[i], entries[i + 1]);
    }
  }

  @Override
  public int size() {
    return length / 2;
  }

  @Override
  public boolean isEmpty() {
    return length == 0;
  }

  @Override
  public Map<AttributeKey<?>, Object> asMap() {
    Map<AttributeKey<?>, Object> map = new LinkedHashMap<>();
    forEach(map::put);
    return Collections.unmodifiableMap(map);
  }

  @Override
  public AttributesBuilder toBuilder() {
    return Attributes.builder().putAll(this);
  }

  @Override
  public String toString() {
    return asMap().toString();
  }

  /** Puts what is there: a null value is no attribute. A key is put once, by the caller's care. */
  public static final class Builder {
    private static final int KEY_OVERHEAD = 8;

    private Object[] entries;
    private int length;
    private int bytes;

    private Builder(int capacity) {
      entries = new Object[capacity];
    }

    public Builder put(Attribute attribute, String value) {
      return value == null ? this : add(attribute, value, 3 * value.length() / 2);
    }

    public Builder put(Attribute attribute, long value) {
      return add(attribute, value, 8);
    }

    public Builder put(Attribute attribute, Long value) {
      return value == null ? this : add(attribute, value, 8);
    }

    public Builder put(Attribute attribute, Integer value) {
      return value == null ? this : add(attribute, value.longValue(), 8);
    }

    public Builder put(Attribute attribute, double value) {
      return add(attribute, value, 8);
    }

    public Builder put(Attribute attribute, boolean value) {
      return add(attribute, value, 1);
    }

    public Builder put(Attribute attribute, List<String> values) {
      if (values == null || values.isEmpty()) {
        return this;
      }
      int size = 0;
      for (String value : values) {
        size += value.length() + 2;
      }
      return add(attribute, values, size);
    }

    /** For the few keys that carry a name of the user's, such as {@code spark.conf.*}. */
    public Builder put(AttributeKey<String> key, String value) {
      return value == null ? this : add(key, value, value.length());
    }

    public Builder put(AttributeKey<Boolean> key, boolean value) {
      return add(key, value, 1);
    }

    public Builder putAll(AttributeList other) {
      other.forEach((key, value) -> add(key, value, 8));
      return this;
    }

    private Builder add(Attribute attribute, Object value, int size) {
      return add(attribute.key(), value, size);
    }

    private Builder add(AttributeKey<?> key, Object value, int size) {
      if (length == entries.length) {
        entries = Arrays.copyOf(entries, length * 2);
      }
      entries[length++] = key;
      entries[length++] = value;
      bytes += key.getKey().length() + KEY_OVERHEAD + size;
      return this;
    }

    public AttributeList build() {
      return new AttributeList(Arrays.copyOf(entries, length), length, bytes);
    }
  }
}
