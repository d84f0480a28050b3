package io.sparkotel.agent.instrument;

import io.sparkotel.bootstrap.SparkHook;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Adds guarded calls of {@link SparkHook} to methods of a class. A call finds the hook through the
 * system class loader and has its own catch of Throwable, so whatever is missing or fails, the
 * method runs as it was written.
 *
 * <p>Only the ASM layer of Byte Buddy is used: a driver pays for every class that is loaded, and
 * the layers above cost five times as much for calls like these.
 */
public final class HookWeaver {

  /** Where in the method the call goes, and what it hands over. */
  private enum Place {
    /** At the entry, with {@code this}. */
    ENTRY_THIS,
    /** At every normal return, with {@code this}. */
    RETURN_THIS,
    /** At the entry of a static method, with its first argument as an Integer. */
    ENTRY_INT,
    /** At the entry of an instance method, with its first argument. */
    ENTRY_ARGUMENT,
    /**
     * At the entry of an instance method, with two arguments in an array; may replace the first.
     */
    ENTRY_PAIR
  }

  private static final String HOOK_CLASS = SparkHook.class.getName();
  private static final String BI_CONSUMER = "java/util/function/BiConsumer";
  private static final String ADDED_METHOD = "sparkOtel$call";
  private static final String ADDED_DESCRIPTOR = "(Ljava/lang/String;Ljava/lang/Object;)V";

  private static final Hook CONTEXT =
      new Hook("setupAndStartListenerBus", "()V", SparkHook.CONTEXT_STARTING, Place.ENTRY_THIS);
  private static final Hook BUS_START =
      new Hook(
          "start",
          "(Lorg/apache/spark/SparkContext;Lorg/apache/spark/metrics/MetricsSystem;)V",
          SparkHook.CONTEXT_STARTING,
          Place.ENTRY_ARGUMENT);
  private static final Hook BUS_STOP =
      new Hook("stop", "()V", SparkHook.BUS_STOPPED, Place.RETURN_THIS);
  private static final Hook EXIT = new Hook("exit", "(I)V", SparkHook.EXITING, Place.ENTRY_INT);
  private static final Hook UNCAUGHT =
      new Hook(
          "dispatchUncaughtException",
          "(Ljava/lang/Throwable;)V",
          SparkHook.UNCAUGHT,
          Place.ENTRY_ARGUMENT);

  private static final Hook CONNECT_CALL =
      new Hook(
          "startCall",
          "(Lorg/sparkproject/connect/grpc/ServerCall;Lorg/sparkproject/connect/grpc/Metadata;)"
              + "Lorg/sparkproject/connect/grpc/ServerCall$Listener;",
          SparkHook.CONNECT_CALL,
          Place.ENTRY_PAIR);
  private static final Hook CONNECT_REQUEST =
      new Hook(
          "executePlan",
          "(Lorg/apache/spark/connect/proto/ExecutePlanRequest;"
              + "Lorg/sparkproject/connect/grpc/stub/StreamObserver;)V",
          SparkHook.CONNECT_REQUEST,
          Place.ENTRY_PAIR);

  /** The methods that lead to a starting context: one of them is enough. */
  public static final List<String> ATTACHING =
      Collections.unmodifiableList(Arrays.asList(CONTEXT.method, BUS_START.method));

  /** Where gRPC, as Spark Connect brings it, takes calls of one request. */
  public static final String CONNECT_CALLS =
      "org/sparkproject/connect/grpc/stub/ServerCalls$UnaryServerCallHandler";

  public static final String CONNECT_SERVICE =
      "org/apache/spark/sql/connect/service/SparkConnectService";

  private final String host;
  private final boolean ofJdk;
  private final List<Hook> hooks;
  private final List<String> missing = new ArrayList<>();

  private HookWeaver(String host, boolean ofJdk, Hook... hooks) {
    this.host = host;
    this.ofJdk = ofJdk;
    this.hooks = Arrays.asList(hooks);
  }

  /**
   * The weaver of a class, for one use.
   *
   * @param className internal name, with slashes
   * @throws IllegalArgumentException where nothing is woven into that class
   */
  public static HookWeaver of(String className) {
    switch (className) {
      case "org/apache/spark/SparkContext":
        return new HookWeaver(className, false, CONTEXT);
      case "org/apache/spark/scheduler/LiveListenerBus":
        return new HookWeaver(className, false, BUS_START, BUS_STOP);
      case CONNECT_CALLS:
        return new HookWeaver(className, false, CONNECT_CALL);
      case CONNECT_SERVICE:
        return new HookWeaver(className, false, CONNECT_REQUEST);
      case "java/lang/Shutdown":
        return new HookWeaver(className, true, EXIT);
      case "java/lang/Thread":
        return new HookWeaver(className, true, UNCAUGHT);
      default:
        throw new IllegalArgumentException(className);
    }
  }

