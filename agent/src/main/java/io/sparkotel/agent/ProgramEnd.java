package io.sparkotel.agent;

import io.sparkotel.agent.instrument.HookWeaver;
import io.sparkotel.agent.model.Outcome;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.ProtectionDomain;
import java.util.Set;

/**
 * Learns how the program ended: the argument of an exit, what main threw, a signal. The two hooks
 * in the JDK are put in once a SparkContext exists, so that a JVM without one never pays.
 */
final class ProgramEnd {

  private static final String MAIN_THREAD = "main";

  /** The JVM's side of {@code python app.py}: it exits with 0 whatever becomes of Python. */
  private static final String PYTHON_GATEWAY = "org.apache.spark.api.python.PythonGatewayServer";

  private static final String SIGNAL_HANDLER = "java.lang.Terminator";

  private Outcome outcome;

  void install(Instrumentation instrumentation) throws Exception {
    // Where every exit comes by that nobody vetoes, System's and Runtime's.
    Class<?> shutdown = Class.forName("java.lang.Shutdown");
    ClassFileTransformer transformer =
        new ClassFileTransformer() {
          @Override
          public byte[] transform(
              ClassLoader loader,
              String className,
              Class<?> redefined,
              ProtectionDomain domain,
              byte[] classFile) {
            boolean wanted = redefined == shutdown || redefined == Thread.class;
            return wanted ? HookWeaver.of(className).weave(classFile) : null;
          }
        };
    instrumentation.addTransformer(transformer, true);
    try {
      instrumentation.retransformClasses(shutdown, Thread.class);
    } finally {
      // While there is one, the JVM hands over the bytes of every class that it loads.
      instrumentation.removeTransformer(transformer);
    }
  }

  synchronized void exiting(int status) {
    if (outcome == null && !isNoExitOfTheProgram()) {
      outcome = Outcome.exit(status);
    }
  }

  /** An exit that the JVM makes for a signal, or the gateway whatever becomes of Python. */
  private static boolean isNoExitOfTheProgram() {
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      String name = frame.getClassName();
      if (name.startsWith(PYTHON_GATEWAY) || name.startsWith(SIGNAL_HANDLER)) {
        return true;
      }
    }
    return isSignalled();
  }

  /**
   * Of the thread that runs main only: the JVM goes on when another one dies. After a signal main
   * fails because Spark's shutdown hook takes its context away.
   */
  synchronized void uncaught(Throwable error) {
    if (outcome != null || !MAIN_THREAD.equals(Thread.currentThread().getName()) || isSignalled()) {
      return;
    }
    Throwable cause = error;
    while ((cause instanceof InvocationTargetException
            || cause instanceof UndeclaredThrowableException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    StringWriter stack = new StringWriter();
    cause.printStackTrace(new PrintWriter(stack, true));
    outcome = Outcome.failed(cause.getClass().getName(), cause.getMessage(), stack.toString());
  }

  /**
   * @param cutOff whether a signal can be the reason: in a shutdown hook, of a context that the
   *     program had not stopped before
   */
  synchronized Outcome outcome(boolean cutOff) {
    if (outcome != null) {
      return outcome;
    }
    return cutOff && isSignalled() ? Outcome.interrupted() : Outcome.UNKNOWN;
  }

  /**
   * The JVM handles SIGTERM, SIGINT and SIGHUP on a thread that is named for the signal. That
   * thread itself may run a handler of the program's own, which decides by an exit.
   */
  static boolean isSignalled() {
    Set<Thread> threads;
    try {
      threads = Thread.getAllStackTraces().keySet();
    } catch (SecurityException e) {
      // An application that lets nobody look: a signal is taken for an end like any other.
      return false;
    }
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()
          && thread.getName().startsWith("SIG")
          && thread.getName().endsWith(" handler")) {
        return true;
      }
    }
    return false;
  }
}
