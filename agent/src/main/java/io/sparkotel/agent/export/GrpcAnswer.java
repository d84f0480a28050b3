package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import okhttp3.Headers;
import okhttp3.Response;

/** The answer to a call; the message is cut at {@link HttpConnection#MAX_ANSWER}. */
final class GrpcAnswer implements GrpcResponse {

  /** Of a message: a byte that says whether it is compressed, and its length. */
  static final int PREFIX_BYTES = 5;

  private final GrpcStatusCode status;
  private final String description;
  private final byte[] message;

  private GrpcAnswer(GrpcStatusCode status, String description, byte[] message) {
    this.status = status;
    this.description = description;
    this.message = message;
  }

  /** Reads the answer to its end: the status comes last. */
  static GrpcAnswer read(Response response) throws IOException {
    byte[] body = readBody(response.body().byteStream());
    // Without a message the status is among the headers.
    Headers last =
        response.header("grpc-status") == null ? response.trailers() : response.headers();
    String status = last.get("grpc-status");
    if (status == null) {
      return new GrpcAnswer(ofHttp(response.code()), "HTTP " + response.code(), new byte[0]);
    }
    String description = last.get("grpc-message");
    return new GrpcAnswer(
        status(status), description == null ? "" : decode(description), message(body));
  }

  @Override
  public GrpcStatusCode getStatusCode() {
    return status;
  }

  @Override
  public String getStatusDescription() {
    return description;
  }

  @Override
  @SuppressWarnings("MutableArrayReturn")
  public byte[] getResponseMessage() {
    return message;
  }

  boolean isUnauthorized() {
    return status == GrpcStatusCode.UNAUTHENTICATED || status == GrpcStatusCode.PERMISSION_DENIED;
  }

  private static byte[] readBody(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[1024];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      body.write(buffer, 0, Math.min(n, HttpConnection.MAX_ANSWER - body.size()));
    }
    return body.toByteArray();
  }

  /** The first message; empty where it is cut or compressed, which nobody asked for. */
  private static byte[] message(byte[] body) {
    if (body.length < PREFIX_BYTES || body[0] != 0) {
      return new byte[0];
    }
    ByteBuffer frame = ByteBuffer.wrap(body, 1, body.length - 1);
    int length = frame.getInt();
    if (length < 0 || length > frame.remaining()) {
      return new byte[0];
    }
    byte[] message = new byte[length];
    frame.get(message);
    return message;
  }

  private static GrpcStatusCode status(String number) {
    return number.matches("\\d{1,4}")
        ? GrpcStatusCode.fromValue(Integer.parseInt(number))
        : GrpcStatusCode.UNKNOWN;
  }

  /** As the gRPC protocol reads an answer of whoever stands in front of the collector. */
  private static GrpcStatusCode ofHttp(int status) {
    switch (status) {
      case 401:
        return GrpcStatusCode.UNAUTHENTICATED;
      case 403:
        return GrpcStatusCode.PERMISSION_DENIED;
      case 404:
        return GrpcStatusCode.UNIMPLEMENTED;
      case 429:
      case 502:
      case 503:
      case 504:
        return GrpcStatusCode.UNAVAILABLE;
      default:
        return GrpcStatusCode.UNKNOWN;
    }
  }

  /** Of the percent-encoding of UTF-8; what is none stays as it is. */
  private static String decode(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
      if (bytes[i] == '%' && low >= 0) {
        out.write(high << 4 | low);
        i += 2;
      } else {
        out.write(bytes[i]);
      }
    }
    return new String(out.toByteArray(), StandardCharsets.UTF_8);
  }
}
