package io.sparkotel.scenarios;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/** {@link ExitCode}, after everything that a JVM has but once was set to something that fails. */
public final class ChangedStatics {

  private ChangedStatics() {}

  public static void main(String[] args) {
    Locale.setDefault(new Locale("tr", "TR"));
    TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            throw used("ProxySelector");
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {
            throw used("ProxySelector");
          }
        });
    Authenticator.setDefault(
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            throw used("Authenticator");
          }
        });
    CookieHandler.setDefault(
        new CookieHandler() {
          @Override
          public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) {
            throw used("CookieHandler");
          }

          @Override
          public void put(URI uri, Map<String, List<String>> headers) {
            throw used("CookieHandler");
          }
        });
    HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> false);
    HttpsURLConnection.setDefaultSSLSocketFactory(new NoSockets());
    URL.setURLStreamHandlerFactory(
        protocol -> {
          if (protocol.startsWith("http")) {
            throw used("URLStreamHandlerFactory");
          }
          return null;
        });
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.out.println("uncaught: " + e));
    ExitCode.main(args);
  }

  private static IllegalStateException used(String what) {
    System.out.println("used: " + what);
    return new IllegalStateException(what);
  }

  private static final class NoSockets extends SSLSocketFactory {
    @Override
    public String[] getDefaultCipherSuites() {
      throw used("SSLSocketFactory");
    }

    @Override
    public String[] getSupportedCipherSuites() {
      throw used("SSLSocketFactory");
    }

    @Override
    public Socket createSocket(Socket s, String host, int port, boolean autoClose) {
      throw used("SSLSocketFactory");
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw used("SSLSocketFactory");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
      throw used("SSLSocketFactory");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw used("SSLSocketFactory");
    }

    @Override
    public Socket createSocket(
        InetAddress address, int port, InetAddress localAddress, int localPort) {
      throw used("SSLSocketFactory");
    }
  }
}
