package io.sparkotel.bootstrap;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.AtomicBoolean;

/** Entry point of {@code -javaagent}: installs the name check and nothing else. */
public final class SparkOtelAgent {

  private static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private SparkOtelAgent() {}

  /**
   * Never throws. A second {@code -javaagent} of the same kind is a silent no-op.
   *
   * @param arguments {@code key=value;key=value}, or null
   */
  public static void premain(String arguments, Instrumentation instrumentation) {
    try {
      if (INSTALLED.compareAndSet(false, true)) {
        instrumentation.addTransformer(new SparkTransformer(arguments, instrumentation));
      }
    } catch (Throwable e) {
      System.err.println("[spark-otel-agent] not installed: " + e);
    }
  }
}
