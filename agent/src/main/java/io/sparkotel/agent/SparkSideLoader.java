package io.sparkotel.agent;

import io.sparkotel.bootstrap.AgentClassLoader;
import java.io.IOException;

/**
 * Defines the classes that see both Spark and the agent, once for each class loader that holds a
 * Spark: {@code io.sparkotel.agent.spark} from the agent's jar, {@code org.apache.spark} and {@code
 * scala} from Spark's loader, the rest from the agent's.
 */
final class SparkSideLoader extends ClassLoader {

  private static final String OWN = "io.sparkotel.agent.spark.";

  static {
    registerAsParallelCapable();
  }

  private final AgentClassLoader agent;
  private final ClassLoader spark;

  SparkSideLoader(AgentClassLoader agent, ClassLoader spark) {
    super(agent);
    this.agent = agent;
    this.spark = spark;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith("org.apache.spark.") || name.startsWith("scala.")) {
      return spark.loadClass(name);
    }
    if (!name.startsWith(OWN)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes;
    try {
      bytes = agent.classFile(name);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }
}
