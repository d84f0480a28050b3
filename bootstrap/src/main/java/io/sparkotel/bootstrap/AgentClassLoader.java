package io.sparkotel.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.security.CodeSource;
import java.util.Collections;
import java.util.Enumeration;

/**
 * Loads the agent and its libraries from the inner jar. Nobody sees its classes by name, and it
 * sees nothing of the application: its lookup goes JDK platform classes, inner jar, and for the
 * package of this class the loader of this class.
 */
public final class AgentClassLoader extends ClassLoader {

  private static final String BOOTSTRAP_PACKAGE = "io.sparkotel.bootstrap.";
  private static final String AGENT_CLASS = "io.sparkotel.agent.AgentMain";
  private static final String COMMAND_CLASS = "io.sparkotel.agent.cli.Main";
  private static final String REPLAY_CLASS = "io.sparkotel.agent.cli.SparkReplay";

  static {
    registerAsParallelCapable();
  }

  private final InnerJar jar;

  private AgentClassLoader(InnerJar jar) {
    super(platformLoader());
    this.jar = jar;
  }

  static AgentEntry loadAgent(String arguments, Instrumentation instrumentation) throws Exception {
    File file = jarFile();
    return Class.forName(AGENT_CLASS, true, new AgentClassLoader(new InnerJar(file)))
        .asSubclass(AgentEntry.class)
        .getConstructor(String.class, Instrumentation.class, File.class)
        .newInstance(arguments, instrumentation, file);
  }

  /** Runs the command line behind the isolated loader, and gives its exit code. */
  static int runCommand(String[] arguments) throws Exception {
    File file = jarFile();
    return (Integer)
        Class.forName(COMMAND_CLASS, true, new AgentClassLoader(new InnerJar(file)))
            .getMethod("run", String[].class, File.class)
            .invoke(null, arguments, file);
  }

  /** The replay behind an isolated loader of its own, for the job that runs on Spark. */
  public static ReplayEntry loadReplay() throws Exception {
    File file = jarFile();
    return Class.forName(REPLAY_CLASS, true, new AgentClassLoader(new InnerJar(file)))
        .asSubclass(ReplayEntry.class)
        .getConstructor(File.class)
        .newInstance(file);
  }

  private static File jarFile() throws URISyntaxException {
    CodeSource source = AgentClassLoader.class.getProtectionDomain().getCodeSource();
    return new File(source.getLocation().toURI());
  }

  /** Java 8 has no platform loader: there the bootstrap loader holds the whole JDK. */
  private static ClassLoader platformLoader() {
    boolean java8 = System.getProperty("java.specification.version").startsWith("1.");
    return java8 ? null : ClassLoader.getSystemClassLoader().getParent();
  }

  /**
   * The bytes of a class of the inner jar, for a loader that defines it again beside Spark's
   * classes.
   *
   * @param name with dots
   * @return null where there is no such class
   */
  public byte[] classFile(String name) throws IOException {
    return jar.read(name.replace('.', '/').concat(".class"));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith(BOOTSTRAP_PACKAGE)) {
      return AgentClassLoader.class.getClassLoader().loadClass(name);
    }
    return super.loadClass(name, resolve);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes;
    try {
      bytes = classFile(name);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  @Override
  protected URL findResource(String name) {
    if (!jar.has(name)) {
      return null;
    }
    try {
      return new URL(null, "spark-otel-agent:/" + name, new InnerJarHandler());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL url = findResource(name);
    return url == null
        ? Collections.emptyEnumeration()
        : Collections.enumeration(Collections.singleton(url));
  }

  private final class InnerJarHandler extends URLStreamHandler {
    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {
          connected = true;
        }

        @Override
        public InputStream getInputStream() throws IOException {
          return new ByteArrayInputStream(jar.read(getURL().getPath().substring(1)));
        }
      };
    }
  }
}
