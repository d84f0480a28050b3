package io.sparkotel.agent;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.instrument.HookWeaver;
import io.sparkotel.agent.model.Outcome;
import io.sparkotel.agent.telemetry.Caller;
import io.sparkotel.bootstrap.AgentClassLoader;
import io.sparkotel.bootstrap.AgentEntry;
import java.io.File;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The agent behind its own class loader: wires everything, and lets nothing out. */
public final class AgentMain implements AgentEntry {

  private static final String INSTALLER = "io.sparkotel.agent.spark.ListenerInstaller";

  private final String arguments;
  private final Instrumentation instrumentation;
  private final File jar;
  private final AgentLog log = new AgentLog(AgentConfig.LogLevel.WARN);
  private final Guard guard = new Guard(log);
  private final ProgramEnd programEnd = new ProgramEnd();
  private final ConnectCallers connectCallers = new ConnectCallers(guard);

  /** Weak: a Spark whose loader is gone takes the classes beside it along. */
  private final Map<ClassLoader, ClassLoader> sideLoaders = new WeakHashMap<>();

  /** Weak: the second hook comes for a context that the first one has seen. */
  private final Set<Object> contexts =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final Set<String> missingHooks = ConcurrentHashMap.newKeySet();

  /** The applications that have not been finished, by their listener bus. */
  private final IdentityHashMap<Object, LiveApplication> running = new IdentityHashMap<>();

  private boolean hooked;

  /** Called by the bootstrap side, which cannot see this class. */
  public AgentMain(String arguments, Instrumentation instrumentation, File jar) {
    this.arguments = arguments;
    this.instrumentation = instrumentation;
    this.jar = jar;
  }

  @Override
  public byte[] weave(String className, byte[] classFile) {
    try {
      HookWeaver weaver = HookWeaver.of(className);
      byte[] woven = weaver.weave(classFile);
      missingHooks.addAll(weaver.missing());
      if (missingHooks.containsAll(HookWeaver.ATTACHING)) {
        log.warn("Spark found, hook missing: the application runs untraced");
      }
      connectCallers.sparkLoaded(System.getProperty("spark.plugins"), instrumentation);
      return woven;
    } catch (Throwable e) {
      guard.failed(e);
      return null;
    }
  }

  @Override
  public void contextStarting(Object sparkContext) {
    try {
      if (!contexts.add(sparkContext)) {
        return;
      }
      for (LiveApplication earlier : running()) {
        if (earlier.isBusStopped()) {
          earlier.programEnded(Outcome.UNKNOWN);
        }
      }
      install(sparkContext);
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  private void install(Object sparkContext) throws Throwable {
    LiveApplication[] started = new LiveApplication[1];
    Function<DriverFacts, LiveApplication> start =
        facts -> {
          started[0] = start(facts);
          return started[0];
        };
    ClassLoader side = sideLoader(sparkContext.getClass().getClassLoader());
    Object bus;
    try {
      bus =
          Class.forName(INSTALLER, true, side)
              .getMethod("install", Object.class, Function.class)
              .invoke(null, sparkContext, start);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (bus != null) {
      synchronized (running) {
        running.put(bus, started[0]);
      }
      started[0].onFinished(() -> remove(bus));
      hookProgramEnd();
    }
  }

  private List<LiveApplication> running() {
    synchronized (running) {
      return new ArrayList<>(running.values());
    }
  }

  private void remove(Object bus) {
    synchronized (running) {
      running.remove(bus);
    }
  }

  private LiveApplication start(DriverFacts facts) {
    AgentConfig config =
        AgentConfig.load(
            new ConfigSources(facts.conf, arguments, systemProperties(), System.getenv(), jar));
    LiveApplication application = new ApplicationStarter(config).start(facts);
    connectCallers.contextStarting(
        application != null && config.parent().mode() != Caller.Mode.IGNORE, instrumentation);
    return application;
  }

  /** Those that are text: an application may have put anything else among them. */
  private static Map<String, String> systemProperties() {
    Map<String, String> texts = new HashMap<>();
    Properties properties = System.getProperties();
    for (String name : properties.stringPropertyNames()) {
      texts.put(name, properties.getProperty(name));
    }
    return texts;
  }

  private synchronized ClassLoader sideLoader(ClassLoader spark) {
    return sideLoaders.computeIfAbsent(
        spark,
        loader -> new SparkSideLoader((AgentClassLoader) AgentMain.class.getClassLoader(), loader));
  }

  private synchronized void hookProgramEnd() {
    if (hooked) {
      return;
    }
    hooked = true;
    Runtime.getRuntime().addShutdownHook(new Thread(this::shutdown, "spark-otel-shutdown"));
    try {
      programEnd.install(instrumentation);
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  @Override
  public void busStopped(Object listenerBus) {
    try {
      LiveApplication application;
      synchronized (running) {
        application = running.get(listenerBus);
      }
      if (application != null) {
        application.contextStopped(ProgramEnd.isSignalled());
      }
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  @Override
  public void exiting(int status) {
    try {
      programEnd.exiting(status);
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  @Override
  public void uncaught(Throwable error) {
    try {
      programEnd.uncaught(error);
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  @Override
  public void connectCall(Object[] callAndHeaders) {
    connectCallers.called(callAndHeaders[0], callAndHeaders[1]);
  }

  @Override
  public void connectRequest(Object[] requestAndObserver) {
    requestAndObserver[0] = connectCallers.tagged(requestAndObserver[0], requestAndObserver[1]);
  }

  private void shutdown() {
    try {
      List<LiveApplication> left = running();
      // Spark stops its context in a hook of its own, at the same time as this one.
      for (LiveApplication application : left) {
        application.awaitBusStopped(deadline(application));
      }
      for (LiveApplication application : left) {
        application.programEnded(programEnd.outcome(!application.isStoppedByProgram()));
      }
      for (LiveApplication application : left) {
        application.awaitFinished(deadline(application));
      }
    } catch (Throwable e) {
      guard.failed(e);
    }
  }

  private static long deadline(LiveApplication application) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(application.flushTimeoutMillis());
  }
}
