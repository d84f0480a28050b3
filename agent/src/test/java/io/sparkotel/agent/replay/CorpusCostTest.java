package io.sparkotel.agent.replay;

import static io.sparkotel.agent.replay.Replayed.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cost and limits of speed of real applications: what no application can break. */
class CorpusCostTest {

  /** Spark 1.2 told of no executor. */
  private static final Set<String> WITHOUT_EXECUTORS =
      Set.of("spark1-null-properties-failed-job.zstd");

  @BeforeAll
  static void corpusIsThere() {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
  }

  static Stream<File> logs() {
    return Arrays.stream(Logs.corpus().listFiles())
        .filter(file -> file.getName().endsWith(".zstd") || file.isDirectory());
  }

  private static Long number(FinishedSpan span, CostMetric metric) {
    return (Long) value(span, metric.attribute());
  }

  private static long millis(FinishedSpan span) {
    return (span.getEndEpochNanos() - span.getStartEpochNanos()) / 1_000_000;
  }

  @ParameterizedTest
  @MethodSource("logs")
  void limitsAreWithinTheTimeOfTheApplication(File file) throws IOException {
    Replayed log = Replayed.of(file);
    FinishedSpan application = log.application();
    long duration = millis(application);

    long start = application.getStartEpochNanos();
    BitSet busy = new BitSet();
    for (FinishedSpan job : log.of(Entity.JOB)) {
      busy.set(
          (int) ((job.getStartEpochNanos() - start) / 1_000_000),
          (int) ((job.getEndEpochNanos() - start) / 1_000_000));
    }
    long driverOnly = duration - busy.get(0, (int) duration).cardinality();
    assertThat(number(application, CostMetric.DRIVER_ONLY_TIME)).isEqualTo(driverOnly);
    assertThat(number(application, CostMetric.CRITICAL_PATH)).isBetween(driverOnly, duration);
    if (WITHOUT_EXECUTORS.contains(file.getName())) {
      assertThat(number(application, CostMetric.IDEAL_TIME)).isNull();
    } else {
      assertThat(number(application, CostMetric.IDEAL_TIME)).isBetween(driverOnly, duration);
    }
  }

  @ParameterizedTest
  @MethodSource("logs")
  void noMoreCoreTimeIsUsedThanThereIs(File file) throws IOException {
    Replayed log = Replayed.of(file);
    boolean told = !WITHOUT_EXECUTORS.contains(file.getName());
    List<FinishedSpan> spans =
        log.spans().stream()
            .filter(span -> span.entity() == Entity.SQL || span.entity() == Entity.APPLICATION)
            .toList();
    for (FinishedSpan span : spans) {
      Long available = number(span, CostMetric.CORE_TIME);
      Long used = number(span, CostMetric.CORE_TIME_USED);
      assertThat(used).isNotNull();
      if (told) {
        assertThat(available).as(Replayed.print(span)).isNotNull().isGreaterThanOrEqualTo(used);
      } else {
        assertThat(available).isNull();
      }
      if (used != null && available != null && available > 0) {
        assertThat(value(span, CostMetric.UTILIZATION.attribute()))
            .isEqualTo((double) used / available);
      }
    }
  }
}
