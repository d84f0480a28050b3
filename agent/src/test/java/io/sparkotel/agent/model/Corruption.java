package io.sparkotel.agent.model;

import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.TaskInfo;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Puts a bad value into one field of a neutral event, whichever fields there are. */
final class Corruption {

  private static final long[] ODD = {
    0,
    1,
    -1,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    Long.MAX_VALUE,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE / 1_000_000,
    Long.MAX_VALUE / 1_000_000 + 1,
    1L << 31,
    -(1L << 31),
    1L << 53
  };

  private static final double[] RATES = {
    0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.MAX_VALUE
  };

  private static final String[] TEXTS = {
    "",
    " ",
    "null",
    "-1",
    TextSamples.LONE_HIGH,
    "a" + TextSamples.LONE_LOW + "b",
    TextSamples.EMOJI.repeat(1_500) + TextSamples.LONE_HIGH,
    "x".repeat(5_000),
    "a\0b\tc\r\nd",
    "\n\tat ",
    "Traceback (most recent call last):\n",
    "SELECT '",
    "Job 0 cancelled ",
    "exit code 99999999999",
    "org.apache.spark.SparkException: [A_CLASS.OF] it SQLSTATE: 22012\nCaused by: ",
    "\\E(*",
    ",,,"
  };

  private static final String[] CONF_KEYS = {
    "spark.redaction.regex",
    "spark.otel.parent",
    "spark.otel.traceparent",
    "spark.otel.tracestate",
    "spark.otel.resource",
    "spark.otel.trace.unit",
    "spark.otel.trace.max-jobs",
    "spark.driver.host",
    "spark.master",
    "spark.submit.deployMode",
    "spark.sql.shuffle.partitions"
  };

  private static final String[] CONF_VALUES = {
    "(",
    "(?i)",
    "",
    "00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-zz",
    "00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01",
    "link",
    "sql",
    "1",
    "a=%,=,b",
    "x=\\"
  };

  private static final String[] CALLERS = {
    null,
    "00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-01",
    "00-" + "3".repeat(32) + "-" + "4".repeat(16) + "-01",
    "00-" + "3".repeat(32) + "-" + "4".repeat(16) + "-00",
    "00-" + "3".repeat(32) + "-" + "4".repeat(16)
  };

  private static final Map<Class<?>, List<Field>> FIELDS = new ConcurrentHashMap<>();

  private record Slot(Object holder, Field field) {}

  private final Random random;

  Corruption(Random random) {
    this.random = random;
  }

