package io.sparkotel.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** While a transformer is there, every class that is loaded costs: it has to know when to leave. */
class SparkTransformerTest {

  private static final String CONTEXT = "org/apache/spark/SparkContext";
  private static final String LISTENER_BUS = "org/apache/spark/scheduler/LiveListenerBus";

  private final List<Object> removed = new ArrayList<>();
  private final SparkTransformer transformer = new SparkTransformer(null, instrumentation());

  private Instrumentation instrumentation() {
    return (Instrumentation)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("removeTransformer");
              return removed.add(arguments[0]);
            });
  }

  /** Outside its jar the agent cannot be loaded: nothing is woven, as where it is switched off. */
  private void load(ClassLoader loader, String className) {
    assertThat(transformer.transform(loader, className, null, null, new byte[0])).isNull();
  }

  @Test
  void leavesOnceTheSparkOfTheClassPathIsThere() {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    load(system, "org/apache/spark/SparkConf");
    load(system, CONTEXT);
    load(system, CONTEXT);
    assertThat(removed).isEmpty();
    load(system, LISTENER_BUS);
    assertThat(removed).containsExactly(transformer);
  }

  @Test
  void staysWhereTheSparkIsOfAnotherLoader() {
    ClassLoader other = new ClassLoader(ClassLoader.getSystemClassLoader()) {};
    load(other, CONTEXT);
    load(other, LISTENER_BUS);
    load(ClassLoader.getSystemClassLoader(), CONTEXT);
    assertThat(removed).isEmpty();
  }
}
