package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.model.NeutralEvents.Recorded;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Windows of real logs whose events are dropped, repeated, moved and corrupted at random. A failure
 * names its seed, which {@code -Dsparkotel.fuzz.seed} runs alone, and the fewest events that fail.
 */
class BadEventsFuzzTest {

  private static final int MAX_FAILURES = 10;

  /** The registry is slow to look at: one sequence in so many. */
  private static final int DECLARED_EACH = 13;

  private static final List<AgentConfig> CONFIGS =
      List.of(
          Logs.config(),
          Logs.config(Map.of()),
          Logs.config(
              Map.of(
                  "otel.spark.trace.max-spans",
                  "3",
                  "otel.spark.history-url",
                  "http://h/{app_id}")),
          Logs.config(
              Map.of("otel.spark.trace.unit", "application", "otel.spark.trace.max-jobs", "2")),
          Logs.config(Map.of("otel.spark.trace.unit", "sql")),
          Logs.config(
              Map.of(
                  "otel.spark.tasks", "failed",
                  "otel.spark.sql.plan", "shape",
                  "otel.spark.sql.text", "full")),
          Logs.config(
              Map.of(
                  "otel.spark.tasks", "none",
                  "otel.spark.sql.plan", "none",
                  "otel.spark.trace.unit", "group")));

  @TempDir static Path temp;

  private static final Map<String, List<Recorded>> LOGS = new TreeMap<>();

  @BeforeAll
  static void readLogs() throws IOException {
    for (File log : Logs.ofSparksTests(temp).values()) {
      if (log.isFile()) {
        LOGS.put(log.getName(), NeutralEvents.of(log));
      }
    }
    File[] corpus = Logs.corpus().listFiles((folder, name) -> name.endsWith(".zstd"));
    if (corpus == null) {
      System.out.println("[fuzz] " + Logs.noCorpus() + "; those of Spark's tests alone are used");
    } else {
      for (File log : corpus) {
        LOGS.put(log.getName(), NeutralEvents.of(log));
      }
    }
    LOGS.values().removeIf(events -> events.size() < 20);
    assertThat(LOGS).hasSizeGreaterThan(10);
  }

  @Test
  void someSequences() {
    run(1, 1_000);
  }

  @Test
  @Tag("full")
  void aHundredThousandSequences() {
    run(1_000_001, 100_000);
  }

  private static void run(int firstSeed, int count) {
    Integer seed = Integer.getInteger("sparkotel.fuzz.seed");
    int first = seed == null ? firstSeed : seed;
    int last = seed == null ? firstSeed + count - 1 : seed;
    Map<String, String> failures = new LinkedHashMap<>();
    int ran = 0;
    int spans = 0;
    for (int i = first; i <= last && failures.size() < MAX_FAILURES; i++) {
      Sequence sequence = new Sequence(i);
      ran++;
      try {
        spans += outcome(sequence.config, sequence.events);
      } catch (Throwable e) {
        String kind = kind(e);
        if (!failures.containsKey(kind)) {
          failures.put(kind, sequence.describe(e));
        }
      }
    }
    if (!failures.isEmpty()) {
      fail(failures.size() + " failures in " + ran + " sequences\n" + failures.values());
    }
    assertThat(ran).isEqualTo(last - first + 1);
    assertThat(spans).as("spans of all sequences").isGreaterThan(ran);
  }

  /** Feeds the events to a new model; throws where it throws or what it made breaks a rule. */
  private static int outcome(AgentConfig config, List<Object> events) {
    List<FinishedSpan> spans = new ArrayList<>();
    TraceModel model = new TraceModel(config, AttributeList.builder().build(), spans::add);
    for (Object event : events) {
      NeutralEvents.tell(model, event);
    }
    model.closeOpen();
    if (model.stateSize() != 0) {
      throw new AssertionError("state at the end: " + model.stateSize());
    }
    FinishedSpan application =
        model.application(Outcome.UNKNOWN, new SelfReport(1, 2, 3, 4), Collections.emptyList());
    if (application != null) {
      spans.add(application);
    }
    TraceRules.check(spans, events);
    if (spans.size() % DECLARED_EACH == 0) {
      spans.forEach(Declared::check);
    }
    return spans.size();
  }

