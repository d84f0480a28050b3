package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.export.HttpResponse;

/** An HTTP answer as far as OTLP needs it; the body is cut at {@link HttpConnection#MAX_ANSWER}. */
final class HttpAnswer implements HttpResponse {

  private final int status;
  private final String reason;
  private final String contentType;
  private final String retryAfter;
  private final String location;
  private final byte[] body;

  /** The headers that are not there are null. */
  HttpAnswer(
      int status,
      String reason,
      String contentType,
      String retryAfter,
      String location,
      byte[] body) {
    this.status = status;
    this.reason = reason;
    this.contentType = contentType;
    this.retryAfter = retryAfter;
    this.location = location;
    this.body = body;
  }

  @Override
  public int getStatusCode() {
    return status;
  }

  @Override
  public String getStatusMessage() {
    return reason;
  }

  @Override
  @SuppressWarnings("MutableArrayReturn")
  public byte[] getResponseBody() {
    return body;
  }

  boolean isSuccess() {
    return status >= 200 && status < 300;
  }

  boolean isProtobuf() {
    return contentType != null && contentType.startsWith("application/x-protobuf");
  }

  boolean isHtml() {
    return contentType != null && contentType.startsWith("text/html");
  }

  /** The header's value, or null. */
  String retryAfter() {
    return retryAfter;
  }

  /** Where a redirect leads to, or null. */
  String location() {
    return location;
  }
}
