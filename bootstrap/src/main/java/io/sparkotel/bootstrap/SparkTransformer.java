package io.sparkotel.bootstrap;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Looks at the name of every class that is loaded; the agent itself is loaded with the first of
 * Spark's that has to be woven. Once the Spark of the class path is, it looks at no more.
 */
final class SparkTransformer implements ClassFileTransformer {

  private static final String SPARK = "org/apache/spark/";
  private static final String CONTEXT = "org/apache/spark/SparkContext";
  private static final String LISTENER_BUS = "org/apache/spark/scheduler/LiveListenerBus";

  private final String arguments;
  private final Instrumentation instrumentation;

  private AgentEntry entry;
  private boolean failed;
  private boolean contextSeen;
  private boolean listenerBusSeen;

  SparkTransformer(String arguments, Instrumentation instrumentation) {
    this.arguments = arguments;
    this.instrumentation = instrumentation;
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (className == null
        || loader == null
        || redefined != null
        || !className.startsWith(SPARK)
        || !(className.equals(CONTEXT) || className.equals(LISTENER_BUS))) {
      return null;
    }
    try {
      AgentEntry agent = entry();
      return agent == null ? null : agent.weave(className, classFile);
    } catch (Throwable e) {
      fail(e);
      return null;
    } finally {
      seen(className, loader);
    }
  }

  /**
   * A Spark that other loaders bring is found by name there first; only where the class path has
   * none, several may be loaded. To look on would cost every class that is loaded later: the JVM
   * hands over its bytes.
   */
  private synchronized void seen(String className, ClassLoader loader) {
    if (loader == ClassLoader.getSystemClassLoader()) {
      contextSeen |= className.equals(CONTEXT);
      listenerBusSeen |= className.equals(LISTENER_BUS);
      if (contextSeen && listenerBusSeen) {
        instrumentation.removeTransformer(this);
      }
    }
  }

  private synchronized AgentEntry entry() throws Exception {
    if (entry == null && !failed && !isSwitchedOff()) {
      // Set first: whatever goes wrong below goes wrong once.
      failed = true;
      entry = AgentClassLoader.loadAgent(arguments, instrumentation);
      SparkHook.connect(entry);
      failed = false;
    }
    return entry;
  }

  /** The switch of the environment spares the weaving too; the other sources are read later. */
  private static boolean isSwitchedOff() {
    return "false".equalsIgnoreCase(System.getenv("OTEL_SPARK_ENABLED"));
  }

  private synchronized void fail(Throwable e) {
    failed = true;
    entry = null;
    System.err.println("[spark-otel-agent] off, the application runs untraced: " + e);
  }
}
