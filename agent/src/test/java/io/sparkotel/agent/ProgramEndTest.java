package io.sparkotel.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sparkotel.agent.model.Outcome;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

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

  /** While one is there, every class that is loaded costs. */
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

  /** As the JVM does it: the thread is there until the last shutdown hook is done. */
  @Test
  void aSignalEndsWhatTheProgramHadNotStopped() throws Exception {
    ProgramEnd end = new ProgramEnd();
    assertThat(ProgramEnd.isSignalled()).isFalse();
    assertThat(end.outcome(true)).isSameAs(Outcome.UNKNOWN);
    CountDownLatch hooks = new CountDownLatch(1);
    Thread handler = new Thread(() -> await(hooks), "SIGTERM handler");
    handler.start();
    try {
      assertThat(ProgramEnd.isSignalled()).isTrue();
      assertThat(end.outcome(true)).usingRecursiveComparison().isEqualTo(Outcome.interrupted());
      assertThat(end.outcome(false)).isSameAs(Outcome.UNKNOWN);
    } finally {
      hooks.countDown();
      handler.join();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
