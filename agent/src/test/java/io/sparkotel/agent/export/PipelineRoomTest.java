package io.sparkotel.agent.export;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.ConnectException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sender that can wait for the collector, as a replay can. */
@Timeout(60)
class PipelineRoomTest {

  private static final long NEVER = 3_600_000;
  private static final long GENEROUS = 30_000;

  private Pipeline pipeline;

  @AfterEach
  void shutdown() {
    pipeline.shutdown();
  }

  private void start(long bufferBytes, Supplier<CompletableResultCode> collector) {
    SpanExporter exporter =
        new SpanExporter() {
          @Override
          public CompletableResultCode export(Collection<SpanData> spans) {
            return collector.get();
          }

          @Override
          public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
          }

          @Override
          public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
          }
        };
    pipeline = new Pipeline(() -> exporter, bufferBytes, line -> {}, NEVER, 10);
    pipeline.start();
  }

  private void offer(int spans) {
    for (int i = 0; i < spans; i++) {
      pipeline.offer(Spans.task(i));
    }
  }

  @Test
  void whereThereIsRoomNobodyWaits() {
    start(1 << 20, CompletableResultCode::new);
    assertThat(pipeline.awaitRoom(0, 0)).isTrue();
    offer(1);
    assertThat(pipeline.awaitRoom(0, 0)).isTrue();
    assertThat(pipeline.drain(0, 0)).isFalse();
  }

  /** More than the buffer holds, and nothing is lost. */
  @Test
  void whoWaitsForRoomLosesNothing() {
    start(20L * Spans.task(0).estimatedBytes(), CompletableResultCode::ofSuccess);
    for (int i = 0; i < 1_000; i++) {
      assertThat(pipeline.awaitRoom(GENEROUS, GENEROUS)).isTrue();
      pipeline.offer(Spans.task(i));
    }
    assertThat(pipeline.drain(GENEROUS, GENEROUS)).isTrue();
    assertThat(pipeline.counts().exported()).isEqualTo(1_000);
    assertThat(pipeline.counts().dropped()).isZero();
  }

  @Test
  void aCollectorThatCannotBeReachedIsGivenUp() {
    start(
        4L * Spans.task(0).estimatedBytes(),
        () ->
            CompletableResultCode.ofExceptionalFailure(
                ExportFailure.network(new ConnectException("refused"))));
    offer(4);
    assertThat(pipeline.awaitRoom(GENEROUS, 50)).isFalse();
    assertThat(pipeline.drain(GENEROUS, 50)).isFalse();
  }

  /** Each answer comes within the bound, all of them do not. */
  @Test
  void aSlowCollectorIsNotGivenUp() {
    start(
        64 << 20,
        () -> {
          CompletableResultCode answer = new CompletableResultCode();
          CompletableFuture.delayedExecutor(400, MILLISECONDS).execute(answer::succeed);
          return answer;
        });
    offer(5 * Pipeline.MAX_BATCH_SPANS);
    long start = System.nanoTime();
    assertThat(pipeline.drain(1_500, 1_500)).isTrue();
    assertThat(System.nanoTime() - start).isGreaterThan(1_900_000_000L);
    assertThat(pipeline.counts().exported()).isEqualTo(5L * Pipeline.MAX_BATCH_SPANS);
  }

  @Test
  void nobodyWaitsForAPipelineThatEnded() {
    start(
        1 << 20,
        () -> {
          throw new IllegalStateException("never called");
        });
    pipeline.shutdown();
    assertThat(pipeline.awaitRoom(GENEROUS, GENEROUS)).isFalse();
    assertThat(pipeline.drain(GENEROUS, GENEROUS)).isFalse();
  }

  @Test
  void anInterruptEndsTheWait() {
    start(1 << 20, CompletableResultCode::new);
    offer(1);
    Thread.currentThread().interrupt();
    assertThat(pipeline.drain(GENEROUS, GENEROUS)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}
