package io.sparkotel.agent.export;

import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Unconnected sockets that will connect directly: plain ones ask the JVM's proxy selector for a
 * SOCKS proxy.
 */
final class DirectSockets extends SocketFactory {

  @Override
  public Socket createSocket() {
    return new Socket(Proxy.NO_PROXY);
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
    throw new UnsupportedOperationException();
  }
}
