package io.sparkotel.agent.export;

import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.exporter.otlp.internal.GrpcExporter;
import io.opentelemetry.exporter.otlp.internal.HttpExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporterBuilder;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.OtlpConfig;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

/** Makes the exporter that the settings name. */
public final class Exporters {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** LogManager forgets a logger, and what was set on it, that nobody holds. */
  private static final Set<Logger> SILENCED = ConcurrentHashMap.newKeySet();

  private Exporters() {}

  /**
   * Loads most of the SDK: for the pipeline's thread.
   *
   * @throws RuntimeException where the settings cannot work, such as a certificate that is none
   */
  public static SpanExporter create(AgentConfig.Exporter exporter, AgentConfig config) {
    switch (exporter) {
      case OTLP:
        return config.otlp().protocol() == OtlpConfig.Protocol.GRPC
            ? Grpc.exporter(config.otlp())
            : Http.exporter(config.otlp());
      case OTLP_FILE:
        return new FileExporter(config.file());
      case CONSOLE:
        return ConsoleExporter.onStderr();
      case NONE:
        break;
    }
    return SpanExporter.composite();
  }

  /** The SDK counts in a long of nanoseconds. */
  private static Duration timeout(OtlpConfig otlp) {
    return Duration.ofMillis(Math.min(otlp.timeoutMillis(), Integer.MAX_VALUE));
  }

  private static Duration connectTimeout(OtlpConfig otlp) {
    long millis = otlp.timeoutMillis();
    return millis > 0 && millis < CONNECT_TIMEOUT.toMillis()
        ? Duration.ofMillis(millis)
        : CONNECT_TIMEOUT;
  }

  private static String compression(OtlpConfig otlp) {
    return otlp.gzip() ? "gzip" : "none";
  }

  /** Gives the SDK one provider of ours, and nothing that a service file may name. */
  private static <P> ComponentLoader only(Class<P> type, P provider) {
    return new ComponentLoader() {
      @Override
      public <T> Iterable<T> load(Class<T> spi) {
        return spi == type ? Collections.singleton(spi.cast(provider)) : Collections.emptyList();
      }
    };
  }

  /**
   * Keeps the SDK from printing stack traces of failed exports on the application's console. A
   * filter, since LogManager.reset takes levels away.
   */
  private static void silence(Class<?> exporter) {
    Logger logger = Logger.getLogger(exporter.getName());
    logger.setFilter(entry -> false);
    SILENCED.add(logger);
  }

  static final class Http {
    private Http() {}

    static SpanExporter exporter(OtlpConfig otlp) {
      silence(HttpExporter.class);
      HeaderSource headers = new HeaderSource(otlp.headers(), otlp.headersFile());
      OtlpHttpSpanExporterBuilder builder =
          OtlpHttpSpanExporter.builder()
              .setComponentLoader(
                  only(HttpSenderProvider.class, sender -> new OtlpHttpSender(sender, headers)))
              .setEndpoint(otlp.endpoint())
              .setHeaders(headers)
              .setTimeout(timeout(otlp))
              .setConnectTimeout(connectTimeout(otlp))
              .setCompression(compression(otlp))
              .setRetryPolicy(null)
              .setMeterProvider(MeterProvider.noop())
              .setMemoryMode(MemoryMode.REUSABLE_DATA);
      if (otlp.trustedCertificates() != null) {
        builder.setTrustedCertificates(otlp.trustedCertificates());
      }
      if (otlp.clientKey() != null && otlp.clientCertificate() != null) {
        builder.setClientTls(otlp.clientKey(), otlp.clientCertificate());
      }
      return builder.build();
    }
  }

  /** Apart, so that okhttp and Kotlin are loaded only when they are asked for. */
  static final class Grpc {
    private Grpc() {}

    static SpanExporter exporter(OtlpConfig otlp) {
      silence(GrpcExporter.class);
      HeaderSource headers = new HeaderSource(otlp.headers(), otlp.headersFile());
      OtlpGrpcSpanExporterBuilder builder =
          OtlpGrpcSpanExporter.builder()
              .setComponentLoader(
                  only(GrpcSenderProvider.class, sender -> new OtlpGrpcSender(sender, headers)))
              .setEndpoint(otlp.endpoint())
              .setHeaders(headers)
              .setTimeout(timeout(otlp))
              .setConnectTimeout(connectTimeout(otlp))
              .setCompression(compression(otlp))
              .setRetryPolicy(null)
              .setMeterProvider(MeterProvider.noop())
              .setMemoryMode(MemoryMode.REUSABLE_DATA);
      if (otlp.trustedCertificates() != null) {
        builder.setTrustedCertificates(otlp.trustedCertificates());
      }
      if (otlp.clientKey() != null && otlp.clientCertificate() != null) {
        builder.setClientTls(otlp.clientKey(), otlp.clientCertificate());
      }
      return builder.build();
    }
  }
}
