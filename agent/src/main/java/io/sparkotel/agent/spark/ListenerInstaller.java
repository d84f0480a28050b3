package io.sparkotel.agent.spark;

import io.sparkotel.agent.DriverFacts;
import io.sparkotel.agent.LiveApplication;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.LiveListenerBus;
import scala.Tuple2;

/** Puts the listener on a starting SparkContext's bus, on a queue of its own. */
public final class ListenerInstaller {

  private static final String QUEUE = "otel";
  private static final String HEARTBEAT = "spark.executor.heartbeatInterval";

  private ListenerInstaller() {}

  /**
   * @param sparkContext a SparkContext that is about to start its listener bus
   * @param start makes the traced application of what the context tells; null where it is not to be
   *     traced
   * @return the listener bus, or null where nothing was installed
   */
  public static Object install(Object sparkContext, Function<DriverFacts, LiveApplication> start) {
    SparkContext context = (SparkContext) sparkContext;
    LiveListenerBus bus = context.listenerBus();
    SparkConf conf = context.conf();
    LiveApplication application = start.apply(facts(context, conf, bus));
    if (application == null) {
      return null;
    }
    long heartbeat = conf.getTimeAsMs(HEARTBEAT, "10s");
    bus.addToQueue(new SparkEventAdapter(application, context.version(), heartbeat), QUEUE);
    return bus;
  }

  private static DriverFacts facts(SparkContext context, SparkConf conf, LiveListenerBus bus) {
    Map<String, String> all = new HashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      all.put(entry._1(), entry._2());
    }
    return new DriverFacts(
        context.applicationId(),
        (String) SparkCompat.unwrap(context.applicationAttemptId()),
        context.appName(),
        context.sparkUser(),
        context.startTime(),
        context.version(),
        (String) SparkCompat.unwrap(context.uiWebUrl()),
        all,
        (key, value) -> write(conf, key, value),
        () -> droppedEvents(bus));
  }

  private static void write(SparkConf conf, String key, String value) {
    if (value == null) {
      conf.remove(key);
    } else {
      conf.set(key, value);
    }
  }

  /** Events that the bus dropped from the agent's queue, by Spark's own counter. */
  private static long droppedEvents(LiveListenerBus bus) {
    Object metrics = get(bus, "metrics");
    Object registry = get(metrics, "metricRegistry");
    Object counters = get(registry, "getCounters");
    Object counter =
        counters == null
            ? null
            : ((Map<?, ?>) counters).get("queue." + QUEUE + ".numDroppedEvents");
    Object count = get(counter, "getCount");
    return count == null ? 0 : ((Number) count).longValue();
  }

  private static Object get(Object target, String name) {
    if (target == null) {
      return null;
    }
    MethodHandle handle = SparkCompat.handle(target.getClass(), name);
    return SparkCompat.call(handle, target);
  }
}
