package io.sparkotel.agent;

import io.opentelemetry.api.trace.SpanContext;
import io.sparkotel.agent.instrument.HookWeaver;
import io.sparkotel.agent.telemetry.Traceparent;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who calls a Spark Connect server: {@code traceparent} in the gRPC metadata of a call becomes a
 * tag of its operation, as a client may set it itself. So Spark's events tell it, and its log does.
 *
 * <p>Once anything of it fails it does no more: Spark's classes are not as they were known.
 */
final class ConnectCallers {

  private static final String SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer";
  private static final String PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin";
  private static final String EXECUTE = "spark.connect.SparkConnectService/ExecutePlan";
  private static final String HEADER = "traceparent";

  private final Guard guard;

  /** Their tags by gRPC's call; weak: one that ends before its request was read is gone. */
  private final Map<Object, String> callers = Collections.synchronizedMap(new WeakHashMap<>());

  private boolean installed;
  private volatile boolean wanted;
  private volatile boolean failed;

  ConnectCallers(Guard guard) {
    this.guard = guard;
  }

  /** Spark's classes are about to be loaded: plugins start before the agent sees a context. */
  void sparkLoaded(String plugins, Instrumentation instrumentation) {
    if (plugins != null && plugins.contains(PLUGIN)) {
      install(instrumentation);
    }
  }

  /**
   * This thread makes a context.
   *
   * @param joinable whether a span of it may have a caller
   */
  void contextStarting(boolean joinable, Instrumentation instrumentation) {
    wanted = joinable;
    if (!joinable) {
      return;
    }
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      if (frame.getClassName().startsWith(SERVER)) {
        install(instrumentation);
        return;
      }
    }
  }

  /** Before the server's classes are loaded, so that it ends: each other class costs until then. */
  private synchronized void install(Instrumentation instrumentation) {
    if (installed) {
      return;
    }
    installed = true;
    Set<String> awaited = ConcurrentHashMap.newKeySet();
    awaited.addAll(Arrays.asList(HookWeaver.CONNECT_CALLS, HookWeaver.CONNECT_SERVICE));
    instrumentation.addTransformer(
        new ClassFileTransformer() {
          @Override
          public byte[] transform(
              ClassLoader loader,
              String className,
              Class<?> redefined,
              ProtectionDomain domain,
              byte[] classFile) {
            if (className == null || redefined != null || !awaited.remove(className)) {
              return null;
            }
            if (awaited.isEmpty()) {
              instrumentation.removeTransformer(this);
            }
            return weave(className, classFile);
          }
        });
  }

  private byte[] weave(String className, byte[] classFile) {
    try {
      HookWeaver weaver = HookWeaver.of(className);
      byte[] woven = weaver.weave(classFile);
      if (woven == null) {
        throw new NoSuchMethodException(className + " without " + weaver.missing());
      }
      return woven;
    } catch (Throwable e) {
      fail(e);
      return null;
    }
  }

  /**
   * Keeps who calls, until the request is read.
   *
   * @param call a gRPC {@code ServerCall}
   * @param headers gRPC {@code Metadata}
   */
  void called(Object call, Object headers) {
    if (failed || !wanted) {
      return;
    }
    try {
      SpanContext caller = Traceparent.parse(header(headers), null);
      if (caller.isSampled() && EXECUTE.equals(methodOf(call, headers))) {
        // Not the client's own text: Spark refuses some.
        callers.put(call, Traceparent.tag(caller));
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  /**
   * The request with its caller as a tag; as it is where its call has none, or it has the tag.
   *
   * @param request an {@code ExecutePlanRequest}
   * @param observer gRPC's of that call
   */
  Object tagged(Object request, Object observer) {
    // Most calls have no caller: they cost a look.
    if (failed || callers.isEmpty()) {
      return request;
    }
    try {
      Field call = observer.getClass().getDeclaredField("call");
      call.setAccessible(true);
      String tag = callers.remove(call.get(observer));
      if (tag == null || hasCaller((List<?>) invoke(request, "getTagsList"))) {
        return request;
      }
      Object builder = invoke(request, "toBuilder");
      builder.getClass().getMethod("addTags", String.class).invoke(builder, tag);
      return request.getClass().cast(invoke(builder, "build"));
    } catch (Throwable e) {
      fail(e);
      return request;
    }
  }

  private static boolean hasCaller(List<?> tags) {
    return tags.stream().anyMatch(tag -> tag.toString().startsWith(Traceparent.TAG));
  }

  private static String header(Object headers) throws ReflectiveOperationException {
    Class<?> metadata = headers.getClass();
    Object ascii = metadata.getField("ASCII_STRING_MARSHALLER").get(null);
    Class<?> keyType = sibling(metadata, metadata.getName() + "$Key");
    Method keyOf =
        keyType.getMethod(
            "of", String.class, sibling(metadata, metadata.getName() + "$AsciiMarshaller"));
    return (String)
        metadata.getMethod("get", keyType).invoke(headers, keyOf.invoke(null, HEADER, ascii));
  }

  /** The full name of the method that is called; the call's own class is none of gRPC's API. */
  private static Object methodOf(Object call, Object headers) throws ReflectiveOperationException {
    Class<?> metadata = headers.getClass();
    String callType = metadata.getName().replace("Metadata", "ServerCall");
    Object descriptor = sibling(metadata, callType).getMethod("getMethodDescriptor").invoke(call);
    return invoke(descriptor, "getFullMethodName");
  }

  private static Class<?> sibling(Class<?> metadata, String name) throws ClassNotFoundException {
    return Class.forName(name, true, metadata.getClassLoader());
  }

  private static Object invoke(Object target, String method) throws ReflectiveOperationException {
    return target.getClass().getMethod(method).invoke(target);
  }

  private void fail(Throwable e) {
    failed = true;
    callers.clear();
    guard.failed(e);
  }
}
