package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.ManyThenFewTasks;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tasks end faster than the collector takes them: the smallest buffer, every task a span, and a
 * collector that takes nothing before the first job is over.
 */
@Tag("full")
class OverloadIT {

  private static final int MANY = 4_000;
  private static final int FEW = 10;

  /** Besides those of tasks: the marker, two jobs with a stage each, and the application. */
  private static final int STRUCTURE = 6;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void structureIsKeptTasksAreCountedAndItRecovers() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(Behaviour.refuse(503));
      SparkProcess process =
          SparkRun.of(SparkVersion.V3_5_9, ManyThenFewTasks.class)
              .args(MANY)
              .conf("spark.otel.tasks", "all")
              .conf("spark.otel.buffer.max-bytes", "1m")
              .withInput()
              .exportOverHttp(receiver)
              .start();
      process.awaitLine("count: " + MANY);
      receiver.awaitRequests(1, PATIENCE);
      receiver.behave(Behaviour.accept());
      receiver.awaitSpan(span -> span.entity().equals("job"), PATIENCE);
      process.type("");
      AgentLines.assertUnchanged(process, 0, "count: " + MANY + "\ncount: " + FEW);

      Trace trace = receiver.trace();
      List<SpanNode> tasks = trace.all("task");
      assertThat(receiver.spans()).hasSize(STRUCTURE + tasks.size());
      assertThat(trace.all("job")).hasSize(2);
      assertThat(trace.all("stage")).hasSize(2);
      // A megabyte holds about a thousand of them; of those that came later none is missing.
      assertThat(tasks).hasSizeBetween(FEW + 500, FEW + 1_500);
      assertThat(tasks).filteredOn(task -> task.attribute("spark.job.id").equals(1L)).hasSize(FEW);
      SpanNode application = trace.all("application").get(0);
      long dropped = (Long) application.attribute("spark.otel.spans.dropped");
      assertThat(dropped).isEqualTo(MANY + FEW - tasks.size());
      // All but itself.
      assertThat(application.attribute("spark.otel.spans.exported"))
          .isEqualTo(receiver.spans().size() - 1L);
      assertThat(application.attribute("spark.otel.events.dropped")).isEqualTo(0L);
      assertThat(AgentLines.of(process))
          .anyMatch(
              line ->
                  line.endsWith(
                      "spans sent "
                          + receiver.spans().size()
                          + ", dropped "
                          + dropped
                          + ": HTTP 503"));
      assertThat(AgentLines.of(process)).hasSize(4);
    }
  }
}
