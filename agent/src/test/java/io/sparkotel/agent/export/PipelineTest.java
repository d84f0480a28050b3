package io.sparkotel.agent.export;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PipelineTest {

  private static final long ROOMY = 64 << 20;
  private static final long NEVER = 3_600_000;
  private static final long GENEROUS = 30_000;

  private final List<List<String>> requests = Collections.synchronizedList(new ArrayList<>());
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch open = new CountDownLatch(1);
  private volatile Function<List<String>, CompletableResultCode> collector =
      names -> CompletableResultCode.ofSuccess();
  private Pipeline pipeline;

  @AfterEach
  void shutdown() {
    open.countDown();
    if (pipeline != null) {
      pipeline.shutdown();
    }
  }

  @Test
  void structureGoesBeforeTasksInOrder() {
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.task(1));
    pipeline.offer(Spans.stage(1));
    pipeline.offer(Spans.task(2));
    pipeline.offer(Spans.stage(2));

    assertThat(flush()).isTrue();
    assertThat(requests).containsExactly(List.of("stage 1", "stage 2", "task 1", "task 2"));
    assertThat(pipeline.counts().exported()).isEqualTo(4);
    assertThat(pipeline.counts().dropped()).isZero();
    assertThat(log).isEmpty();
  }

  @Test
  void fullBufferDropsTasksAndKeepsStructure() {
    int spanBytes = Spans.task(1).estimatedBytes();
    pipeline = pipeline(3L * spanBytes + spanBytes / 2, NEVER);
    for (int i = 1; i <= 4; i++) {
      pipeline.offer(Spans.task(i));
    }
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);

    pipeline.offer(Spans.stage(1));
    pipeline.offer(Spans.stage(2));
    assertThat(pipeline.counts().droppedStructure()).isZero();

    flush();
    assertThat(requests).containsExactly(List.of("stage 1", "stage 2", "task 1"));
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(3);
  }

  @Test
  void structureIsDroppedOnlyWhenNoTaskIsLeft() {
    int spanBytes = Spans.stage(1).estimatedBytes();
    pipeline = pipeline(2L * spanBytes + spanBytes / 2, NEVER);
    pipeline.offer(Spans.task(1));
    for (int i = 1; i <= 3; i++) {
      pipeline.offer(Spans.stage(i));
    }

    flush();
    assertThat(requests).containsExactly(List.of("stage 1", "stage 2"));
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);
    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
  }

  @Test
  void whatIsUnderWayCountsAsBuffered() throws Exception {
    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    collector = names -> answerAfter(sending, answer);
    pipeline = pipeline(Spans.task(1).estimatedBytes() * 3L / 2, 0);
    pipeline.offer(Spans.task(1));
    open.countDown();
    assertThat(sending.await(30, SECONDS)).isTrue();

    // Takes no lock that the export holds: it returns although the export never does.
    pipeline.offer(Spans.task(2));
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);

    answer.countDown();
    assertThat(flush()).isTrue();
    pipeline.offer(Spans.task(3));
    flush();
    assertThat(requests).containsExactly(List.of("task 1"), List.of("task 3"));
  }

  @Test
  void batchesAreBoundedBySpansAndBytes() {
    pipeline = pipeline(ROOMY, NEVER);
    IntStream.range(0, 1_000).forEach(i -> pipeline.offer(Spans.task(i)));
    IntStream.range(0, 10).forEach(i -> pipeline.offer(Spans.task(i, 600_000)));

    assertThat(flush()).isTrue();
    // One padded task is estimated at 900,000 bytes: three fit into 3 MiB.
    assertThat(requests).extracting(List::size).containsExactly(512, 491, 3, 3, 1);
  }

  @Test
  void fullBatchGoesWithoutAFlush() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    collector =
        names -> {
          sent.countDown();
          return CompletableResultCode.ofSuccess();
        };
    pipeline = pipeline(ROOMY, NEVER);
    open.countDown();
    IntStream.range(0, Pipeline.MAX_BATCH_SPANS).forEach(i -> pipeline.offer(Spans.task(i)));

    assertThat(sent.await(30, SECONDS)).isTrue();
  }

  @Test
  void oneSpanGoesWithoutAFlush() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    collector =
        names -> {
          sent.countDown();
          return CompletableResultCode.ofSuccess();
        };
    pipeline = pipeline(ROOMY, 1);
    open.countDown();
    pipeline.offer(Spans.stage(1));

    assertThat(sent.await(30, SECONDS)).isTrue();
  }

  @Test
  void unreachableCollectorIsTriedAgainAndNothingIsLost() {
    collector =
        names ->
            requests.size() < 4
                ? failed(ExportFailure.http(Otlp.answer(503)))
                : CompletableResultCode.ofSuccess();
    pipeline = pipeline(ROOMY, 0);
    pipeline.offer(Spans.stage(1));

    assertThat(flush()).isTrue();
    assertThat(requests).hasSize(4).containsOnly(List.of("stage 1"));
    assertThat(pipeline.counts().exported()).isEqualTo(1);
    assertThat(pipeline.counts().lastError()).isEqualTo("HTTP 503");
    assertThat(log)
        .containsExactly("cannot send spans, trying again: HTTP 503", "spans are sent again");
  }

  @Test
  void refusedBatchIsDroppedAndTheNextOneSent() {
    collector =
        names ->
            requests.size() == 1
                ? failed(ExportFailure.http(Otlp.answer(400)))
                : CompletableResultCode.ofSuccess();
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    pipeline.offer(Spans.task(1));
    assertThat(flush()).isFalse();
    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);

    pipeline.offer(Spans.stage(2));
    assertThat(flush()).isTrue();
    assertThat(pipeline.counts().exported()).isEqualTo(1);
    assertThat(log).containsExactly("spans are refused: HTTP 400", "spans are sent again");
  }

  @Test
  void batchThatIsTooLargeIsSplitDownToOneSpan() {
    collector =
        names ->
            names.size() > 1 || names.contains("task 3")
                ? failed(ExportFailure.http(Otlp.answer(413)))
                : CompletableResultCode.ofSuccess();
    pipeline = pipeline(ROOMY, NEVER);
    IntStream.range(0, 5).forEach(i -> pipeline.offer(Spans.task(i)));

    assertThat(flush()).isFalse();
    assertThat(pipeline.counts().exported()).isEqualTo(4);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);
    assertThat(requests).contains(List.of("task 0"), List.of("task 2"), List.of("task 4"));
  }

  @Test
  void partialSuccessCountsTheRejected() {
    collector = names -> failed(ExportFailure.partial(2, "no ids"));
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    pipeline.offer(Spans.stage(2));
    pipeline.offer(Spans.task(1));

    assertThat(flush()).isFalse();
    assertThat(pipeline.counts().exported()).isEqualTo(1);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);
    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
    assertThat(pipeline.counts().lastError()).isEqualTo("2 spans rejected: no ids");
    assertThat(requests).hasSize(1);
  }

  @Test
  void warningOfTheCollectorIsNoLoss() {
    collector = names -> failed(ExportFailure.partial(0, "deprecated"));
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));

    assertThat(flush()).isTrue();
    assertThat(pipeline.counts().exported()).isEqualTo(1);
    assertThat(log).isEmpty();
  }

  @Test
  void exporterThatThrowsLosesOneBatch() {
    collector =
        names -> {
          if (requests.size() == 1) {
            throw new NoSuchMethodError("gone");
          }
          return CompletableResultCode.ofSuccess();
        };
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    assertThat(flush()).isFalse();
    assertThat(pipeline.counts().lastError()).isEqualTo("NoSuchMethodError: gone");

    pipeline.offer(Spans.stage(2));
    assertThat(flush()).isTrue();
    assertThat(pipeline.counts().exported()).isEqualTo(1);
  }

  @Test
  void exporterThatCannotBeMadeDropsEverything() {
    pipeline =
        new Pipeline(
            () -> {
              throw new IllegalArgumentException("no certificate");
            },
            ROOMY,
            log::add);
    pipeline.offer(Spans.stage(1));
    pipeline.start();
    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isFalse();
    pipeline.offer(Spans.task(1));

    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(1);
    assertThat(log).containsExactly("no spans are sent: IllegalArgumentException: no certificate");
  }

  @Test
  void flushOfACollectorThatNeverAnsweredEndsWithinTheDeadBound() {
    collector = names -> failed(ExportFailure.network(new ConnectException("refused")));
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    open.countDown();

    // With the wrong bound this runs into the test's timeout.
    assertThat(pipeline.flush(NEVER, 50)).isFalse();
    pipeline.shutdown();
    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
  }

  @Test
  void flushOfALiveCollectorWaitsForTheAliveBound() throws Exception {
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    assertThat(flush()).isTrue();

    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    collector = names -> answerAfter(sending, answer);
    pipeline.offer(Spans.stage(2));
    Thread releaser =
        new Thread(
            () -> {
              await(sending);
              answer.countDown();
            });
    releaser.start();
    assertThat(pipeline.flush(GENEROUS, 0)).isTrue();
    releaser.join();
  }

  @Test
  void flushCutsABackoffShort() throws Exception {
    CountDownLatch failedOnce = new CountDownLatch(1);
    collector =
        names -> {
          failedOnce.countDown();
          return requests.size() == 1
              ? failed(ExportFailure.http(Otlp.answer(503)))
              : CompletableResultCode.ofSuccess();
        };
    pipeline = new Pipeline(this::exporter, ROOMY, log::add, 0, NEVER);
    pipeline.start();
    open.countDown();
    pipeline.offer(Spans.stage(1));
    assertThat(failedOnce.await(30, SECONDS)).isTrue();

    assertThat(pipeline.flush(GENEROUS, GENEROUS)).isTrue();
    assertThat(requests).hasSize(2);
  }

  @Test
  void flushLeavesTheInterruptFlagAndStillDelivers() {
    pipeline = pipeline(ROOMY, NEVER);
    pipeline.offer(Spans.stage(1));
    open.countDown();
    Thread.currentThread().interrupt();

    boolean delivered = pipeline.flush(GENEROUS, GENEROUS);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(delivered).isTrue();
  }

  @Test
  void shutdownBreaksOffAnExportAndCountsWhatIsLeft() throws Exception {
    CountDownLatch sending = new CountDownLatch(1);
    collector = names -> answerAfter(sending, new CountDownLatch(1));
    pipeline = pipeline(ROOMY, 0);
    pipeline.offer(Spans.stage(1));
    open.countDown();
    assertThat(sending.await(30, SECONDS)).isTrue();
    pipeline.offer(Spans.task(1));

    pipeline.shutdown();
    pipeline.offer(Spans.task(2));
    assertThat(pipeline.counts().droppedStructure()).isEqualTo(1);
    assertThat(pipeline.counts().droppedTasks()).isEqualTo(2);
    assertThat(pipeline.counts().exported()).isZero();
    assertThat(pipeline.flush(NEVER, NEVER)).isFalse();
  }

  @Test
  void backoffDoublesUpToHalfAMinute() {
    assertThat(IntStream.range(0, 7).mapToLong(i -> Pipeline.backoffMillis(i, 1_000, 0)))
        .containsExactly(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 30_000L, 30_000L);
    assertThat(Pipeline.backoffMillis(1_000_000, 1_000, 0.999)).isBetween(15_000L, 16_000L);
    assertThat(Pipeline.backoffMillis(0, 1_000, 0.999)).isEqualTo(1_000);
  }

  /** Started, but nothing is taken out of the buffer before {@link #open} is. */
  private Pipeline pipeline(long bufferBytes, long lingerMillis) {
    Pipeline made = new Pipeline(this::exporter, bufferBytes, log::add, lingerMillis, 1);
    made.start();
    return made;
  }

  private boolean flush() {
    open.countDown();
    return pipeline.flush(GENEROUS, GENEROUS);
  }

  private SpanExporter exporter() {
    await(open);
    CompletableResultCode shutdown = new CompletableResultCode();
    return new SpanExporter() {
      @Override
      public CompletableResultCode export(Collection<SpanData> spans) {
        List<String> names = spans.stream().map(SpanData::getName).toList();
        requests.add(names);
        CompletableResultCode result = collector.apply(names);
        shutdown.whenComplete(result::fail);
        return result;
      }

      @Override
      public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
      }

      @Override
      public CompletableResultCode shutdown() {
        return shutdown.succeed();
      }
    };
  }

  private static CompletableResultCode answerAfter(CountDownLatch told, CountDownLatch latch) {
    CompletableResultCode result = new CompletableResultCode();
    Thread answering =
        new Thread(
            () -> {
              await(latch);
              result.succeed();
            });
    answering.setDaemon(true);
    answering.start();
    told.countDown();
    return result;
  }

  private static CompletableResultCode failed(ExportFailure failure) {
    return CompletableResultCode.ofExceptionalFailure(new Exception("of the SDK", failure));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
