package io.sparkotel.agent.export;

import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.config.OtlpConfig;
import java.nio.file.Path;
import java.util.Map;

/** HTTP exporters for tests. */
final class Otlp {

  private Otlp() {}

  static SpanExporter http(
      String endpoint,
      Map<String, String> headers,
      Path headersFile,
      boolean gzip,
      long timeoutMillis) {
    return Exporters.Http.exporter(
        OtlpConfig.builder(OtlpConfig.Protocol.HTTP_PROTOBUF, endpoint)
            .headers(headers)
            .headersFile(headersFile == null ? null : headersFile.toFile())
            .gzip(gzip)
            .timeoutMillis(timeoutMillis)
            .build());
  }

  /** An answer without headers and body. */
  static HttpAnswer answer(int status) {
    return new HttpAnswer(status, "Reason", null, null, null, new byte[0]);
  }

  static SpanExporter https(String endpoint, byte[] trusted, byte[] key, byte[] certificate) {
    return Exporters.Http.exporter(
        OtlpConfig.builder(OtlpConfig.Protocol.HTTP_PROTOBUF, endpoint)
            .trustedCertificates(trusted)
            .clientTls(key, certificate)
            .build());
  }
}
