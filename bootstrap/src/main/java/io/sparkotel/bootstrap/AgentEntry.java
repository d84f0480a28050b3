package io.sparkotel.bootstrap;

/** What the agent behind its own class loader offers to this side. No method throws. */
public interface AgentEntry {

  /**
   * Adds the agent's calls to a class.
   *
   * @param className internal name, with slashes
   * @return the new class file, or null to leave the class as it is
   */
  byte[] weave(String className, byte[] classFile);

  /**
   * A SparkContext is about to start its listener bus.
   *
   * @param sparkContext an {@code org.apache.spark.SparkContext}, not yet fully constructed
   */
  void contextStarting(Object sparkContext);

  /**
   * A listener bus stopped: no event follows.
   *
   * @param listenerBus an {@code org.apache.spark.scheduler.LiveListenerBus}
   */
  void busStopped(Object listenerBus);

  /** The program called {@code System.exit}. */
  void exiting(int status);

  /** The current thread ends with an exception that nobody caught. */
  void uncaught(Throwable error);

  /**
   * A client calls a method of a Spark Connect server.
   *
   * @param callAndHeaders a gRPC {@code ServerCall} and its {@code Metadata}
   */
  void connectCall(Object[] callAndHeaders);

  /**
   * The server is about to execute what such a call asks for.
   *
   * @param requestAndObserver an {@code ExecutePlanRequest}, which may be replaced, and the {@code
   *     StreamObserver} of the same call
   */
  void connectRequest(Object[] requestAndObserver);
}
