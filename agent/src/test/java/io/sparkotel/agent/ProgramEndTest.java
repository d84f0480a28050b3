package io.sparkotel.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** While a transformer is there, every class that is loaded costs: none is left behind. */
class ProgramEndTest {

  private final List<String> calls = new ArrayList<>();

  private Instrumentation instrumentation(boolean refuses) {
    return (Instrumentation)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              if (refuses && method.getName().equals("retransformClasses")) {
                throw new UnmodifiableClassException();
              }
              return method.getReturnType() == boolean.class ? true : null;
            });
  }

  @Test
  void leavesNoTransformer() throws Exception {
    new ProgramEnd().install(instrumentation(false));
    assertThat(calls).containsExactly("addTransformer", "retransformClasses", "removeTransformer");
  }

  @Test
  void leavesNoneWhereTheJvmRefuses() {
    ProgramEnd end = new ProgramEnd();
    Instrumentation refusing = instrumentation(true);
    assertThatThrownBy(() -> end.install(refusing)).isInstanceOf(UnmodifiableClassException.class);
    assertThat(calls).endsWith("removeTransformer");
  }
}
