package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sparkotel.scenarios.Cost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Cost and limits of speed of a run, computed once more from its spans, and what only the event log
 * tells: when the executor was added, and which job had ended when another started.
 */
class CostIT {

  private static final int CORES = 2;

  @OnEachSpark
  void costAndLimitsOfSpeed(SparkVersion version) {
    SparkRun spark = EventLogs.writtenBy(SparkRun.of(version, Cost.class)).master("local[2,3]");
    spark.conf("spark.eventLog.compress", false).conf("spark.otel.tasks", "all");
    TracedRun run = TracedRun.of(spark);
    Trace trace = run.trace();
    List<JsonNode> events = EventLogs.events(EventLogs.of(spark));

    assertThat(run.stdout()).isEqualTo("keys: 2\nskips a stage: 2\nrows: 7\ntables: 1");
    long added =
        events.stream()
            .filter(event -> is(event, "ExecutorAdded"))
            .mapToLong(event -> event.get("Timestamp").asLong())
            .sum();
    List<SpanNode> paid = new ArrayList<>(trace.all("sql"));
    assertThat(paid).hasSizeGreaterThan(1);
    paid.add(trace.application());
    for (SpanNode span : paid) {
      long available = CORES * (end(span) - Math.max(start(span), added));
      long used = tasks(trace, span).stream().mapToLong(CostIT::inExecutor).sum();
      assertThat(number(span, "spark.executors.core_time_ms")).isEqualTo(available);
      assertThat(number(span, "spark.executors.core_time_used_ms"))
          .isEqualTo(used)
          .isLessThanOrEqualTo(available);
      assertThat(span.attribute("spark.executors.utilization"))
          .isEqualTo(available == 0 ? null : (Object) ((double) used / available));
      // The driver's memory is not Spark's to set.
      assertThat(span.attribute("spark.executors.memory_time_mib_s")).isNull();
    }
    assertLimits(trace, events);

    assertThat(EventLogs.differences(run.receiver().spans(), EventLogs.replay(spark).spans()))
        .isEqualTo(Set.of());
  }

  private static void assertLimits(Trace trace, List<JsonNode> events) {
    SpanNode application = trace.application();
    long duration = end(application) - start(application);
    boolean[] busy = new boolean[(int) duration];
    for (SpanNode job : trace.all("job")) {
      for (long time = start(job); time < end(job); time++) {
        busy[(int) (time - start(application))] = true;
      }
    }
    long busyTime = 0;
    for (boolean one : busy) {
      busyTime += one ? 1 : 0;
    }
    long driverOnly = duration - busyTime;
    assertThat(number(application, "spark.driver_only_time_ms"))
        .isEqualTo(driverOnly)
        .isGreaterThanOrEqualTo(200);

    long chain = longestChain(trace, events);
    // The failed attempt, 300 ms; 100 or 150 ms of two threads; and what SQL took.
    assertThat(chain).isBetween(400L, busyTime);
    assertThat(number(application, "spark.critical_path_ms")).isEqualTo(driverOnly + chain);

    long used = number(application, "spark.executors.core_time_used_ms");
    assertThat(number(application, "spark.ideal_time_ms"))
        .isEqualTo(driverOnly + Math.round((double) busyTime * used / (CORES * busyTime)))
        .isBetween(driverOnly, duration);
  }

  /** Of jobs that followed each other, by the order of their events. */
  private static long longestChain(Trace trace, List<JsonNode> events) {
    Map<Long, Long> before = new HashMap<>();
    long longest = 0;
    for (JsonNode event : events) {
      if (is(event, "JobStart")) {
        before.put(event.get("Job ID").asLong(), longest);
      } else if (is(event, "JobEnd")) {
        SpanNode job = trace.job(event.get("Job ID").asLong());
        long own = Math.min(end(job) - start(job), longestChain(trace, job));
        longest = Math.max(longest, before.get(event.get("Job ID").asLong()) + own);
      }
    }
    return longest;
  }

  /** Of the stages of a job, each of which ran once. */
  private static long longestChain(Trace trace, SpanNode job) {
    Map<String, Long> chains = new TreeMap<>();
    long longest = 0;
    for (SpanNode stage : trace.children(job)) {
      assertThat(stage.attribute("spark.stage.attempt")).isEqualTo(0L);
      long chain = trace.children(stage).stream().mapToLong(CostIT::duration).max().orElse(0);
      long parents = 0;
      if (stage.attribute("spark.stage.parent_ids") instanceof List<?> ids) {
        for (Object id : ids) {
          parents = Math.max(parents, chains.getOrDefault(id, 0L));
        }
      }
      chains.put(stage.attribute("spark.stage.id").toString(), parents + chain);
      longest = Math.max(longest, parents + chain);
    }
    return longest;
  }

  private static List<SpanNode> tasks(Trace trace, SpanNode above) {
    List<SpanNode> tasks = new ArrayList<>();
    for (SpanNode child : trace.children(above)) {
      if (child.entity().equals("task")) {
        tasks.add(child);
      } else {
        tasks.addAll(tasks(trace, child));
      }
    }
    return tasks;
  }

  private static long inExecutor(SpanNode task) {
    return number(task, "spark.executor.deserialize_time_ms")
        + number(task, "spark.executor.run_time_ms")
        + number(task, "spark.executor.result_serialization_time_ms");
  }

  private static long number(SpanNode span, String key) {
    assertThat(span.attributes()).containsKey(key);
    return (Long) span.attribute(key);
  }

  private static long duration(SpanNode span) {
    return end(span) - start(span);
  }

  private static long start(SpanNode span) {
    return span.startNanos() / 1_000_000;
  }

  private static long end(SpanNode span) {
    return span.endNanos() / 1_000_000;
  }

  private static boolean is(JsonNode event, String name) {
    return event.get("Event").asText().equals("SparkListener" + name);
  }
}
