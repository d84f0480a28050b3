package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.ExecutorMetric;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExecutorPeaksTest {

  private static final String HEAP = "spark.executor.peak.jvm_heap_bytes";
  private static final String HEAP_OF = "spark.executor.peak.jvm_heap.executor";
  private static final String PYTHON = "spark.executor.peak.process_python_rss_bytes";
  private static final String COLLECTIONS = "spark.executor.peak.major_gc_count";

  private final ModelFixture app =
      ModelFixture.unborn("otel.spark.tasks=all")
          .start("app-1", Map.of("spark.master", "spark://host:7077"));
  private final ModelFixture.Stage stage = app.stage(0, 3);
  private final ModelFixture.Job job = app.job(0, stage).start();

  private static long[] peaks(long heap) {
    long[] values = new long[ExecutorMetric.COUNT];
    Arrays.fill(values, TaskMetric.ABSENT);
    values[ExecutorMetric.JVM_HEAP.ordinal()] = heap;
    return values;
  }

  private static long[] peaks(long heap, ExecutorMetric metric, long value) {
    long[] values = peaks(heap);
    values[metric.ordinal()] = value;
    return values;
  }

  private SpanTree finish() {
    stage.complete();
    job.succeed();
    return app.finish();
  }

  @Test
  void aStageHasTheGreatestOfItsTasksAndWhoHadIt() {
    stage.submit();
    stage.task(0).on("1").launch().executorMetrics(peaks(10)).succeed();
    stage.task(1).on("2").launch().executorMetrics(peaks(30)).succeed();
    stage.task(2).on("3").launch().executorMetrics(peaks(20)).succeed();
    SpanTree tree = finish();

    assertThat(tree.value("task 2", HEAP)).isEqualTo(20L);
    assertThat(tree.value("task 2", HEAP_OF)).isNull();
    for (String span : new String[] {"stage 0.0", "application"}) {
      assertThat(tree.value(span, HEAP)).as(span).isEqualTo(30L);
      assertThat(tree.value(span, HEAP_OF)).as(span).isEqualTo("2");
      assertThat(tree.value(span, PYTHON)).as(span).isNull();
    }
    assertThat(tree.value("job 0", HEAP)).isNull();
  }

  @Test
  void ofTwoWithTheSamePeakTheLowerIdIsNamedWhicheverCameFirst() {
    stage.submit();
    app.executorPeaks("2", 0, peaks(10, ExecutorMetric.PROCESS_PYTHON_RSS, 5));
    app.executorPeaks("1", 0, peaks(10, ExecutorMetric.PROCESS_PYTHON_RSS, 5));
    app.executorPeaks("3", 0, peaks(10, ExecutorMetric.PROCESS_PYTHON_RSS, 5));
    SpanTree tree = finish();

    assertThat(tree.value("stage 0.0", HEAP_OF)).isEqualTo("1");
    assertThat(tree.value("stage 0.0", PYTHON)).isEqualTo(5L);
  }

  /** A 0 that was sampled is told; what was not is absent. */
  @Test
  void zeroIsNotAbsent() {
    stage.submit();
    app.executorPeaks("1", 0, peaks(10, ExecutorMetric.OFF_HEAP_STORAGE, 0));
    stage.task(0).launch().succeed();
    SpanTree tree = finish();

    assertThat(tree.value("stage 0.0", "spark.executor.peak.off_heap_storage_bytes")).isEqualTo(0L);
    assertThat(tree.value("stage 0.0", "spark.executor.peak.on_heap_storage_bytes")).isNull();
    assertThat(tree.value("task 0", HEAP)).isNull();
  }

  @Test
  void collectionsAreToldOfExecutorsOnly() {
    stage.submit();
    stage.task(0).launch().executorMetrics(peaks(10, ExecutorMetric.MAJOR_GC_COUNT, 4)).succeed();
    SpanTree tree = finish();

    assertThat(tree.value("application", COLLECTIONS)).isEqualTo(4L);
    assertThat(tree.value("stage 0.0", COLLECTIONS)).isNull();
    assertThat(tree.value("task 0", COLLECTIONS)).isNull();
  }

  @Test
  void theDriverOfAClusterIsNoExecutor() {
    stage.submit();
    app.executorPeaks("driver", -1, peaks(90));
    app.executorPeaks("driver", 0, peaks(80));
    app.executorPeaks("1", 7, peaks(40));
    SpanTree tree = finish();

    assertThat(tree.value("application", "spark.driver.peak.jvm_heap_bytes")).isEqualTo(90L);
    assertThat(tree.value("application", HEAP)).isEqualTo(40L);
    assertThat(tree.value("stage 0.0", HEAP)).isNull();
  }

  @Test
  void aLocalDriverIsTheExecutor() {
    ModelFixture local = ModelFixture.app();
    local.executorPeaks("driver", -1, peaks(90));
    SpanTree tree = local.finish();

    assertThat(tree.value("application", HEAP)).isEqualTo(90L);
    assertThat(tree.value("application", HEAP_OF)).isEqualTo("driver");
    assertThat(tree.value("application", "spark.driver.peak.jvm_heap_bytes")).isNull();
  }

  @Test
  void whatWasNotSampledIsMarked() {
    long[] nothing = new long[ExecutorMetric.COUNT];
    assertThat(ExecutorMetric.sampled(nothing)).isNull();
    // Spark's own mark of peaks that were never set.
    nothing[0] = -1;
    assertThat(ExecutorMetric.sampled(nothing)).isNull();

    long[] heapOnly = new long[ExecutorMetric.COUNT];
    heapOnly[0] = 5;
    assertThat(ExecutorMetric.sampled(heapOnly)[ExecutorMetric.PROCESS_PYTHON_RSS.ordinal()])
        .isEqualTo(TaskMetric.ABSENT);
    assertThat(heapOnly[ExecutorMetric.DIRECT_POOL.ordinal()]).isZero();

    long[] processes = new long[ExecutorMetric.COUNT];
    processes[0] = 5;
    processes[ExecutorMetric.PROCESS_JVM_RSS.ordinal()] = 6;
    assertThat(ExecutorMetric.sampled(processes)[ExecutorMetric.PROCESS_PYTHON_RSS.ordinal()])
        .isZero();
  }
}
