package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code java -jar spark-otel-agent.jar check} with the shipped jar. */
class CheckIT {

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource
  void theTestSpanArrives(OtlpReceiver.Protocol protocol) {
    boolean grpc = protocol == OtlpReceiver.Protocol.GRPC;
    try (OtlpReceiver receiver = OtlpReceiver.start();
        SparkProcess check =
            check(
                grpc ? receiver.grpcEndpoint() : receiver.httpEndpoint(),
                grpc ? "grpc" : "http/protobuf",
                "--conf",
                "spark.otel.service.name=checked")) {
      check.assertExit(0);
      assertThat(check.stderr()).isEmpty();
      assertThat(receiver.complaints()).isEmpty();
      SpanNode span = receiver.spans().get(0);
      assertThat(receiver.spans()).hasSize(1);
      assertThat(span.name()).isEqualTo("spark-otel-agent check");
      assertThat(span.resource()).containsEntry("service.name", "checked");
      assertThat(receiver.requests().get(0).protocol()).isEqualTo(protocol);
      assertThat(check.stdout().lines())
          .contains("  Look for trace " + span.traceId() + " of service checked in your back end.")
          .endsWith("all is well");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theOtherProtocolsPort(OtlpReceiver.Protocol protocol) {
    boolean grpc = protocol == OtlpReceiver.Protocol.GRPC;
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      String endpoint = grpc ? receiver.httpEndpoint() : receiver.grpcEndpoint();
      String address = endpoint.substring("http://".length());
      assertFails(
          check(endpoint, grpc ? "grpc" : "http/protobuf"),
          grpc
              ? address + " speaks HTTP/1.1, but otel.exporter.otlp.protocol is grpc"
              : address + " speaks gRPC, but otel.exporter.otlp.protocol is http/protobuf");
      assertThat(receiver.requests()).isEmpty();
    }
  }

  @Test
  void whatGrpcAnswersIsExplained() {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      receiver.behave(Behaviour.refuse(401));
      assertFails(
          check(receiver.grpcEndpoint(), "grpc"),
          "the collector asks for credentials, and no headers are sent:"
              + " gRPC UNAUTHENTICATED, refused by the test");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClosedPort(OtlpReceiver.Protocol protocol) throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    boolean grpc = protocol == OtlpReceiver.Protocol.GRPC;
    assertFails(
        check("http://127.0.0.1:" + port, grpc ? "grpc" : "http/protobuf"),
        "nothing listens at 127.0.0.1:" + port);
  }

  @ParameterizedTest
  @EnumSource
  void aCertificateThatNobodyKnows(OtlpReceiver.Protocol protocol) throws Exception {
    boolean grpc = protocol == OtlpReceiver.Protocol.GRPC;
    InetSocketAddress anyPort =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    HttpsServer server = HttpsServer.create(anyPort, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(selfSigned()));
    server.start();
    try {
      String address = "127.0.0.1:" + server.getAddress().getPort();
      assertFails(
          check("https://" + address, grpc ? "grpc" : "http/protobuf"),
          "the certificate of "
              + address
              + " is not trusted; it is for CN=nobody, signed by CN=nobody");
    } finally {
      server.stop(0);
    }
  }

  /** Made by the JDK's keytool. */
  private SSLContext selfSigned() throws Exception {
    Path file = temp.resolve("keys.p12");
    List<String> keytool = new ArrayList<>();
    keytool.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    keytool.addAll(List.of("-genkeypair", "-alias", "key", "-keyalg", "RSA", "-keysize", "2048"));
    keytool.addAll(List.of("-dname", "CN=nobody", "-ext", "san=ip:127.0.0.1"));
    keytool.addAll(List.of("-storetype", "PKCS12", "-storepass", "changeit"));
    keytool.addAll(List.of("-keystore", file.toString()));
    assertThat(new ProcessBuilder(keytool).inheritIO().start().waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    return context;
  }

  private static void assertFails(SparkProcess check, String what) {
    check.assertExit(1);
    assertThat(check.stderr()).isEmpty();
    assertThat(check.stdout().lines())
        .contains("  failed: " + what)
        .endsWith("not all is well, see above");
  }

  private SparkProcess check(String endpoint, String protocol, String... more) {
    List<Object> arguments = new ArrayList<>(List.of("-jar", Layout.agentJar(), "check"));
    arguments.addAll(List.of("--conf", "spark.otel.exporter.otlp.endpoint=" + endpoint));
    arguments.addAll(List.of("--conf", "spark.otel.exporter.otlp.protocol=" + protocol));
    arguments.addAll(List.of(more));
    Path home = Path.of(System.getProperty("java.home"));
    return PlainJava.run(home, temp, arguments.toArray());
  }
}