  /** Changes one field of the event, at any depth. */
  void apply(Object event, List<Long> ids) {
    List<Slot> slots = new ArrayList<>();
    collect(event, slots);
    Slot slot = slots.get(random.nextInt(slots.size()));
    try {
      slot.field.set(slot.holder, bad(slot, slot.field.get(slot.holder), ids));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Gives a job a caller, or none. */
  void call(JobStart job) {
    set(job, "traceparent", CALLERS[random.nextInt(CALLERS.length)]);
  }

  /** Lets an output operation of DStreams run a job. */
  void stream(JobStart job, long batch) {
    set(job, "dstreamBatch", batch);
    set(job, "dstreamOutput", random.nextInt(4) == 0 ? null : Long.valueOf(random.nextInt(3)));
  }

  private static void set(JobStart job, String name, Object value) {
    try {
      Field property = JobProperties.class.getDeclaredField(name);
      property.setAccessible(true);
      property.set(job.properties, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Every number that is an id of something, to make events point at each other's entities. */
  static void ids(Object event, List<Long> into) {
    List<Slot> slots = new ArrayList<>();
    collect(event, slots);
    for (Slot slot : slots) {
      String name = slot.field.getName();
      if ((name.equals("id") || name.endsWith("Id")) && get(slot) instanceof Number number) {
        into.add(number.longValue());
      }
    }
  }

  private static void collect(Object holder, List<Slot> slots) {
    for (Field field : FIELDS.computeIfAbsent(holder.getClass(), Corruption::fields)) {
      Slot slot = new Slot(holder, field);
      Object value = get(slot);
      if (value instanceof StageInfo
          || value instanceof TaskInfo
          || value instanceof JobProperties) {
        collect(value, slots);
        continue;
      }
      boolean ofStream = holder instanceof StreamProgress || holder instanceof DStreamBatch;
      if (value instanceof List<?> list && ofStream) {
        list.forEach(one -> collect(one, slots));
        continue;
      }
      slots.add(slot);
      if (field.getName().equals("stages")) {
        ((List<?>) value).forEach(stage -> collect(stage, slots));
      }
    }
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
        field.setAccessible(true);
        fields.add(field);
      }
    }
    return fields;
  }

  private static Object get(Slot slot) {
    try {
      return slot.field.get(slot.holder);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object bad(Slot slot, Object value, List<Long> ids) {
    Class<?> type = slot.field.getType();
    if (type == boolean.class) {
      return !(Boolean) value;
    }
    if (type == int.class) {
      return (int) number(value, ids);
    }
    if (type == long.class) {
      return number(value, ids);
    }
    if (type == Integer.class) {
      return random.nextBoolean() ? null : Integer.valueOf((int) number(value, ids));
    }
    if (type == Long.class) {
      return random.nextInt(3) == 0 ? null : Long.valueOf(number(value, ids));
    }
    if (type == String.class) {
      return text();
    }
    if (type == long[].class) {
      return metrics((long[]) value);
    }
    if (type == EndReason.class) {
      EndReason.Kind[] kinds = EndReason.Kind.values();
      return random.nextInt(4) == 0
          ? EndReason.fetchFailed(text(), text(), text())
          : new EndReason(kinds[random.nextInt(kinds.length)], text(), text(), text());
    }
    if (type == ExecutorLinks.class) {
      Map<String, String> texts = new java.util.HashMap<>();
      texts.put("stderr", text());
      texts.put("POD_NAME", text());
      return ExecutorLinks.of(texts, texts);
    }
    if (type == PlanNode.class) {
      return random.nextBoolean()
          ? null
          : new PlanNode(text(), text(), List.of(leaf(), leaf()), null, null);
    }
    if (type == double.class) {
      return RATES[random.nextInt(RATES.length)];
    }
    if (type == Map.class) {
      return slot.holder instanceof StreamProgress ? told(slot.field) : conf(value);
    }
    if (type == List.class) {
      return slot.field.getName().equals("stages") ? stages(value, ids) : parents(ids);
    }
    throw new AssertionError("no bad value for " + slot.field);
  }

  private PlanNode leaf() {
    return new PlanNode(text(), text(), null, null, text());
  }

  private long number(Object value, List<Long> ids) {
    long old = value == null ? 0 : ((Number) value).longValue();
    return switch (random.nextInt(5)) {
      case 0, 1 -> ids.get(random.nextInt(ids.size()));
      case 2 -> old + (random.nextBoolean() ? 1 : -1);
      default -> ODD[random.nextInt(ODD.length)];
    };
  }

  private String text() {
    return random.nextInt(4) == 0 ? null : TEXTS[random.nextInt(TEXTS.length)];
  }

  /** Of the trigger of a streaming query. */
  private Map<String, ?> told(Field field) {
    return field.getName().equals("durations")
        ? Map.of("triggerExecution", ODD[random.nextInt(ODD.length)], "addBatch", 1L)
        : Map.of("watermark", TEXTS[random.nextInt(TEXTS.length)]);
  }

  private long[] metrics(long[] old) {
    if (old == null || random.nextInt(4) == 0) {
      return null;
    }
    long[] values = old.clone();
    if (random.nextBoolean()) {
      Arrays.fill(values, ODD[random.nextInt(ODD.length)]);
    } else {
      values[random.nextInt(values.length)] = ODD[random.nextInt(ODD.length)];
    }
    return values;
  }

  @SuppressWarnings("unchecked")
  private Map<String, String> conf(Object old) {
    Map<String, String> conf = new java.util.HashMap<>((Map<String, String>) old);
    String value = random.nextBoolean() ? text() : CONF_VALUES[random.nextInt(CONF_VALUES.length)];
    conf.put(CONF_KEYS[random.nextInt(CONF_KEYS.length)], value);
    conf.put("spark.otel.attributes.acme." + TEXTS[random.nextInt(TEXTS.length)], value);
    conf.put("spark.sql." + TEXTS[random.nextInt(TEXTS.length)], value);
    return conf;
  }

  @SuppressWarnings("unchecked")
  private List<StageInfo> stages(Object old, List<Long> ids) {
    List<StageInfo> stages = new ArrayList<>((List<StageInfo>) old);
    if (stages.isEmpty() || random.nextBoolean()) {
      StageInfo unknown = new StageInfo();
      unknown.id = (int) number(0, ids);
      stages.add(unknown);
    } else if (random.nextBoolean()) {
      stages.remove(random.nextInt(stages.size()));
    } else {
      stages.add(stages.get(random.nextInt(stages.size())));
    }
    return stages;
  }

  private List<String> parents(List<Long> ids) {
    return switch (random.nextInt(3)) {
      case 0 -> null;
      case 1 -> List.of();
      default -> List.of(Long.toString(number(0, ids)), "0");
    };
  }
}