  /** One failure of each is told: a rule without the span that broke it, or where it was thrown. */
  private static String kind(Throwable e) {
    String message = String.valueOf(e.getMessage()).trim();
    StackTraceElement at =
        Arrays.stream(e.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("io.sparkotel"))
            .findFirst()
            .orElse(null);
    return e.getClass() + message.replaceAll("[^a-zA-Z_. ].*", "") + at;
  }

  /** What a seed makes. */
  private static final class Sequence {
    final int seed;
    final String log;
    final AgentConfig config;
    final List<Object> events = new ArrayList<>();
    private final Random random;
    private final List<Recorded> recorded = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>(List.of(0L));

    Sequence(int seed) {
      this.seed = seed;
      random = new Random(seed);
      List<String> names = new ArrayList<>(LOGS.keySet());
      log = names.get(random.nextInt(names.size()));
      config = CONFIGS.get(random.nextInt(CONFIGS.size()));
      window(LOGS.get(log));
      for (Recorded one : recorded) {
        events.add(one.event());
        Corruption.ids(one.event(), ids);
      }
      if (random.nextInt(3) == 0) {
        call();
      }
      for (int left = random.nextInt(9); left > 0; left--) {
        mutate();
      }
      if (random.nextInt(3) == 0) {
        stream();
      }
    }

    /** The application's head and some events in a row, mostly from the start of something on. */
    private void window(List<Recorded> all) {
      for (Recorded one : all) {
        if (one.event() instanceof Environment || one.event() instanceof ApplicationStart) {
          recorded.add(one);
        }
      }
      int start = random.nextInt(all.size() - 10);
      while (start > 0 && random.nextInt(8) > 0 && !isStart(all.get(start).event())) {
        start--;
      }
      recorded.addAll(all.subList(start, Math.min(all.size(), start + 10 + random.nextInt(70))));
      Recorded last = all.get(all.size() - 1);
      if (random.nextBoolean() && last.event() instanceof NeutralEvents.ApplicationEnd) {
        recorded.add(last);
      }
    }

    private static boolean isStart(Object event) {
      return event instanceof JobStart || event instanceof SqlStart;
    }

    private void mutate() {
      if (events.isEmpty()) {
        return;
      }
      int at = random.nextInt(events.size());
      int to = random.nextInt(events.size());
      switch (random.nextInt(10)) {
        case 0 -> remove(at);
        case 1 -> add(to, recorded.get(at), events.get(at));
        case 2 -> swap(at, Math.min(at + 1, events.size() - 1));
        case 3 -> swap(at, to);
        case 4 -> {
          Recorded from = recorded.get(at);
          Object event = events.get(at);
          remove(at);
          add(Math.min(to, events.size()), from, event);
        }
        case 5 -> nest();
        default -> corrupt(at);
      }
    }

    private void remove(int at) {
      recorded.remove(at);
      events.remove(at);
    }

    private void add(int at, Recorded from, Object event) {
      recorded.add(at, from);
      events.add(at, event);
    }

    private void swap(int one, int other) {
      Collections.swap(recorded, one, other);
      Collections.swap(events, one, other);
    }

    private void corrupt(int at) {
      Object copy = NeutralEvents.copy(recorded.get(at));
      if (copy != null) {
        new Corruption(random).apply(copy, ids);
        events.set(at, copy);
      }
    }

    /** Callers of the jobs, different ones within a query, too. */
    private void call() {
      for (int i = 0; i < events.size(); i++) {
        if (events.get(i) instanceof JobStart
            && NeutralEvents.copy(recorded.get(i)) instanceof JobStart copy) {
          new Corruption(random).call(copy);
          events.set(i, copy);
        }
      }
    }

