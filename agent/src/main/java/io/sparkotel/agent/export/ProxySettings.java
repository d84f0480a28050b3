package io.sparkotel.agent.export;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The standard proxy properties of the JDK ({@code https.proxyHost}, {@code http.nonProxyHosts},
 * ...), read by ourselves: the JVM's default proxy selector belongs to the application.
 */
final class ProxySettings {

  private static final String NEVER_PROXIED = "localhost|127.*|[::1]";

  private ProxySettings() {}

  /** The proxy for the endpoint, its name not resolved yet, or null for a direct connection. */
  static InetSocketAddress find(URI endpoint, UnaryOperator<String> property) {
    String scheme = endpoint.getScheme().toLowerCase(Locale.ROOT);
    String host = property.apply(scheme + ".proxyHost");
    if (host == null || host.isEmpty() || isExcluded(endpoint, property)) {
      return null;
    }
    int port = scheme.equals("https") ? 443 : 80;
    String configured = property.apply(scheme + ".proxyPort");
    if (configured != null && configured.matches("\\d{1,5}")) {
      port = Integer.parseInt(configured);
    }
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static boolean isExcluded(URI endpoint, UnaryOperator<String> property) {
    String list = property.apply("http.nonProxyHosts");
    for (String pattern : (list == null ? NEVER_PROXIED : list).split("\\|")) {
      String regex = Pattern.quote(pattern.trim()).replace("*", "\\E.*\\Q");
      if (Pattern.compile(regex, Pattern.CASE_INSENSITIVE).matcher(endpoint.getHost()).matches()) {
        return true;
      }
    }
    return false;
  }
}
