package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.util.function.Consumer;

/** The SDK's gRPC sender, with every failure told as an {@link ExportFailure}. */
final class OtlpGrpcSender implements GrpcSender {

  private final GrpcSender sender;
  private final HeaderSource headers;

  OtlpGrpcSender(GrpcSender sender, HeaderSource headers) {
    this.sender = sender;
    this.headers = headers;
  }

  @Override
  public void send(
      MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
    if (message.getContentLength() >= OtlpHttpSender.MAX_REQUEST) {
      onError.accept(ExportFailure.tooLarge(message.getContentLength()));
      return;
    }
    sender.send(
        message,
        response -> {
          if (isUnauthorized(response) && headers.reload()) {
            sender.send(
                message,
                second -> judge(second, onResponse, onError),
                error -> onError.accept(ExportFailure.network(error)));
          } else {
            judge(response, onResponse, onError);
          }
        },
        error -> onError.accept(ExportFailure.network(error)));
  }

  private static boolean isUnauthorized(GrpcResponse response) {
    return response.getStatusCode() == GrpcStatusCode.UNAUTHENTICATED
        || response.getStatusCode() == GrpcStatusCode.PERMISSION_DENIED;
  }

  private static void judge(
      GrpcResponse response, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
    if (response.getStatusCode() != GrpcStatusCode.OK) {
      onError.accept(ExportFailure.grpc(response.getStatusCode(), response.getStatusDescription()));
      return;
    }
    ExportFailure partial = PartialSuccess.read(response.getResponseMessage());
    if (partial == null) {
      onResponse.accept(response);
    } else {
      onError.accept(partial);
    }
  }

  @Override
  public CompletableResultCode shutdown() {
    return sender.shutdown();
  }
}
