package io.sparkotel.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Versions as the build wrote them. */
public final class Version {

  public static final String AGENT;
  public static final String OPENTELEMETRY;

  static {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new IllegalStateException("version.properties", e);
    }
    AGENT = properties.getProperty("agent");
    OPENTELEMETRY = properties.getProperty("opentelemetry");
  }

  private Version() {}
}