    /** Batches of DStreams, and what is told of them at any time. */
    private void stream() {
      for (int i = 0; i < events.size(); i++) {
        long batch = batchTime();
        // Where nothing but jobs without a stage runs for one, these are without spans.
        if (events.get(i) instanceof JobStart start
            && !start.stages.isEmpty()
            && NeutralEvents.copy(recorded.get(i)) instanceof JobStart copy
            && copy.jobId == start.jobId
            && !copy.stages.isEmpty()) {
          new Corruption(random).stream(copy, batch);
          events.set(i, copy);
        } else if (events.get(i) instanceof SqlStart start && random.nextBoolean()) {
          start.description =
              "Streaming job from <a href=\"/streaming/batch/?id="
                  + batch
                  + "\">[output operation 1, batch time now]</a>";
        }
      }
      for (int left = random.nextInt(6); left > 0; left--) {
        DStreamBatch told = new DStreamBatch();
        told.time = batchTime();
        told.start = told.time + 1;
        told.add(new DStreamBatch.Input(0, 7, "topic: orders"));
        told.add(new DStreamBatch.Output(0, "print", 3, random.nextBoolean() ? null : "bad"));
        Object event =
            random.nextInt(4) == 0 ? new ReceiverError(told.time, "socket", "bad", null) : told;
        if (random.nextBoolean()) {
          new Corruption(random).apply(event, ids);
        }
        events.add(random.nextInt(events.size() + 1), event);
      }
    }

    private long batchTime() {
      return 1_700_000_000_000L + 1_000L * random.nextInt(4);
    }

    /** SQL executions that are each other's root. */
    private void nest() {
      List<SqlStart> found = new ArrayList<>();
      for (int i = 0; i < events.size(); i++) {
        if (events.get(i) instanceof SqlStart
            && NeutralEvents.copy(recorded.get(i)) instanceof SqlStart copy) {
          found.add(copy);
          events.set(i, copy);
        }
      }
      Collections.shuffle(found, random);
      for (int i = 0; i < Math.min(3, found.size()); i++) {
        found.get(i).rootExecutionId = found.get((i + 1) % Math.min(3, found.size())).executionId;
      }
    }

    String describe(Throwable e) {
      List<Object> fewest = shrink(kind(e));
      StringBuilder out = new StringBuilder("\n== seed " + seed + ", " + log + ": " + e + '\n');
      for (StackTraceElement frame : e.getStackTrace()) {
        if (frame.getClassName().startsWith("io.sparkotel")) {
          out.append("   at ").append(frame).append('\n');
        }
      }
      fewest.forEach(event -> out.append("   ").append(print(event, 0)).append('\n'));
      return out.toString();
    }

    /** Leaves events out, many and then single ones, as long as what is left fails alike. */
    private List<Object> shrink(String kind) {
      List<Object> fewest = new ArrayList<>(events);
      for (int size = fewest.size() / 2; size > 0; size = size == 1 ? 0 : size / 2) {
        for (int at = 0; at + size <= fewest.size(); ) {
          List<Object> fewer = new ArrayList<>(fewest);
          fewer.subList(at, at + size).clear();
          if (kind.equals(failure(fewer))) {
            fewest = fewer;
          } else {
            at++;
          }
        }
      }
      return fewest;
    }

    private String failure(List<Object> some) {
      try {
        outcome(config, some);
        return null;
      } catch (Throwable e) {
        return kind(e);
      }
    }
  }

  private static String print(Object value, int depth) {
    if (value instanceof Collection<?> || value == null || depth > 3) {
      return value instanceof Collection<?> some
          ? some.stream().limit(5).map(one -> print(one, depth + 1)).toList().toString()
          : String.valueOf(value);
    }
    if (value.getClass().isArray()) {
      return Array.getLength(value) + " values";
    }
    if (!value.getClass().getName().startsWith("io.sparkotel") || value instanceof Enum) {
      String text = value.toString();
      return text.length() > 60 ? text.substring(0, 60) + "..." : text;
    }
    StringBuilder out = new StringBuilder(value.getClass().getSimpleName()).append('{');
    for (Field field : value.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers())) {
        continue;
      }
      try {
        field.setAccessible(true);
        Object of = field.get(value);
        if (of != null) {
          out.append(field.getName()).append('=').append(print(of, depth + 1)).append(' ');
        }
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }
    return out.append('}').toString();
  }
}
