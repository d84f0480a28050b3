package io.sparkotel.it;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/** Puts failures into class files, so that the shipped jar needs no hook for tests. */
enum Faults {
  NO_SUCH_METHOD_ERROR {
    @Override
    void raise(MethodVisitor code, String host) {
      throwNew(code, "java/lang/NoSuchMethodError", "(Ljava/lang/String;)V");
    }
  },
  RUNTIME_EXCEPTION {
    @Override
    void raise(MethodVisitor code, String host) {
      throwNew(code, "java/lang/IllegalStateException", "(Ljava/lang/String;)V");
    }
  },
  /** The real one, from a heap that cannot hold the array. */
  OUT_OF_MEMORY_ERROR {
    @Override
    void raise(MethodVisitor code, String host) {
      code.visitLdcInsn(Integer.MAX_VALUE);
      code.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_LONG);
      code.visitInsn(Opcodes.POP);
    }
  },
  /** The real one, from a method that is added to the class. */
  STACK_OVERFLOW_ERROR {
    @Override
    void raise(MethodVisitor code, String host) {
      code.visitMethodInsn(Opcodes.INVOKESTATIC, host, OVERFLOW, "()V", false);
    }
  };

  private static final String OVERFLOW = "testOverflow";

  /** What {@link #throwNew} gives as the message. */
  static final String MESSAGE = "raised by the test";

  /** Adds the code that fails; nothing is on the stack before and after. */
  abstract void raise(MethodVisitor code, String host);

  /** Adds code that throws, by a constructor with the message as its one argument. */
  static void throwNew(MethodVisitor code, String type, String constructor) {
    code.visitTypeInsn(Opcodes.NEW, type);
    code.visitInsn(Opcodes.DUP);
    code.visitLdcInsn(MESSAGE);
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, type, "<init>", constructor, false);
    code.visitInsn(Opcodes.ATHROW);
  }

  /**
   * The class with a method that fails when it is called.
   *
   * @param onlyFor internal name of the class of which the method's last argument has to be, or
   *     null for any
   */
  byte[] in(byte[] classFile, String method, String onlyFor) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    String host = reader.getClassName();
    boolean[] found = new boolean[1];
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (!name.equals(method)) {
              return next;
            }
            found[0] = true;
            int lastArgument = Type.getArgumentTypes(descriptor).length;
            return new Raiser(next, host, onlyFor, lastArgument);
          }

          @Override
          public void visitEnd() {
            int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC;
            MethodVisitor endless = cv.visitMethod(access, OVERFLOW, "()V", null, null);
            endless.visitCode();
            endless.visitMethodInsn(Opcodes.INVOKESTATIC, host, OVERFLOW, "()V", false);
            endless.visitInsn(Opcodes.RETURN);
            endless.visitMaxs(0, 0);
            endless.visitEnd();
            super.visitEnd();
          }
        },
        0);
    if (!found[0]) {
      throw new AssertionError("no method " + method + " in " + host);
    }
    return writer.toByteArray();
  }

  private final class Raiser extends MethodVisitor {
    private final String host;
    private final String onlyFor;
    private final int lastArgument;

    Raiser(MethodVisitor next, String host, String onlyFor, int lastArgument) {
      super(Opcodes.ASM9, next);
      this.host = host;
      this.onlyFor = onlyFor;
      this.lastArgument = lastArgument;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label past = new Label();
      if (onlyFor == null) {
        // Never true, but what follows a throw would have to be described to the verifier.
        visitVarInsn(Opcodes.ALOAD, 0);
        visitJumpInsn(Opcodes.IFNULL, past);
      } else {
        visitVarInsn(Opcodes.ALOAD, lastArgument);
        visitTypeInsn(Opcodes.INSTANCEOF, onlyFor);
        visitJumpInsn(Opcodes.IFEQ, past);
      }
      raise(mv, host);
      visitLabel(past);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      // Keeps this frame apart from one that the method itself may begin with.
      visitInsn(Opcodes.NOP);
    }
  }
}
