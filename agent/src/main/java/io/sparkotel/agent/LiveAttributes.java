package io.sparkotel.agent;

import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import java.io.File;
import java.io.IOException;
import java.util.Locale;

/** What only the live process knows of the application. */
final class LiveAttributes {

  private LiveAttributes() {}

  /**
   * @param uiUrl null where Spark's UI is off
   */
  static AttributeList of(String uiUrl) {
    AttributeList.Builder attributes = AttributeList.builder();
    attributes.put(Names.UI_URL, uiUrl);
    attributes.put(Names.PROCESS_PID, pid());
    attributes.put(Names.PROCESS_RUNTIME_NAME, System.getProperty("java.runtime.name"));
    attributes.put(Names.PROCESS_RUNTIME_VERSION, System.getProperty("java.runtime.version"));
    attributes.put(Names.OS_TYPE, osType(System.getProperty("os.name", "")));
    return attributes.build();
  }

  /** The values are those of OpenTelemetry's conventions. */
  private static String osType(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.startsWith("linux")) {
      return "linux";
    }
    if (lower.startsWith("mac")) {
      return "darwin";
    }
    return lower.startsWith("windows") ? "windows" : null;
  }

  /** By ProcessHandle from Java 9 on, by Linux' own link on Java 8; null elsewhere. */
  private static Long pid() {
    try {
      Class<?> handle = Class.forName("java.lang.ProcessHandle");
      Object current = handle.getMethod("current").invoke(null);
      return (Long) handle.getMethod("pid").invoke(current);
    } catch (ReflectiveOperationException e) {
      return linuxPid();
    }
  }

  private static Long linuxPid() {
    try {
      return Long.valueOf(new File("/proc/self").getCanonicalFile().getName());
    } catch (IOException | NumberFormatException e) {
      // No such link here: the process id stays unknown.
      return null;
    }
  }
}
