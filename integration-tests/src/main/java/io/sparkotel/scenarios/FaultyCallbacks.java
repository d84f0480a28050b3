package io.sparkotel.scenarios;

import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;

/**
 * A context for each argument {@code EVENT:FAULT}, with a query in it. Leaves what fails so when it
 * is given that event where a broken agent finds it, among the system properties.
 */
public final class FaultyCallbacks {

  /** The key of a {@code Consumer} of events. */
  public static final String PROPERTY = "faulty.callback";

  private FaultyCallbacks() {}

  public static void main(String[] args) {
    for (String arg : args) {
      System.getProperties().put(PROPERTY, new Fault(arg.split(":")[0], arg.split(":")[1]));
      SparkSession spark = SparkSession.builder().appName(arg).getOrCreate();
      System.out.println(arg + ": " + spark.range(0, 10, 1, 2).count());
      spark.stop();
    }
  }

  private static final class Fault implements Consumer<Object> {
    private final String event;
    private final String kind;

    Fault(String event, String kind) {
      this.event = event;
      this.kind = kind;
    }

    @Override
    public void accept(Object given) {
      if (!given.getClass().getSimpleName().equals("SparkListener" + event)) {
        return;
      }
      switch (kind) {
        case "exception":
          throw new IllegalStateException(event);
        case "linkage":
          throw new NoSuchMethodError(event);
        case "stack":
          overflow(0);
          break;
        default:
          System.out.println(new long[Integer.MAX_VALUE].length);
      }
    }

    private static int overflow(int depth) {
      return depth < 0 ? 0 : overflow(depth + 1) + 1;
    }
  }
}
