package io.sparkotel.it;

import static io.sparkotel.it.Spans.request;
import static io.sparkotel.it.Spans.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OtlpReceiverTest {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final ExportTraceServiceRequest TWO_SPANS =
      request(
          List.of(
              span(1, 0, "application", "report", 1).build(),
              span(2, 1, "job", "count", 2).build()));

  private final OtlpReceiver receiver = OtlpReceiver.start();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    receiver.close();
  }

  private HttpRequest.Builder post(byte[] body) {
    return HttpRequest.newBuilder(URI.create(receiver.httpEndpoint() + "/v1/traces"))
        .header("Content-Type", "application/x-protobuf")
        .timeout(SOON)
        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  @Test
  void takesHttpWithGzip() throws Exception {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(zipped)) {
      TWO_SPANS.writeTo(out);
    }

    HttpResponse<byte[]> response =
        send(
            post(zipped.toByteArray())
                .header("Content-Encoding", "gzip")
                .header("X-Tenant", "team-a"));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(ExportTraceServiceResponse.parseFrom(response.body()).hasPartialSuccess()).isFalse();
    assertThat(receiver.trace().application().name()).isEqualTo("report");
    assertThat(receiver.requests())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.protocol()).isEqualTo(OtlpReceiver.Protocol.HTTP);
              assertThat(request.headers()).containsEntry("x-tenant", "team-a");
              assertThat(request.size()).isEqualTo(TWO_SPANS.getSerializedSize());
              assertThat(request.wireSize()).isEqualTo(zipped.size());
            });
  }

  @Test
  void takesGrpc() throws Exception {
    ManagedChannel channel = channel();
    try {
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("x-tenant", Metadata.ASCII_STRING_MARSHALLER), "team-a");
      TraceServiceGrpc.TraceServiceBlockingStub stub =
          TraceServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
      stub.export(TWO_SPANS);
      stub.withCompression("gzip").export(TWO_SPANS);
    } finally {
      close(channel);
    }

    assertThat(receiver.spans()).hasSize(4);
    OtlpReceiver.Request plain = receiver.requests().get(0);
    OtlpReceiver.Request zipped = receiver.requests().get(1);
    assertThat(plain.protocol()).isEqualTo(OtlpReceiver.Protocol.GRPC);
    assertThat(plain.headers()).containsEntry("x-tenant", "team-a");
    assertThat(plain.size()).isEqualTo(TWO_SPANS.getSerializedSize());
    assertThat(plain.wireSize()).isGreaterThanOrEqualTo(plain.size());
    assertThat(zipped.size()).isEqualTo(plain.size());
    assertThat(zipped.wireSize()).isPositive().isNotEqualTo(plain.wireSize());
  }

  @Test
  void refusesOnDemandAndThenGoesOn() throws Exception {
    receiver.behaveNext(Behaviour.refuse(503).withRetryAfter("2"));

    HttpResponse<byte[]> refused = send(post(TWO_SPANS.toByteArray()));
    HttpResponse<byte[]> taken = send(post(TWO_SPANS.toByteArray()));

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("2");
    assertThat(taken.statusCode()).isEqualTo(200);
    assertThat(receiver.requests()).hasSize(2);
    assertThat(receiver.spans()).hasSize(2);
  }

  @Test
  void refusesGrpcOnDemand() throws Exception {
    receiver.behave(Behaviour.refuse(503));
    ManagedChannel channel = channel();
    try {
      StatusRuntimeException refused =
          catchThrowableOfType(
              StatusRuntimeException.class,
              () -> TraceServiceGrpc.newBlockingStub(channel).export(TWO_SPANS));
      assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    } finally {
      close(channel);
    }
    assertThat(receiver.spans()).isEmpty();
  }

  @Test
  void takesAPartOnDemand() throws Exception {
    receiver.behave(Behaviour.partialSuccess(1, "too many"));

    ExportTraceServiceResponse response =
        ExportTraceServiceResponse.parseFrom(send(post(TWO_SPANS.toByteArray())).body());

    assertThat(response.getPartialSuccess().getRejectedSpans()).isEqualTo(1);
    assertThat(receiver.spans()).extracting(SpanNode::name).containsExactly("report");
  }

  @Test
  void neverAnswersOnDemand() {
    receiver.behave(Behaviour.neverAnswer());

    assertThatThrownBy(() -> send(post(TWO_SPANS.toByteArray()).timeout(Duration.ofMillis(300))))
        .isInstanceOf(HttpTimeoutException.class);
    receiver.awaitRequests(1, SOON);
    assertThat(receiver.spans()).isEmpty();
  }

  @Test
  void complainsOfWhatIsNotOtlp() throws Exception {
    assertThat(send(post(new byte[] {1, 2, 3})).statusCode()).isEqualTo(400);
    assertThat(send(post(new byte[0]).setHeader("Content-Type", "text/plain")).statusCode())
        .isEqualTo(415);
    assertThat(send(post(new byte[] {1}).header("Content-Encoding", "gzip")).statusCode())
        .isEqualTo(400);
    assertThat(receiver.complaints()).hasSize(3);
    assertThatThrownBy(receiver::trace).hasMessageContaining("not OTLP");
  }

  @Test
  void awaitsASpanByCondition() throws Exception {
    send(post(TWO_SPANS.toByteArray()));

    assertThat(receiver.awaitSpan(span -> span.entity().equals("job"), SOON).name())
        .isEqualTo("count");
    assertThatThrownBy(
            () -> receiver.awaitSpan(span -> span.entity().equals("sql"), Duration.ofMillis(50)))
        .hasMessageContaining("no such span");
  }

  private ManagedChannel channel() {
    String address = receiver.grpcEndpoint().replace("http://", "");
    return NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  private static void close(ManagedChannel channel) throws InterruptedException {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }
}
