package io.sparkotel.agent.config;

import io.sparkotel.agent.config.SettingReader.Found;
import java.io.File;
import java.net.URL;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the collector is reached. Immutable. */
public final class OtlpConfig {

  private static final int HTTP_PORT = 4318;
  private static final int GRPC_PORT = 4317;
  private static final String TRACES_PATH = "v1/traces";

  /** The two protocols of OTLP that are supported. */
  public enum Protocol {
    HTTP_PROTOBUF,
    GRPC
  }

  private final Protocol protocol;
  private final String endpoint;
  private final Map<String, String> headers;
  private final File headersFile;
  private final boolean gzip;
  private final long timeoutMillis;
  private final byte[] trustedCertificates;
  private final byte[] clientKey;
  private final byte[] clientCertificate;

  private OtlpConfig(Builder builder) {
    this.protocol = builder.protocol;
    this.endpoint = builder.endpoint;
    this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
    this.headersFile = builder.headersFile;
    this.gzip = builder.gzip;
    this.timeoutMillis = builder.timeoutMillis;
    this.trustedCertificates = copy(builder.trustedCertificates);
    this.clientKey = copy(builder.clientKey);
    this.clientCertificate = copy(builder.clientCertificate);
  }

  /**
   * Starts with no headers, no compression, no TLS files and a timeout of 10 s.
   *
   * @param endpoint as {@link #endpoint()}
   */
  public static Builder builder(Protocol protocol, String endpoint) {
    return new Builder(protocol, endpoint);
  }

  static OtlpConfig read(SettingReader reader) {
    Protocol protocol = reader.read(Settings.TRACES_PROTOCOL);
    Builder builder = builder(protocol, readEndpoint(reader, protocol));
    builder.headers(reader.read(Settings.TRACES_HEADERS));
    builder.headersFile(readHeadersFile(reader));
    builder.gzip(reader.read(Settings.TRACES_COMPRESSION));
    builder.timeoutMillis(reader.read(Settings.TRACES_TIMEOUT));
    builder.trustedCertificates(reader.read(Settings.TRACES_CERTIFICATE));
    Found<byte[]> key = reader.find(Settings.TRACES_CLIENT_KEY);
    Found<byte[]> certificate = reader.find(Settings.TRACES_CLIENT_CERTIFICATE);
    if (key.value != null && certificate.value != null) {
      builder.clientTls(key.value, certificate.value);
    } else if (key.value != null) {
      reader.complain(key, "a client key without a usable client certificate", "neither");
    } else if (certificate.value != null) {
      reader.complain(certificate, "a client certificate without a usable client key", "neither");
    }
    return builder.build();
  }

  private static String readEndpoint(SettingReader reader, Protocol protocol) {
    boolean grpc = protocol == Protocol.GRPC;
    Found<URL> found = reader.find(Settings.TRACES_ENDPOINT);
    URL url = found.value;
    if (url == null) {
      return grpc
          ? "http://localhost:" + GRPC_PORT
          : "http://localhost:" + HTTP_PORT + "/v1/traces";
    }
    String base =
        url.getProtocol() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort());
    String path = url.getPath();
    String endpoint = base;
    if (!grpc && found.setting == Settings.TRACES_ENDPOINT) {
      endpoint = base + (path.isEmpty() ? "/" : path);
    } else if (!grpc) {
      endpoint = base + path + (path.endsWith("/") ? "" : "/") + TRACES_PATH;
    } else if (!path.isEmpty() && !path.equals("/")) {
      reader.complain(found, "grpc has no path", base);
    }
    if (url.getPort() == (grpc ? HTTP_PORT : GRPC_PORT)) {
      reader.complain(
          found,
          grpc
              ? "port 4318 is the one of http/protobuf, but otel.exporter.otlp.protocol is grpc"
              : "port 4317 is the one of grpc, but otel.exporter.otlp.protocol is http/protobuf",
          endpoint);
    }
    return endpoint;
  }

  private static File readHeadersFile(SettingReader reader) {
    Found<File> found = reader.find(Settings.HEADERS_FILE);
    if (found.value != null && !(found.value.isFile() && found.value.canRead())) {
      reader.complain(found, "the file cannot be read now", "it as soon as it can be read");
    }
    return found.value;
  }

  public Protocol protocol() {
    return protocol;
  }

  /**
   * For http/protobuf the whole URL of the requests; for grpc {@code scheme://host:port}, the port
   * only where it was given. Never with user info.
   */
  public String endpoint() {
    return endpoint;
  }

  /** Decoded; names as given. Secret. */
  public Map<String, String> headers() {
    return headers;
  }

  /** File with further headers, to be read again when it changes, or null. It may not exist yet. */
  public File headersFile() {
    return headersFile;
  }

  public boolean gzip() {
    return gzip;
  }

  /** How long a request may take; 0 is no limit. */
  public long timeoutMillis() {
    return timeoutMillis;
  }

  /** X.509 certificates in PEM, or null for the JVM's own. */
  public byte[] trustedCertificates() {
    return copy(trustedCertificates);
  }

  /** PKCS #8 in PEM, not checked further; null exactly where {@link #clientCertificate()} is. */
  public byte[] clientKey() {
    return copy(clientKey);
  }

  /** X.509 certificate chain in PEM, or null. */
  public byte[] clientCertificate() {
    return copy(clientCertificate);
  }

  private static byte[] copy(byte[] bytes) {
    return bytes == null ? null : bytes.clone();
  }

  /** Not thread-safe. */
  public static final class Builder {
    private final Protocol protocol;
    private final String endpoint;
    private Map<String, String> headers = Collections.emptyMap();
    private File headersFile;
    private boolean gzip;
    private long timeoutMillis = Settings.TIMEOUT.defaultValue();
    private byte[] trustedCertificates;
    private byte[] clientKey;
    private byte[] clientCertificate;

    private Builder(Protocol protocol, String endpoint) {
      this.protocol = protocol;
      this.endpoint = endpoint;
    }

    public Builder headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    public Builder headersFile(File headersFile) {
      this.headersFile = headersFile;
      return this;
    }

    public Builder gzip(boolean gzip) {
      this.gzip = gzip;
      return this;
    }

    public Builder timeoutMillis(long timeoutMillis) {
      this.timeoutMillis = timeoutMillis;
      return this;
    }

    public Builder trustedCertificates(byte[] pem) {
      this.trustedCertificates = pem;
      return this;
    }

    public Builder clientTls(byte[] keyPem, byte[] certificatePem) {
      this.clientKey = keyPem;
      this.clientCertificate = certificatePem;
      return this;
    }

    public OtlpConfig build() {
      return new OtlpConfig(this);
    }
  }
}
