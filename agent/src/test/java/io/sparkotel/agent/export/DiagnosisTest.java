package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.sparkotel.agent.config.OtlpConfig;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What no server of a unit test can be made to answer. */
class DiagnosisTest {

  private static final Target TARGET =
      new Target(
          OtlpConfig.builder(OtlpConfig.Protocol.GRPC, "http://collector:4317").build(), port -> 0);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UNAUTHENTICATED   | the collector asks for credentials, and no headers are sent: gRPC UNAUTHENTICATED, why
          PERMISSION_DENIED | the collector asks for credentials, and no headers are sent: gRPC PERMISSION_DENIED, why
          UNIMPLEMENTED     | collector:4317 speaks gRPC, but takes no OTLP traces: gRPC UNIMPLEMENTED, why
          UNKNOWN           | collector:4317 speaks gRPC, but takes no OTLP traces: gRPC UNKNOWN, why
          UNAVAILABLE       | the collector is not available: gRPC UNAVAILABLE, why
          DEADLINE_EXCEEDED | connected to collector:4317, but there is no answer within 10000 ms
          RESOURCE_EXHAUSTED | the collector is busy: gRPC RESOURCE_EXHAUSTED, why
          INVALID_ARGUMENT  | the test span was not delivered: gRPC INVALID_ARGUMENT, why
          """)
  void grpcStatus(GrpcStatusCode status, String what) {
    assertThat(Diagnosis.ofRequest(TARGET, ExportFailure.grpc(status, "why")).what())
        .isEqualTo(what);
  }

  @Test
  void aMessageAboveTheLimitOfAServer() {
    ExportFailure failure =
        ExportFailure.grpc(GrpcStatusCode.RESOURCE_EXHAUSTED, "message larger than max");
    assertThat(Diagnosis.ofRequest(TARGET, failure).what())
        .isEqualTo(
            "the collector finds one small span too large: gRPC RESOURCE_EXHAUSTED, message larger"
                + " than max");
  }

  @Test
  void connections() {
    assertThat(Diagnosis.ofConnect(TARGET, new SocketTimeoutException()).what())
        .isEqualTo("no connection to collector:4317 within 10000 ms");
    assertThat(Diagnosis.ofConnect(TARGET, new NoRouteToHostException()).what())
        .isEqualTo("there is no way to collector:4317");
    assertThat(Diagnosis.ofConnect(TARGET, new IOException("no more sockets")).what())
        .isEqualTo("the test span was not delivered: IOException: no more sockets");
  }

  @ParameterizedTest
  @EnumSource
  void everyFindingTakesItsValues(Finding finding) {
    assertThat(finding.what("a", "b", "c")).isNotEmpty().doesNotContain("%s");
    assertThat(finding.remedy("a", "b", "c")).endsWith(".").doesNotContain("%s");
  }
}
