package io.sparkotel.agent.event;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.replay.Replayed;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executors and resource profiles as logs tell of them; the application lasts from 1,000 to 9,000.
 */
class ExecutorJsonTest {

  /** As Spark 3.5 writes it. */
  private static final String PROFILE =
      "{\"Event\":\"SparkListenerResourceProfileAdded\",\"Resource Profile Id\":%s,"
          + "\"Executor Resource Requests\":{\"cores\":{\"Resource Name\":\"cores\",\"Amount\":4,"
          + "\"Discovery Script\":\"\",\"Vendor\":\"\"},\"memory\":{\"Resource Name\":\"memory\","
          + "\"Amount\":2048,\"Discovery Script\":\"\",\"Vendor\":\"\"},\"offHeap\":{\"Resource Name\":"
          + "\"offHeap\",\"Amount\":0,\"Discovery Script\":\"\",\"Vendor\":\"\"},\"odd\":7},"
          + "\"Task Resource Requests\":{\"cpus\":{\"Resource Name\":\"cpus\",\"Amount\":2.0}}}";

  @TempDir Path temp;

  private static String added(long time, String info) {
    return "{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":"
        + time
        + ",\"Executor ID\":\"1\",\"Executor Info\":"
        + info
        + "}";
  }

  private static String info(Object cores, int profile) {
    return "{\"Host\":\"worker-3\",\"Total Cores\":"
        + cores
        + ",\"Log Urls\":{\"stdout\":\"http://worker-3/\"},\"Attributes\":{},\"Resources\":{},"
        + "\"Resource Profile Id\":"
        + profile
        + ",\"Registration Time\":1}";
  }

  /** The small application, on a cluster, with these lines behind its start. */
  private Replayed replay(String... more) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.replaceAll(line -> line.replace("local[2]", "spark://host:7077"));
    lines.addAll(3, Arrays.asList(more));
    return Replayed.of(Logs.write(temp.resolve("log"), lines));
  }

  private static void assertCost(Replayed log, Long coreTime, Long used, Long memoryTime) {
    assertThat(value(log.application(), CostMetric.CORE_TIME.attribute())).isEqualTo(coreTime);
    assertThat(value(log.application(), CostMetric.CORE_TIME_USED.attribute())).isEqualTo(used);
    assertThat(value(log.application(), CostMetric.MEMORY_TIME.attribute())).isEqualTo(memoryTime);
  }

  @Test
  void coresAndTheDefaultProfile() throws IOException {
    Replayed log = replay(String.format(PROFILE, 0), added(2_000, info(4, 0)));
    assertThat(log.summary().problem).isNull();
    assertThat(log.summary().badLines).isZero();
    assertThat(log.summary().unknownEvents).isEmpty();
    assertThat(value(log.application(), Names.EXECUTORS_MAX)).isEqualTo(1L);
    // The default profile is that of the settings: 1 GiB, tasks of one core.
    assertCost(log, 28_000L, 100L, 7L * 1_024);
  }

  @Test
  void anotherProfileOfExecutorsAndStages() throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    lines.replaceAll(line -> line.replace("local[2]", "spark://host:7077"));
    lines.add(3, String.format(PROFILE, 3));
    lines.add(4, added(2_000, info(4, 3)));
    lines.replaceAll(
        line ->
            line.contains("SparkListenerStageSubmitted")
                ? line.replace("\"Details\"", "\"Resource Profile Id\":3,\"Details\"")
                : line);
    Replayed log = Replayed.of(Logs.write(temp.resolve("log"), lines));
    assertCost(log, 28_000L, 200L, 7L * 2_048);
  }

  @Test
  void anExecutorWithoutItsInfoIsOneOfWhichTheCoresAreNotKnown() throws IOException {
    for (String info : List.of("{}", "null", "7", "{\"Total Cores\":\"many\"}")) {
      Replayed log = replay(added(2_000, info));
      assertThat(log.summary().badLines).isZero();
      assertThat(value(log.application(), Names.EXECUTORS_MAX)).isEqualTo(1L);
      assertCost(log, null, 100L, null);
    }
  }

  @Test
  void whatHasNoIdIsABadLine() throws IOException {
    Replayed log =
        replay(
            added(2_000, info(4, 0)).replace("\"Executor ID\":\"1\",", ""),
            String.format(PROFILE, "null"));
    assertThat(log.summary().badLines).isEqualTo(2);
  }
}
