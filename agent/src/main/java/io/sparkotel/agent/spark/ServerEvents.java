package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.ServerEvent;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the events of Spark's Thrift and Connect servers, whose classes are in modules that most
 * applications lack: by accessors that are looked up once for each class.
 */
final class ServerEvents {

  private static final ClassValue<Map<String, MethodHandle>> ACCESSORS =
      new ClassValue<Map<String, MethodHandle>>() {
        @Override
        protected Map<String, MethodHandle> computeValue(Class<?> type) {
          Map<String, MethodHandle> accessors = new HashMap<>();
          for (String field : ServerEvent.fields().keySet()) {
            MethodHandle accessor = SparkCompat.handle(type, field);
            if (accessor != null) {
              accessors.put(field, accessor);
            }
          }
          return accessors;
        }
      };

  private ServerEvents() {}

  /** Null where it is none of a server's. */
  static ServerEvent of(Object event) {
    ServerEvent read = ServerEvent.of(event.getClass().getName());
    if (read == null) {
      return null;
    }
    for (Map.Entry<String, MethodHandle> accessor : ACCESSORS.get(event.getClass()).entrySet()) {
      String field = accessor.getKey();
      Object value = SparkCompat.unwrap(SparkCompat.call(accessor.getValue(), event));
      if (value instanceof Number) {
        read.put(field, Long.valueOf(((Number) value).longValue()));
      } else if (value instanceof String) {
        read.put(field, (String) value);
      } else if (value != null) {
        List<String> texts = new ArrayList<>();
        SparkCompat.forEach(value, text -> texts.add((String) text));
        read.put(field, texts);
      }
    }
    boolean missing = read.kind != ServerEvent.Kind.OTHER && read.operationId == null;
    return missing ? null : read;
  }
}
