package io.sparkotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionSpec;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Calls by okhttp, on the caller's thread. Every failure is an {@link ExportFailure}, a partial
 * success among them.
 *
 * <p>Not the SDK's sender: its client asks the JVM's proxy selector, which belongs to the
 * application, and cannot be told otherwise.
 */
final class OtlpGrpcSender implements GrpcSender {

  private static final MediaType CONTENT_TYPE = MediaType.get("application/grpc");

  private final GrpcSenderConfig config;
  private final HeaderSource headers;
  private final HttpUrl url;
  private final OkHttpClient client;
  private final Body body = new Body();

  OtlpGrpcSender(GrpcSenderConfig config, HeaderSource headers) {
    this.config = config;
    this.headers = headers;
    URI endpoint = config.getEndpoint();
    this.url = HttpUrl.get(endpoint.resolve("/" + config.getFullMethodName()).toString());
    OkHttpClient.Builder builder =
        new OkHttpClient.Builder()
            .proxy(proxy(endpoint))
            .socketFactory(new DirectSockets())
            .followRedirects(false)
            .connectTimeout(config.getConnectTimeout())
            // The time of the whole call is what counts.
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .callTimeout(bounded(config.getTimeout()));
    if (url.isHttps()) {
      builder.protocols(Arrays.asList(Protocol.HTTP_2, Protocol.HTTP_1_1));
      trust(builder);
    } else {
      builder.protocols(Collections.singletonList(Protocol.H2_PRIOR_KNOWLEDGE));
      // Else it sets TLS up all the same.
      builder.connectionSpecs(Collections.singletonList(ConnectionSpec.CLEARTEXT));
    }
    this.client = builder.build();
  }

  /** The client takes no more than an int of milliseconds; the SDK says none as more than that. */
  private static Duration bounded(Duration timeout) {
    Duration longest = Duration.ofMillis(Integer.MAX_VALUE);
    return timeout.compareTo(longest) < 0 ? timeout : longest;
  }

  private static Proxy proxy(URI endpoint) {
    InetSocketAddress address = ProxySettings.find(endpoint, System::getProperty);
    return address == null ? Proxy.NO_PROXY : new Proxy(Proxy.Type.HTTP, address);
  }

  private void trust(OkHttpClient.Builder builder) {
    if (config.getSslContext() != null) {
      X509TrustManager trusted = config.getTrustManager();
      builder.sslSocketFactory(
          config.getSslContext().getSocketFactory(), trusted == null ? trustOfTheJvm() : trusted);
    }
  }

  private static X509TrustManager trustOfTheJvm() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager) {
          return (X509TrustManager) manager;
        }
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no TLS in this JVM", e);
    }
    throw new IllegalStateException("no TLS in this JVM");
  }

  @Override
  public void send(
      MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
    GrpcAnswer answer;
    try {
      answer = call(message);
    } catch (ExportFailure e) {
      onError.accept(e);
      return;
    }
    onResponse.accept(answer);
  }

  /** Ends a call that is under way, too. */
  @Override
  public CompletableResultCode shutdown() {
    client.dispatcher().cancelAll();
    client.connectionPool().evictAll();
    return CompletableResultCode.ofSuccess();
  }

  private GrpcAnswer call(MessageWriter message) throws ExportFailure {
    if (message.getContentLength() >= OtlpHttpSender.MAX_REQUEST) {
      throw ExportFailure.tooLarge(message.getContentLength());
    }
    try {
      body.fill(message, config);
    } catch (IOException e) {
      throw ExportFailure.refused(ExportFailure.describe(e));
    }
    GrpcAnswer answer = exchange();
    if (answer.isUnauthorized() && headers.reload()) {
      answer = exchange();
    }
    if (answer.getStatusCode() != GrpcStatusCode.OK) {
      throw ExportFailure.grpc(answer.getStatusCode(), answer.getStatusDescription());
    }
    ExportFailure partial = PartialSuccess.read(answer.getResponseMessage());
    if (partial != null) {
      throw partial;
    }
    return answer;
  }

  private GrpcAnswer exchange() throws ExportFailure {
    Request request = new Request.Builder().url(url).headers(head()).post(body.content()).build();
    try (Response response = client.newCall(request).execute()) {
      return GrpcAnswer.read(response);
    } catch (IOException e) {
      throw ExportFailure.network(e);
    }
  }

  private Headers head() throws ExportFailure {
    Headers.Builder head = new Headers.Builder().add("te", "trailers");
    if (config.getCompressor() != null) {
      head.add("grpc-encoding", config.getCompressor().getEncoding());
    }
    for (Map.Entry<String, List<String>> entry : config.getHeadersSupplier().get().entrySet()) {
      for (String value : entry.getValue()) {
        HeaderSource.check(entry.getKey(), value);
        head.addUnsafeNonAscii(entry.getKey(), value);
      }
    }
    return head.build();
  }

  /** One message behind its prefix, in a buffer that serves all calls. */
  private static final class Body extends ByteArrayOutputStream {

    void fill(MessageWriter message, GrpcSenderConfig config) throws IOException {
      reset();
      write(new byte[GrpcAnswer.PREFIX_BYTES], 0, GrpcAnswer.PREFIX_BYTES);
      boolean compressed = config.getCompressor() != null;
      if (compressed) {
        try (OutputStream out = config.getCompressor().compress(this)) {
          message.writeMessage(out);
        }
      } else {
        message.writeMessage(this);
      }
      ByteBuffer prefix = ByteBuffer.wrap(buf);
      prefix.put((byte) (compressed ? 1 : 0)).putInt(count - GrpcAnswer.PREFIX_BYTES);
    }

    RequestBody content() {
      return RequestBody.create(buf, CONTENT_TYPE, 0, count);
    }
  }
}
