package io.sparkotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.config.AgentConfig;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** By classes of the shape of gRPC's and Spark's; the real ones are in ConnectIT. */
class ConnectCallersTest {

  private static final String CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String UNSAMPLED = CALLER.replaceAll("01$", "00");
  private static final String EXECUTE = "spark.connect.SparkConnectService/ExecutePlan";

  private final Guard guard = new Guard(new AgentLog(AgentConfig.LogLevel.NONE));
  private final ConnectCallers callers = new ConnectCallers(guard);

  @BeforeEach
  void joinable() {
    callers.contextStarting(true, null);
  }

  @Test
  void theHeaderBecomesATag() {
    assertThat(tags(CALLER, EXECUTE, "mine")).containsExactly("mine", "traceparent=" + CALLER);
    assertThat(tags(" " + CALLER + " ", EXECUTE)).containsExactly("traceparent=" + CALLER);
    assertThat(guard.failures()).isZero();
  }

  @Test
  void aTagThatIsACallerStays() {
    assertThat(tags(CALLER, EXECUTE, "traceparent=00-1")).containsExactly("traceparent=00-1");
  }

  @Test
  void nothingIsAddedWithoutACaller() {
    assertThat(tags(null, EXECUTE, "mine")).containsExactly("mine");
    assertThat(tags("", EXECUTE)).isEmpty();
    assertThat(tags("nobody", EXECUTE)).isEmpty();
    assertThat(tags(UNSAMPLED, EXECUTE)).isEmpty();
    assertThat(tags(CALLER, "spark.connect.SparkConnectService/AnalyzePlan")).isEmpty();
    assertThat(guard.failures()).isZero();
  }

  /** Each request has the caller of its own call, in whatever order they are read. */
  @Test
  void callsMeet() {
    ServerCall first = new ServerCall(EXECUTE);
    ServerCall second = new ServerCall(EXECUTE);
    ServerCall without = new ServerCall(EXECUTE);
    callers.called(first, new Metadata(CALLER));
    callers.called(second, new Metadata(CALLER.replace("b7-", "b8-")));
    callers.called(without, new Metadata(null));
    assertThat(tagged(without, new Request(List.of()))).isEmpty();
    assertThat(tagged(second, new Request(List.of())))
        .containsExactly("traceparent=" + CALLER.replace("b7-", "b8-"));
    assertThat(tagged(first, new Request(List.of()))).containsExactly("traceparent=" + CALLER);
  }

  /** Of another gRPC, or another Spark: said once, then left alone. */
  @Test
  void classesOfAnotherShapeAreLeftAlone() {
    callers.called("call", "headers");
    callers.called("call", "headers");
    assertThat(guard.failures()).isEqualTo(1);
    assertThat(tags(CALLER, EXECUTE)).isEmpty();

    ConnectCallers other = new ConnectCallers(guard);
    other.contextStarting(true, null);
    other.called(new ServerCall(EXECUTE), new Metadata(CALLER));
    Object request = new Object();
    assertThat(other.tagged(request, "observer")).isSameAs(request);
    assertThat(guard.failures()).isEqualTo(2);
  }

  /** Not what a later version of the header may have behind it, which Spark may refuse. */
  @Test
  void aHeaderOfALaterVersion() {
    String later = "01" + CALLER.substring(2) + "-a,b" + "c".repeat(5_000);
    assertThat(tags(later, EXECUTE)).containsExactly("traceparent=" + CALLER);
  }

  @Test
  void aContextThatTakesNoCallers() {
    callers.contextStarting(false, null);
    assertThat(tags(CALLER, EXECUTE)).isEmpty();
    callers.contextStarting(true, null);
    assertThat(tags(CALLER, EXECUTE)).hasSize(1);
  }

  /** While there is a transformer, each class that is loaded costs. */
  @Test
  void nothingIsLookedForWhereNoServerStarts() {
    callers.sparkLoaded(null, null);
    callers.sparkLoaded("com.example.Other", null);
    List<String> calls = new ArrayList<>();
    Instrumentation instrumentation =
        (Instrumentation)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Instrumentation.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  return null;
                });
    String plugins = "com.example.Other,org.apache.spark.sql.connect.SparkConnectPlugin";
    callers.sparkLoaded(plugins, instrumentation);
    callers.sparkLoaded(plugins, instrumentation);
    assertThat(calls).containsExactly("addTransformer");
  }

  private List<String> tags(String header, String method, String... tags) {
    ServerCall call = new ServerCall(method);
    callers.called(call, new Metadata(header));
    return tagged(call, new Request(List.of(tags)));
  }

  private List<String> tagged(ServerCall call, Request request) {
    return ((Request) callers.tagged(request, new Observer(call))).tags;
  }

  /** As {@code io.grpc.Metadata}. */
  public static final class Metadata {
    public static final AsciiMarshaller ASCII_STRING_MARSHALLER = new AsciiMarshaller() {};
    private final String traceparent;

    Metadata(String traceparent) {
      this.traceparent = traceparent;
    }

    public Object get(Key key) {
      return key.name.equals("traceparent") ? traceparent : null;
    }

    /** The type of values. */
    public interface AsciiMarshaller {}

    /** Of a header. */
    public static final class Key {
      private final String name;

      private Key(String name) {
        this.name = name;
      }

      /** The key of that name. */
      public static Key of(String name, AsciiMarshaller marshaller) {
        assertThat(marshaller).isSameAs(ASCII_STRING_MARSHALLER);
        return new Key(name);
      }
    }
  }

  /** As {@code io.grpc.ServerCall}. */
  public static final class ServerCall {
    private final String method;

    ServerCall(String method) {
      this.method = method;
    }

    public Descriptor getMethodDescriptor() {
      return new Descriptor(method);
    }
  }

  /** As {@code io.grpc.MethodDescriptor}. */
  public static final class Descriptor {
    private final String name;

    Descriptor(String name) {
      this.name = name;
    }

    public String getFullMethodName() {
      return name;
    }
  }

  /** As the observer of a {@code ServerCall}. */
  private record Observer(ServerCall call) {}

  /** As {@code ExecutePlanRequest}. */
  public static final class Request {
    private final List<String> tags;

    Request(List<String> tags) {
      this.tags = tags;
    }

    public List<String> getTagsList() {
      return tags;
    }

    public Builder toBuilder() {
      return new Builder(tags);
    }
  }

  /** Of a request. */
  public static final class Builder {
    private final List<String> tags;

    Builder(List<String> tags) {
      this.tags = new ArrayList<>(tags);
    }

    /** One more. */
    public Builder addTags(String tag) {
      tags.add(tag);
      return this;
    }

    public Request build() {
      return new Request(tags);
    }
  }
}
