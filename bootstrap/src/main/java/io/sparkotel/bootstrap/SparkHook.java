package io.sparkotel.bootstrap;

import java.util.function.BiConsumer;

/**
 * The target of every call that is woven into Spark and the JDK. Woven code finds it through the
 * system class loader and sees it as a type of the JDK, so it works in every class loader.
 */
public final class SparkHook implements BiConsumer<String, Object> {

  /** Names of the calls, the first argument of {@link #accept}. */
  public static final String CONTEXT_STARTING = "context-starting";

  public static final String BUS_STOPPED = "bus-stopped";
  public static final String EXITING = "exiting";
  public static final String UNCAUGHT = "uncaught";
  public static final String CONNECT_CALL = "connect-call";
  public static final String CONNECT_REQUEST = "connect-request";

  private static volatile AgentEntry agent;

  static void connect(AgentEntry entry) {
    agent = entry;
  }

  @Override
  public void accept(String call, Object argument) {
    AgentEntry entry = agent;
    if (entry == null) {
      return;
    }
    switch (call) {
      case CONTEXT_STARTING:
        entry.contextStarting(argument);
        break;
      case BUS_STOPPED:
        entry.busStopped(argument);
        break;
      case EXITING:
        entry.exiting((Integer) argument);
        break;
      case UNCAUGHT:
        entry.uncaught((Throwable) argument);
        break;
      case CONNECT_CALL:
        entry.connectCall((Object[]) argument);
        break;
      case CONNECT_REQUEST:
        entry.connectRequest((Object[]) argument);
        break;
      default:
        throw new IllegalArgumentException(call);
    }
  }
}