  /** The woven class file, or null where the class has none of the methods. */
  public byte[] weave(byte[] classFile) {
    for (Hook hook : hooks) {
      missing.add(hook.method);
    }
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new ClassAdder(writer), 0);
    return missing.size() == hooks.size() ? null : writer.toByteArray();
  }

  /** After {@link #weave}: the methods that the class lacks. */
  public List<String> missing() {
    return missing;
  }

  private static void guardedCall(MethodVisitor code, Runnable pushCall) {
    Label start = new Label();
    Label end = new Label();
    Label handler = new Label();
    Label after = new Label();
    code.visitTryCatchBlock(start, end, handler, "java/lang/Throwable");
    code.visitLabel(start);
    code.visitMethodInsn(
        Opcodes.INVOKESTATIC,
        "java/lang/ClassLoader",
        "getSystemClassLoader",
        "()Ljava/lang/ClassLoader;",
        false);
    code.visitLdcInsn(HOOK_CLASS);
    code.visitMethodInsn(
        Opcodes.INVOKEVIRTUAL,
        "java/lang/ClassLoader",
        "loadClass",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        false);
    code.visitMethodInsn(
        Opcodes.INVOKEVIRTUAL, "java/lang/Class", "newInstance", "()Ljava/lang/Object;", false);
    code.visitTypeInsn(Opcodes.CHECKCAST, BI_CONSUMER);
    pushCall.run();
    code.visitMethodInsn(
        Opcodes.INVOKEINTERFACE,
        BI_CONSUMER,
        "accept",
        "(Ljava/lang/Object;Ljava/lang/Object;)V",
        true);
    code.visitLabel(end);
    code.visitJumpInsn(Opcodes.GOTO, after);
    code.visitLabel(handler);
    code.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
    code.visitInsn(Opcodes.POP);
    code.visitLabel(after);
    code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    // Keeps this frame apart from one that the method itself may begin with.
    code.visitInsn(Opcodes.NOP);
  }

  /** One method, and the call that goes into it. */
  private static final class Hook {
    final String method;
    final String descriptor;
    final String call;
    final Place place;

    Hook(String method, String descriptor, String call, Place place) {
      this.method = method;
      this.descriptor = descriptor;
      this.call = call;
      this.place = place;
    }

    /** In front of the call, what is left on the stack behind it. */
    void pushPair(MethodVisitor code) {
      code.visitInsn(Opcodes.ICONST_2);
      code.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
      for (int i = 0; i < 2; i++) {
        code.visitInsn(Opcodes.DUP);
        code.visitInsn(Opcodes.ICONST_0 + i);
        code.visitVarInsn(Opcodes.ALOAD, 1 + i);
        code.visitInsn(Opcodes.AASTORE);
      }
      code.visitInsn(Opcodes.DUP);
    }

    /** What {@link #pushPair} left goes back into the first argument. */
    void popPair(MethodVisitor code) {
      code.visitInsn(Opcodes.ICONST_0);
      code.visitInsn(Opcodes.AALOAD);
      code.visitTypeInsn(Opcodes.CHECKCAST, Type.getArgumentTypes(descriptor)[0].getInternalName());
      code.visitVarInsn(Opcodes.ASTORE, 1);
    }

    void push(MethodVisitor code) {
      code.visitLdcInsn(call);
      switch (place) {
        case ENTRY_INT:
          code.visitVarInsn(Opcodes.ILOAD, 0);
          code.visitMethodInsn(
              Opcodes.INVOKESTATIC,
              "java/lang/Integer",
              "valueOf",
              "(I)Ljava/lang/Integer;",
              false);
          break;
        case ENTRY_ARGUMENT:
          code.visitVarInsn(Opcodes.ALOAD, 1);
          break;
        case ENTRY_PAIR:
          code.visitInsn(Opcodes.SWAP);
          break;
        default:
          code.visitVarInsn(Opcodes.ALOAD, 0);
      }
    }
  }

  private final class ClassAdder extends ClassVisitor {

    ClassAdder(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      for (Hook hook : hooks) {
        if (name.equals(hook.method) && descriptor.equals(hook.descriptor)) {
          missing.remove(hook.method);
          return new CallAdder(next, hook);
        }
      }
      return next;
    }

    /** A class that is woven while it loads can get a method; one of the JDK, loaded, cannot. */
    @Override
    public void visitEnd() {
      if (!ofJdk && missing.size() < hooks.size()) {
        int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
        MethodVisitor added = cv.visitMethod(access, ADDED_METHOD, ADDED_DESCRIPTOR, null, null);
        added.visitCode();
        guardedCall(
            added,
            () -> {
              added.visitVarInsn(Opcodes.ALOAD, 0);
              added.visitVarInsn(Opcodes.ALOAD, 1);
            });
        added.visitInsn(Opcodes.RETURN);
        added.visitMaxs(0, 0);
        added.visitEnd();
      }
      super.visitEnd();
    }
  }

  private final class CallAdder extends MethodVisitor {

    private final Hook hook;

    CallAdder(MethodVisitor next, Hook hook) {
      super(Opcodes.ASM9, next);
      this.hook = hook;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      if (hook.place != Place.RETURN_THIS) {
        addCall();
      }
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.RETURN && hook.place == Place.RETURN_THIS) {
        addCall();
      }
      super.visitInsn(opcode);
    }

    private void addCall() {
      if (ofJdk) {
        guardedCall(mv, () -> hook.push(mv));
      } else if (hook.place == Place.ENTRY_PAIR) {
        hook.pushPair(mv);
        hook.push(mv);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, host, ADDED_METHOD, ADDED_DESCRIPTOR, false);
        hook.popPair(mv);
      } else {
        hook.push(mv);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, host, ADDED_METHOD, ADDED_DESCRIPTOR, false);
      }
    }
  }
}
