package io.sparkotel.agent.config;

import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;

/** The URL of a collector. */
final class EndpointType extends ValueType<URL> {
  private static final String NO_SCHEME = "not a URL, it has no scheme";

  EndpointType() {
    super("http://HOST:PORT, https://HOST:PORT, with a path for http/protobuf");
  }

  @Override
  URL parse(String text, StringBuilder complaint) {
    URL url;
    try {
      url = new URL(null, text, NotOpened.HANDLER);
      if (!"http".equals(url.getProtocol()) && !"https".equals(url.getProtocol())) {
        complaint.append(text.contains("://") ? "the scheme is neither http nor https" : NO_SCHEME);
        return null;
      }
      url.toURI();
    } catch (MalformedURLException e) {
      complaint.append(text.contains("://") ? "not a URL" : NO_SCHEME);
      return null;
    } catch (URISyntaxException e) {
      complaint.append("not a URL, it has a character that must be percent-encoded");
      return null;
    }
    if (url.getHost().isEmpty() || url.getPort() > 0xFFFF) {
      complaint.append(url.getHost().isEmpty() ? "a URL without a host" : "no such port");
      return null;
    }
    if (url.getQuery() != null || url.getRef() != null) {
      complaint.append("a URL with a query or a fragment");
      return null;
    }
    if (url.getUserInfo() == null) {
      return url;
    }
    complaint.append(
        "a URL with user info, which is never sent: use otel.exporter.otlp.headers for it");
    try {
      return new URL(
          url.getProtocol(), url.getHost(), url.getPort(), url.getFile(), NotOpened.HANDLER);
    } catch (MalformedURLException e) {
      // Cannot be: every part was just read from a URL.
      return null;
    }
  }

  /** Keeps the JVM's handlers out of it: an application may have set a factory of its own. */
  private static final class NotOpened extends URLStreamHandler {
    static final URLStreamHandler HANDLER = new NotOpened();

    @Override
    protected URLConnection openConnection(URL url) {
      throw new UnsupportedOperationException();
    }
  }
}
